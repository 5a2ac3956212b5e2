/** Pure readings of the memory of a server cache, for all of its rules. */
import { remembered } from '../../kernel/objects.ts';
import type { Context } from './server-cache.events.ts';
import { slotAt, unread, type Slot } from './server-cache.slots.ts';

export const questionOf = (uri: string): string => `read ${uri}`;
export const uriOf = ({ id }: { readonly id: string }): string => id.slice(questionOf('').length);
export const without = (all: readonly string[], some: readonly string[]): readonly string[] => {
  if (some.length === 0 || all.length === 0) return all;
  const gone = new Set(some);
  return all.filter((each) => !gone.has(each));
};
/** Those of the first that are among the second, too. */
export const both = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (some.length === 0) return some;
  const known = new Set(others);
  return some.filter((each) => known.has(each));
};
export const joined = (...all: readonly (readonly string[])[]): readonly string[] => [...new Set(all.flat())];
/** Where each stands in a list: once as long as it stays what it is. */
const placesIn = remembered((uris: readonly string[]) => new Map(uris.map((uri, at) => [uri, at])));
export const placeOf = ({ uris }: Context, uri: string): number | undefined => placesIn(uris).get(uri);
export const slotOf = (c: Context, uri: string): Slot => slotAt(c.slots, placeOf(c, uri) ?? -1) ?? unread;
/** To be read still. */
export const staleOf = ({ stale, begun }: Context): readonly string[] =>
  begun === 0 ? stale : stale.slice(begun);
export const hasStale = ({ stale, begun }: Context): boolean => stale.length > begun;
export const askedUris = ({ asked }: Context): readonly string[] => asked.map(({ uri }) => uri);
export const isAsked = ({ asked }: Context, uri: string): boolean => asked.some((each) => each.uri === uri);
/** Asks its server something that can be cut off. */
export const isAsking = ({ asked, probed }: Context): boolean => asked.length + probed.length > 0;
export const unasked = (c: Context, uri: string): Partial<Context> => ({
  asked: c.asked.filter((each) => each.uri !== uri),
  probed: without(c.probed, [uri]),
});
