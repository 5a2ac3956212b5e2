import { contentHash } from '../../catalog/index.ts';
import {
  arrangeWindows,
  desktopQueryOf,
  hasBlob,
  organizeDesktop,
  parseWindowUri,
  refusedWindowsIn,
  standingsIn,
  windowsTouched,
  windowUrisIn,
  type Window,
} from '../desktop/index.ts';
import { byRecency } from '../../call/history.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';
import type { GetDesktop } from '../../protocol/messages/collections.ts';
import type { Contents, Notice, Part, CollectionRules } from './collection.ts';

/** A blob can be as large as a message: only that it is there is kept, and by what one tells it from another. */
const kept = (contents: Contents): Window['contents'] =>
  contents.map(({ text, blob }) =>
    typeof text === 'string' ? { text } : typeof blob === 'string' ? { blob: contentHash(blob) } : {},
  );
const blobNotice = ({ server, uri, contents }: Window): Notice => ({
  about: `${server} ${uri}`,
  mark: (contents ?? []).map(({ blob }) => blob ?? '').join(' '),
  text: `The window '${uri}' of server '${server}' has contents that are no text: they are not shown`,
});

const nameOf = ({ server }: Part): string => server;
const noWindow = (uri: string): Failure => ({
  code: wireCodes.notFound,
  message: `No MCP server shows the window '${uri}'`,
  details: { uri },
});

export const desktop: CollectionRules = {
  urisIn: windowUrisIn,
  standingsIn,
  toRead: (uris) => uris,
  touchedBy: windowsTouched,
  isListed: (uri, listed) => windowsTouched(uri, listed).length > 0,
  neededBy: (query, history, parts) => {
    const { size, window } = desktopQueryOf(query as GetDesktop);
    const most = size === null ? Infinity : Math.trunc(size);
    if (window !== null && most > 0) {
      const listing = parts.filter(({ uris }) => uris?.includes(window));
      return (listing.length > 0 ? listing : parts.filter(({ uris }) => uris === null)).map(nameOf);
    }
    const itemsOf = new Map(parts.map(({ server, items }) => [server, items]));
    const needed: string[] = [];
    let count = 0;
    // Servers are shown one after the other: behind the last window that is wanted nobody is.
    for (const server of byRecency(itemsOf.keys(), history)) {
      if (count >= most) break;
      needed.push(server);
      const windows = (itemsOf.get(server) ?? []) as readonly Window[];
      if (most < Infinity) count += arrangeWindows(windows, null, history).length;
    }
    return needed;
  },
  onlyOf: (query) => desktopQueryOf(query as GetDesktop).window,
  refusedIn: refusedWindowsIn,
  itemsOf: (contents, uri, server) => ({
    ok: true,
    body: { items: [{ server, uri, contents: kept(contents) }], refused: [] },
  }),
  noticesOf: (items) => (items as readonly Window[]).filter(hasBlob).map(blobNotice),
  answerOf: (items, query, history) => {
    const { size, window } = desktopQueryOf(query as GetDesktop);
    const windows = items as readonly Window[];
    const wanted = window === null ? windows : windows.filter(({ uri }) => uri === window);
    return { desktops: organizeDesktop(wanted, size, history) };
  },
  /** Two servers may show one URI; whose tool was called last is asked. */
  routeOf: (uri, listed, history) => {
    const window = parseWindowUri(uri);
    if (!window.ok) return window;
    const able = listed.filter(({ uris }) => uris.includes(uri)).map(({ server }) => server);
    const [server] = byRecency(able, history);
    return server === undefined
      ? { ok: false, failure: noWindow(uri) }
      : { ok: true, body: { server, notice: null } };
  },
  refusalOf: (refused) => refused,
};
