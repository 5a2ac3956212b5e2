/** Desktop and Finder as one shape: what a collection is made of, what it answers, and what its failures say. */
import type { ServerHistory } from '../call/history.ts';
import { contentHash } from '../catalog/changes.ts';
import type { Capabilities, ResourceCollection } from '../kernel/ports.ts';
import { events } from '../protocol/events.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Read } from '../protocol/messages/lists.ts';
import {
  promptResult,
  resourceResult,
  type Missing,
  type PromptResult,
  type ResourceContents,
} from '../protocol/messages/collections.ts';
import { problemsIn } from '../protocol/messages/answers.ts';
import { parseDpeUri } from './dpe-uri.ts';
import { encodePart } from './uri.ts';
import { parseWindowUri } from './window-uri.ts';

/** Where a window stands by what its list entry says of it. */
export interface ListedStanding {
  /** 0 to 100. */
  readonly priority?: number;
  readonly fullscreen?: boolean;
}
/** By URI: those of which the list says something that the query of the URI leaves open. */
export type Standings = Readonly<Record<string, ListedStanding>>;
/** One entry of a server that spoils itself only: a URI that breaks a rule, a document that is none. */
export type Refused = Omit<Missing, 'server'>;
export type Contents = readonly ResourceContents[];
/** What a server lists of a system. */
export interface Listed {
  readonly server: string;
  readonly uris: readonly string[];
  /** What the list says of windows beside their URIs. */
  readonly standings: Standings;
}
/** What is known of one server when somebody asks. */
export interface Part {
  readonly server: string;
  /** Null: its list has not come. */
  readonly uris: readonly string[] | null;
  /** Null: not known as it is now. */
  readonly items: readonly object[] | null;
}

/** What a host is told once, and again when `mark` is another. */
export interface Notice {
  readonly about: string;
  readonly mark: string;
  readonly text: string;
}
/** Who is asked to read, and what the host should know about that. */
interface Routed {
  readonly server: string;
  readonly notice: Notice | null;
}

/** What one read gave: windows or documents, and entries that are none. */
export interface Items {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
}

/** In which the two differ; all else is one machine. `Item` is what one read gives: a window, documents. */
export interface CollectionRules {
  /** Of a list those URIs that belong to the system, each once, in the order of the list. */
  readonly urisIn: (resources: readonly { readonly uri: string }[]) => readonly string[];
  /** What the list says of its entries beside their URIs, as far as it counts. */
  readonly standingsIn: (resources: readonly { readonly uri: string }[]) => Standings;
  /** Of a list those URIs that would belong to the system and break one of its rules. */
  readonly refusedIn: (resources: readonly { readonly uri: string }[]) => readonly Refused[];
  /** Of these the ones that are read for the whole. */
  readonly toRead: (uris: readonly string[]) => readonly string[];
  /**
   * Of these the ones that are others now that this one has changed: it by host and path, whatever its query, and what it
   * is a part of. None: it is not of this system, or nobody has listed it.
   */
  readonly touchedBy: (uri: string, among: readonly string[]) => readonly string[];
  /** Whether it, or what it is a part of, is listed: a catalogue is no list. */
  readonly isListed: (uri: string, listed: readonly string[]) => boolean;
  /** The servers without which a question has no answer. */
  readonly neededBy: (query: object, history: ServerHistory, parts: readonly Part[]) => readonly string[];
  /** The one entry that a question is for; null: it is for all. */
  readonly onlyOf: (query: object) => string | null;
  /** What a read gave. */
  readonly itemsOf: (contents: Contents, uri: string, server: string) => Read<Items>;
  /** What of it a host should know. */
  readonly noticesOf: (items: readonly object[]) => readonly Notice[];
  /** The answer to a question as the wire has it, but for its `req_id`. */
  readonly answerOf: (items: readonly object[], query: object, history: ServerHistory) => object;
  /** The server that is asked to read this, or why nobody is. */
  readonly routeOf: (uri: string, listed: readonly Listed[], history: ServerHistory) => Read<Routed>;
  /** What whoever reads it is told when its server refuses. */
  readonly refusalOf: (refused: Failure, uri: string) => Failure;
}

// ── which servers take part ───────────────────────────────────────────────────────────────────────────
/** What a server has to declare so that its windows and documents are looked for (seed 001; a2c-wire §9 X1). */
export type Participation = 'subscribe' | 'resources';

/** `subscribe`, the default: that it tells of changes. `resources`: that it has any; then changes are seen by asking again. */
export const takesPart = (
  resources: Capabilities['resources'],
  participation: Participation = 'subscribe',
): boolean => resources !== null && (participation === 'resources' || resources.subscribe);

const countedNames: Readonly<Record<ResourceCollection, readonly [one: string, many: string]>> = {
  desktop: ['window is', 'windows are'],
  finder: ['document is', 'documents are'],
};

/** Why what a server lists is not shown, and the setting that shows it (docs/config.md). */
export function notShownReason(collection: ResourceCollection, count: number): string {
  const [one, many] = countedNames[collection];
  return (
    `its ${count} ${count === 1 ? one : many} not shown, because it does not declare resources.subscribe; ` +
    '"a2c": {"participation": "resources"} in its config, or at the top of the file, shows them'
  );
}

