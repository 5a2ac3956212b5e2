/** Results of calls as texts and media for models, within limits. */
import type { CallEnd, Outcome } from '../call/call.rules.ts';
import { isObject } from '../protocol/json.ts';
import { readBase64 } from '../text.ts';
import type { MCPToolResponse, ResultOptions, MediaKind } from './format.ts';

export interface Media {
  readonly kind: MediaKind;
  /** As the bytes show it. */
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  /** Such as `image 2`; numbered through all results of a turn. */
  readonly name: string;
}
export type AcceptedTypes = Readonly<Partial<Record<MediaKind, readonly string[]>>>;

const defaults = { mediaCount: 20, mediaBytes: 3_932_160, mediaTotalBytes: 15_728_640 };

/** First characters of files in Base64. */
const beginnings: readonly (readonly [beginning: string, mimeType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi0', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
];
/** By the Base64 of the last three letters of their form: `EBP` of `WEBP`, `AVE` of `WAVE`. */
const riffs: Readonly<Record<string, string>> = { RUJQ: 'image/webp', QVZF: 'audio/wav' };
const synonyms: Readonly<Record<string, string>> = {
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};
/** Believed only when the bytes show them, because providers refuse a wrong type. */
const shownByBytes: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'],
]);
function typeOf(declared: string, data: string): string | undefined {
  const found = data.startsWith('UklGR')
    ? riffs[data.slice(12, 16)]
    : beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
  const said = declared.toLowerCase().split(';')[0]?.trim() ?? '';
  const known = synonyms[said] ?? said;
  return found ?? (shownByBytes.has(known) ? undefined : known);
}
const kindOf = (mimeType: string): MediaKind | undefined => {
  if (mimeType === 'application/pdf') return 'document';
  const [kind] = mimeType.split('/');
  return kind === 'image' || kind === 'audio' ? kind : undefined;
};

/** Content item as it came: a server may send other types and fields than MCP has. */
interface Item {
  readonly type: string;
  readonly [field: string]: unknown;
}
interface Binary {
  readonly what: string;
  readonly mimeType: string;
  readonly data: string;
}
function binaryIn(item: Item): Binary | undefined {
  const { type, resource } = item;
  const mimeOf = ({ mimeType }: Readonly<Record<string, unknown>>): string =>
    typeof mimeType === 'string' ? mimeType : '';
  const base64 = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (type === 'image' || type === 'audio')
    return { what: type, mimeType: mimeOf(item), data: base64(item['data']) };
  if (type !== 'resource' || !isObject(resource) || typeof resource['text'] === 'string') return undefined;
  return {
    what: `resource ${String(resource['uri'])}`,
    mimeType: mimeOf(resource),
    data: base64(resource['blob']),
  };
}
const bytesOf = (data: string): number =>
  Math.floor(((data.length - (data.endsWith('==') ? 2 : Number(data.endsWith('=')))) * 3) / 4);
function placeholder({ what, mimeType, data }: Binary, note = ''): string {
  const type = mimeType === '' ? '' : ` ${mimeType}`;
  const size = data === '' ? '' : `, ${sizeText(bytesOf(data))}`;
  return `[${what}${type}${size}${note}]`;
}
const sizeText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;

/** For one turn; it counts what it has let through. */
export interface MediaPicker {
  pick(binary: Binary): Media | string;
}
/** By default the model gets media of `kinds` whose types are in `taken`. */
export function mediaPicker(
  taken: AcceptedTypes,
  kinds: readonly MediaKind[],
  given: ResultOptions = {},
): MediaPicker {
  const { mediaCount, mediaBytes, mediaTotalBytes } = { ...defaults, ...given };
  const wanted = given.media ?? kinds;
  const numbers: Partial<Record<MediaKind, number>> = {};
  let count = 0;
  let total = 0;
  return {
    pick({ mimeType: declared, data: raw }) {
      const read = readBase64(raw);
      if (!read) return 'no valid Base64';
      const { data } = read;
      const mimeType = typeOf(declared || read.mimeType, data);
      if (mimeType === undefined) return 'its bytes are of another type';
      const kind = kindOf(mimeType);
      if (!kind || !wanted.includes(kind) || !taken[kind]?.includes(mimeType))
        return 'not taken by this model';
      const bytes = bytesOf(data);
      if (bytes > mediaBytes) return `more than ${sizeText(mediaBytes)}`;
      if (count >= mediaCount) return `more than ${mediaCount} in one turn`;
      if (total + bytes > mediaTotalBytes) return `more than ${sizeText(mediaTotalBytes)} in one turn`;
      count += 1;
      total += bytes;
      const number = (numbers[kind] = (numbers[kind] ?? 0) + 1);
      return { kind, mimeType, data, name: `${kind} ${number}` };
    },
  };
}

