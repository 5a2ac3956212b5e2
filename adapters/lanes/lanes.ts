import PQueue from 'p-queue';
import { busy, type LaneLimits, type Lanes, type Turn } from '../../machines/call/policy/index.ts';

export interface LanesOptions {
  /** Of one server; asked anew with each call, so that a changed config counts from the next call on. */
  readonly limitsOf: (server: string) => LaneLimits;
  /** Of all servers together. */
  readonly total: () => LaneLimits;
}

/** One lane: a p-queue in which a task is a turn, and lasts until whoever has it leaves. */
class Lane {
  readonly #queue: PQueue;
  waiting = 0;
  #running = 0;
  #limit: number;

  constructor(concurrency: number) {
    this.#limit = concurrency;
    this.#queue = new PQueue({ concurrency });
  }
  /** Whoever may begin because of it does so a moment later: the queue would let them begin within this call. */
  limit(concurrency: number): void {
    if (this.#limit === concurrency) return;
    this.#limit = concurrency;
    queueMicrotask(() => (this.#queue.concurrency = this.#limit));
  }
  get isFull(): boolean {
    return this.#running >= this.#limit || this.waiting > 0;
  }
  get isEmpty(): boolean {
    return this.#running === 0 && this.waiting === 0;
  }
  /**
   * `go` is called at once when there is room: also in the moment in which the queue does not know yet that somebody
   * has left. Its task comes behind that one's, and holds the place from then on.
   */
  enter(go: () => void): () => void {
    let isOver = false;
    let hasBegun = false;
    let done = (): void => {};
    const over = new Promise<void>((resolve) => (done = resolve));
    const begin = (): void => {
      hasBegun = true;
      this.#running += 1;
      go();
    };
    const hasRoom = !this.isFull;
    // Whoever leaves while he waits is taken out of the queue, which would keep him until his turn came.
    const left = hasRoom ? undefined : new AbortController();
    if (!hasRoom) this.waiting += 1;
    const turn = async (): Promise<void> => {
      if (isOver) return;
      if (!hasBegun) {
        this.waiting -= 1;
        begin();
      }
      await over;
    };
    if (hasRoom) begin();
    const added = this.#queue.add(turn, left && { signal: left.signal });
    if (left) added.catch(() => {});
    return () => {
      if (isOver) return;
      isOver = true;
      if (hasBegun) this.#running -= 1;
      else {
        this.waiting -= 1;
        left?.abort();
      }
      done();
    };
  }
}

/**
 * The lanes of one computer: one per server, and one for all. A call takes its turn with its server first, so that
 * one busy server never keeps another's calls from theirs. Nothing of it outlives the calls: no timer, no handle.
 */
export function createLanes({ limitsOf, total }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>();
  const all = { lane: undefined as Lane | undefined };
  /** Without a limit nobody needs one, unless some wait in it still. */
  const laneOf = (server: string, { concurrency }: LaneLimits): Lane | undefined => {
    const lane = lanes.get(server) ?? (concurrency === 0 ? undefined : new Lane(concurrency));
    if (lane) lanes.set(server, lane);
    lane?.limit(concurrency || Infinity);
    return lane;
  };
  const isRefused = (lane: Lane, { concurrency, queue }: LaneLimits): boolean =>
    concurrency > 0 && lane.isFull && lane.waiting >= queue;
  const enterAll = (server: string, turn: Turn, waits: () => void): (() => void) => {
    const limits = total();
    if (limits.concurrency > 0) all.lane ??= new Lane(limits.concurrency);
    const { lane } = all;
    if (!lane) {
      turn.go();
      return () => {};
    }
    lane.limit(limits.concurrency || Infinity);
    if (isRefused(lane, limits)) {
      turn.busy(busy(server, limits, true));
      return () => {};
    }
    if (lane.isFull) waits();
    return lane.enter(() => turn.go());
  };
  return {
    enter(server, turn) {
      const limits = limitsOf(server);
      let hasWaited = false;
      const waits = (ahead: number): void => {
        if (!hasWaited) turn.waits(ahead);
        hasWaited = true;
      };
      const lane = laneOf(server, limits);
      if (!lane) return enterAll(server, turn, () => waits(all.lane?.waiting ?? 0));
      if (isRefused(lane, limits)) {
        turn.busy(busy(server, limits, false));
        return () => {};
      }
      if (lane.isFull) waits(lane.waiting);
      const inner: { leave?: () => void; isOver: boolean } = { isOver: false };
      const leave = lane.enter(() => {
        inner.leave = enterAll(server, turn, () => waits(all.lane?.waiting ?? 0));
        if (inner.isOver) inner.leave();
      });
      return () => {
        inner.isOver = true;
        inner.leave?.();
        leave();
        if (lane.isEmpty && lanes.get(server) === lane) lanes.delete(server);
      };
    },
  };
}
