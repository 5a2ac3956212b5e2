import { textOf } from '../../machines/trace/row.ts';
import { contextAfter } from '../../machines/trace/record.ts';
import type { History, Lane } from './history.ts';
import { nameOf } from './values.ts';
import { fieldsOf, isObject, type Fields } from '../../machines/protocol/json.ts';

/** Changes of a Desktop or a Finder, with their cause and whether they were announced to agents. Pure functions. */

export interface CollectionChange {
  readonly t: number;
  readonly index: number;
  readonly collection: string;
  readonly server: string;
  readonly why: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly isTouching: boolean;
  /** Delay in ms until the change was announced; undefined when it was not announced before the moment shown. */
  readonly toldAfter: number | undefined;
}
export interface Shown {
  readonly server: string;
  readonly uris: readonly string[];
  /** Reason why the list or the texts of the server are missing. */
  readonly reason: string;
}
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);
const listsOf = (context: unknown): Fields => fieldsOf(fieldsOf(context)['lists']);
const urisOf = (list: unknown): string[] => textsOf(fieldsOf(list)['uris']);

export const shownOf = (context: unknown): Shown[] =>
  Object.entries(listsOf(context))
    .map(([server, list]) => ({ server, uris: urisOf(list), reason: textOf(fieldsOf(list)['reason']) }))
    .filter(({ uris, reason }) => uris.length > 0 || reason !== '');

const causes: Readonly<Record<string, string>> = {
  'resources.listed': 'its list is another one',
};
type Untold = { -readonly [K in keyof Omit<CollectionChange, 'toldAfter'>]: CollectionChange[K] };
const schemes: Readonly<Record<string, string>> = { desktop: 'window:', finder: 'dpe:' };
function listChanges(
  before: unknown,
  after: unknown,
  event: string,
  at: Pick<Untold, 't' | 'index' | 'collection'>,
): Untold[] {
  const [old, now] = [listsOf(before), listsOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((server) => {
    const [had, has] = [urisOf(old[server]), urisOf(now[server])];
    const added = has.filter((uri) => !had.includes(uri));
    const removed = had.filter((uri) => !has.includes(uri));
    if (added.length + removed.length === 0) return [];
    const why = has.length === 0 ? 'it is gone' : (causes[event] ?? event);
    return [{ ...at, server, why, added, removed, isTouching: true }];
  });
}
function changesIn(lane: Lane, history: History, until: number): CollectionChange[] {
  const changes: Untold[] = [];
  const told: number[] = [];
  let updated: Untold | undefined;
  const name = nameOf(lane.address);
  // Starts with the context in the checkpoint when the actor is older than the trace.
  let context: unknown = isObject(fieldsOf(lane.input)['lists']) ? lane.input : {};
  for (const index of lane.rows) {
    const row = history.row(index);
    if (!row || index > until) break;
    const { k, t } = row;
    const ev = fieldsOf(row['ev']);
    const at = { t, index, collection: lane.kind };
    // Ignores a resource notification that leaves the context of the actor unchanged, because nothing that is shown has changed.
    if (k === 'step' && updated && row['ev'] === 'resource.updated') {
      updated.isTouching = row['ctx'] !== undefined;
      updated = undefined;
    }
    if (k === 'step' && row['ctx'] !== undefined) {
      const next = contextAfter(context, { ctx: row['ctx'], gone: row['gone'] });
      changes.push(...listChanges(context, next, textOf(row['ev']), at));
      context = next;
    }
    if (k !== 'post') continue;
    if (row['from'] === lane.address && ev['type'] === 'aggregate.changed') told.push(t);
    const isHeard = nameOf(textOf(row['a'])) === name;
    const uri = textOf(ev['uri']);
    if (isHeard && ev['type'] === 'resource.updated' && uri.startsWith(schemes[lane.kind] ?? '')) {
      const why = `it said that ${uri} is another one`;
      updated = { ...at, server: textOf(ev['server']), why, added: [], removed: [], isTouching: true };
      changes.push(updated);
    }
  }
  return changes.map((change) => {
    const first = change.isTouching ? told.find((t) => t >= change.t) : undefined;
    return { ...change, toldAfter: first === undefined ? undefined : first - change.t };
  });
}
export const isCollection = ({ kind }: { readonly kind: string }): boolean =>
  kind === 'desktop' || kind === 'finder';
export const collectionChangesOf = (history: History, until: number): CollectionChange[] =>
  history.lanes
    .filter(isCollection)
    .flatMap((lane) => changesIn(lane, history, until))
    .toSorted((a, b) => b.index - a.index);
