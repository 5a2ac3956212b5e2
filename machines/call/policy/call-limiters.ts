import { isAnswer, type RequestFact, type Emit, type Ports } from '../../kernel/ports.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

/** Limits of the calls of one server, or of all servers of a computer: how many may run, and how many may wait. */
export interface CallLimits {
  /** Number of calls that may run at the same time; 0 = any number. */
  readonly concurrency: number;
  /** Number of further calls that may wait; beyond it a call is refused as `Busy`. 0 = any number. */
  readonly queue: number;
}
/**
 * Limits used when the config sets none: high enough for normal use, low enough that a flood of calls does not fill
 * the memory.
 */
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
  /**
   * Enters the queue. The returned function leaves, whether the call waits or runs; the next call starts a moment
   * later, never synchronously.
   */
  enter(server: string, entrant: Entrant): () => void;
}

/** Limiter for a number of calls that run at the same time; first come, first served. */
export interface Limiter {
  /** Number of waiting calls. */
  readonly waiting: number;
  /** Tells whether a new call would have to wait. */
  readonly isFull: boolean;
  /** Tells whether no call runs and none waits. */
  readonly isEmpty: boolean;
  /**
   * Changes the number of calls that may run. Calls that may start because of it do so a moment later, never
   * synchronously.
   */
  limit(concurrency: number): void;
  /**
   * Enters the limiter; `go` is called at once when there is room. The returned function leaves; the next call starts
   * a moment later.
   */
  enter(go: () => void): () => void;
}
export interface CallLimitersOptions {
  /**
   * Returns the limits of one server; read with each call, so that a changed config applies from the next call on.
   */
  readonly limitsOf: (server: string) => CallLimits;
  /** Returns the limits of all servers together. */
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

/**
 * Creates the limiters of one computer: one per server, and one for all servers. A call waits for its server's
 * limiter first, so that a busy server never delays calls of other servers. No timers outlive the calls.
 */
export function callLimiters(
  { limitsOf, total }: CallLimitersOptions,
  open: (concurrency: number) => Limiter,
): CallLimiters {
  const limiters = new Map<string, Limiter>();
  const all = { limiter: undefined as Limiter | undefined };
  /**
   * Returns the limiter of a server; undefined when the server has no limit and no call is left in an earlier
   * limiter.
   */
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

type PortRequest = Parameters<Ports['request']>[1];
/** Sends a request when the limiter permits it. Its sender gets a report of the wait and of the start, and then the answer. */
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
      // Releases the place in the server's limiter when the computer's queue is full.
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
