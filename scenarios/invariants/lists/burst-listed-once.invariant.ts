import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf } from '../invariant.ts';
import { asks, learns, opens, posts, story, withdraws } from '../record-builders.ts';

interface List {
  readonly quietMs: number;
  readonly longestMs: number;
  readonly pollMs: number;
  /** It is another one whenever it is read, and is read ever less often. */
  isRestless: boolean;
  /** Of the notices since it was asked for: when the first and the last came. */
  first: number;
  last: number;
  /** Not a session's first question, and the last one was answered. */
  isSettled: boolean;
}
/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
const earlyMs = 2;

class BurstListedOnce implements Judge {
  readonly #slackMs: number;
  readonly #lists = new Map<Address, List>();

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }

  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'post' && record.ev.type === 'catalog.restless') return this.#restless(record);
    const list = record.k === 'open' ? undefined : this.#lists.get(nameOf(record.a));
    if (record.k === 'open') this.#open(record);
    else if (!list) return undefined;
    else if (record.k === 'end') this.#lists.delete(nameOf(record.a));
    else if (record.k === 'in' && isAnswer(record)) {
      list.isSettled = record.ev?.type === 'ask.answered';
      // What came while it was asked is gathered from now on.
      if (list.first < at) list.first = at;
    } else if (record.k === 'out') return this.#asked(list, record, at);
    else if (record.k === 'post' && record.ev.type === 'list.changed') {
      list.first = Math.min(list.first, at);
      list.last = at;
      return this.#late(list, record.a, at);
    } else if (record.k === 'post')
      Object.assign(list, { isSettled: false, isRestless: false, first: Infinity, last: -Infinity });
    return undefined;
  }
  #restless({ from, ev }: RecordOf<'post'>): undefined {
    const list = this.#lists.get(nameOf(from));
    if (list) list.isRestless = (ev as { readonly failure?: unknown }).failure !== null;
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'catalog') return;
    const { timing } = input as { readonly timing?: Readonly<Record<string, number>> };
    const { quietMs = 0, longestQuietMs: longestMs = 0, pollMs = 0 } = timing ?? {};
    const none = { isRestless: false, first: Infinity, last: -Infinity, isSettled: false };
    this.#lists.set(nameOf(a), { quietMs, longestMs, pollMs, ...none });
  }
  /** A server that never stops telling is asked all the same. */
  #late(list: List, a: Address, at: number): Found | undefined {
    const { isSettled, first, isRestless, pollMs } = list;
    const longestMs = isRestless ? Math.max(list.longestMs, pollMs) : list.longestMs;
    if (!isSettled || at - first <= longestMs + this.#slackMs + earlyMs) return undefined;
    return {
      at: a,
      what: `was not asked for within ${at - first} ms of a notice, not even after ${longestMs}`,
    };
  }
  #asked(list: List, { a, ev }: RecordOf<'out'>, at: number): Found | undefined {
    const { first, last, isSettled, quietMs, longestMs } = list;
    const late = ev.type === 'ask' ? this.#late(list, a, at) : undefined;
    // Withdrawn: it took too long, and is tried again.
    list.isSettled = false;
    if (ev.type !== 'ask') return undefined;
    Object.assign(list, { first: Infinity, last: -Infinity });
    if (late) return late;
    if (!isSettled || at - last >= quietMs - earlyMs || at - first >= longestMs - earlyMs) return undefined;
    return { at: a, what: `was asked for ${at - last} ms after a notice, not ${quietMs}` };
  }
}

const client = 'c/client:fs#1';
const list = 'c/client:fs/catalog:tools#1';
const named = 'c/client:fs/catalog:tools';
const timing = { quietMs: 200, longestQuietMs: 1_000, pollMs: 60_000 };
const asked = asks(list, 'list', client, 'tools/list');
const came = [asked, learns(list, 'list')];
const born = [
  opens(list, 'catalog', client, { timing }),
  posts(client, named, 'catalog.open', { isDeclared: true }),
  ...came,
];
const notice = posts(client, named, 'list.changed');
const restless = (failure: object | null) => posts(list, 'c', 'catalog.restless', { failure });
const flood = Array.from({ length: 10 }, () => [notice, 100]).flat();

export const burstListedOnce: Invariant = {
  invariant: 'a list is requested once for a burst of changes',
  why: 'Two hundred notices in a moment are one change: a server is asked once, after a quiet while, or long enough without, however much it goes on.',
  sees: [
    ...(['open', 'end', 'in ask', 'out ask', 'out ask.withdraw', 'post list.changed'] as const),
    'post catalog.restless',
    ...(['post catalog.open', 'post catalog.rest', 'post catalog.forget'] as const),
  ],
  open: ({ slackMs }) => new BurstListedOnce(slackMs),
  violating: [
    { how: 'each notice for itself', seen: story(...born, 500, notice, asked), said: '0 ms after a notice' },
    {
      how: 'one that does not hear the last',
      seen: story(...born, notice, 150, notice, 50, asked),
      said: '50 ms',
    },
    {
      how: 'one that waits for the end of a storm',
      seen: story(...born, ...flood, 100, notice),
      said: 'not even after 1000',
    },
    {
      how: 'one that was restless, and is not any more',
      seen: story(...born, restless({}), restless(null), notice, 1_200, asked),
      said: 'within 1200 ms of a notice',
    },
    {
      how: 'one that is asked for when the storm is over',
      seen: story(...born, ...flood.slice(0, -1), 300, asked),
      said: 'within 1200 ms of a notice',
    },
  ],
  passing: [
    { how: 'a quiet while', seen: story(...born, notice, 150, notice, 200, asked) },
    { how: 'long enough without', seen: story(...born, ...flood, asked) },
    {
      how: 'what was told while it was asked for is gathered from the answer on',
      seen: story(
        ...born,
        500,
        asked,
        notice,
        900,
        learns(list, 'list'),
        200,
        notice,
        700,
        notice,
        100,
        asked,
      ),
    },
    {
      how: 'one that is another one whenever it is read',
      seen: story(...born, restless({}), notice, 30_000, asked),
    },
    { how: 'a look by the clock', seen: story(...born, 60_000, asked) },
    {
      how: 'one that failed, and is told',
      seen: story(...born, 500, asked, withdraws(list, 'list'), notice, asked),
    },
    {
      how: 'the first of a session',
      seen: story(...born, notice, posts(client, named, 'catalog.open'), asked),
    },
  ],
};
