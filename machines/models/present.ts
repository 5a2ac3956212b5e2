import type { MCPContentItem, MCPToolResponse, ResultOptions } from './format.ts';
import { binaryIn, placeholder, type Binary, type Media, type MediaPicker } from './media.ts';
import type { Outcome } from '../call/call.rules.ts';

/** Result of a finished call: the `CallOutcome` of a computer or an agent, or a `ReadCall` that is not ok. */
export interface EndedCall {
  /** Outcome of the call; when absent, the call succeeded unless there is a failure. */
  readonly outcome?: Outcome;
  /** Result of the call: an MCP CallToolResult or a similar value. */
  readonly result?: unknown;
  /** Failure of the call; its message is given to the model when the result contains no text. */
  readonly failure?: { readonly message: string } | null;
}

/** Largest length of a result for a model, in characters, by default: about 25,000 tokens. */
export const mostCharacters = 100_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const textItem = (text: string): MCPContentItem => ({ type: 'text', text });
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
  const found = contentOf(result);
  const isOurs = ({ text }: MCPContentItem): boolean => text === failure?.message;
  const given =
    failure && typeof found !== 'string'
      ? found.map((item) => (isOurs(item) ? textItem(withoutIds(failure.message)) : item))
      : found;
  const items = typeof given === 'string' ? [textItem(given)] : given;
  const hasWords = items.some((item) => wordsIn(item) !== '');
  const why = failure && !hasWords ? [textItem(withoutIds(failure.message))] : [];
  const isSaid = [...why, ...items].some((item) => saysUnknown.test(wordsIn(item)));
  const notice = outcome === 'unknown' && !isSaid ? [textItem(mayHaveRun)] : [];
  const told = [...why, ...notice];
  return { toolCallId: id, content: told.length > 0 ? [...told, ...items] : given, isError };
}
/** Pattern of a call id in the text of a failure of this library. It is removed, because a model has its own id for the call. */
const callId = / \(call '[\da-f]{8}-[\da-f-]{27}'\)|\bCall '[\da-f]{8}-[\da-f-]{27}'/g;
const withoutIds = (message: string): string =>
  message.replace(callId, (found) => (found.startsWith('Call') ? 'The call' : ''));
const hasError = (result: unknown): boolean => isRecord(result) && result['isError'] === true;
const mayHaveRun = 'It is not known whether the call took effect: look before you try it again.';
/** Pattern of failures made by this library that already end with a sentence that the effect is unknown. */
const saysUnknown = /whether (?:it|the call) took effect is unknown\.?$/;
/** Returns the text of a content item; an empty text for images and binary data. */
function wordsIn({ type, text, resource }: MCPContentItem): string {
  const words = type === 'resource' && isRecord(resource) ? resource['text'] : text;
  return typeof words === 'string' ? words : '';
}

function contentOf(result: unknown): string | readonly MCPContentItem[] {
  if (typeof result === 'string') return result;
  if (!isRecord(result)) return [];
  const { content, structuredContent } = result;
  if (typeof content === 'string') return content;
  const items = Array.isArray(content) ? content.map(itemOf) : [];
  return items.length === 0 && structuredContent !== undefined ? [textItem(json(structuredContent))] : items;
}
/** Converts any value in a list of contents to a content item; a string becomes a text item. */
function itemOf(value: unknown): MCPContentItem {
  if (typeof value === 'string') return textItem(value);
  return isRecord(value) && typeof value['type'] === 'string'
    ? (value as MCPContentItem)
    : textItem(json(value));
}

/** Part of a result for a model: text, or a medium in its place. */
export type ResultPart = { readonly text: string } | { readonly media: Media };

/**
 * Converts a response to text for a model: items separated by blank lines, with placeholders for content that
 * is no text. Text beyond `most` characters is cut, with a note of the full length.
 */
export const textOf = (response: MCPToolResponse, most: number = mostCharacters): string =>
  partsOf(response, most)
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join(between);

/**
 * Converts a response to parts for a model, in order. `show` decides what becomes of binary content: a medium, or its
 * text; without it each becomes a placeholder.
 */
function partsOf(
  { content, isError }: MCPToolResponse,
  most: number,
  show: (binary: Binary) => Media | string = placeholder,
): ResultPart[] {
  const items = typeof content === 'string' ? [textItem(content)] : content;
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
/**
 * Returns the beginning of a text without splitting a surrogate pair, as a copy: a slice would keep the whole
 * text in memory.
 */
function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length;
  return JSON.parse(JSON.stringify(text.slice(0, end))) as string;
}

function shown(item: MCPContentItem): string {
  const { type, text, resource } = item;
  if (type === 'resource' && isRecord(resource))
    return `[resource ${String(resource['uri'])}]\n${String(resource['text'])}`;
  if (type === 'resource_link') return shownLink(item);
  return typeof text === 'string' ? text : json(item);
}
function shownLink({ uri, name, title, description }: MCPContentItem): string {
  const words = [title ?? name, description].filter((word) => typeof word === 'string' && word !== '');
  return [`[link ${String(uri)}]`, ...words].join(' ');
}

const leftOut = (binary: Binary, reason: string): string => placeholder(binary, `: left out, ${reason}`);
/** Returns the parts of a result in order, with images and other media between the texts. */
export const partsWithin = (
  response: MCPToolResponse,
  picker: MediaPicker,
  { characters = mostCharacters }: ResultOptions = {},
): ResultPart[] =>
  partsOf(response, characters, (binary) => {
    const picked = picker.pick(binary);
    return typeof picked === 'string' ? leftOut(binary, picked) : picked;
  });
/**
 * Returns the text of each result, and separately the media of all results, in the order of the names that the texts give
 * them.
 */
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
