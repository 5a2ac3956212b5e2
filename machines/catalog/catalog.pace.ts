/** How soon a list is read anew: by what became of it the last times. */
import type { CatalogRestless, Context } from './catalog.events.ts';
import { changesOf, isNoChange, keyOfEntry, type CatalogList, type Changes, type Entry } from './index.ts';
import { listRestless } from '../process/server-failure.ts';
import { post } from '../kernel/effects.ts';
import { backoffOfList } from '../kernel/timing.ts';

/** Why a list is asked for anew: its server said so. */
export const saidSo = 'the server said that its list changed';
export const spokeOfAnother = 'the server spoke of a resource that it had not listed';

export const questions: Readonly<Record<CatalogList, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
};

/** What is another than before. */
export const told = (c: Context, entries: readonly Entry[]): Changes =>
  changesOf(c.entries, entries, (entry) => keyOfEntry(c.list, entry));

/** A look at the server brings nothing most of the time, and says nothing of its word. */
export function liesAfter(c: Context, entries: readonly Entry[]): number {
  if (!isNoChange(told(c, entries))) return 0;
  return c.why === saidSo ? Math.min(c.lies + 1, mostLies) : c.lies;
}
/** Only a look for that reason says something of its word. */
export function doubtsAfter(c: Context, entries: readonly Entry[]): number {
  if (!isNoChange(told(c, entries))) return 0;
  return c.why === spokeOfAnother ? Math.min(c.doubts + 1, mostLies) : c.doubts;
}
/** Beyond that it makes no difference any more. */
const mostLies = 16;

/** A look or a session that begins says nothing of what our reading does. */
export const echoesAfter = (c: Context, entries: readonly Entry[]): number =>
  c.isEcho && !isNoChange(told(c, entries)) ? Math.min(c.echoes + 1, mostLies) : 0;
/** Before a list is read that was another one so often right after it was read. */
export const echoMs = ({ timing: t }: Context, echoes: number): number =>
  Math.min(Math.min(t.quietMs, t.longestQuietMs) * 2 ** echoes, Math.max(t.pollMs, t.longestQuietMs));
/** It is read less often than any other. */
const isRestless = (c: Context, echoes: number): boolean => echoMs(c, echoes) > c.timing.longestQuietMs;
/** Told once, and once when it is over. */
export const restlessMessages = (c: Context, echoes: number) => {
  const is = isRestless(c, echoes);
  if (is === isRestless(c, c.echoes)) return [];
  const { server, list } = c;
  const failure = is ? listRestless(server, questions[list], c.timing.pollMs) : null;
  const event: CatalogRestless = { type: 'catalog.restless', server, list, failure };
  return [post(c.reader, event, { optional: true })];
};

/** Twice as long after each change that was none: some servers tell of one whenever they are asked. */
export const settledMs = ({ timing: t, lies }: Context): number =>
  Math.min(t.quietMs * 2 ** lies, t.longestQuietMs);
/** A server that speaks of others for ever is asked for its list twice as late each time, so that it makes no storm. */
export const doubtMs = ({ timing: t, doubts }: Context): number =>
  Math.min(t.quietMs * 2 ** doubts, backoffOfList(t, Infinity));
/** Asked for anew after a while, in case nobody says that it changed: ± 10 %, so that servers do not ask in step. */
export const poll = {
  type: 'setDeadline',
  params: ({ context: c }: { context: Context }) => {
    const { isDeclared, isDoubted, timing: t } = c;
    if (isDoubted) return { ms: doubtMs(c), for: 'poll' };
    return { ms: Math.round((isDeclared ? t.pollDeclaredMs : t.pollMs) * 0.9), for: 'poll', spread: 2 / 9 };
  },
} as const;
