import { isObject, type Fields } from './json.ts';

/**
 * One reading of what a tool answered, for everybody: computer, agent and command say the same of one call. Servers and peers
 * write it in many ways; what was answered is a result whatever its form, and its words are kept.
 */
/** One content of a result of MCP. */
export interface ResultContent {
  /** Text, image, audio, resource, resource_link, or a type that is not known here. */
  readonly type: string;
  readonly [field: string]: unknown;
}
/** The result of a tool as MCP has it. */
export interface CallToolResult {
  /** Items of the result, for the model. */
  readonly content: readonly ResultContent[];
  /** The same for programs: any JSON value but null. */
  readonly structuredContent?: unknown;
  /** The tool itself says that it failed. */
  readonly isError?: boolean;
  /** Meta of the result. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}

const isGone = (value: unknown): boolean => value === null || value === undefined;
const hasOnly = (value: Fields, isRight: (key: string, member: unknown) => boolean): boolean =>
  Object.keys(value).every((key) => isRight(key, value[key]));

// ── what is right already, which is nearly everything, is given as it is ───────────────────────────────
const isTidy = (value: unknown): boolean =>
  !isObject(value) || hasOnly(value, (key, member) => key !== 'meta' && !isGone(member));
const isContent = (item: unknown): item is ResultContent =>
  isObject(item) &&
  typeof item['type'] === 'string' &&
  (item['type'] !== 'text' || typeof item['text'] === 'string') &&
  (item['type'] === 'unknown' || isTidy(item)) &&
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

// ── what is odd ────────────────────────────────────────────────────────────────────────────────────────
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
/** Python writes `meta` for `_meta`, and what is absent as null. */
const tidied = (value: Fields): Fields => {
  const { meta, ...rest } = value;
  const all = isGone(rest['_meta']) && !isGone(meta) ? { ...rest, _meta: meta } : rest;
  return Object.fromEntries(Object.entries(all).filter(([, member]) => !isGone(member)));
};
/** Item without readable words: it stays beside the others as `unknown`. */
function contentIn(item: unknown): ResultContent {
  if (isContent(item)) return item;
  if (isGone(item)) return { type: 'unknown', value: null };
  if (!isObject(item)) return text(wordsOf(item));
  const own = tidied(item);
  const { type = typeof own['text'] === 'string' ? 'text' : undefined } = own;
  if (typeof type !== 'string') return text(wordsOf(item));
  const inside = ['resource', 'annotations'].flatMap((key) =>
    isObject(own[key]) ? [[key, tidied(own[key])] as const] : [],
  );
  const said = type === 'text' && { text: wordsOf(own['text']) };
  return { ...own, type, ...Object.fromEntries(inside), ...said };
}
const contentsIn = (content: unknown): readonly ResultContent[] => {
  if (isGone(content)) return [];
  return Array.isArray(content) ? content.map(contentIn) : [contentIn(content)];
};
/** An error is `true`, its text in any case, or 1. Whatever else there is says of no error. */
const isYes = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^\s*true\s*$/i.test(value));
const metaIn = (value: unknown): Fields | undefined => {
  if (isGone(value)) return undefined;
  return isObject(value) ? value : { value };
};
/** Members that say something about a result, beside what it says. */
const aside: ReadonlySet<string> = new Set(['_meta', 'isError', 'structuredContent', 'resultType']);
/** A result without contents: what it has instead, such as `toolResult` of the first revision of MCP. */
function wordsBeside({ toolResult, ...more }: Fields): readonly ResultContent[] {
  if (!isGone(toolResult)) return contentsIn(toolResult);
  const others = Object.entries(more).filter(([key]) => !aside.has(key));
  return others.length > 0 ? contentsIn(Object.fromEntries(others)) : [];
}
function readLenient(raw: unknown): CallToolResult {
  if (!isObject(raw)) return { content: contentsIn(raw) };
  const { content, structuredContent, isError, is_error: snake, _meta, meta, ...more } = raw;
  const flag = isGone(isError) ? snake : isError;
  const both = { ...metaIn(_meta), ...metaIn(meta) };
  const rest = tidied(more);
  const hasWords = !isGone(content) || !isGone(structuredContent);
  return {
    content: hasWords ? contentsIn(content) : wordsBeside(rest),
    ...(!isGone(structuredContent) && { structuredContent }),
    ...(!isGone(flag) && { isError: isYes(flag) }),
    ...((!isGone(_meta) || !isGone(meta)) && { _meta: both }),
    ...rest,
  };
}
/**
 * The result that an answer to `tools/call` is, whatever JSON it is; one that is right is given as it is. Contents that are a
 * text, an object or a number become readable text; a list is the contents themselves. `isError` is true for `true`, its text
 * and 1, and `is_error` is the same word. Null is absent.
 */
export const toolResult = (raw: unknown): CallToolResult => (isResult(raw) ? raw : readLenient(raw));

// ── on the wire ────────────────────────────────────────────────────────────────────────────────────────
/** Agents of other makes take objects only: another value goes under `result`, and this mark in `meta` says so. */
const wrapped = 'a2c_structured_wrapped';
/** A result as every agent can read it, and what its `meta` has to have besides. */
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
/** The same result as its computer has it. */
export function unwrappedFromWire(result: CallToolResult): CallToolResult {
  const { structuredContent: held, _meta: meta } = result;
  if (meta?.[wrapped] !== true || !isObject(held)) return result;
  const { [wrapped]: _, ...rest } = meta;
  return { ...result, structuredContent: held['result'], _meta: rest };
}
