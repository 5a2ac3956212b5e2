import { isAnswer, type RequestFact, type Emit, type Ports } from '../../kernel/ports.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

/** How many calls of one server, or of all servers of a computer, may run, and how many may wait for that. */
export interface CallLimits {
  /** 0 = any number. */
  readonly concurrency: number;
  /** How many more may wait for their turn; beyond it a call is refused as `Busy`. 0 = any number. */
  readonly queue: number;
}
/** Without a word in the config: what stops a flood before it fills the memory, and no more than that. */
export const defaultLimits: CallLimits = { concurrency: 1_000, queue: 1_000 };
export const noLimits: CallLimits = { concurrency: 0, queue: 0 };

/** One that wants to run; it hears `waits` or nothing, then `go` or `busy` once, and leaves when it is over. */
export interface Entrant {
  go(): void;
  /** Number of those that come before it. */
  waits(ahead: number): void;
  busy(failure: Failure): void;
}
/** Port `limiters`: decides which call runs when. In each limiter the first to come goes first. */
export interface CallLimiters {
  /** The returned function leaves, whether it waits or runs; the next one begins a moment later, never in between. */
  enter(server: string, entrant: Entrant): () => void;
}

/** Limiter that lets so many run at once. The first to come goes first. */
export interface Limiter {
  /** Number of those that wait. */
  readonly waiting: number;
  /** Whether a newcomer waits. */
  readonly isFull: boolean;
  /** Whether nothing runs and nothing waits. */
  readonly isEmpty: boolean;
  /** Changes how many may run. Those that may begin because of it do so a moment later, never within this call. */
  limit(concurrency: number): void;
  /** Enters; `go` is called at once when there is room. The returned function leaves; the next one begins a moment later. */
  enter(go: () => void): () => void;
}
export interface CallLimitersOptions {
  /** Limits of one server, read with each call, so that a changed config counts from the next call on. */
  readonly limitsOf: (server: string) => CallLimits;
  /** Limits of all servers together. */
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
 * The limiters of one computer: one per server, and one for all. A call takes its turn with its server first, so that
 * one busy server never keeps another's calls from theirs. Nothing of it outlives the calls: no timer, no handle.
 */
export function callLimiters(
  { limitsOf, total }: CallLimitersOptions,
  open: (concurrency: number) => Limiter,
): CallLimiters {
  const limiters = new Map<string, Limiter>();
  const all = { limiter: undefined as Limiter | undefined };
  /** No limiter is needed without a limit, unless some wait in it still. */
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
/** A question that is asked in its turn. The asker hears that it waits and when it begins, then its answer. */
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
      // The asker that heard of its beginning may have ended over it.
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
      // A call may have waited for its server, and holds its place there when there is none on the computer.
      end();
      emit({ type: 'ask.refused', id, sent: false, failure });
    },
  });
  it.leave = leave;
  // Answered at once.
  if (it.isOver) leave();
  return () => {
    end();
    it.withdraw?.();
  };
}
