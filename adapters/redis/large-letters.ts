import type { Client } from './clients.ts';
import type { KeptClient } from './kept-client.ts';
import type { Keys } from './keys.ts';

/** A message of more bytes does not travel with the others, whose channel Redis cuts where its listener falls behind. */
export const largeBytes = 65_536;
const partBytes = 1_048_576;
/** So long it stands in Redis for who is to fetch it; who is paused for longer has lost its lease. */
const keptMs = 60_000;

/** What one node may have standing in Redis for another that has not fetched it, and what may wait here for that. */
export interface LargeLimits {
  readonly standingBytes: number;
  readonly waitingBytes: number;
}
export const largeLimits: LargeLimits = { standingBytes: 33_554_432, waitingBytes: 134_217_728 };

/** Told once: true, it was fetched; false, nobody can have seen it; undefined, nobody knows. */
type Settled = (isFetched: boolean | undefined) => void;
interface Outgoing {
  readonly key: string;
  readonly letter: Buffer;
  /** Tells its node where it stands; how many heard so. */
  readonly announce: (key: string, bytes: number) => Promise<boolean>;
  readonly settled: Settled;
}
interface Standing extends Pick<Outgoing, 'settled'> {
  readonly bytes: number;
  readonly timer: ReturnType<typeof setTimeout>;
}
interface Lane {
  readonly waiting: Outgoing[];
  readonly standing: Map<string, Standing>;
  isWriting: boolean;
}
const sumOf = (lengths: Iterable<number>): number => [...lengths].reduce((sum, one) => sum + one, 0);

/**
 * Large messages: each stands in Redis in parts, over a connection of its own, and its node fetches it when it can. So none of them
 * waits in a buffer of Redis, and none stands in the way of what is small.
 */
export class LargeLetters {
  readonly #node: string;
  readonly #client: KeptClient<Client>;
  readonly #keys: Keys;
  readonly #limits: LargeLimits;
  readonly #lanes = new Map<string, Lane>();
  /** One after the other: what is fetched last holds the most memory. */
  #fetching: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(node: string, client: KeptClient<Client>, keys: Keys, limits: LargeLimits = largeLimits) {
    this.#node = node;
    this.#client = client;
    this.#keys = keys;
    this.#limits = limits;
  }
  /** False: too much waits for this node already, and `settled` is not told. */
  send(node: string, letter: Buffer, announce: Outgoing['announce'], settled: Settled): boolean {
    const lane: Lane = this.#lanes.get(node) ?? { waiting: [], standing: new Map(), isWriting: false };
    this.#lanes.set(node, lane);
    const waitingBytes = sumOf(lane.waiting.map((one) => one.letter.length));
    if (waitingBytes + letter.length > this.#limits.waitingBytes) return false;
    this.#count += 1;
    lane.waiting.push({ key: this.#keys.large(this.#node, this.#count), letter, announce, settled });
    void this.#write(lane);
    return true;
  }
  /** Notes that the node has fetched it. */
  fetched(key: string): void {
    for (const lane of this.#lanes.values()) this.#settle(lane, key, true);
  }
  /** This node lives no more. */
  forget(node: string): void {
    const lane = this.#lanes.get(node);
    this.#lanes.delete(node);
    for (const { settled } of lane?.waiting.splice(0) ?? []) settled(false);
    for (const key of lane ? [...lane.standing.keys()] : []) {
      if (lane) this.#settle(lane, key, undefined);
      this.#client.now?.del(key).catch(() => {});
    }
  }
  close(): void {
    for (const node of [...this.#lanes.keys()]) this.forget(node);
    this.#client.close();
  }
  /** Undefined: it is not there, or cannot be had now. */
  fetch(key: string, bytes: number): Promise<Buffer | undefined> {
    const fetched = this.#fetching.then(() => this.#fetch(key, bytes)).catch(() => undefined);
    this.#fetching = fetched;
    return fetched;
  }
  async #fetch(key: string, bytes: number): Promise<Buffer | undefined> {
    const letter = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; at += partBytes) {
      const part = await this.#client.now?.getrangeBuffer(key, at, at + partBytes - 1);
      if (!part || part.length !== Math.min(partBytes, bytes - at)) return undefined;
      part.copy(letter, at);
    }
    this.#client.now?.del(key).catch(() => {});
    return letter;
  }
  #settle(lane: Lane, key: string, isFetched: boolean | undefined): void {
    const standing = lane.standing.get(key);
    if (!standing) return;
    lane.standing.delete(key);
    clearTimeout(standing.timer);
    standing.settled(isFetched);
    void this.#write(lane);
  }
  /** In their order, as many as may stand there at once. */
  async #write(lane: Lane): Promise<void> {
    if (lane.isWriting) return;
    lane.isWriting = true;
    for (let next = this.#next(lane); next; next = this.#next(lane)) await this.#stand(lane, next);
    lane.isWriting = false;
  }
  #next(lane: Lane): Outgoing | undefined {
    const [first] = lane.waiting;
    const standing = sumOf([...lane.standing.values()].map(({ bytes }) => bytes));
    const isFull = standing > 0 && standing + (first?.letter.length ?? 0) > this.#limits.standingBytes;
    return isFull ? undefined : lane.waiting.shift();
  }
  async #stand(lane: Lane, { key, letter, announce, settled }: Outgoing): Promise<void> {
    const client = this.#client.now;
    try {
      if (!client) return settled(false);
      await client.set(key, letter.subarray(0, partBytes), 'PX', keptMs);
      for (let at = partBytes; at < letter.length; at += partBytes)
        await client.append(key, letter.subarray(at, at + partBytes));
    } catch {
      client?.del(key).catch(() => {});
      return settled(false);
    }
    const timer = setTimeout(() => this.#settle(lane, key, undefined), keptMs);
    lane.standing.set(key, { bytes: letter.length, timer, settled });
    await announce(key, letter.length).then(
      (isHeard) => isHeard || this.#settle(lane, key, false),
      () => this.#settle(lane, key, undefined),
    );
  }
}
