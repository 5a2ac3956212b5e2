/** Placeholders such as `${input:ID}` in a config: found, filled and named when a value is missing. */
import { isObject } from '../protocol/json.ts';

/** `${input:id}` (a2c-wire §3.9), `${env:NAME}`; expanded ones: `~` at the start, `$NAME`, `${NAME:-otherwise}`. */
interface Placeholder {
  readonly kind: 'input' | 'env' | 'expanded';
  readonly name: string;
  readonly otherwise?: string;
}
interface Span extends Placeholder {
  readonly start: number;
  readonly end: number;
}

const opening = '${';
const inputOpening = '${input:';
/** No `:`, because other clients write defaults after it; no `$`, so that no match spans the next one. */
const variable = /\$\{env:([^\s=:${}]{1,256})\}/y;
/** As shells write them, and `${env:NAME:-otherwise}`. */
const shellVariable = /\$(?:([A-Za-z_]\w{0,255})|\{(?:env:)?([A-Za-z_]\w{0,255})(?::-([^{}]{0,1024}))?\})/y;
const homeMark = /^~(?=[/\\]|$)/;

const variableAt = (text: string, at: number, expands: boolean): Span | undefined => {
  variable.lastIndex = at;
  const [whole, name] = variable.exec(text) ?? [];
  if (whole !== undefined && name !== undefined)
    return { kind: 'env', name, start: at, end: at + whole.length };
  if (!expands) return undefined;
  shellVariable.lastIndex = at;
  const [all, plain, braced, otherwise] = shellVariable.exec(text) ?? [];
  const expanded = plain ?? braced;
  if (all === undefined || expanded === undefined) return undefined;
  const span: Span = { kind: 'expanded', name: expanded, start: at, end: at + all.length };
  return otherwise === undefined ? span : { ...span, otherwise };
};

/** By hand, because a pattern would take quadratic time on openings without an end. */
const spansIn = (text: string, expands = false): readonly Span[] => {
  const spans: Span[] = [];
  if (expands && homeMark.test(text)) spans.push({ kind: 'expanded', name: '~', start: 0, end: 1 });
  const mark = expands ? '$' : opening;
  let at = text.indexOf(mark);
  while (at >= 0) {
    let next = at + mark.length;
    if (text.startsWith(inputOpening, at)) {
      const start = at + inputOpening.length;
      const end = text.indexOf('}', start);
      // A text with a missing closing brace is no template.
      if (end < 0) return spans;
      next = end + 1;
      if (end > start) spans.push({ kind: 'input', name: text.slice(start, end), start: at, end: next });
    } else {
      const span = variableAt(text, at, expands);
      if (span) {
        spans.push(span);
        next = span.end;
      }
    }
    at = text.indexOf(mark, next);
  }
  return spans;
};

/** Other clients fill these from the workspace or with a default; we never do. */
const othersIn = (text: string, expands: boolean): readonly string[] => {
  const others: string[] = [];
  let from = 0;
  for (const { start, end } of [...spansIn(text, expands), { start: text.length, end: text.length }]) {
    const gap = text.slice(from, start);
    from = end;
    let at = gap.indexOf(opening);
    while (at >= 0) {
      const close = gap.indexOf('}', at);
      if (close < 0) break;
      others.push(gap.slice(at, close + 1));
      at = gap.indexOf(opening, close);
    }
  }
  return others;
};

export const isTemplate = (text: string): boolean => spansIn(text).length > 0;
/** Such a text can be validated only when the server starts. */
export const mayBeTemplate = (text: string): boolean => isTemplate(text) || text.startsWith('$');

/** Distinct, in order of appearance; keys are ignored. */
export const placeholdersIn = (value: unknown): readonly string[] => namesIn(value, 'input');
export const variablesIn = (value: unknown): readonly string[] => [
  ...new Set([...namesIn(value, 'env'), ...namesIn(value, 'expanded')]),
];
const namesIn = (value: unknown, wanted: Placeholder['kind']): readonly string[] =>
  found(value, (text) =>
    spansIn(text, wanted === 'expanded').flatMap(({ kind, name }) => (kind === wanted ? [name] : [])),
  );

/** Without a default after `:-`, which may be a secret. */
export const unfilledIn = (value: unknown, expands: boolean): readonly string[] =>
  found(value, (text) => othersIn(text, expands)).map((text) => text.replace(/:-.*/s, ':-…}'));

/** Iterative, so that a deeply nested value cannot overflow the stack. */
const found = (value: unknown, partsOf: (text: string) => readonly string[]): readonly string[] => {
  const hits = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      for (const hit of partsOf(next)) hits.add(hit);
    } else if (Array.isArray(next) || isObject(next)) {
      const parts: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
      for (let index = parts.length - 1; index >= 0; index -= 1) waiting.push(parts[index]);
    }
  }
  return [...hits];
};

/** Any JSON value; undefined when it has none. */
export type Lookup = (placeholder: Placeholder) => { readonly value: unknown } | undefined;
type Rendered =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly unknown: readonly string[];
    }
  | {
      readonly ok: false;
      readonly missing: { readonly inputs: readonly string[]; readonly variables: readonly string[] };
    };

/** A lone placeholder becomes the value itself, of any type. Keys and inserted values are not searched. */
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
    // An empty value counts as absent when a default exists, as in a shell.
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
    // JSON cannot express this value; those of inputs and variables it always can.
    return '';
  }
};

/** Iterative, so that a deeply nested value cannot overflow the stack. */
const walked = (value: unknown, of: (text: string) => unknown): unknown => {
  const top: unknown[] = [];
  const waiting: { readonly from: unknown; readonly into: object; readonly key: string | number }[] = [
    { from: value, into: top, key: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, into, key } = next;
    // Assignment would fail for a key named `__proto__`.
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
