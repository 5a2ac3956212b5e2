/** Common part of Desktop and Finder: the rules of each, and their messages. */
import { contentHash } from '../catalog/changes.ts';
import type { ServerHistory } from '../call/history.ts';
import type { Capabilities } from '../ports/session.ts';
import type { ResourceCollection } from '../ports/link.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { problemsIn } from '../protocol/messages/answers.ts';
import {
  promptResult,
  resourceResult,
  type Missing,
  type PromptResult,
  type ResourceContents,
} from '../protocol/messages/collections.ts';
import type { Read } from '../protocol/messages/lists.ts';
import { events } from '../protocol/protocol.ts';
import { parseDpeUri } from './dpe-uri.ts';
import { encodePart } from './uri.ts';
import { parseWindowUri } from './window-uri.ts';

export interface ListedStanding {
  /** From 0 to 100. */
  readonly priority?: number;
  readonly fullscreen?: boolean;
}
/** By URI, only where the query of the URI does not set them. */
export type Standings = Readonly<Record<string, ListedStanding>>;
/** Left out alone, such as an invalid URI; other entries of the server are not affected. */
export type Refused = Omit<Missing, 'server'>;
export type Contents = readonly ResourceContents[];
export interface Listed {
  readonly server: string;
  readonly uris: readonly string[];
  readonly standings: Standings;
}
export interface ServerPart {
  readonly server: string;
  /** Null when the list has not arrived. */
  readonly uris: readonly string[] | null;
  /** Null when they are not known or outdated. */
  readonly items: readonly object[] | null;
}

/** Notice for the host, reported once and again when `mark` changes. */
export interface Notice {
  readonly about: string;
  readonly mark: string;
  readonly text: string;
}
/** With a notice for the host when several servers claim the resource. */
interface Routed {
  readonly server: string;
  readonly notice: Notice | null;
}

export interface Items {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
}

/** Desktop and Finder share one machine and differ in these. An item is a window or a document. */
export interface CollectionRules {
  /** Each once, in the order of the list. */
  readonly urisIn: (resources: readonly { readonly uri: string }[]) => readonly string[];
  readonly standingsIn: (resources: readonly { readonly uri: string }[]) => Standings;
  readonly refusedIn: (resources: readonly { readonly uri: string }[]) => readonly Refused[];
  readonly toRead: (uris: readonly string[]) => readonly string[];
  /** Those with its host and path and any query, and those of items that `uri` is a part of. */
  readonly touchedBy: (uri: string, among: readonly string[]) => readonly string[];
  /** Also when the item that it is a part of is listed; entries of a catalogue do not count. */
  readonly isListed: (uri: string, listed: readonly string[]) => boolean;
  readonly neededBy: (
    query: object,
    history: ServerHistory,
    parts: readonly ServerPart[],
  ) => readonly string[];
  /** Null when it asks for all. */
  readonly onlyOf: (query: object) => string | null;
  readonly itemsOf: (contents: Contents, uri: string, server: string) => Read<Items>;
  readonly noticesOf: (items: readonly object[]) => readonly Notice[];
  readonly answerOf: (items: readonly object[], query: object, history: ServerHistory) => object;
  readonly routeOf: (uri: string, listed: readonly Listed[], history: ServerHistory) => Read<Routed>;
  readonly refusalOf: (refused: Failure, uri: string) => Failure;
}

/** Entries with the scheme of a collection that are no URIs of it. */
export const refusedIn = (
  resources: readonly { readonly uri: string }[],
  scheme: RegExp,
  parse: (uri: string) => { readonly ok: true } | { readonly ok: false; readonly failure: Failure },
): readonly Refused[] =>
  [...new Set(resources.map(({ uri }) => uri))].flatMap((uri) => {
    const read = scheme.test(uri) ? parse(uri) : ({ ok: true } as const);
    return read.ok ? [] : [{ uri, reason: read.failure.message }];
  });

/** What a server must declare for its windows and documents to be shown (a2c-wire §9 X1). */
export type Participation = 'subscribe' | 'resources';

/** `subscribe` (default): it announces changes; `resources`: its resources are read for each question. */
export const takesPart = (
  resources: Capabilities['resources'],
  participation: Participation = 'subscribe',
): boolean => resources !== null && (participation === 'resources' || resources.subscribe);

const countedNames = { desktop: 'windows', finder: 'documents' } as const;
export const notShownReason = (collection: ResourceCollection, count: number): string =>
  `its ${countedNames[collection]} (${count}) are not shown, because it does not declare resources.subscribe; ` +
  '"a2c": {"participation": "resources"} in its config, or at the top of the file, shows them';

/** In the form of the wire, without `req_id`. `missing` names servers whose items are incomplete. */
export interface AggregateShown {
  readonly type: 'aggregate.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly body: object;
  readonly missing: readonly Missing[];
  readonly failure: Failure | null;
}
export interface ResourceRead {
  readonly type: 'resource.read';
  readonly ticket: string;
  readonly reqId: string;
  readonly contents: Contents;
  readonly prompt?: PromptResult;
  readonly failure: Failure | null;
}
/** `n`: the waiting question; 0 means that no question waits, so that the list may be read later. */
export interface ResourcesRelist {
  readonly type: 'resources.relist';
  readonly server: string;
  readonly by: ResourceCollection;
  readonly n: number;
}

