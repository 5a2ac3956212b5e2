import type { AnyEventObject } from 'xstate';
import { A2cError } from '../kernel/errors.ts';
import { deferred } from '../kernel/listeners.ts';
import type { PeerCredential, Links } from '../../adapters/index.ts';
import type { LinkNews, LinkStage, LinkRefusal } from '../../machines/link/link.machine.ts';
import { notGranted } from '../../machines/office/rooms/entry.ts';
import { noOffice } from '../../machines/office/rooms/loopback.ts';
import { wireCodes, events, type Failure } from '../../machines/protocol/index.ts';

/** Listeners of a computer that hear of its link. */
interface LinkListeners {
  on(name: 'link.changed', listener: (status: LinkStatus) => void): () => void;
}
interface SeatMachine {
  isTaken(): boolean;
  send(event: AnyEventObject): void;
  /** Keeps what the office at this address is shown. */
  show(url: string, credential: PeerCredential): void;
}
/** How a computer takes its seat in an office, and leaves it. */
export class Seat {
  readonly #name: string;
  readonly #listeners: LinkListeners;
  readonly #machine: SeatMachine;

  constructor(name: string, listeners: LinkListeners, machine: SeatMachine) {
    this.#name = name;
    this.#listeners = listeners;
    this.#machine = machine;
  }
  /** Input for its link. The credential takes another way. */
  linkTo(seat: OfficeSeat): { url: string; role: 'computer'; name: string; office: string } {
    this.#machine.show(seat.url, seat);
    return { url: seat.url, role: 'computer', name: seat.name ?? this.#name, office: seat.id ?? 'local' };
  }
  /** Resolves when it sits there; rejects, and tries no more, when the first try fails. */
  async join(office: OfficeSeat): Promise<void> {
    if (this.#machine.isTaken())
      throw new A2cError({
        code: wireCodes.conflict,
        message: 'Already in an office',
        remedy: 'leave() first',
      });
    const joined = deferred();
    const stop = this.#listeners.on('link.changed', ({ state, reason, refusal }) => {
      if (state === 'joined') joined.resolve();
      if (state === 'waiting' || state === 'closed')
        joined.reject(notJoined('computer', reason ?? state, refusal));
    });
    this.#machine.send({ type: 'office.join', link: this.linkTo(office) });
    try {
      await joined.promise;
    } catch (error) {
      await this.leave();
      throw error;
    } finally {
      stop();
    }
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

/** State of the seat of an agent or a computer in its office. */
export interface LinkStatus {
  /**
   * `connecting`: it connects, or asks for its seat. `joined`: it sits there. `waiting`: it was refused or lost its
   * connection, and tries again by itself (`linkBackoffMs`, or `linkRestMs`). `closed`: it tries no more.
   */
  readonly state: LinkStage;
  /** Why it is not joined, in the words of the office or the network; null: there is nothing to say. */
  readonly reason: string | null;
  /** Kind of refusal by the office: the seat, the version of the protocol, the credential; null: none. */
  readonly refusal: LinkRefusal | null;
}
export const linkStatusOf = ({
  stage,
  reason,
  refusal,
}: Extract<LinkNews, { readonly type: 'link.changed' }>): LinkStatus => ({ state: stage, reason, refusal });
/** Which room of which office a computer sits in. */
export interface OfficeSeat {
  /** Address of the office, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Default `local`. */
  readonly id?: string;
  /** Under which name it sits there. Default: that of the computer. */
  readonly name?: string;
  /**
   * Credential for the office: a token, which is sent as `{ token }` in the Socket.IO handshake, or the whole `auth`
   * object of it. A function is called at each connection. Default, for an office on this machine only: the token
   * that it keeps for other programs of the same user. No trace has it, and agents never see it.
   */
  readonly auth?: NonNullable<PeerCredential['auth']>;
  /** HTTP headers of the connection, such as `{ 'x-api-key': '…' }`. */
  readonly headers?: NonNullable<PeerCredential['headers']>;
  /**
   * TLS options for an `https` office: trusted authorities (`ca`), and the own certificate (`cert`, `key`), each in
   * PEM.
   */
  readonly tls?: NonNullable<PeerCredential['tls']>;
}

type JoinFailure = Pick<Failure, 'code' | 'remedy'> & { readonly what: string };
const agentSeat: JoinFailure = {
  code: wireCodes.conflict,
  what: 'The office refused the seat',
  remedy: 'An office has one agent: close the other one, or use another office id.',
};
const computerSeat: JoinFailure = {
  code: wireCodes.conflict,
  what: 'The office refused the seat',
  remedy: 'The computers of an office have different names: use another one.',
};
const foreignSeat: JoinFailure = {
  code: wireCodes.notAllowed,
  what: 'The office refused the seat',
  remedy: 'Use an office id, role and name that the credential is for, or another credential.',
};
const unfitSeat: JoinFailure = {
  code: wireCodes.badRequest,
  what: 'The office refused the seat',
  remedy: 'Use another name, or another office id.',
};
const version: JoinFailure = {
  code: wireCodes.versionMismatch,
  what: 'The office refused our version of the protocol',
  remedy: 'Use an office of 0.1 to 0.4, such as: a2c office',
};
const credential: JoinFailure = {
  code: wireCodes.unauthorized,
  what: 'The office did not let us in',
  remedy: 'Give the token of that office: --token, the variable A2C_TOKEN, or auth in a program.',
};
const unreached: JoinFailure = {
  code: 'LinkLost',
  what: 'Could not join the office',
  remedy: 'Start an office: a2c office',
};

const elsewhere: JoinFailure = {
  ...unreached,
  remedy: 'Give the address of an office, with the path below which it is reached: https://HOST/PATH/',
};

const isUnfit = (reason: string): boolean => reason.startsWith(`Wrong payload of ${events.joinOffice}`);

/** Why somebody does not sit in an office, with what to do about it. */
export function notJoined(role: 'agent' | 'computer', reason: string, refusal: LinkRefusal | null): A2cError {
  const taken = role === 'agent' ? agentSeat : computerSeat;
  const seat = reason.startsWith(notGranted) ? foreignSeat : isUnfit(reason) ? unfitSeat : taken;
  const away = reason.startsWith(noOffice) ? elsewhere : unreached;
  const { code, what, remedy } = refusal === null ? away : { seat, version, credential }[refusal];
  return new A2cError({ code, message: `${what}: ${reason}`, ...(remedy !== undefined && { remedy }) });
}

/** Reaches an office without a socket. Only `worldOf(trace)` of `a2c-actors/replay` makes one. */
export interface PlayedOffice {
  /** Always true: it says what the office of a trace has said. */
  readonly isPlayed: true;
}
/** Gives a runtime what it takes for it. */
export const linksOf = ({ links }: { readonly links?: PlayedOffice }): Links | undefined =>
  links as unknown as Links | undefined;
