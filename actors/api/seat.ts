/** Seat of an agent or a computer in an office: how it is taken, told of and left. */
import type { AnyEventObject } from 'xstate';
import { A2cError } from '../kernel/errors.ts';
import { deferred, untilAborted } from '../kernel/listeners.ts';
import type { PeerCredential } from '../../adapters/socket/link.ts';
import type { LinkStatus } from './link-status.ts';
import type { LinkRefusal } from '../../machines/link/link.events.ts';
import { notGranted, wireCodes } from '../../machines/protocol/failure.ts';
import { noOffice } from '../../machines/office/rooms/loopback.ts';
import { events } from '../../machines/protocol/protocol.ts';

export interface LinkListeners {
  on(name: 'link.changed', listener: (status: LinkStatus) => void): () => void;
}
export interface SeatMachine {
  isTaken(): boolean;
  send(event: AnyEventObject): void;
  show(url: string, credential: PeerCredential): void;
}
export class Seat<Role extends 'agent' | 'computer' = 'agent' | 'computer'> {
  readonly #role: Role;
  readonly #name: string;
  readonly #listeners: LinkListeners;
  readonly #machine: SeatMachine;
  /** Callbacks that end the waits for a seat when the host closes. */
  readonly #waiting = new Set<() => void>();
  #url = '';

