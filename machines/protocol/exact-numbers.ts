import { isObject } from './json.ts';

/*
 * Integers that a number cannot hold. JSON has them, JavaScript rounds them without a word: so their digits are kept
 * as text, or they are refused. Decimals that lose digits are floats, and stay.
 */
/** Place of a value in another one: names of members, and positions in lists. */
export type Path = readonly (string | number)[];
/** One such integer, as it was written. */
export interface Digits {
  /** Place of the integer. */
  readonly path: Path;
  /** Digits as they were written. */
  readonly digits: string;
}

/** Nearly no text has one; only those that do are looked at closely. */
const mayHave = /\d{16}|\d[eE]\+?\d{3}/;
/** Texts are passed over as a whole, so that what is left are numbers. */
const texts = String.raw`"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'`;
const numbers = new RegExp(String.raw`${texts}|(?<![\w.])[+-]?\d[\d.]*(?:[eE][+-]?\d+)?(?![\w.])`, 'g');
const integer = /^[+-]?\d+$/;

/** No number has this value, or is written like that. */
export function isInexact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return !Number.isNaN(value);
  if (!integer.test(literal) || Number.isSafeInteger(value)) return false;
  return String(value) !== literal.replace(/^\+/, '') && BigInt(value) !== BigInt(literal.replace(/^\+/, ''));
}

/** The same text with a mark and its digits, in quotes, where such an integer stands; undefined: there is none. */
function marked(text: string): { readonly text: string; readonly mark: string } | undefined {
  if (!mayHave.test(text)) return undefined;
  let mark = '\u{e000}digits:';
  while (text.includes(mark)) mark = `\u{e000}${mark}`;
  let has = false;
  const said = text.replace(numbers, (found) => {
    if (found.length < 4 || /^["']/.test(found) || !isInexact(found)) return found;
    has = true;
    return `"${mark}${found}"`;
  });
  return has ? { text: said, mark } : undefined;
}
/** Deepest level that is searched: what is nested deeper is no message. */
const deepest = 1_000;
function found(value: unknown, is: (value: unknown) => string | undefined): readonly Digits[] {
  const all: Digits[] = [];
  // A value of a host may hold itself.
  const seen = new Set<unknown>();
  let level: (readonly [Path, unknown])[] = [[[], value]];
  for (let depth = 0; level.length > 0 && depth <= deepest; depth += 1) {
    const inner: (readonly [Path, unknown])[] = [];
    for (const [path, one] of level) {
      if (typeof one === 'object' && seen.has(one)) continue;
      if (typeof one === 'object') seen.add(one);
      const digits = is(one);
      if (digits !== undefined) all.push({ path, digits });
      else if (Array.isArray(one)) one.forEach((each, at) => inner.push([[...path, at], each]));
      else if (isObject(one))
        for (const [key, each] of Object.entries(one)) inner.push([[...path, key], each]);
    }
    level = inner;
  }
  return all;
}

/** The integers in a text of JSON that a number cannot hold. `parse` reads such a text. */
export function digitsIn(text: string, parse: (text: string) => unknown = JSON.parse): readonly Digits[] {
  const there = marked(text);
  if (!there) return [];
  const { mark } = there;
  const read = (value: unknown): string | undefined =>
    typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : undefined;
  try {
    return found(parse(there.text), read);
  } catch {
    return [];
  }
}
/** Digits below one step, with paths from there. */
export const digitsBelow = (all: readonly Digits[], step: string | number): readonly Digits[] =>
  all.filter(({ path }) => path[0] === step).map(({ path, digits }) => ({ path: path.slice(1), digits }));
/** Integers in a value that was read already, and has perhaps lost digits. */
export const roundedIn = (value: unknown): readonly Digits[] =>
  mayBeRounded(value) ? found(value, (one) => (isRounded(one) ? String(one) : undefined)) : [];
const isRounded = (one: unknown): boolean =>
  typeof one === 'number' && Number.isInteger(one) && !Number.isSafeInteger(one);
/** Looks no deeper than most arguments are, and keeps nothing. */
function mayBeRounded(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return isRounded(value);
  if (depth > 8) return true;
  for (const key in value) if (mayBeRounded((value as Record<string, unknown>)[key], depth + 1)) return true;
  return false;
}

/** The same value with what `put` says at one path. A path that leads nowhere changes nothing. */
function replaced(value: unknown, path: Path, put: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return put(value);
  if (Array.isArray(value) && typeof step === 'number' && step in value)
    return value.map((one: unknown, at) => (at === step ? replaced(one, rest, put) : one));
  if (!isObject(value) || typeof step !== 'string' || !Object.hasOwn(value, step)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === step ? replaced(one, rest, put) : one]),
  );
}
/** With the digits as text in the place of the numbers. */
export const withDigits = (value: unknown, all: readonly Digits[]): unknown =>
  all.reduce((so, { path, digits }) => replaced(so, path, () => digits), value);
