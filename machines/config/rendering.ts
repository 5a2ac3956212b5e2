import { spansIn, type Placeholder, type Span } from './placeholders.ts';
import { isObject } from '../protocol/json.ts';

/** Undefined: there is none. A value may be anything that JSON can say. */
export type Lookup = (placeholder: Placeholder) => { readonly value: unknown } | undefined;
export type Rendered =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What was to be expanded and has no value, as typed, each once. */
      readonly unknown: readonly string[];
    }
  | {
      readonly ok: false;
      /** What the lookup did not have, each once, in order of appearance. */
      readonly missing: { readonly inputs: readonly string[]; readonly variables: readonly string[] };
    };

/**
 * A value with its placeholders filled in: in objects and lists at any depth, in texts, never in keys. A text that
 * is one placeholder and nothing else becomes the value itself, of whatever type; inside a longer text stands the
 * value as text. What a value brings in is not rendered again (seed 002 §6.2). `expanding`: keys of the value in which
 * variables are expanded, too; those that are not set stay as typed.
 */
export const renderWith = (
  value: unknown,
  lookup: Lookup,
  expanding: ReadonlySet<string> = new Set(),
): Rendered => {
  const missing = { input: new Set<string>(), env: new Set<string>() };
  const unknown = new Set<string>();
  const filled: Filled = ({ start, end, ...placeholder }, text) => {
    const { kind, name, otherwise } = placeholder;
    const hit = lookup(placeholder);
    if (kind !== 'expanded') {
      if (hit === undefined) missing[kind].add(name);
      return hit ?? { value: '' };
    }
    // As in a shell: an empty value is none where there is another.
    if (hit !== undefined && (hit.value !== '' || otherwise === undefined)) return hit;
    const typed = text.slice(start, end);
    if (otherwise === undefined) unknown.add(typed);
    return { value: otherwise ?? typed };
  };
  const filledIn = (part: unknown, expands: boolean): unknown =>
    walked(part, (text) => textWith(text, spansIn(text, expands), filled));
  const rendered =
    expanding.size > 0 && isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, part]) => [key, filledIn(part, expanding.has(key))]),
        )
      : filledIn(value, false);
  return missing.input.size + missing.env.size === 0
    ? { ok: true, value: rendered, unknown: [...unknown] }
    : { ok: false, missing: { inputs: [...missing.input], variables: [...missing.env] } };
};

type Filled = (span: Span, text: string) => { readonly value: unknown };
const textWith = (text: string, spans: readonly Span[], filled: Filled): unknown => {
  const [first] = spans;
  if (first === undefined) return text;
  if (first.start === 0 && first.end === text.length) return filled(first, text).value;
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), asText(filled(span, text).value));
    from = span.end;
  }
  return pieces.join('') + text.slice(from);
};

const asText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // No JSON, which resolvers do not give.
    return '';
  }
};

/** A copy in which each text is what `of` makes of it; with a list of its own, as `found`. */
const walked = (value: unknown, of: (text: string) => unknown): unknown => {
  const top: unknown[] = [];
  const waiting: { readonly from: unknown; readonly into: object; readonly key: string | number }[] = [
    { from: value, into: top, key: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, into, key } = next;
    // Not by assignment: a key may be `__proto__`.
    const put = (part: unknown): void =>
      void Object.defineProperty(into, key, {
        value: part,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    if (typeof from === 'string') put(of(from));
    else if (Array.isArray(from) || isObject(from)) {
      const copy = Array.isArray(from) ? [] : {};
      put(copy);
      const parts: readonly (readonly [string | number, unknown])[] = Array.isArray(from)
        ? from.map((part, index) => [index, part] as const)
        : Object.entries(from);
      for (const [at, part] of parts.toReversed()) waiting.push({ from: part, into: copy, key: at });
    } else put(from);
  }
  return top[0];
};