/** A server may answer anything. */
export function contentsIn(result: unknown): Read<Contents> {
  const read = resourceResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data.contents };
  return { ok: false, failure: unreadableFailure('contents', problemsIn(read.error)) };
}
export function promptIn(result: unknown): Read<PromptResult> {
  const read = promptResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data };
  return { ok: false, failure: unreadableFailure('a prompt', problemsIn(read.error)) };
}
const unreadableFailure = (what: string, problems: readonly string[]): Failure => ({
  code: wireCodes.internal,
  message: `The server did not answer with ${what}: ${problems.join('; ')}`,
});

/** `who` counted the updates, and its successor starts at zero. The order of the URIs does not matter. */
export const signatureOf = (who: string, updates: number, listed: readonly Listed[]): string =>
  contentHash([
    who,
    updates,
    listed
      .map(({ server, uris }) => [server, ...uris.toSorted()])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  ]);

/** For 413: how to ask for less. */
export const adviceOnTooLarge: Readonly<Record<string, string>> = {
  [events.getDesktop]: 'Ask for fewer windows (size), or for one of them (window)',
  [events.getFinder]: 'Ask for fewer documents at a time (limit), or for some of them (keywords, file type)',
  [events.readResource]:
    'Read a part of it: a page, an element, or fewer pages at a time (depth=pages with offset and limit)',
};

const marks = { address: '[address]', host: '[host]', path: '[path]' } as const;

const isPrivate4 = (text: string): boolean => {
  const [a = 0, b = 0] = text.split('.').map(Number);
  if (a === 0 || a === 10 || a === 127) return true;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  return a === 192 ? b === 168 : a === 100 && b >= 64 && b <= 127;
};
/** Unspecified, loopback, unique local, link-local, or IPv4-mapped. */
const isPrivate6 = (text: string): boolean => /^\[?(?:::1?(?![0-9a-f:])|f[cd]|fe[89ab]|::ffff:)/i.test(text);

/** At each position the first that matches is used. */
const parts = {
  own: /\b(?:dpe|window):\/\/[^\s'"`<>]+/,
  url: /\b[a-z][a-z0-9+.-]*:\/\/[^\s'"`<>)\]]*/,
  quoted: /(?<=(?<quote>['"`]))(?:~?\/|[a-z]:[\\/]|\\\\)[^'"`\n]+(?=\k<quote>)/,
  windows: /(?<![\w%])(?:[a-z]:[\\/]|\\\\)[^\s'"`<>|,;)]*/,
  posix: /(?<![\w.:/%~)\]-])~?\/[\w.@%+~-][^\s'"`<>:,;)\]]*/,
  six: /(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}(?:%\w+)?\]?(?::\d{1,5})?/,
  four: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w]|\.\d)/,
  refused:
    /(?<=\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\s)[^\s'"`,;)]+/,
  port: /(?<![\w.-])(?=[\w.-]*[a-z])(?:[\w-]+(?:\.[\w-]+)+:\d{2,5}|[\w-]+:\d{4,5})\b/,
  name: /(?<![\w.-])(?:localhost|(?:[\w-]+\.)+(?:local|localdomain|internal|intranet|lan|corp|home|home\.arpa))\b/,
};
const any = new RegExp(
  Object.entries(parts)
    .map(([name, part]) => `(?<${name}>${part.source})`)
    .join('|'),
  'gi',
);

function markOf(text: string, found: Readonly<Record<string, string | undefined>>): string {
  if (found['own'] !== undefined) return text;
  if (found['url'] !== undefined) return /^file:/i.test(text) ? marks.path : marks.address;
  if (found['quoted'] ?? found['windows'] ?? found['posix']) return marks.path;
  if (found['six'] !== undefined) return isPrivate6(text) ? marks.address : text;
  if (found['four'] !== undefined) return text.includes(':') || isPrivate4(text) ? marks.address : text;
  return marks.host;
}
/** Longest text of a failure, in characters, that an agent is told: servers may write megabytes. */
const longestTold = 4_000;
/** Except those in `known`, which the reader itself has named. */
export const withoutAddresses = (text: string, known: ReadonlySet<string> = new Set()): string =>
  (text.length > longestTold ? `${text.slice(0, longestTold)}…` : text).replace(
    any,
    (found: string, ...more: unknown[]) =>
      known.has(found) ? found : markOf(found, more.at(-1) as Readonly<Record<string, string | undefined>>),
  );

function hidden(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return withoutAddresses(value, known);
  if (Array.isArray(value)) return value.map((each) => hidden(each, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, known)]));
}
function partsOf(uri: string): ReadonlySet<string> {
  const [dpe, window] = [parseDpeUri(uri), parseWindowUri(uri)];
  const inDpe = dpe.ok ? [dpe.uri.host, ...(dpe.uri.level === 0 ? [] : [dpe.uri.docRef])] : [];
  const inWindow = window.ok ? [window.uri.host, `/${window.uri.path.join('/')}`] : [];
  const said = [...inDpe, ...inWindow];
  return new Set([uri, ...said, ...said.flatMap((each) => encodePart(each) ?? [])]);
}
export function failureForAgents(failure: Failure, uri: string): Failure {
  const known = partsOf(uri);
  const { message, details } = failure;
  return {
    ...failure,
    message: withoutAddresses(message, known),
    ...(details && { details: hidden(details, known) as NonNullable<Failure['details']> }),
  };
}