/** With numbers in the place of the text again, as a schema wants them. */
export const withNumbers = (value: unknown, all: readonly Digits[]): unknown =>
  all.reduce((so, { path, digits }) => replaced(so, path, () => Number(digits)), value);
/** `a.b[0]` */
export const pathText = (path: Path): string =>
  path.reduce<string>(
    (so, step) => (typeof step === 'number' ? `${so}[${step}]` : so === '' ? step : `${so}.${step}`),
    '',
  );

// ── what a schema says ─────────────────────────────────────────────────────────────────────────────────
/** References are followed so often on the way down: they may lead round. */
const mostRefs = 10;
const pointed = (root: unknown, ref: string): unknown =>
  ref.startsWith('#')
    ? ref
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>((so, step) => (isObject(so) && Object.hasOwn(so, step) ? so[step] : undefined), root)
    : undefined;
/** All schemas that may be meant at a path: of a choice each. */
function schemasAt(
  schema: unknown,
  path: Path,
  root = schema,
  refs = mostRefs,
): readonly Readonly<Record<string, unknown>>[] {
  if (!isObject(schema)) return [];
  const { $ref: ref } = schema;
  const meant =
    typeof ref === 'string' && refs > 0 ? schemasAt(pointed(root, ref), path, root, refs - 1) : [];
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.flatMap((each) => schemasAt(each, path, root, refs)) : [];
  });
  const [step, ...rest] = path;
  if (step === undefined) return [...(meant.length > 0 ? [] : [schema]), ...meant, ...choices];
  const { properties, additionalProperties, items, prefixItems } = schema;
  const listed: unknown = Array.isArray(prefixItems) ? prefixItems[Number(step)] : undefined;
  const own = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  const next = typeof step === 'number' ? (listed ?? items) : (own ?? additionalProperties);
  return [...schemasAt(next, rest, root, refs), ...meant, ...choices];
}
const typesAt = (schema: unknown, path: Path): readonly unknown[] =>
  schemasAt(schema, path).flatMap(({ type }) => (Array.isArray(type) ? (type as unknown[]) : [type]));
/** A text may stand there: it is named, or no type is. */
const mayBeText = (schema: unknown, path: Path): boolean => {
  const types = typesAt(schema, path).filter((type) => type !== undefined);
  return types.length === 0 || types.includes('string');
};
const mayBeFloat = (schema: unknown, path: Path): boolean => typesAt(schema, path).includes('number');

const tooManyDigits = ({ path, digits }: Digits): string =>
  `${pathText(path) || 'it'}: ${digits} is more than a number holds exactly`;
export const givenAsText = ({ path, digits }: Digits): string =>
  `${pathText(path)} is given as text: ${digits} is more than a number holds exactly`;
export const asText = 'Give it as text, in quotes, if the tool takes that.';
/**
 * Arguments that were read from a text: with digits as text where the schema lets a text stand, and what is wrong with the
 * others. Without a schema none may be a text.
 */
export function argumentsWith(
  value: unknown,
  all: readonly Digits[],
  schema: unknown,
): { readonly value: unknown; readonly problems: readonly string[] } {
  const isFine = ({ path }: Digits): boolean => isObject(schema) && mayBeText(schema, path);
  return {
    value: withDigits(value, all.filter(isFine)),
    problems: all.filter((each) => !isFine(each)).map(tooManyDigits),
  };
}
/** Problems of arguments that are values already: integers that have perhaps lost digits, and are no floats. */
export const roundedArguments = (value: unknown, schema: unknown): readonly string[] =>
  roundedIn(value)
    .filter(({ path }) => !mayBeFloat(schema, path))
    .map(tooManyDigits);
