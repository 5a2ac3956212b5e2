import { isObject } from '../protocol/json.ts';

/**
 * Placeholder in a text: `${input:id}` for an input of the config (a2c-wire §3.9; any id without `}`), or
 * `${env:NAME}` for an environment variable of the host. A config that expands like other clients also has
 * `expanded` ones: `~` at the start of a text, `$NAME`, `${NAME}` and `${NAME:-otherwise}`. Nothing else is
 * filled in, and keys never are.
 */
interface Placeholder {
  readonly kind: 'input' | 'env' | 'expanded';
  readonly name: string;
  /** Default text of a placeholder that has no value. */
  readonly otherwise?: string;
}
interface Span extends Placeholder {
  readonly start: number;
  readonly end: number;
}

const opening = '${';
const inputOpening = '${input:';
/**
 * Matches a variable whose name has no `:`, because other clients write defaults after it that may be
 * secrets, and no `$`, so that a match cannot span the next placeholder.
 */
const variable = /\$\{env:([^\s=:${}]{1,256})\}/y;
/** Matches variables as shells write them, and `${env:NAME:-otherwise}`. */
const shellVariable = /\$(?:([A-Za-z_]\w{0,255})|\{(?:env:)?([A-Za-z_]\w{0,255})(?::-([^{}]{0,1024}))?\})/y;
const homeMark = /^~(?=[/\\]|$)/;

/** Returns the placeholder that begins at this `$`; undefined when there is none. */
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

/**
 * Returns the placeholders of a text from left to right. It scans by hand, because a pattern would take
 * quadratic time on openings without an end.
 */
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
      // Ends the search without a closing brace, because a text with one that is missing is no template.
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

/**
 * Returns each `${…}` in a text that is no placeholder of ours: other clients fill it from the workspace or with a default, and
 * we never do.
 */
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
/** Tells whether a text may contain placeholders, so that it can be validated only when the server starts. */
export const mayBeTemplate = (text: string): boolean => isTemplate(text) || text.startsWith('$');

/**
 * Returns the distinct ids of all `${input:id}` in the texts of a value, in order of appearance; keys are
 * ignored.
 */
export const placeholdersIn = (value: unknown): readonly string[] => namesIn(value, 'input');
/** Returns the distinct names of all environment variables in a value, including expanded ones. */
export const variablesIn = (value: unknown): readonly string[] => [
  ...new Set([...namesIn(value, 'env'), ...namesIn(value, 'expanded')]),
];
const namesIn = (value: unknown, wanted: Placeholder['kind']): readonly string[] =>
  found(value, (text) =>
    spansIn(text, wanted === 'expanded').flatMap(({ kind, name }) => (kind === wanted ? [name] : [])),
  );

/** Returns the `${…}` that will never be filled in, without a default after `:-`, which may be a secret. */
export const unfilledIn = (value: unknown, expands: boolean): readonly string[] =>
  found(value, (text) => othersIn(text, expands)).map((text) => text.replace(/:-.*/s, ':-…}'));

/** Searches all texts of a value iteratively, so that a deeply nested value cannot overflow the stack. */
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

// ── placeholders filled in ────────────────────────────────────────────────────────────────────────────
/** Returns the value of a placeholder, which may be any JSON value; undefined when it has none. */
export type Lookup = (placeholder: Placeholder) => { readonly value: unknown } | undefined;
type Rendered =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Expandable placeholders without a value, as written, each once. */
      readonly unknown: readonly string[];
    }
  | {
      readonly ok: false;
      /** Placeholders without a value, each once, in order of appearance. */
      readonly missing: { readonly inputs: readonly string[]; readonly variables: readonly string[] };
    };

/**
 * Returns a value with the placeholders in its texts filled in, at any depth but not in keys. A text that is
 * only a placeholder becomes the value itself, of any type; inside a longer text the value becomes text.
 * Inserted values are not searched again. `expanding`: keys of the value in which variables
 * are expanded too; a variable without a value stays as written.
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
    // Treats an empty value as absent when a default exists, as a shell does.
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
    // Returns an empty text for a value that JSON cannot express; the values of inputs and variables always can be expressed.
    return '';
  }
};

/**
 * Returns a copy with `of` applied to each text. It works iteratively, so that a deeply nested value cannot
 * overflow the stack.
 */
const walked = (value: unknown, of: (text: string) => unknown): unknown => {
  const top: unknown[] = [];
  const waiting: { readonly from: unknown; readonly into: object; readonly key: string | number }[] = [
    { from: value, into: top, key: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, into, key } = next;
    // Defined as a property, because assignment would fail for a key named `__proto__`.
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
