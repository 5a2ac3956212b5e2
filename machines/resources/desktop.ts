/** Rules of the Desktop: the windows of all servers, arranged to answer a question. `finder.ts` is built in the same way. */
import { byRecency, type ServerHistory } from '../call/history.ts';
import { contentHash } from '../catalog/changes.ts';
import { remembered } from '../kernel/objects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { GetDesktop, ResourceContents } from '../protocol/messages/collections.ts';
import {
  refusedIn,
  type Contents,
  type Notice,
  type ServerPart,
  type CollectionRules,
  type ListedStanding,
  type Standings,
} from './collections.ts';
import { desktopQueryOf, gap } from './asked.ts';
import { standingOf, isWindowUri, parseWindowUri, type WindowUri } from './window-uri.ts';
interface ListEntry {
  readonly uri: string;
  readonly annotations?: unknown;
  readonly meta?: unknown;
}

const fieldIn = (within: unknown, key: string): unknown =>
  typeof within === 'object' && within !== null ? (within as Record<string, unknown>)[key] : undefined;
/** From 0 to 1 in MCP, here a percentage; any other value is ignored. */
const priorityIn = ({ annotations }: ListEntry): number | undefined => {
  const given = fieldIn(annotations, 'priority');
  return typeof given === 'number' && given >= 0 && given <= 1 ? given * 100 : undefined;
};
const fullscreenIn = ({ meta }: ListEntry): boolean | undefined => {
  const given = fieldIn(meta, 'fullscreen');
  return typeof given === 'boolean' ? given : undefined;
};

/** The Python SDK writes them since 0.2. The query of a URI takes precedence, and its first entry. */
function standingsIn(resources: readonly ListEntry[]): Standings {
  const standings = new Map<string, ListedStanding>();
  for (const entry of resources) {
    const [priority, fullscreen] = [priorityIn(entry), fullscreenIn(entry)];
    if ((priority === undefined && fullscreen === undefined) || standings.has(entry.uri)) continue;
    const inQuery = standingOf(entry.uri);
    if (!inQuery) continue;
    const standing: ListedStanding = {
      ...(priority !== undefined && inQuery.priority === undefined && { priority }),
      ...(fullscreen !== undefined && inQuery.fullscreen === undefined && { fullscreen }),
    };
    if (Object.keys(standing).length > 0) standings.set(entry.uri, standing);
  }
  return Object.fromEntries(standings);
}
export interface Window {
  readonly server: string;
  readonly uri: string;
  /** Null when they were not read. */
  readonly contents: readonly Content[] | null;
  readonly standing?: ListedStanding;
}
type Content = Pick<ResourceContents, 'text' | 'blob'>;

/** Not without contents or with only blobs; an empty text is enough, because the URI is information. */
const isShown = ({ contents }: Window): boolean =>
  contents?.some(({ text }) => typeof text === 'string') === true;

/** The host is warned once for each window and content. */
export const hasBlob = ({ contents }: Window): boolean =>
  contents?.some(({ text, blob }) => typeof text !== 'string' && typeof blob === 'string') === true;