// ── answers ───────────────────────────────────────────────────────────────────────────────────────────
/** The answer for the whole, as the wire has it but for `req_id`; `missing` are servers of which not all is in it. */
export interface AggregateShown {
  readonly type: 'aggregate.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly body: object;
  readonly missing: readonly Missing[];
  readonly failure: Failure | null;
}
/** The answer to whoever reads one resource, or gets one prompt: contents, or why there are none. */
export interface ResourceRead {
  readonly type: 'resource.read';
  readonly ticket: string;
  readonly reqId: string;
  readonly contents: Contents;
  readonly prompt?: PromptResult;
  readonly failure: Failure | null;
}
/**
 * The list of a server is asked for anew. `n`: at once, for that question, and told whatever came of it; 0: by and by, for
 * the server told of a change of something that it has not listed.
 */
export interface ResourcesRelist {
  readonly type: 'resources.relist';
  readonly server: string;
  readonly by: ResourceCollection;
  readonly n: number;
}

/** What `resources/read` gave, so far as it is what MCP says: a server may answer anything at all. */
export function contentsIn(result: unknown): Read<Contents> {
  const read = resourceResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data.contents };
  return { ok: false, failure: unreadableFailure('contents', problemsIn(read.error)) };
}
/** What `prompts/get` gave, so far as it is what MCP says. */
export function promptIn(result: unknown): Read<PromptResult> {
  const read = promptResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data };
  return { ok: false, failure: unreadableFailure('a prompt', problemsIn(read.error)) };
}
const unreadableFailure = (what: string, problems: readonly string[]): Failure => ({
  code: wireCodes.internal,
  message: `The server did not answer with ${what}: ${problems.join('; ')}`,
});

/**
 * What an office is told again when it is another one: the URIs of each server, whatever their order, and how often one of
 * them was said to be others. `who` counts those updates: one that took its place knows of none before.
 */
export const signatureOf = (who: string, updates: number, listed: readonly Listed[]): string =>
  contentHash([
    who,
    updates,
    listed
      .map(({ server, uris }) => [server, ...uris.toSorted()])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  ]);

// ── failures, as they are told ────────────────────────────────────────────────────────────────────────
/** What can be done about a failure of a read, for its host and for agents alike. */
const remedies: Readonly<Partial<Record<Failure['code'], string>>> = {
  [wireCodes.documentNotFound]: 'See which documents there are: ask the Finder',
  [wireCodes.pageOutOfRange]: 'Pages are counted from 0; a read of the document says how many it has',
  [wireCodes.elementNotFound]: 'Read the page: it lists its elements with their ids',
  [wireCodes.invalidDpeUri]: 'A resource is dpe://host/document[/pages/N | /elements/ID], or window://host/…',
  [wireCodes.notFound]: 'See which windows there are: ask the Desktop',
  [wireCodes.timeout]: 'Ask again, or look at the server: it may be busy',
};
export function withRemedy(failure: Failure): Failure {
  const remedy = failure.remedy ?? remedies[failure.code];
  return remedy === undefined ? failure : { ...failure, remedy };
}

/** How a question whose answer is too large is asked for less (413). */
export const narrower: Readonly<Record<string, string>> = {
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
/** `::` and `::1`, unique local, link-local, and IPv4 in IPv6. */
const isPrivate6 = (text: string): boolean => /^\[?(?:::1?(?![0-9a-f:])|f[cd]|fe[89ab]|::ffff:)/i.test(text);

/** What may be one, in this order: the first that begins at a place is taken. */
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
/** `known`: what whoever reads it has said himself stays, where it stands as a whole. */
export const withoutAddresses = (text: string, known: ReadonlySet<string> = new Set()): string =>
  text.replace(any, (found: string, ...more: unknown[]) =>
    known.has(found) ? found : markOf(found, more.at(-1) as Readonly<Record<string, string | undefined>>),
  );

function hidden(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return withoutAddresses(value, known);
  if (Array.isArray(value)) return value.map((each) => hidden(each, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, known)]));
}
/** The URI that was asked for, and what stands in it. */
function partsOf(uri: string): ReadonlySet<string> {
  const [dpe, window] = [parseDpeUri(uri), parseWindowUri(uri)];
  const inDpe = dpe.ok ? [dpe.uri.host, ...(dpe.uri.level === 0 ? [] : [dpe.uri.docRef])] : [];
  const inWindow = window.ok ? [window.uri.host, `/${window.uri.path.join('/')}`] : [];
  const said = [...inDpe, ...inWindow];
  return new Set([uri, ...said, ...said.flatMap((each) => encodePart(each) ?? [])]);
}
/** The failure of a read as an agent is told it. */
export function failureForAgents(failure: Failure, uri: string): Failure {
  const known = partsOf(uri);
  const { message, details } = failure;
  return {
    ...failure,
    message: withoutAddresses(message, known),
    ...(details && { details: hidden(details, known) as NonNullable<Failure['details']> }),
  };
}
