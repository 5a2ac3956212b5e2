/** The Desktop: windows of all servers, put together for a question (seed 001). Mirrors finder.ts. */
import { byRecency, type ServerHistory } from '../call/history.ts';
import { contentHash } from '../catalog/changes.ts';
import { differenceOf, isSameUris, type Difference, type UrisByServer } from '../kernel/difference.ts';
import { remembered } from '../kernel/objects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { GetDesktop, ResourceContents } from '../protocol/messages/collections.ts';
import type { Contents, Notice, Part, CollectionRules, ListedStanding, Standings } from './collections.ts';
import { standingOf, isWindowUri, parseWindowUri, type WindowUri } from './window-uri.ts';

// ── questions ─────────────────────────────────────────────────────────────────────────────────────────
/** What an agent wants to see of a desktop. */
interface DesktopQuery {
  /** The most windows; null: all. */
  readonly size: number | null;
  /** The one window that is wanted, by its URI exactly as listed; null: any. */
  readonly window: string | null;
  /** Servers are asked anew. */
  readonly fresh?: boolean;
}

/** As `client:get_desktop` has it. */
export const desktopQueryOf = ({ desktop_size: size, window, fresh }: GetDesktop): DesktopQuery => ({
  size: size ?? null,
  window: window ?? null,
  ...(fresh === true && { fresh: true }),
});

/** The fields of the question; what is not wanted is not sent. */
export const desktopQuestion = ({ size = null, window = null, fresh = false }: Partial<DesktopQuery>) => ({
  ...(size !== null && { desktop_size: size }),
  ...(window !== null && { window }),
  ...(fresh && { fresh }),
});

// ── what lists say of windows ─────────────────────────────────────────────────────────────────────────
interface ListEntry {
  readonly uri: string;
  readonly annotations?: unknown;
  readonly meta?: unknown;
}

const fieldIn = (within: unknown, key: string): unknown =>
  typeof within === 'object' && within !== null ? (within as Record<string, unknown>)[key] : undefined;
/** MCP has priorities from 0 to 1; anything else says nothing. */
const priorityIn = ({ annotations }: ListEntry): number | undefined => {
  const given = fieldIn(annotations, 'priority');
  return typeof given === 'number' && given >= 0 && given <= 1 ? given * 100 : undefined;
};
const fullscreenIn = ({ meta }: ListEntry): boolean | undefined => {
  const given = fieldIn(meta, 'fullscreen');
  return typeof given === 'boolean' ? given : undefined;
};

/**
 * What windows of the Python SDK 0.2 and later say in their list entry: `annotations.priority` and `_meta.fullscreen`. The
 * query of the URI counts first (seed 001). Of a URI that is listed twice the first entry counts.
 */
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

// ── windows ───────────────────────────────────────────────────────────────────────────────────────────
/** One window as a server shows it: what its list says, and what a read of it gave. */
export interface Window {
  /** The MCP server that lists it. */
  readonly server: string;
  /** As the server lists it. */
  readonly uri: string;
  /** Null: it was not read. */
  readonly contents: readonly Content[] | null;
  /** What its list entry says where the query of the URI says nothing. */
  readonly standing?: ListedStanding;
}
/** One item of what MCP's `resources/read` answers: text, or a blob. */
type Content = Pick<ResourceContents, 'text' | 'blob'>;

/** A window with nothing in it, or with blobs only, is none. One whose text is empty is: its URI tells that it is there. */
const isShown = ({ contents }: Window): boolean =>
  contents?.some(({ text }) => typeof text === 'string') === true;

/** Something in it cannot be shown: what its computer warns of, once per window and revision. */
export const hasBlob = ({ contents }: Window): boolean =>
  contents?.some(({ text, blob }) => typeof text !== 'string' && typeof blob === 'string') === true;

const gap = '\n\n';

/** One `Desktop` of seed 001: the URI, an empty line, all its texts with an empty line between them; or the bare URI. */
export function renderWindow({ uri, contents }: Window): string {
  const texts = (contents ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  // As they are: the first blanks of code say something, and so does an empty text among others.
  const body = texts.join(gap);
  return body === '' ? uri : uri + gap + body;
}

/** A rendered window as who reads it takes it apart. */
export interface ShownWindow {
  /** Its `window://` URI, as its server lists it. */
  readonly uri: string;
  /** Empty: a bare URI. */
  readonly text: string;
}
export function readWindow(rendered: string): ShownWindow {
  const at = rendered.indexOf(gap);
  return at < 0
    ? { uri: rendered, text: '' }
    : { uri: rendered.slice(0, at), text: rendered.slice(at + gap.length) };
}

// ── the Desktop, put together ─────────────────────────────────────────────────────────────────────────
/** The windows of one server. */
interface Group {
  readonly placed: { readonly window: Window; readonly priority: number }[];
  /** The first that wants the whole screen, in the order of the list: priority does not count here. */
  fullscreen?: Window;
}

/**
 * The windows of a desktop as texts, in order (seed 001, 组织策略). `windows` come as their servers list them; `size` is
 * the most that are wanted, of all servers together, null without limit; `history` has the oldest call first.
 */
export const organizeDesktop = (
  windows: readonly Window[],
  size: number | null,
  history: ServerHistory,
): readonly string[] => arrangeWindows(windows, size, history).map(renderWindow);

/** The same, not yet rendered: what does not count is left out, the rest by server and then by priority. */
export function arrangeWindows(
  windows: readonly Window[],
  size: number | null,
  history: ServerHistory,
): readonly Window[] {
  // A host may say anything: half a window is none, as half a document is.
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

/** A server that has a window for the whole screen shows that one alone; this says nothing about other servers. */
const windowsOf = ({ placed, fullscreen }: Group): readonly Window[] =>
  fullscreen ? [fullscreen] : placed.sort((a, b) => b.priority - a.priority).map(({ window }) => window);

// ── changes ───────────────────────────────────────────────────────────────────────────────────────────
/** The URIs of windows in the list of one server, each once, as it lists them; whatever else it lists is no window. */
export const windowUrisIn = (resources: readonly { readonly uri: string }[]): readonly string[] => [
  ...new Set(resources.map(({ uri }) => uri).filter(isWindowUri)),
];

/** Those that would be windows, each once, and the rule that each breaks. */
const refusedWindowsIn = (
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

// ── windows that an update touches ────────────────────────────────────────────────────────────────────
/** Where a window is, without its query; a slash at its end says nothing. */
const keyOf = (host: string, path: readonly string[]): string => JSON.stringify([host, ...path]);
const pathOf = ({ path }: WindowUri): readonly string[] =>
  path.slice(0, path.findLastIndex((segment) => segment !== '') + 1);

interface Places {
  readonly uris: ReadonlyMap<string, readonly string[]>;
  /** Segments of the longest path. */
  readonly deepest: number;
}
/** Of a list, once as long as it stays what it is. */
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

/**
 * The windows that are others when this URI has changed: those at its place, whatever their query, and those of which it
 * is a part (`window://h/log/line/7` of `window://h/log`). Empty where it is no window, or of none that is listed.
 */
function windowsTouched(uri: string, listed: readonly string[]): readonly string[] {
  const changed = parseWindowUri(uri);
  if (!changed.ok) return [];
  const { uris, deepest } = placesIn(listed);
  const path = pathOf(changed.uri);
  const depths = Array.from({ length: Math.min(path.length, deepest) + 1 }, (_, depth) => depth);
  return depths.flatMap((depth) => uris.get(keyOf(changed.uri.host, path.slice(0, depth))) ?? []);
}

// ── the rules of the collection ───────────────────────────────────────────────────────────────────────
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
