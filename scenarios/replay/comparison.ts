import { canonical, type Crossing } from '../../machines/trace/index.ts';
import { questionIn, type TapeStep, type TapeLine } from './tape.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** A crossing of the host that is replayed, at the time of the replay. */
export interface Replayed {
  readonly crossing: Crossing;
  readonly t: number;
}
/** Channel on which today's run differs from the recording. */
export interface ChannelDifference {
  /** `other`: different events on that channel. `late`: the same at another time. `deaf`: the input has no taker. */
  readonly how: 'other' | 'missing' | 'more' | 'late' | 'deaf';
  readonly recorded: TapeLine | undefined;
  readonly replayed: Replayed | undefined;
}
/** First place at which the boundary differs. */
export interface Difference extends ChannelDifference {
  /** Events of the world before, timers too; empty: nothing yet. */
  readonly inputs: readonly TapeLine[];
  /** Other channels that differ after the same input. */
  readonly others: readonly ChannelDifference[];
  /** Number of the last input that is needed to see it; undefined: all of them are. */
  readonly until: number | undefined;
}

/** Real time is late now and then; what crosses so much later or earlier is the same. */
const toleranceMs = 50;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
/** Everything that was recorded is still said. More may be said beside it: additions are no change. */
export function covers(now: unknown, was: unknown): boolean {
  if (Object.is(now, was)) return true;
  if (Array.isArray(was))
    return Array.isArray(now) && now.length === was.length && was.every((each, at) => covers(now[at], each));
  if (isFields(was))
    return (
      isFields(now) &&
      Object.entries(was).every(([key, each]) => each === undefined || covers(now[key], each))
    );
  return typeof was === 'object' && was !== null && canonical(now) === canonical(was);
}
/** Arguments of a tool are compared exactly: they belong to the user. */
const givenIn = ({ ev }: Pick<Crossing, 'ev'>): string =>
  canonical(
    (ev as { readonly params?: { readonly arguments?: unknown } } | undefined)?.params?.arguments ?? null,
  );
const isSame = (was: TapeLine, is: Replayed): boolean => {
  const [{ record }, { crossing }] = [was, is];
  const isCovered = covers(crossing.ev, record.ev) && givenIn(crossing) === givenIn(record);
  return isCovered && crossing.what === record.what && crossing.k === record.k;
};

const byChannel = <T>(items: readonly T[], channelOf: (item: T) => string): Map<string, T[]> => {
  const map = new Map<string, T[]>();
  for (const item of items) {
    const list = map.get(channelOf(item));
    if (list) list.push(item);
    else map.set(channelOf(item), [item]);
  }
  return map;
};

/** Differences of what followed from one input; the order of several channels is no promise. */
export function differencesOf(was: readonly TapeLine[], is: readonly Replayed[]): ChannelDifference[] {
  const [before, after] = [
    byChannel(was, ({ record }) => record.ch),
    byChannel(is, ({ crossing }) => crossing.ch),
  ];
  const found: ChannelDifference[] = [];
  for (const ch of new Set([...before.keys(), ...after.keys()])) {
    const [some, others] = [before.get(ch) ?? [], after.get(ch) ?? []];
    for (let at = 0; at < Math.max(some.length, others.length); at += 1) {
      const parting = partingOf(some[at], others[at]);
      if (!parting) continue;
      found.push(parting);
      break;
    }
  }
  return withPairs(found);
}
function partingOf(
  recorded: TapeLine | undefined,
  replayed: Replayed | undefined,
): ChannelDifference | undefined {
  if (!recorded || !replayed) return { how: recorded ? 'missing' : 'more', recorded, replayed };
  if (!isSame(recorded, replayed)) return { how: 'other', recorded, replayed };
  return Math.abs(recorded.t - replayed.t) <= toleranceMs ? undefined : { how: 'late', recorded, replayed };
}
/** A question with other params is on another channel: what is missing there and new here is one. */
function withPairs(found: readonly ChannelDifference[]): ChannelDifference[] {
  const fresh = found.filter(({ how }) => how === 'more');
  const paired = new Set<ChannelDifference>();
  const all = found.map((parting) => {
    const { recorded, how } = parting;
    const question = recorded && questionIn(recorded.record.ch);
    if (how !== 'missing' || question === undefined) return parting;
    const other = fresh.find(
      (each) => !paired.has(each) && each.replayed && questionIn(each.replayed.crossing.ch) === question,
    );
    if (!other) return parting;
    paired.add(other);
    return partingOf(recorded, other.replayed);
  });
  return all.filter((each) => each !== undefined && !paired.has(each)) as ChannelDifference[];
}

/** Compares what a host does now with what was recorded, step by step. */
export class Comparison {
  /** The first one. What comes after it is often only what follows from it. */
  difference: Difference | undefined;
  /** All after the first. */
  more = 0;
  /** Crossings that agreed. */
  matched = 0;
  #inputs: TapeLine[] = [];
  #expected: TapeLine[] = [];
  #now: Replayed[] = [];

  hear(replayed: Replayed): void {
    this.#now.push(replayed);
  }
  /** Everything that followed from the last input has happened. `until`: the number of the next one. */
  settle(until?: number): void {
    const found = differencesOf(this.#expected, this.#now);
    if (found.length === 0) this.matched += this.#expected.length;
    this.#note(found, until);
    this.#expected = [];
    this.#now = [];
  }
  #note([first, ...others]: readonly ChannelDifference[], until: number | undefined): void {
    if (!first) return;
    if (this.difference) this.more += 1 + others.length;
    else {
      this.difference = { ...first, others, inputs: this.#inputs, until };
      this.more += others.length;
    }
  }
  /** `isNew`: it is no timer, so that what came before has to agree first. */
  begin({ line, out }: TapeStep, isNew: boolean): void {
    if (isNew) {
      this.settle(line.s);
      this.#inputs = [];
    }
    this.#inputs.push(line);
    this.#expected.push(...out);
  }
  unheard(line: TapeLine): void {
    this.#note([{ how: 'deaf', recorded: line, replayed: undefined }], line.s);
  }
}