/** Result of a finished call: the `CallOutcome` of a computer or an agent, or a `ReadCall` that is not ok. */
export interface EndedCall {
  /** Way in which the call ended, more exact than `outcome`. */
  readonly end?: CallEnd;
  /** Id of the call on the wire, in logs and in traces. */
  readonly reqId?: string;
  /** Outcome of the call; when absent, the call succeeded unless there is a failure. */
  readonly outcome?: Outcome;
  /** Result of the call: an MCP CallToolResult or a similar value. */
  readonly result?: unknown;
  /** Failure of the call; its message is given to the model when the result contains no text. */
  readonly failure?: {
    readonly message: string;
    /** Name of the kind of failure (docs/errors.md). */
    readonly code?: string | number;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly remedy?: string;
  } | null;
}

/** Largest length of a result for a model, in characters, by default: about 25,000 tokens. */
export const mostCharacters = 100_000;

const textItem = (text: string): Item => ({ type: 'text', text });
const json = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};

/**
 * Builds the response to the call with this `id`, with its complete result.
 * Information missing in the result is put first: the reason of a failure, and a warning that the call may
 * have taken effect.
 */
export function toResponse(id: string, { outcome, result, failure }: EndedCall): MCPToolResponse {
  const isError = (outcome ?? 'succeeded') !== 'succeeded' || Boolean(failure) || hasError(result);
  const given = contentOf(result);
  const items = typeof given === 'string' ? [textItem(given)] : given;
  const hasWords = items.some((item) => wordsIn(item) !== '');
  const why = failure && !hasWords ? [textItem(failure.message)] : [];
  const isSaid = [...why, ...items].some((item) => saysUnknown.test(wordsIn(item)));
  const notice = outcome === 'unknown' && !isSaid ? [textItem(mayHaveRun)] : [];
  const told = [...why, ...notice];
  const content = told.length > 0 ? [...told, ...items] : given;
  return { toolCallId: id, content: content as MCPToolResponse['content'], isError };
}
const hasError = (result: unknown): boolean => isObject(result) && result['isError'] === true;
const mayHaveRun = 'It is not known whether the call took effect: look before you try it again.';
/** Failures of this library that already say that the effect is unknown. */
const saysUnknown = /whether (?:it|the call) took effect is unknown\.?$/;
function wordsIn({ type, text, resource }: Item): string {
  const words = type === 'resource' && isObject(resource) ? resource['text'] : text;
  return typeof words === 'string' ? words : '';
}

function contentOf(result: unknown): string | readonly Item[] {
  if (typeof result === 'string') return result;
  if (!isObject(result)) return [];
  const { content, structuredContent } = result;
  if (typeof content === 'string') return content;
  const items = Array.isArray(content) ? content.map(itemOf) : [];
  return items.length === 0 && structuredContent !== undefined ? [textItem(json(structuredContent))] : items;
}
function itemOf(value: unknown): Item {
  if (typeof value === 'string') return textItem(value);
  return isObject(value) && typeof value['type'] === 'string' ? (value as Item) : textItem(json(value));
}

export type ResultPart = { readonly text: string } | { readonly media: Media };

/**
 * Converts a response to text for a model: items separated by blank lines, with placeholders for content that
 * is no text. Text beyond `most` characters is cut, with a note of the full length.
 */
