/** Object whose fields were not checked yet, as parsed from JSON or received from foreign code. */
export type Fields = Readonly<Record<string, unknown>>;

/** Tells whether a value is an object with fields: neither null nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value if it is an object, otherwise an empty object, so that members of any value can be read. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/**
 * Returns a member of a record under a name that a stranger chose, such as `constructor`; inherited members are
 * ignored.
 */
export const ownMember = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export const withoutKey = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> => Object.fromEntries(Object.entries(record).filter(([each]) => each !== key));

/** Returns the object without its undefined fields, which would overwrite others in a spread or reach a message. */
export const withoutUndefined = <T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

// ── size of a value as JSON ────────────────────────────────────────────────────────────────────────────────
/** Largest number of bytes of one UTF-16 unit in JSON: `\u0000`. */
const worstBytesPerUnit = 6;
/** Largest number of bytes of a number, a literal, or the punctuation around a value. */
const smallBytes = 26;

/**
 * Largest nesting depth of lists and objects in a message. Serializing JSON is recursive, and the stack overflows at a
 * number that depends on the system and the caller: with Node 20 on an empty stack, 4,184 levels of objects on Linux and
 * 996 on Windows. Half of the latter leaves room for the caller.
 */
export const mostLevels = 500;

/**
 * Returns an upper bound of the JSON bytes of a value. Stops as soon as the bound exceeds the limit; Infinity when
 * the value has more than `levels` nesting levels.
 */
function upperBound(value: unknown, limitBytes: number, levels = mostLevels): number {
  let bytes = 0;
  let level: unknown[] = [value];
  for (let above = 0; level.length > 0; above += 1) {
    const below: unknown[] = [];
    for (const next of level) {
      bytes += smallBytes;
      if (typeof next === 'string') bytes += next.length * worstBytesPerUnit;
      else if (typeof next === 'object' && next !== null) {
        if (above === levels) return Infinity;
        for (const [key, child] of Object.entries(next)) {
          bytes += key.length * worstBytesPerUnit;
          below.push(child);
        }
      }
      if (bytes > limitBytes) return bytes;
    }
    level = below;
  }
  return bytes;
}

/**
 * Pattern of non-ASCII runs. A regex search is much faster than a loop. Runs are limited to 1000 characters, because
 * the engine keeps a stack entry per character, and a run of millions could overflow the stack.
 */
const notAscii = /[^\x00-\x7f]{1,1000}/g;
function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (const [run] of text.matchAll(notAscii))
    for (let i = 0; i < run.length; i++) {
      const unit = run.charCodeAt(i);
      // Counts a surrogate pair as two units of two bytes each; every other unit from 0x800 on takes three.
      bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
    }
  return bytes;
}

/** Number of JSON bytes of each ASCII character: 6 for `\u0000`, 2 for `\n`, 1 for `a`. */
const asciiBytes = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[\b\t\n\f\r"\\]/.test(String.fromCodePoint(unit)) ? 2 : unit < 0x20 ? worstBytesPerUnit : 1,
);
/** Pattern of characters that take more than one byte in JSON. */
const notPlain = /[^\x20\x21\x23-\x5b\x5d-\x7f]/;
/**
 * Counts the bytes of a text in JSON, without its quotes. Writing the JSON instead would take longer, and twice the
 * memory.
 */
function jsonTextBytes(text: string): number {
  const first = text.search(notPlain);
  if (first === -1) return text.length;
  let bytes = first;
  for (let i = first; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += asciiBytes[unit] as number;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else {
      const next = unit < 0xdc00 ? text.charCodeAt(i + 1) : 0;
      const isPair = next >= 0xdc00 && next <= 0xdfff;
      bytes += isPair ? 4 : worstBytesPerUnit;
      if (isPair) i += 1;
    }
  }
  return bytes;
}

/**
 * Number of characters from which a text is counted instead of written, and depth down to which such texts are searched:
 * enough for `content`, its item, `resource`, `text`.
 */
const [longText, longTextLevels] = [1_000, 4];
/**
 * Copies a value without its long texts, and reports their bytes to `found`; returns the value itself when it has
 * none.
 */
function withoutLongTexts(value: unknown, levels: number, found: (bytes: number) => void): unknown {
  if (typeof value === 'string' && value.length >= longText) {
    found(jsonTextBytes(value));
    return '';
  }
  // Leaves a value with its own `toJSON` to JSON.stringify.
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const all = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(all)) {
    const rest = withoutLongTexts(all[key], levels - 1, found);
    if (rest === all[key]) continue;
    copy ??= (Array.isArray(value) ? [...(value as readonly unknown[])] : { ...all }) as typeof copy & object;
    copy[key] = rest;
  }
  return copy ?? value;
}

/**
 * Returns the bytes of a value as JSON; Infinity when it cannot be written as JSON, or is nested deeper than
 * `levels`.
 */
export function jsonBytes(value: unknown, levels = mostLevels): number {
  let long = 0;
  const text = jsonOf(() => withoutLongTexts(value, longTextLevels, (bytes) => (long += bytes)));
  // Writes the value first: JSON.stringify fails on circular values, so the walk by `upperBound` is known to end.
  if (text === undefined || upperBound(value, Infinity, levels) === Infinity) return Infinity;
  return long + utf8Bytes(text);
}

function jsonOf(made: () => unknown): string | undefined {
  try {
    return JSON.stringify(made()) ?? '';
  } catch {
    return undefined;
  }
}