  constructor(role: Role, name: string, listeners: LinkListeners, machine: SeatMachine) {
    this.#role = role;
    this.#name = name;
    this.#listeners = listeners;
    this.#machine = machine;
  }
  /** The credential is passed separately, so that no trace contains it. */
  linkTo(seat: OfficeSeat): { url: string; role: Role; name: string; office: string } {
    this.#machine.show(seat.url, seat);
    this.#url = seat.url;
    return { url: seat.url, role: this.#role, name: seat.name ?? this.#name, office: seat.id ?? 'local' };
  }
  /** Rejects when the first try fails; with `keepTrying` only when the host leaves or closes. */
  async join(office: OfficeSeat): Promise<void> {
    if (this.#machine.isTaken())
      throw new A2cError({
        code: wireCodes.conflict,
        message: 'Already in an office',
        remedy: 'leave() first',
      });
    const seated = this.taken(office);
    this.#machine.send({ type: 'office.join', link: this.linkTo(office) });
    try {
      await seated;
    } catch (error) {
      await this.leave();
      throw error;
    }
  }
  /** With `keepTrying` also by a later try. Listens from the moment of this call. */
  taken({ keepTrying = false }: Pick<OfficeSeat, 'keepTrying'>): Promise<void> {
    const joined = deferred();
    const stop = this.#listeners.on('link.changed', ({ state, reason, refusal }) => {
      if (state === 'joined') joined.resolve();
      if (state === 'closed' || (state === 'waiting' && !keepTrying))
        joined.reject(this.#notJoined({ reason: reason ?? state, refusal }));
    });
    const giveUp = (): void => joined.reject(closedBefore(this.#role));
    this.#waiting.add(giveUp);
    return joined.promise.finally(() => {
      stop();
      this.#waiting.delete(giveUp);
    });
  }
  #notJoined(why: Pick<NotJoined, 'reason' | 'refusal'>, options?: ErrorOptions): A2cError {
    return notJoined({ role: this.#role, url: this.#url, ...why }, options);
  }
  close(): void {
    for (const giveUp of this.#waiting) giveUp();
  }
  /** Rejects when the host wants no seat; after a time limit with the failure of the last try. */
  async joined(linkOf: () => LinkStatus | null, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (linkOf()?.state === 'joined') return;
    if (!this.#machine.isTaken()) throw noSeatWanted();
    try {
      await untilAborted(this.taken({ keepTrying: true }), signal);
    } catch (error) {
      throw this.late(linkOf(), error);
    }
  }
  /** Failure of the last try where `error` is the end of a time limit and there is no seat; else `error`. */
  late(link: LinkStatus | null, error: unknown): unknown {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (!isLate || link?.state !== 'waiting') return error;
    const why = { reason: link.reason ?? 'no reason given', refusal: link.refusal };
    return this.#notJoined(why, { cause: error });
  }
  async leave(): Promise<void> {
    if (!this.#machine.isTaken()) return;
    const left = deferred();
    const stop = this.#listeners.on('link.changed', ({ state }) => state === 'closed' && left.resolve());
    this.#machine.send({ type: 'office.leave' });
    await left.promise;
    stop();
  }
}

/** Seat of a computer: the office, the room, the name and the credential. */
export interface OfficeSeat {
  /** Address of the office, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Id of the office's room. Default `local`. */
  readonly id?: string | undefined;
  /** Name in the office. Default: the name of the computer. */
  readonly name?: string | undefined;
  /**
   * Credential for the office: a token, sent as `{ token }` in the Socket.IO handshake, or the whole `auth` object
   * of the handshake. A function is called for each connection. Default, for an office on this machine only: the
   * token that the office stores for other programs of the same user. The credential is never in a trace, and
   * agents never see it.
   */
  readonly auth?: NonNullable<PeerCredential['auth']> | undefined;
  /** HTTP headers of the connection, such as `{ 'x-api-key': '…' }`. */
  readonly headers?: NonNullable<PeerCredential['headers']> | undefined;
  /**
   * TLS options for an `https` office: trusted authorities (`ca`), and the own certificate (`cert`, `key`), all in
   * PEM.
   */
  readonly tls?: NonNullable<PeerCredential['tls']> | undefined;
  /**
   * Tries again, in the background, when the first try fails, instead of rejecting. Default false. Then
   * `createComputer` resolves without a seat, and `computer.joined()` when the seat is taken.
   */
  readonly keepTrying?: boolean | undefined;
}

const noSeatWanted = (): A2cError =>
  new A2cError({
    code: wireCodes.notAllowed,
    message: 'The computer is in no office, and wants no seat',
    remedy: 'Give `office` to createComputer, or call join().',
  });

/** Code and remedy; `agent` and `computer` are seats that others have. */
const advice = {
  agent: [wireCodes.conflict, 'An office has one agent: close the other one, or use another office id.'],
  computer: [wireCodes.conflict, 'The computers of an office have different names: use another one.'],
  foreign: [
    wireCodes.notAllowed,
    'Use an office id, role and name that the credential is for, or another credential.',
  ],
  unfit: [wireCodes.badRequest, 'Use another name, or another office id.'],
  version: [wireCodes.versionMismatch, 'Use an office of 0.1 to 0.4, such as one of createOffice.'],
  credential: [
    wireCodes.tokenRefused,
    'Give the token of that office as `auth`; in a shell: --token, or the variable A2C_TOKEN.',
  ],
  unreached: ['LinkLost', 'Start an office: createOffice; in a shell: a2c office'],
  elsewhere: [
    'LinkLost',
    'Give the address of an office, with the path below which it is reached: https://HOST/PATH/',
  ],
} as const;
const refusals: Readonly<Record<LinkRefusal, string>> = {
  seat: 'The office refused the seat',
  version: 'The office refused our version of the protocol',
  credential: 'The office did not let us in',
};

/** Without name, password and query. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
const isUnfit = (reason: string): boolean => reason.startsWith(`Wrong payload of ${events.joinOffice}`);

interface NotJoined {
  readonly role: 'agent' | 'computer';
  readonly url: string;
  readonly reason: string;
  readonly refusal: LinkRefusal | null;
}
const closedBefore = (role: NotJoined['role']): A2cError =>
  new A2cError({ code: 'Closed', message: `Could not join the office: the ${role} was closed` });
/** With advice on how to get the seat; its details have no credentials. */
function notJoined({ role, url, reason, refusal }: NotJoined, options?: ErrorOptions): A2cError {
  const seat = reason.startsWith(notGranted) ? 'foreign' : isUnfit(reason) ? 'unfit' : role;
  const away = reason.startsWith(noOffice) ? 'elsewhere' : 'unreached';
  const [code, remedy] = advice[refusal === null ? away : refusal === 'seat' ? seat : refusal];
  const what = refusal === null ? 'Could not join the office' : refusals[refusal];
  const details = { url: placeOf(url), reason, refusal };
  return new A2cError({ code, message: `${what}: ${reason}`, details, remedy }, options);
}

/** Office that is reached without a socket. Only `worldOf(trace)` of `a2c-actors/replay` makes one. */
export interface PlayedOffice {
  /** Always true: the office repeats what the office of a trace said. */
  readonly isPlayed: true;
}
