import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { isHopeless, isTooLarge } from '../../../machines/client/server-failure.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { asks, learns, opens, posts, story, withdraws } from '../record-builders.ts';

interface List {
  readonly limit: number;
  /** In a row. */
  failures: number;
  isAsking: boolean;
  hasEntries: boolean;
  /** The first list of a session takes nothing back, however it fails. */
  isFirst: boolean;
}
type Fields = Said<{
  sent: boolean;
  lost: boolean;
  alone: boolean;
  failure: Failure;
  entries: readonly unknown[];
  isWithdrawn: boolean;
}>;
const methodNotFound = -32_601;

class ListWithdrawn implements Judge {
  /** By name: who tells them knows nothing else. */
  readonly #lists = new Map<Address, List>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#lists.delete(nameOf(record.a));
    else if (record.k === 'post') return this.#post(record);
    else if (record.k === 'out') return this.#asked(record);
    else if (record.k === 'in' && isAnswer(record)) this.#answered(record);
    return undefined;
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'catalog') return;
    const { refreshFailures = 0, cached } = input as {
      refreshFailures?: number;
      cached?: readonly unknown[] | null;
    };
    const hasEntries = (cached?.length ?? 0) > 0;
    const list = { limit: refreshFailures, failures: 0, isAsking: false, hasEntries, isFirst: true };
    this.#lists.set(nameOf(a), list);
  }
  #asked({ a, ev }: RecordOf<'out'>): Found | undefined {
    const list = this.#lists.get(nameOf(a));
    if (!list) return undefined;
    const isAnswered = !list.isAsking;
    list.isAsking = ev.type === 'ask';
    // Withdrawn without an answer, and there still is a session: it took too long.
    if (ev.type !== 'ask') {
      if (!isAnswered) list.failures += 1;
      return undefined;
    }
    // After the first list of a session a second one is asked for whatever the limit is.
    if (!list.hasEntries || list.failures < Math.max(list.limit, 2)) return undefined;
    return { at: a, what: `is offered still after ${list.failures} failures in a row, not ${list.limit}` };
  }
  #answered({ a, ev }: RecordOf<'in'>): void {
    const list = this.#lists.get(nameOf(a));
    if (!list) return;
    const { type, sent, lost, alone, failure } = ev as Fields;
    const isAnswered = alone === true || (lost !== true && (sent === true || isHopeless(failure ?? null)));
    list.isAsking = false;
    if (type === 'ask.answered') list.failures = 0;
    else if (isTooLarge(failure ?? null) && !list.isFirst) list.failures = list.limit;
    else if (isAnswered && failure?.details?.['code'] !== methodNotFound) list.failures += 1;
    list.isFirst = false;
  }
  #post({ from, a, ev, dead }: RecordOf<'post'>): Found | undefined {
    const { type, entries = [], isWithdrawn } = ev as Fields;
    if (type !== 'catalog.changed') {
      const told = dead === undefined ? this.#lists.get(nameOf(a)) : undefined;
      if (told) Object.assign(told, { failures: 0, isAsking: false, isFirst: true });
      return undefined;
    }
    const list = this.#lists.get(nameOf(from));
    if (!list) return undefined;
    list.hasEntries = entries.length > 0;
    if (isWithdrawn !== true || list.failures >= list.limit) return undefined;
    return { at: from, what: `was taken back after ${list.failures} failures in a row, not ${list.limit}` };
  }
}

const client = 'c/client:fs#1';
const list = 'c/client:fs/catalog:tools#1';
const named = 'c/client:fs/catalog:tools';
const born = [
  opens(list, 'catalog', client, { refreshFailures: 2, cached: null }),
  posts(client, named, 'catalog.open', { isDeclared: true }),
];
const asked = asks(list, 'list', client, 'tools/list');
const changes = (entries: readonly object[], isWithdrawn = false) =>
  posts(list, 'c#1', 'catalog.changed', { entries, isWithdrawn });
const came = [asked, learns(list, 'list'), changes([{ name: 'read' }])];
const refused = (more: object = {}) =>
  learns(list, 'list', 'ask.refused', { sent: true, failure: { code: 'X', message: 'no' }, ...more });
const failed = [asked, refused()];

export const listWithdrawn: Invariant = {
  invariant: 'a list is withdrawn after too many failures in a row',
  why: 'One failure changes nothing, and who fails again and again is offered no more; a lost session is no failure.',
  sees: [
    ...(['open', 'end', 'in ask', 'out ask', 'out ask.withdraw', 'post catalog.changed'] as const),
    ...(['post catalog.open', 'post catalog.rest', 'post catalog.forget'] as const),
  ],
  open: () => new ListWithdrawn(),
  violating: [
    {
      how: 'one that never is',
      seen: story(...born, ...came, ...failed, asked, withdraws(list, 'list'), asked),
      said: 'is offered still after 2 failures',
    },
    {
      how: 'one that is at once',
      seen: story(...born, ...came, ...failed, changes([], true)),
      said: 'was taken back after 1 failures in a row, not 2',
    },
    {
      how: 'a lost session that counts',
      seen: story(...born, ...came, ...failed, asked, refused({ lost: true }), changes([], true)),
      said: 'after 1 failures',
    },
  ],
  passing: [
    {
      how: 'one that is in time',
      seen: story(...born, ...came, ...failed, ...failed, changes([], true), asked),
    },
    {
      how: 'a success between two failures',
      seen: story(...born, ...came, ...failed, ...came, ...failed, asked),
    },
    {
      how: 'an answer that broke off in a session that lives, and a login that is refused',
      seen: story(
        ...[...born, ...came, asked, refused({ lost: true, alone: true })],
        ...[asked, refused({ sent: false, failure: { code: 'AccessDenied', message: 'no' } })],
        changes([], true),
      ),
    },
    {
      how: 'a question that is withdrawn with its session',
      seen: story(
        ...born,
        ...came,
        ...failed,
        asked,
        posts(client, list, 'catalog.rest', { why: 'x' }),
        withdraws(list, 'list'),
      ),
    },
    {
      how: 'a first list of a new session that is too large, and is asked for once more',
      seen: story(
        ...[...born, ...came, posts(client, list, 'catalog.rest', { why: 'x' })],
        posts(client, named, 'catalog.open', { isDeclared: true }),
        ...[asked, refused({ failure: { code: 413, message: 'too large' } }), asked],
      ),
    },
    { how: 'tools that went with their server', seen: story(...born, ...came, changes([])) },
  ],
};
