import type { Failure } from '../../../../machines/protocol/failure.ts';
import type { Hands } from '../answering.ts';
import { type Met, type Passing, type Refusal, lostFailure, type Pending, type Session } from '../script.ts';

/** Message of the HTTP transport for a lost session. */
const forgotten = 'the server has forgotten this session (HTTP 404)';
/** Refusal with status 404 for a request that names an unknown session. */
export const gone: Refusal = {
  refuses: { ...lostFailure(forgotten), details: { http_status: 404, phase: 'session' } },
  how: 'unsent',
  ends: { isExpired: true },
};
const unreachable = 'the server cannot be reached: nobody listens there (ECONNREFUSED)';
export const brokenOff: Failure = lostFailure(
  'the server broke off its answer: the connection was cut (ECONNRESET)',
);
/** Reconnection of a broken stream: delay in ms, as the fault server asks for, and number of attempts. */
export const retryMs = 100;
const mostRetries = 5;

export interface RemoteHands extends Pick<Hands, 'now' | 'after' | 'lose'> {
  /** Fails a handshake with its own reason. */
  fail(session: Session, failure: Failure): void;
  sessions(): Iterable<Session>;
}
interface Down {
  readonly until: number;
  readonly areFaultsCleared: () => boolean;
}
const momentOf = { 'tools/list': 'list', 'tools/call': 'call', 'resources/read': 'read' } as const;
const isMoment = (method: string): method is keyof typeof momentOf => Object.hasOwn(momentOf, method);

/**
 * Entrance of servers behind URLs: applies faults to a request before it is read, and to its answer on the way back.
 */
export class Remote {
  readonly #hands: RemoteHands;
  /** Outages of servers, by name. */
  readonly #down = new Map<string, Down>();

  constructor(hands: RemoteHands) {
    this.#hands = hands;
  }
  whyNotReached(server: string): Failure | undefined {
    return this.#isDown(server) ? lostFailure(unreachable) : undefined;
  }
  #isDown(server: string): boolean {
    const down = this.#down.get(server);
    return down !== undefined && this.#hands.now() < down.until && !down.areFaultsCleared();
  }
  /** Lets a request in, or applies a fault; `ask` is called when it gets through. */
  meet(session: Session, asked: Pending, params: unknown, ask: () => void): void {
    const { child } = session;
    const { script, server } = child;
    const { method } = asked;
    const refuse = (refusal: Refusal, ms = 1): void =>
      this.#hands.after(child, ms, () => this.#refuse(session, asked, refusal));
    if (this.#isDown(server)) return refuse({ refuses: lostFailure(unreachable), how: 'unsent', ends: {} });
    const atDoor = session.isForgotten === true ? 'forgotten' : script.door?.(method);
    if (atDoor === 'forgotten') return refuse(gone);
    if (atDoor)
      return refuse({
        refuses: atDoor,
        how: 'unsent',
        ...(atDoor.code === 'Unauthorized' && { ends: { wantsLogin: true } }),
      });
    const tool = method === 'tools/call' ? (params as { readonly name?: string }).name : undefined;
    const met = isMoment(method) ? script.meets?.(momentOf[method], tool) : undefined;
    this.#later(session, met);
    const { instead, answer } = met ?? {};
    if (!instead) {
      if (answer) asked.carry = (deliver) => this.#carry(session, asked, answer, deliver);
      return ask();
    }
    if ('never' in instead) return;
    if ('refuses' in instead) return refuse(instead, 1 + instead.afterMs);
    this.#hands.after(child, 1 + instead.afterMs, () => {
      if ('forgets' in instead) return this.#refuse(session, asked, gone);
      this.#pass(session, instead);
    });
  }
  /** Answers the handshake; `open` is called with the extra delay, or with the failure when the answer breaks off. */
  greet(session: Session, open: (lateMs: number, broken?: Failure) => void): void {
    const { child } = session;
    const met = child.script.meets?.('initialize');
    this.#later(session, met);
    const { instead, answer } = met ?? {};
    if (!instead && answer && 'broken' in answer) return open(0, answer.broken);
    if (!instead) return open(answer && 'lateMs' in answer ? answer.lateMs : 0);
    if ('never' in instead) return;
    this.#hands.after(child, 1 + instead.afterMs, () => {
      if ('refuses' in instead) this.#hands.fail(session, instead.refuses);
      else this.#pass(session, instead);
    });
  }
  #later(session: Session, met: Met | undefined): void {
    for (const passing of met?.later ?? [])
      this.#hands.after(session.child, passing.afterMs, () => this.#pass(session, passing));
  }
  /** Reports a refusal to the request first, then to other waiting requests, then to the session. */
  #refuse(session: Session, asked: Pending, { refuses: failure, how, ends }: Refusal): void {
    if (session.pending.delete(asked.id)) asked.refuse(failure, how);
    if (ends) this.#hands.lose(session, { reason: failure.message, ...ends });
  }
  #carry(session: Session, asked: Pending, answer: NonNullable<Met['answer']>, deliver: () => void): void {
    if ('broken' in answer) this.#refuse(session, asked, { refuses: answer.broken, how: 'lost' });
    else this.#hands.after(session.child, answer.lateMs, deliver);
  }
  #pass(session: Session, passing: Passing): void {
    if ('forgets' in passing) {
      session.isForgotten = true;
      return this.#cut(session);
    }
    const { downMs, forgetsAll, areFaultsCleared } = passing;
    const { server } = session.child;
    this.#down.set(server, { until: this.#hands.now() + downMs, areFaultsCleared });
    for (const each of [...this.#hands.sessions()]) {
      if (each.child.server !== server) continue;
      each.isForgotten = forgetsAll || each.isForgotten === true;
      this.#cut(each);
    }
  }
  /**
   * Breaks the streams of a session: pending requests are lost one by one, and the stream for notifications
   * reconnects.
   */
  #cut(session: Session): void {
    if (session.state === 'connecting') return this.#hands.fail(session, brokenOff);
    for (const asked of [...session.pending.values()])
      this.#refuse(session, asked, { refuses: brokenOff, how: 'lost' });
    if (session.state === 'open') this.#takeUp(session, 1);
  }
  #takeUp(session: Session, n: number): void {
    const { child } = session;
    this.#hands.after(child, retryMs, () => {
      if (session.state !== 'open') return;
      if (!this.#isDown(child.server)) {
        if (session.isForgotten === true) this.#hands.lose(session, { reason: forgotten, isExpired: true });
      } else if (n < mostRetries) this.#takeUp(session, n + 1);
      else this.#hands.lose(session, { reason: unreachable });
    });
  }
}