/**
 * Returns the bytes of a value as JSON when they exceed the limit, otherwise undefined. Small values, nearly all of
 * them, are accepted by an upper bound without being serialized. A value that cannot be written as JSON, or is nested
 * deeper than `mostLevels`, counts as Infinity. `exact` measures the other values; passing a caching function avoids
 * measuring a large value twice.
 */
export function excessBytes(value: unknown, limitBytes: number, exact = jsonBytes): number | undefined {
  const bound = upperBound(value, limitBytes);
  if (bound <= limitBytes) return undefined;
  const bytes = bound === Infinity ? Infinity : exact(value);
  return bytes > limitBytes ? bytes : undefined;
}

// ── integers beyond 2^53 ───────────────────────────────────────────────────────────────────────────────────
/*
 * Integers that a JavaScript number cannot hold exactly. JSON allows them and JavaScript silently rounds them, so
 * their digits are kept as text, or the value is refused. Decimals that lose digits are treated as floats and stay.
 */
/** Path of a value inside another one: member names and list positions. */
export type Path = readonly (string | number)[];
/** Integer that a number cannot hold exactly, with its original digits. */
export interface Digits {
  /** Path of the integer in the value. */
  readonly path: Path;
  /** Digits as they were written in the JSON text. */
  readonly digits: string;
}

/** Quick test for texts that may contain an integer too large for a number; nearly all texts fail it. */
const mayHave = /\d{16}|\d[eE]\+?\d{3}/;
/** Pattern of quoted strings, which are skipped as a whole so that only real numbers are matched. */
const texts = String.raw`"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'`;
const numbers = new RegExp(String.raw`${texts}|(?<![\w.])[+-]?\d[\d.]*(?:[eE][+-]?\d+)?(?![\w.])`, 'g');
const integer = /^[+-]?\d+$/;

/** Tells whether a number literal is an integer that no JavaScript number holds exactly, or is too large for a number. */
export function isInexact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return !Number.isNaN(value);
  if (!integer.test(literal) || Number.isSafeInteger(value)) return false;
  return String(value) !== literal.replace(/^\+/, '') && BigInt(value) !== BigInt(literal.replace(/^\+/, ''));
}

/** Replaces each integer that a number cannot hold by a text of a mark and its digits; undefined when the JSON text has none. */
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
function found(value: unknown, is: (value: unknown) => string | undefined): readonly Digits[] {
  const all: Digits[] = [];
  // Remembers the objects seen, because a value of a host may contain itself.
  const seen = new Set<unknown>();
  let level: (readonly [Path, unknown])[] = [[[], value]];
  for (let depth = 0; level.length > 0 && depth <= mostLevels; depth += 1) {
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

/** Finds the integers in a JSON text that a JavaScript number cannot hold exactly. `parse` reads such a text. */
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
/** Selects the integers inside one member or item of a value, with their paths relative to that part. */
export const digitsBelow = (all: readonly Digits[], step: string | number): readonly Digits[] =>
  all.filter(({ path }) => path[0] === step).map(({ path, digits }) => ({ path: path.slice(1), digits }));
/** Finds integers in an already parsed value that may have lost digits. */
export const roundedIn = (value: unknown): readonly Digits[] =>
  mayBeRounded(value) ? found(value, (one) => (isRounded(one) ? String(one) : undefined)) : [];
const isRounded = (one: unknown): boolean =>
  typeof one === 'number' && Number.isInteger(one) && !Number.isSafeInteger(one);
/** Quick test for inexact integers, down to 8 levels, without building any paths. */
function mayBeRounded(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return isRounded(value);
  if (depth > 8) return true;
  for (const key in value) if (mayBeRounded((value as Record<string, unknown>)[key], depth + 1)) return true;
  return false;
}

/**
 * Returns the value with the part at one path replaced by the result of `put`. A path that leads nowhere changes
 * nothing.
 */
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
/** Puts the original digits as text in place of the rounded numbers. */
export const withDigits = (value: unknown, all: readonly Digits[]): unknown =>
  all.reduce((so, { path, digits }) => replaced(so, path, () => digits), value);
/** Turns digit texts back into numbers, as a schema expects them. */
export const withNumbers = (value: unknown, all: readonly Digits[]): unknown =>
  all.reduce((so, { path, digits }) => replaced(so, path, () => Number(digits)), value);
/** Formats a path as text, such as `a.b[0]`. */
const pathText = (path: Path): string =>
  path.reduce<string>(
    (so, step) => (typeof step === 'number' ? `${so}[${step}]` : so === '' ? step : `${so}.${step}`),
    '',
  );

// ── integers, as a schema types them ─────────────────────────────────────────────────────────────────────────────────
/** Largest number of `$ref` references followed on one path, because references can form a circle. */
const mostRefs = 10;
const pointed = (root: unknown, ref: string): unknown =>
  ref.startsWith('#')
    ? ref
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>((so, step) => (isObject(so) && Object.hasOwn(so, step) ? so[step] : undefined), root)
    : undefined;
/** Collects all schemas that may apply at a path, including every branch of `anyOf`, `oneOf` and `allOf`. */
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
/** Tells whether the schema allows text at a path: `string` is among its types, or it names no type. */
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
 * Fits arguments parsed from a text to a schema: large integers become digit texts where the schema allows text, and
 * are reported as problems elsewhere. Without a schema, all of them are problems.
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
/**
 * Returns a problem for each integer in already parsed arguments that may have lost digits where the schema does not
 * allow floats.
 */
export const roundedArguments = (value: unknown, schema: unknown): readonly string[] =>
  roundedIn(value)
    .filter(({ path }) => !mayBeFloat(schema, path))
    .map(tooManyDigits);
