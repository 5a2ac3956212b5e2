import { isObject } from './mistake.ts';
import { spansIn, type Placeholder, type Span } from './placeholders.ts';

/** Undefined: there is none. A value may be anything that JSON can say. */
export type Lookup = (placeholder: Placeholder) => { readonly value: unknown } | undefined;
export type Rendered =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      /** What the lookup did not have, each once, in order of appearance. */
      readonly missing: { readonly inputs: readonly string[]; readonly variables: readonly string[] };
    };

/**
 * A value with its placeholders filled in: in objects and lists at any depth, in texts, never in keys. A text that
 * is one placeholder and nothing else becomes the value itself, of whatever type; inside a longer text stands the
 * value as text. What a value brings in is not rendered again (seed 002 §6.2).
 */
export const renderWith = (value: unknown, lookup: Lookup): Rendered => {
  const missing = { input: new Set<string>(), env: new Set<string>() };
  const filled = (span: Span): { readonly value: unknown } => {
    const hit = lookup({ kind: span.kind, name: span.name });
    if (hit === undefined) missing[span.kind].add(span.name);
    return hit ?? { value: '' };
  };
  const rendered = walked(value, (text) => textWith(text, filled));
  return missing.input.size + missing.env.size === 0
    ? { ok: true, value: rendered }
    : { ok: false, missing: { inputs: [...missing.input], variables: [...missing.env] } };
};

const textWith = (text: string, filled: (span: Span) => { readonly value: unknown }): unknown => {
  const spans = spansIn(text);
  const [first] = spans;
  if (first === undefined) return text;
  if (first.start === 0 && first.end === text.length) return filled(first).value;
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), asText(filled(span).value));
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
