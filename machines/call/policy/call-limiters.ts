import { TransientMap } from '../../kernel/objects.ts';
import { isAnswer, type RequestFact, type Emit, type RequestPort } from '../../kernel/ports.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

/** Limits of the calls of one server, or of all servers of a computer: how many may run, and how many may wait. */
export interface CallLimits {
  /** Number of calls that may run at the same time; 0 = any number. */
  readonly concurrency: number;
  /** Number of further calls that may wait; beyond it a call is refused as `Busy`. 0 = any number. */
  readonly queue: number;
}
/** High enough for normal use, low enough that a flood of calls does not fill the memory. */
export const defaultLimits: CallLimits = { concurrency: 1_000, queue: 1_000 };
export const noLimits: CallLimits = { concurrency: 0, queue: 0 };

/**
 * Call that asks a limiter for permission to run. It receives `waits` at most once, then `go` or `busy` exactly once, and
 * leaves when it is over.
 */
export interface Entrant {
  go(): void;
  /** Reports the number of calls ahead in the queue. */
  waits(ahead: number): void;
  busy(failure: Failure): void;
}
/** Port `limiters`: decides when each call runs. Every limiter is first come, first served. */
export interface CallLimiters {
  /** The returned function leaves; the next call starts a moment later, never synchronously. */
  enter(server: string, entrant: Entrant): () => void;
}

export interface Limiter {
  readonly waiting: number;
  readonly isFull: boolean;
  readonly isEmpty: boolean;
  /** Calls that may start because of it do so a moment later, never synchronously. */
  limit(concurrency: number): void;
  /** `go` is called at once when there is room. After a leave, the next call starts a moment later. */
  enter(go: () => void): () => void;
}
export interface CallLimitersOptions {
  /** Read with each call, so that a changed config applies from the next call on. */
  readonly limitsOf: (server: string) => CallLimits;
  readonly total: () => CallLimits;
}

export const busy = (server: string, { concurrency, queue }: CallLimits, isTotal: boolean): Failure => ({
  code: 'Busy',
  message: isTotal
    ? `${concurrency} calls run on this computer and ${queue} wait already; this one was not sent`
    : `${concurrency} calls of server '${server}' run and ${queue} wait already; this one was not sent`,
  details: { server_name: server, concurrency, queue },
  remedy: isTotal
    ? 'Call again later, or raise a2c.totalConcurrency or a2c.totalQueue.'
    : 'Call again later, or raise a2c.concurrency or a2c.queue of the server.',
});

/** A call waits for its server's limiter first, so that a busy server never delays calls of others. */
export function callLimiters(
  { limitsOf, total }: CallLimitersOptions,
  open: (concurrency: number) => Limiter,
): CallLimiters {
  const limiters = new TransientMap<string, Limiter>();
  const all = { limiter: undefined as Limiter | undefined };
  /** Undefined when the server has no limit and no call is left in an earlier limiter. */
  const limiterOf = (server: string, { concurrency }: CallLimits): Limiter | undefined => {
    const limiter = limiters.get(server) ?? (concurrency === 0 ? undefined : open(concurrency));
    if (limiter) limiters.set(server, limiter);
    limiter?.limit(concurrency || Infinity);
    return limiter;
  };
  const isRefused = (limiter: Limiter, { concurrency, queue }: CallLimits): boolean =>
    concurrency > 0 && limiter.isFull && limiter.waiting >= queue;
  const enterAll = (server: string, entrant: Entrant, waits: () => void): (() => void) => {
    const limits = total();
    if (limits.concurrency > 0) all.limiter ??= open(limits.concurrency);
    const { limiter } = all;
    if (!limiter) {
      entrant.go();
      return () => {};
    }
    limiter.limit(limits.concurrency || Infinity);
    if (isRefused(limiter, limits)) {
      entrant.busy(busy(server, limits, true));
      return () => {};
    }
    if (limiter.isFull) waits();
    return limiter.enter(() => entrant.go());
  };
  return {
    enter(server, entrant) {
      const limits = limitsOf(server);
      let hasWaited = false;
      const waits = (ahead: number): void => {
        if (!hasWaited) entrant.waits(ahead);
        hasWaited = true;
      };
      const limiter = limiterOf(server, limits);
      if (!limiter) return enterAll(server, entrant, () => waits(all.limiter?.waiting ?? 0));
      if (isRefused(limiter, limits)) {
        entrant.busy(busy(server, limits, false));
        return () => {};
      }
      if (limiter.isFull) waits(limiter.waiting);
      const inner: { leave?: () => void; isOver: boolean } = { isOver: false };
      const leave = limiter.enter(() => {
        inner.leave = enterAll(server, entrant, () => waits(all.limiter?.waiting ?? 0));
        if (inner.isOver) inner.leave();
      });
      return () => {
        inner.isOver = true;
        inner.leave?.();
        leave();
        if (limiter.isEmpty && limiters.get(server) === limiter) limiters.delete(server);
      };
    },
  };
}

type PortRequest = Parameters<RequestPort>[1];
/** Its sender gets a report of the wait and of the start, and then the answer. */
export function requestLimited(
  limiters: CallLimiters,
  server: string,
  { id }: PortRequest,
  emit: Emit<RequestFact>,
  send: (emit: Emit<RequestFact>) => () => void,
): () => void {
  const it: { hasWaited: boolean; isOver: boolean; withdraw?: () => void; leave?: () => void } = {
    hasWaited: false,
    isOver: false,
  };
  const end = (): void => {
    it.isOver = true;
    it.leave?.();
  };
  const leave = limiters.enter(server, {
    waits: (ahead) => {
      it.hasWaited = true;
      emit({ type: 'ask.waiting', id, ahead });
    },
    go: () => {
      if (it.hasWaited) emit({ type: 'ask.began', id });
      // Stops when the sender withdrew its request while it received the report of the start.
      if (it.isOver) return;
      const said = (fact: RequestFact): void => {
        if (isAnswer(fact.type)) end();
        emit(fact);
      };
      try {
        it.withdraw = send(said);
      } catch (error) {
        const message = `It could not be sent: ${String(error)}`;
        said({ type: 'ask.refused', id, sent: false, failure: { code: wireCodes.badRequest, message } });
      }
    },
    busy: (failure) => {
      end();
      emit({ type: 'ask.refused', id, sent: false, failure });
    },
  });
  it.leave = leave;
  // Leaves at once when the answer came synchronously, before `leave` was known.
  if (it.isOver) leave();
  return () => {
    end();
    it.withdraw?.();
  };
}