/** As the protocol writes it: the URI, an empty line, all texts separated by empty lines. */
export function renderWindow({ uri, contents }: Window): string {
  const texts = (contents ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  // Texts are not trimmed, because leading blanks of code and empty texts carry meaning.
  const body = texts.join(gap);
  return body === '' ? uri : uri + gap + body;
}
interface Group {
  readonly placed: { readonly window: Window; readonly priority: number }[];
  /** First in the order of the list, whatever its priority. */
  fullscreen?: Window;
}

/** `windows`: in the order of the lists; `size`: null for no limit; `history`: the oldest call first. */
export const organizeDesktop = (
  windows: readonly Window[],
  size: number | null,
  history: ServerHistory,
): readonly string[] => arrangeWindows(windows, size, history).map(renderWindow);

/** By server and then by priority, without those that are not shown. */
export function arrangeWindows(
  windows: readonly Window[],
  size: number | null,
  history: ServerHistory,
): readonly Window[] {
  // Rounds a fractional size down, as the Finder does.
  const most = Math.trunc(size ?? Infinity);
  if (!(most > 0)) return [];
  const groups = grouped(windows);
  const arranged: Window[] = [];
  for (const server of byRecency(groups.keys(), history)) {
    const group = groups.get(server);
    if (!group) continue;
    for (const window of windowsOf(group)) {
      if (arranged.length >= most) return arranged;
      arranged.push(window);
    }
  }
  return arranged;
}

function grouped(windows: readonly Window[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const window of windows) {
    const standing = isShown(window) ? standingOf(window.uri) : undefined;
    if (!standing) continue;
    let group = groups.get(window.server);
    if (!group) groups.set(window.server, (group = { placed: [] }));
    const listed = window.standing ?? {};
    group.placed.push({ window, priority: standing.priority ?? listed.priority ?? 0 });
    if (standing.fullscreen ?? listed.fullscreen) group.fullscreen ??= window;
  }
  return groups;
}

/** Only its fullscreen window if it has one, else all by priority. */
const windowsOf = ({ placed, fullscreen }: Group): readonly Window[] =>
  fullscreen ? [fullscreen] : placed.sort((a, b) => b.priority - a.priority).map(({ window }) => window);
export const windowUrisIn = (resources: readonly { readonly uri: string }[]): readonly string[] => [
  ...new Set(resources.map(({ uri }) => uri).filter(isWindowUri)),
];

/** Without query or trailing slash. */
const keyOf = (host: string, path: readonly string[]): string => JSON.stringify([host, ...path]);
const pathOf = ({ path }: WindowUri): readonly string[] =>
  path.slice(0, path.findLastIndex((segment) => segment !== '') + 1);

interface Places {
  readonly uris: ReadonlyMap<string, readonly string[]>;
  readonly deepest: number;
}
/** Remembered as long as the list is the same object. */
const placesIn = remembered((listed: readonly string[]): Places => {
  const uris = new Map<string, string[]>();
  let deepest = 0;
  for (const raw of listed) {
    const read = parseWindowUri(raw);
    if (!read.ok) continue;
    const path = pathOf(read.uri);
    const key = keyOf(read.uri.host, path);
    const others = uris.get(key);
    if (others) others.push(raw);
    else uris.set(key, [raw]);
    deepest = Math.max(deepest, path.length);
  }
  return { uris, deepest };
});

/** Same place with any query, or one it is a part of (`window://h/log/line/7` of `window://h/log`). */
function windowsTouched(uri: string, listed: readonly string[]): readonly string[] {
  const changed = parseWindowUri(uri);
  if (!changed.ok) return [];
  const { uris, deepest } = placesIn(listed);
  const path = pathOf(changed.uri);
  const depths = Array.from({ length: Math.min(path.length, deepest) + 1 }, (_, depth) => depth);
  return depths.flatMap((depth) => uris.get(keyOf(changed.uri.host, path.slice(0, depth))) ?? []);
}
/** A hash of each blob is enough to notice a change; a blob may be large. */
const kept = (contents: Contents): Window['contents'] =>
  contents.map(({ text, blob }) =>
    typeof text === 'string' ? { text } : typeof blob === 'string' ? { blob: contentHash(blob) } : {},
  );
const blobNotice = ({ server, uri, contents }: Window): Notice => ({
  about: `${server} ${uri}`,
  mark: (contents ?? []).map(({ blob }) => blob ?? '').join(' '),
  text: `The window '${uri}' of server '${server}' has contents that are no text: they are not shown`,
});

const nameOf = ({ server }: ServerPart): string => server;
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
    // Servers are shown in this order, so those after the last wanted window are not needed.
    for (const server of byRecency(itemsOf.keys(), history)) {
      if (count >= most) break;
      needed.push(server);
      const windows = (itemsOf.get(server) ?? []) as readonly Window[];
      if (most < Infinity) count += arrangeWindows(windows, null, history).length;
    }
    return needed;
  },
  onlyOf: (query) => desktopQueryOf(query as GetDesktop).window,
  refusedIn: (resources) => refusedIn(resources, /^window:/i, parseWindowUri),
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
