import { canonical } from '../../machines/trace/canonical.ts';
import type { Crossing } from '../../machines/trace/channels.ts';
import { questionIn, type TapeStep, type TapeLine } from './tape.ts';
import type { Fields } from '../../machines/protocol/json.ts';

export interface Replayed {
  readonly crossing: Crossing;
  readonly t: number;
}
export interface ChannelDifference {
  /** `more`: more events; `late`: the same event at another time; `deaf`: nothing takes the recorded input. */
  readonly how: 'other' | 'missing' | 'more' | 'late' | 'deaf';
  readonly recorded: TapeLine | undefined;
  readonly replayed: Replayed | undefined;
}
export interface Difference extends ChannelDifference {
  /** Just before the difference, timers included; empty when there was none yet. */
  readonly inputs: readonly TapeLine[];
  readonly others: readonly ChannelDifference[];
  /** Number of the last input needed to see the difference; undefined when all are needed. */
  readonly until: number | undefined;
}

/** Counts as equal, because real timers are sometimes late. */
const toleranceMs = 50;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
type Reworded = (was: string, is: string) => void;
const isFailure = (value: unknown): value is Fields =>
  isFields(value) &&
  typeof value['message'] === 'string' &&
  ['string', 'number'].includes(typeof value['code']);
/** A text of a failure for people, which is no behaviour. */
const isWords = (fields: Fields, key: string): boolean =>
  ((key === 'message' || key === 'remedy') && isFailure(fields)) ||
  // Says why a server has no part in an answer.
  (key === 'reason' && typeof fields['server'] === 'string') ||
  // The answer to an agent has the message once more, as its content.
  (key === 'content' &&
    isFields(fields['structuredContent']) &&
    isFailure(fields['structuredContent']['error']));
/** Data of servers and callers, of which every text counts. */
const foreign: ReadonlySet<string> = new Set(['result', 'params']);
/** More fields are allowed, and `message` and `remedy` of a failure may have other words. */
export function covers(now: unknown, was: unknown, reworded: Reworded | null = () => {}): boolean {
  if (Object.is(now, was)) return true;
  if (Array.isArray(was))
    return (
      Array.isArray(now) &&
      now.length === was.length &&
      was.every((each, at) => covers(now[at], each, reworded))
    );
  if (isFields(was))
    return (
      isFields(now) &&
      Object.entries(was).every(([key, each]) => {
        if (each === undefined) return true;
        const inside = foreign.has(key) ? null : reworded;
        if (reworded === null || !isWords(was, key)) return covers(now[key], each, inside);
        if (canonical(each) !== canonical(now[key] ?? null))
          reworded(canonical(each), canonical(now[key] ?? null));
        return true;
      })
    );
  return typeof was === 'object' && was !== null && canonical(now) === canonical(was);
}
/** Compared exactly, because they belong to the user. */
const givenIn = ({ ev }: Pick<Crossing, 'ev'>): string =>
  canonical(
    (ev as { readonly params?: { readonly arguments?: unknown } } | undefined)?.params?.arguments ?? null,
  );
const isSame = (was: TapeLine, is: Replayed, reworded: Reworded): boolean => {
  const [{ record }, { crossing }] = [was, is];
  const isCovered = covers(crossing.ev, record.ev, reworded) && givenIn(crossing) === givenIn(record);
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

type Rewordings = (s: number, was: string, is: string) => void;
/** Of one input; the order between channels does not matter. */
export function differencesOf(
  was: readonly TapeLine[],
  is: readonly Replayed[],
  reworded: Rewordings = () => {},
): ChannelDifference[] {
  const [before, after] = [
    byChannel(was, ({ record }) => record.ch),
    byChannel(is, ({ crossing }) => crossing.ch),
  ];
  const found: ChannelDifference[] = [];
  for (const ch of new Set([...before.keys(), ...after.keys()])) {
    const [some, others] = [before.get(ch) ?? [], after.get(ch) ?? []];
    for (let at = 0; at < Math.max(some.length, others.length); at += 1) {
      const parting = partingOf(some[at], others[at], reworded);
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
  reworded: Rewordings = () => {},
): ChannelDifference | undefined {
  if (!recorded || !replayed) return { how: recorded ? 'missing' : 'more', recorded, replayed };
  if (!isSame(recorded, replayed, (was, is) => reworded(recorded.s, was, is)))
    return { how: 'other', recorded, replayed };
  return Math.abs(recorded.t - replayed.t) <= toleranceMs ? undefined : { how: 'late', recorded, replayed };
}
/** A question with other parameters is on another channel. */
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

export class Comparison {
  /** Later ones are often only its consequences. */
  difference: Difference | undefined;
  more = 0;
  matched = 0;
  readonly reworded: { readonly s: number; readonly was: string; readonly is: string }[] = [];
  #inputs: TapeLine[] = [];
  #expected: TapeLine[] = [];
  #now: Replayed[] = [];

  hear(replayed: Replayed): void {
    this.#now.push(replayed);
  }
  /** Once all of it has happened. `until` is the number of the next input. */
  settle(until?: number): void {
    const found = differencesOf(this.#expected, this.#now, (n, was, is) =>
      this.reworded.push({ s: n, was, is }),
    );
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
  /** `isNew`: the step is no timer, so that everything before it is compared first. */
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
