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

const opening = '${input:';
/** No `:` in a variable, because other clients write defaults after it; no `$`, so that no match spans the next one. */
const filled = /\$\{input:([^}]+)\}|\$\{env:([^\s=:${}]{1,256})\}/g;
/** Also as shells write them, and `${env:NAME:-otherwise}`. */
const expanded = new RegExp(
  String.raw`${filled.source}|\$(?:([A-Za-z_]\w{0,255})|\{(?:env:)?([A-Za-z_]\w{0,255})(?::-([^{}]{0,1024}))?\})|^(~)(?=[/\\]|$)`,
  'g',
);

const spansIn = (text: string, expands = false): readonly Span[] => {
  // Behind the `$` of an opening without an end a text is no template; a pattern would take quadratic time there.
  const open = text.indexOf(opening, text.lastIndexOf('}') + 1);
  const searched = open < 0 ? text : text.slice(0, open + 1);
  return Array.from(searched.matchAll(expands ? expanded : filled), (match): Span => {
    const [whole, input, env, plain, braced, otherwise, home] = match;
    const at = { start: match.index, end: match.index + whole.length };
    if (input !== undefined) return { kind: 'input', name: input, ...at };
    if (env !== undefined) return { kind: 'env', name: env, ...at };
    const name = plain ?? braced ?? home ?? '';
    return { kind: 'expanded', name, ...at, ...(otherwise !== undefined && { otherwise }) };
  });
};

/** Other clients fill these from the workspace or with a default; we never do. */
const othersIn = (text: string, expands: boolean): readonly string[] => {
  let from = 0;
  return [...spansIn(text, expands), { start: text.length, end: text.length }].flatMap(({ start, end }) => {
    const gap = text.slice(from, start);
    from = end;
    return gap.slice(0, gap.lastIndexOf('}') + 1).match(/\$\{[^}]*\}/g) ?? [];
  });
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

const found = (value: unknown, partsOf: (text: string) => readonly string[]): readonly string[] => [
  ...new Set(textsOf(value).flatMap(partsOf)),
];
const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
};
/** Texts at any depth, and never keys. */
export const withTexts = (value: unknown, change: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each, change)]));
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
  const fill: Filled = ({ start, end, ...placeholder }, text) => {
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
    withTexts(part, (text) => textWith(text, spansIn(text, expands), fill));
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

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
