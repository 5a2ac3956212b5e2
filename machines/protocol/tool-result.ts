import { fieldsOf, isObject, type Fields } from './json.ts';

/** Fields of every content item. */
export interface ContentFields {
  /** Hints for whom and how important the item is. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** Metadata of the item. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}
/** Text, for the model. */
export interface TextContent extends ContentFields {
  /** Kind of the item. */
  readonly type: 'text';
  /** Text for the model. */
  readonly text: string;
}
/** Image or sound, in base64. */
export interface MediaContent extends ContentFields {
  /** Kind of the item. */
  readonly type: 'image' | 'audio';
  /** Bytes in base64. */
  readonly data: string;
  /** MIME type of the bytes. */
  readonly mimeType: string;
}
/** Address of a resource that the server can read. */
export interface ResourceLinkContent extends ContentFields {
  /** Kind of the item. */
  readonly type: 'resource_link';
  /** URI of the resource. */
  readonly uri: string;
  /** Name of the resource, for programs. */
  readonly name: string;
  /** Name of the resource, for people. */
  readonly title?: string;
  /** Description of the resource, for the model. */
  readonly description?: string;
  /** MIME type of the resource. */
  readonly mimeType?: string;
  /** Size of the resource in bytes. */
  readonly size?: number;
}
/** Resource with its content: `text`, or `blob` in base64. */
export interface EmbeddedContent extends ContentFields {
  /** Kind of the item. */
  readonly type: 'resource';
  /** Resource with its content. */
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}
/** Content item of an MCP tool result. A server of a later revision may send items of other types. */
export type ResultContent = TextContent | MediaContent | ResourceLinkContent | EmbeddedContent;
/** Result of a tool, as MCP defines it. */
export interface CallToolResult {
  /** Content items of the tool result, for the model. */
  readonly content: readonly ResultContent[];
  /** Result of the tool as data, for programs: any JSON value but null. */
  readonly structuredContent?: unknown;
  /** True when the tool itself reported a failure. */
  readonly isError?: boolean;
  /** Metadata of the tool result. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}

const isGone = (value: unknown): boolean => value === null || value === undefined;
const hasOnly = (value: Fields, isRight: (key: string, member: unknown) => boolean): boolean =>
  Object.keys(value).every((key) => isRight(key, value[key]));

const isTidy = (value: unknown): boolean =>
  !isObject(value) || hasOnly(value, (key, member) => key !== 'meta' && !isGone(member));
const isContent = (item: unknown): item is ResultContent =>
  isObject(item) &&
  typeof item['type'] === 'string' &&
  (item['type'] !== 'text' || typeof item['text'] === 'string') &&
  isTidy(item) &&
  isTidy(item['resource']) &&
  isTidy(item['annotations']);
const isRight = (key: string, member: unknown): boolean => {
  if (isGone(member) || key === 'meta' || key === 'is_error') return false;
  if (key === 'content') return Array.isArray(member) && member.every(isContent);
  if (key === 'isError') return typeof member === 'boolean';
  return key !== '_meta' || isObject(member);
};
const isResult = (raw: unknown): raw is CallToolResult =>
  isObject(raw) && Object.hasOwn(raw, 'content') && hasOnly(raw, isRight);

const text = (said: string): ResultContent => ({ type: 'text', text: said });
function wordsOf(value: unknown): string {
  if (isGone(value)) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '[nested too deep to be shown]';
  }
}
/** The Python SDK writes null members, and `meta` instead of `_meta`. */
const tidied = (value: Fields): Fields => {
  const { meta, ...rest } = value;
  const all = isGone(meta) ? rest : { ...rest, _meta: { ...fieldsOf(rest['_meta']), ...fieldsOf(meta) } };
  return Object.fromEntries(Object.entries(all).filter(([, member]) => !isGone(member)));
};
/** Without a readable form it is kept as text. */
function contentIn(item: unknown): ResultContent {
  if (isContent(item)) return item;
  const own = isObject(item) ? tidied(item) : {};
  const { type } = own;
  if (typeof type !== 'string') return text(wordsOf(item));
  const inside = ['resource', 'annotations'].flatMap((key) =>
    isObject(own[key]) ? [[key, tidied(own[key])] as const] : [],
  );
  const said = type === 'text' && { text: wordsOf(own['text']) };
  return { ...own, type, ...Object.fromEntries(inside), ...said } as unknown as ResultContent;
}
const contentsIn = (content: unknown): readonly ResultContent[] => {
  if (isGone(content)) return [];
  return Array.isArray(content) ? content.map(contentIn) : [contentIn(content)];
};
/** Peers of the Rust SDK say `is_error`. A result without contents is told by its JSON. */
function readLenient(raw: unknown): CallToolResult {
  if (!isObject(raw)) return { content: contentsIn(raw) };
  const { content, structuredContent, isError, is_error: snake, _meta, ...rest } = tidied(raw);
  const flag = isError ?? snake;
  const { resultType: _, ...others } = rest;
  const isTold = content !== undefined || structuredContent !== undefined || Object.keys(others).length === 0;
  return {
    content: isTold ? contentsIn(content) : [text(wordsOf(others))],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(flag !== undefined && { isError: flag === true }),
    ...(isObject(_meta) && { _meta }),
    ...rest,
  };
}
/** Shared by computer, agent and command, so that all report the same for one call. Null counts as absent. */
export const toolResult = (raw: unknown): CallToolResult => (isResult(raw) ? raw : readLenient(raw));
/** Other types are let through, as later revisions may add some. */
const textsIn: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};
/** What MCP demands and the item lacks; undefined when nothing is lost. */
export function unreadableIn(raw: unknown): string | undefined {
  const { content } = fieldsOf(raw);
  if (!Array.isArray(content)) return undefined;
  for (const [at, item] of (content as readonly unknown[]).entries()) {
    const lack = lackOf(fieldsOf(item));
    if (lack !== undefined) return `content.${at} has no ${lack}`;
  }
  return undefined;
}
const lackOf = (item: Fields): string | undefined => {
  const { type, resource } = item;
  if (typeof type !== 'string') return 'type';
  if (type === 'resource' && typeof fieldsOf(resource)['uri'] !== 'string') return 'resource with a uri';
  return textsIn[type]?.find((key) => typeof item[key] !== 'string');
};

/** For `structuredContent` wrapped as `{result: …}`, because agents of other makes accept only objects. */
const wrapped = 'a2c_structured_wrapped';
export function wrappedForWire(result: CallToolResult): {
  readonly result: CallToolResult;
  readonly meta: Fields;
} {
  const { structuredContent: value } = result;
  if (value !== undefined && !isObject(value))
    return { result: { ...result, structuredContent: { result: value } }, meta: { [wrapped]: true } };
  const isNamed = [result._meta, result['meta']].some(
    (meta) => isObject(meta) && Object.hasOwn(meta, wrapped),
  );
  return { result, meta: isNamed ? { [wrapped]: false } : {} };
}
export function unwrappedFromWire(result: CallToolResult): CallToolResult {
  const { structuredContent: held, _meta: meta } = result;
  if (meta?.[wrapped] !== true || !isObject(held)) return result;
  const { [wrapped]: _, ...rest } = meta;
  return { ...result, structuredContent: held['result'], _meta: rest };
}
