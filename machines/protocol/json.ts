/** Not checked yet: parsed from JSON or received from foreign code. */
export type Fields = Readonly<Record<string, unknown>>;

/** Undefined for a text that is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
/** Neither null nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty for anything but an object, so that members of any value can be read. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** For a name that a stranger chose, such as `constructor`: inherited members are ignored. */
export const ownMember = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export const withoutKey = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> => Object.fromEntries(Object.entries(record).filter(([each]) => each !== key));

/** Undefined fields would overwrite others in a spread or reach a message. */
export const withoutUndefined = <T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** Largest number of bytes of one UTF-16 unit in JSON: `\u0000`. */
const worstBytesPerUnit = 6;
/** Largest number of bytes of a number, a literal, or the punctuation around a value. */
const smallBytes = 26;

/** JSON recursion overflows at 996 levels on Windows (Node 20, empty stack); half leaves room for the caller. */
export const mostLevels = 500;

/** Stops as soon as the bound exceeds the limit; Infinity with more than `levels` nesting levels. */
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

/** A regex beats a loop; runs are limited, because the engine keeps a stack entry per character. */
const notAscii = /[^\x00-\x7f]{1,1000}/g;
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (const [run] of text.matchAll(notAscii))
    for (let i = 0; i < run.length; i++) {
      const unit = run.charCodeAt(i);
      // Counts a surrogate pair as two units of two bytes each; every other unit from 0x800 on takes three.
      bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
    }
  return bytes;
}

/** Infinity when it cannot be written as JSON, or is nested deeper than `levels`. */
export function jsonBytes(value: unknown, levels = mostLevels): number {
  const text = jsonOf(value);
  // Writes the value first: JSON.stringify fails on circular values, so the walk by `upperBound` is known to end.
  if (text === undefined || upperBound(value, Infinity, levels) === Infinity) return Infinity;
  return utf8Bytes(text);
}

export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? '';
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

/* Integers beyond 2^53 would be rounded silently: their digits are kept as text. Decimals stay floats. */
/** 0 when it has no end. No pattern, because texts may have megabytes. */
function afterQuoted(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let end = text.indexOf(quote, from + 1); end >= 0; end = text.indexOf(quote, end + 1)) {
    let first = end;
    while (text[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return 0;
}
/** Stops where nesting exceeds `most` levels. Reads each sign once, before anything is parsed. */
export function measure(
  text: string,
  most: number,
): { readonly values: number; readonly isTooDeep: boolean } {
  let [values, levels] = [0, 0];
  for (let at = 0; at < text.length && levels <= most; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = (afterQuoted(text, at) || text.length) - 1;
    else if (unit === 0x5d || unit === 0x7d) levels -= 1;
    else if (unit === 0x3a) values += 1;
    else if (unit === 0x5b || unit === 0x7b) {
      levels += 1;
      values += 1;
    }
  }
  return { values, isTooDeep: levels > most };
}
export const isTooDeep = (text: string, most: number): boolean =>
  text.length > most && measure(text, most).isTooDeep;
type Path = readonly (string | number)[];
interface Rounded {
  readonly path: Path;
  readonly number: number;
}
/** Number of levels down to which integers are looked for: each is listed with its path, so depth costs memory. */
const roundedLevels = 32;
function roundedIn(value: unknown): readonly Rounded[] {
  const all: Rounded[] = [];
  if (!mayBeRounded(value)) return all;
  const path: (string | number)[] = [];
  // Remembers the objects seen, because a value of a host may contain itself.
  const seen = new Set<unknown>();
  const look = (one: unknown): void => {
    if (isRounded(one)) all.push({ path: [...path], number: one });
    if (typeof one !== 'object' || one === null || path.length > roundedLevels || seen.has(one)) return;
    seen.add(one);
    const isList = Array.isArray(one);
    for (const [key, each] of Object.entries(one)) {
      path.push(isList ? Number(key) : key);
      look(each);
      path.pop();
    }
  };
  look(value);
  return all;
}
/** An integer that may have lost digits when it was read; one beyond all numbers is infinite. */
export const isRounded = (one: unknown): one is number =>
  typeof one === 'number' && Math.abs(one) > Number.MAX_SAFE_INTEGER && Math.floor(one) === one;
/** Quick test, down to 8 levels, without building any paths. */
function mayBeRounded(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return isRounded(value);
  if (depth > 8) return true;
  for (const key in value) if (mayBeRounded((value as Record<string, unknown>)[key], depth + 1)) return true;
  return false;
}

const pathText = (path: Path): string =>
  path.reduce<string>(
    (so, step) => (typeof step === 'number' ? `${so}[${step}]` : so === '' ? step : `${so}.${step}`),
    '',
  );

/** Whether a schema says `number` anywhere, and whether it refers to another place. */
function saidIn(schema: unknown): { readonly number: boolean; readonly ref: boolean } {
  let [number, ref] = [false, false];
  JSON.stringify(schema, (key, value: unknown) => {
    number ||= key === 'type' && (value === 'number' || (Array.isArray(value) && value.includes('number')));
    ref ||= key === '$ref';
    return value;
  });
  return { number, ref };
}
/** The whole schema counts where that of the argument refers to another place. */
function mayBeFloat(schema: unknown, [argument = '']: Path): boolean {
  const own = ownMember(fieldsOf(fieldsOf(schema)['properties']), String(argument));
  const said = saidIn(own);
  return own === undefined || said.ref ? saidIn(schema).number : said.number;
}

/** Number of integers that are named in a sentence each. */
const mostNamed = 20;
export const asText = 'Give it as text, in quotes, if the tool takes that.';
export const roundedArguments = (value: unknown, schema: unknown): readonly string[] =>
  roundedIn(value)
    .filter(({ path }) => !mayBeFloat(schema, path))
    .slice(0, mostNamed)
    .map(({ path, number }) => `${pathText(path) || 'it'}: ${number} is more than a number holds exactly`);
/** `name`: that of the value. */
export function roundedResults(name: string, value: unknown): readonly string[] {
  const all = roundedIn(value);
  return [
    ...all
      .slice(0, mostNamed)
      .map(
        ({ path, number }) => `${pathText([name, ...path])} may have lost digits: it is read as ${number}`,
      ),
    ...(all.length > mostNamed ? [`${all.length - mostNamed} more integers may have lost digits`] : []),
  ];
}