export const textOf = (response: MCPToolResponse, most: number = mostCharacters): string =>
  partsOf(response, most)
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join(between);

/** `show` turns binary content into a medium or its text; without it each becomes a placeholder. */
function partsOf(
  { content, isError }: MCPToolResponse,
  most: number,
  show: (binary: Binary) => Media | string = placeholder,
): ResultPart[] {
  const items =
    typeof content === 'string' ? [textItem(content)] : (content as readonly unknown[] as readonly Item[]);
  const groups: (string[] | Media)[] = [];
  for (const item of items) {
    const binary = binaryIn(item);
    const told = binary ? show(binary) : shown(item);
    const last = groups.at(-1);
    if (typeof told !== 'string') groups.push(told);
    else if (told !== '' && Array.isArray(last)) last.push(told);
    else if (told !== '') groups.push([told]);
  }
  if (!groups.some((group) => Array.isArray(group))) groups.unshift(['']);
  const first = groups.find((group) => Array.isArray(group))?.[0] ?? '';
  const mark = isError && !/^\W*error\b/i.test(first.slice(0, 40)) ? 'Error: ' : '';
  let left = most;
  let isMarked = false;
  const parts = groups.map((group): ResultPart => {
    if (!Array.isArray(group)) return { media: group };
    const text = (isMarked ? '' : mark) + joinedUpTo(group, Math.max(0, left));
    isMarked = true;
    left -= text.length;
    return { text };
  });
  return parts.length === 1 ? parts : parts.filter((part) => !('text' in part) || part.text !== '');
}

const between = '\n\n';
function joinedUpTo(texts: readonly string[], most: number): string {
  const total =
    texts.reduce((sum, text) => sum + text.length, 0) + between.length * Math.max(0, texts.length - 1);
  if (total <= most) return texts.join(between);
  const kept: string[] = [];
  let left = most;
  for (const text of texts) {
    if (left <= 0) break;
    kept.push(beginning(text, left));
    left -= text.length + between.length;
  }
  const head = kept.join(between);
  return `${head}${between}[cut: ${head.length} of ${total} characters shown]`;
}
/** Splits no surrogate pair; a copy, because a slice would keep the whole text in memory. */
function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length;
  return JSON.parse(JSON.stringify(text.slice(0, end))) as string;
}

function shown(item: Item): string {
  const { type, text, resource } = item;
  if (type === 'resource' && isObject(resource))
    return `[resource ${String(resource['uri'])}]\n${String(resource['text'])}`;
  if (type === 'resource_link') return shownLink(item);
  return typeof text === 'string' ? text : json(item);
}
function shownLink({ uri, name, title, description }: Item): string {
  const words = [title ?? name, description].filter((word) => typeof word === 'string' && word !== '');
  return [`[link ${String(uri)}]`, ...words].join(' ');
}

const leftOut = (binary: Binary, reason: string): string => placeholder(binary, `: left out, ${reason}`);
export const partsWithin = (
  response: MCPToolResponse,
  picker: MediaPicker,
  { characters = mostCharacters }: ResultOptions = {},
): ResultPart[] =>
  partsOf(response, characters, (binary) => {
    const picked = picker.pick(binary);
    return typeof picked === 'string' ? leftOut(binary, picked) : picked;
  });
/** The media are in the order of the names that the texts give them. */
export function partsBeside(
  responses: readonly MCPToolResponse[],
  picker: MediaPicker,
  { characters = mostCharacters }: ResultOptions = {},
): { readonly texts: readonly string[]; readonly media: readonly Media[] } {
  const media: Media[] = [];
  const show = (binary: Binary): string => {
    const picked = picker.pick(binary);
    if (typeof picked === 'string') return leftOut(binary, picked);
    media.push(picked);
    return placeholder(binary, `: ${picked.name} behind the results`);
  };
  const texts = responses.map((response) =>
    partsOf(response, characters, show)
      .flatMap((part) => ('text' in part ? [part.text] : []))
      .join(between),
  );
  return { texts, media };
}
