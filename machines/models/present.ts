import type { MCPContentItem, MCPToolResponse } from './format.ts';
import type { Outcome } from '../call/messages.ts';

/** How a call ended: the `CallOutcome` of a computer or an agent, or a `ReadCall` that is not ok. */
export interface EndedCall {
  /** Left out: the call succeeded, unless there is a failure. */
  readonly outcome?: Outcome;
  /** An MCP CallToolResult, or what stands in its place. */
  readonly result?: unknown;
  /** Why it did not succeed; what the model is told where the result says nothing. */
  readonly failure?: { readonly message: string } | null;
}

/** Characters of a result that a model is given, unless a host says otherwise: some 25,000 tokens. */
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
 * The response to a call, nothing of its result left out; `id` is the id of the call (seed 004, MCPToolResponse). What
 * the result does not say in words stands before it: why the call failed, and that it may have taken effect.
 */
export function toResponse(id: string, { outcome, result, failure }: EndedCall): MCPToolResponse {
  const isError = (outcome ?? 'succeeded') !== 'succeeded' || Boolean(failure) || hasError(result);
  const given = contentOf(result);
  const items = typeof given === 'string' ? [textItem(given)] : given;
  const why = failure && !items.some((item) => wordsIn(item) !== '') ? [textItem(failure.message)] : [];
  const isSaid = [...why, ...items].some((item) => saysUnknown.test(wordsIn(item)));
  const notice = outcome === 'unknown' && !isSaid ? [textItem(mayHaveRun)] : [];
  const told = [...why, ...notice];
  return { toolCallId: id, content: told.length > 0 ? [...told, ...items] : given, isError };
}
const hasError = (result: unknown): boolean => isRecord(result) && result['isError'] === true;
const mayHaveRun = 'It is not known whether the call took effect: look before you try it again.';
/** So end the failures of our own machines that say it themselves. */
const saysUnknown = /whether (?:it|the call) took effect is unknown\.?$/;
/** What a server says in words; no image, and no bytes. */
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
/** Anything in a list of contents, as an item: a bare text is one, too. */
function itemOf(value: unknown): MCPContentItem {
  if (typeof value === 'string') return textItem(value);
  return isRecord(value) && typeof value['type'] === 'string'
    ? (value as MCPContentItem)
    : textItem(json(value));
}

/**
 * A response as text for a model: its items with blank lines in between, placeholders for what is no text, and, where
 * it is longer than `most` characters, as much of it as that and a notice of how much there was.
 */
export function textOf({ content, isError }: MCPToolResponse, most: number = mostCharacters): string {
  const texts = typeof content === 'string' ? [content] : content.map(shown).filter((text) => text !== '');
  const [first = ''] = texts;
  const mark = isError && !/^\W*error\b/i.test(first.slice(0, 40)) ? 'Error: ' : '';
  return mark + joinedUpTo(texts, most);
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
/** A copy of its own, for a slice would keep the whole text in memory; no character cut in half. */
function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length;
  return JSON.parse(JSON.stringify(text.slice(0, end))) as string;
}

function shown(item: MCPContentItem): string {
  const { type, text, resource } = item;
  if (type === 'image' || type === 'audio') return placeholder(type, item['mimeType'], item['data']);
  if (type === 'resource' && isRecord(resource)) return shownResource(resource);
  if (type === 'resource_link') return shownLink(item);
  return typeof text === 'string' ? text : json(item);
}
function shownResource({ uri, text, mimeType, blob }: Readonly<Record<string, unknown>>): string {
  if (typeof text === 'string') return `[resource ${String(uri)}]\n${text}`;
  return placeholder(`resource ${String(uri)}`, mimeType, blob);
}
function shownLink({ uri, name, title, description }: MCPContentItem): string {
  const words = [title ?? name, description].filter((word) => typeof word === 'string' && word !== '');
  return [`[link ${String(uri)}]`, ...words].join(' ');
}
/** `[image image/png, 12 KiB]`: the same in every language. */
function placeholder(what: string, mimeType: unknown, base64: unknown): string {
  const mime = typeof mimeType === 'string' ? ` ${mimeType}` : '';
  const size = typeof base64 === 'string' ? `, ${sizeText(Math.floor((base64.length * 3) / 4))}` : '';
  return `[${what}${mime}${size}]`;
}
const sizeText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;
