import PQueue from 'p-queue';
import { busy, type LaneLimits, type Lanes, type Turn } from '../../machines/calls/index.ts';

export interface LanesOptions {
  /** Of one server; asked anew with each call, so that a changed config counts from the next call on. */
  readonly limitsOf: (server: string) => LaneLimits;
  /** Of all servers together. */
  readonly total: () => LaneLimits;
}

/** One lane: a p-queue in which a task is a turn, and lasts until whoever has it leaves. */
class Lane {
  readonly #queue: PQueue;
  /** Those that have left while they waited are still in the queue, and are passed over when their turn comes. */
  waiting = 0;
  #running = 0;

  constructor(concurrency: number) {
    this.#queue = new PQueue({ concurrency });
  }
  limit(concurrency: number): void {
    if (this.#queue.concurrency !== concurrency) this.#queue.concurrency = concurrency;
  }
  get isFull(): boolean {
    return this.#running >= this.#queue.concurrency || this.waiting > 0;
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
    void this.#queue.add(turn);
    return () => {
      if (isOver) return;
      isOver = true;
      if (hasBegun) this.#running -= 1;
      else this.waiting -= 1;
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
  const laneOf = (server: string, { concurrency }: LaneLimits): Lane => {
    const lane = lanes.get(server) ?? new Lane(concurrency);
    lanes.set(server, lane);
    lane.limit(concurrency);
    return lane;
  };
  const enterAll = (server: string, turn: Turn, waits: () => void): (() => void) => {
    const limits = total();
    if (limits.concurrency === 0) {
      turn.go();
      return () => {};
    }
    const lane = (all.lane ??= new Lane(limits.concurrency));
    lane.limit(limits.concurrency);
    if (lane.isFull && lane.waiting >= limits.queue) {
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
      if (limits.concurrency === 0) return enterAll(server, turn, () => waits(all.lane?.waiting ?? 0));
      const lane = laneOf(server, limits);
      if (lane.isFull && lane.waiting >= limits.queue) {
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
