import { differenceOf, isSameUris, type Difference, type UrisByServer } from '../../kernel/difference.ts';
import { isWindowUri, parseWindowUri } from './window-uri.ts';
import { readWindow, type ShownWindow } from './window.ts';

/** The URIs of windows in the list of one server, each once, as it lists them; whatever else it lists is no window. */
export const windowUrisIn = (resources: readonly { readonly uri: string }[]): readonly string[] => [
  ...new Set(resources.map(({ uri }) => uri).filter(isWindowUri)),
];

/** Those that would be windows, each once, and the rule that each breaks. */
export const refusedWindowsIn = (
  resources: readonly { readonly uri: string }[],
): readonly { readonly uri: string; readonly reason: string }[] =>
  [...new Set(resources.map(({ uri }) => uri))].flatMap((uri) => {
    if (!/^window:/i.test(uri)) return [];
    const read = parseWindowUri(uri);
    return read.ok ? [] : [{ uri, reason: read.failure.message }];
  });

/** Whether a change of lists changed the desktop: the order of windows, and all that is no window, does not. */
export const isDesktopChanged = (before: UrisByServer, after: UrisByServer): boolean =>
  !isSameUris(before, after);

/** What an agent tells of two desktops that it was given one after the other: by URI, and changed by text. */
export const desktopDifference = (
  before: readonly string[],
  after: readonly string[],
): Difference<ShownWindow> =>
  differenceOf(
    before.map(readWindow),
    after.map(readWindow),
    ({ uri }) => uri,
    (a, b) => a.text === b.text,
  );
