import type { ValidateFunction } from 'ajv';
import type { Validate, Validity } from '../../machines/call/policy/judge.ts';
import { defaultLimits, read, type Compiled, type Limits, type Reading } from './compile.ts';
import { lineOf, problemsOf } from './problems.ts';
import { sizeOf } from './size.ts';
import { within } from './watchdog.ts';
import { isObject } from '../../machines/protocol/json.ts';

/** Parts of a schema times parts of a value: up to here a schema without risky words is quick anyway. */
const quickProduct = 200_000;
const quickCharacters = 100_000;
/** The same product: up to here even a mistake at each part is little memory. */
const quickMistakes = 20_000;
/** Formats of a schema times characters of a value squared: so much is done in some 10 ms. One takes 2,000 characters. */
const quickFormats = 4_000_000;
/** So many values that took too long, and the schema is asked no more. */
const strikesAllowed = 3;

const sayNothing: ReadonlySet<string> = new Set(['$comment', '$schema', 'description', 'title']);
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
/**
 * Any object will do: the schema of most tools without arguments. For the first of any other the judge of schemas
 * is brought up, which takes a tenth of a second and more.
 */
const takesAnyObject = (schema: object): boolean =>
  'type' in schema &&
  schema.type === 'object' &&
  Object.entries(schema).every(
    ([key, value]) => key === 'type' || sayNothing.has(key) || (key === 'properties' && isEmpty(value)),
  );

type Known = Reading & { strikes: number };
const unchecked = (reason: string): Validity => ({ ok: 'unchecked', reason });

/** Schemas of which others may be equal: so many, with so many characters in all; the oldest go first. */
const shared = { most: 500, characters: 1024 * 1024 };
/** Reads equal schemas once: tools of one server often have the same, and a server that comes back has the same again. */
function readingOnce(limits: Limits): (schema: object) => Reading {
  const byText = new Map<string, Reading>();
  let characters = 0;
  return (schema) => {
    // Before it is written: what is too large is told from looking at it.
    const text = sizeOf(schema, limits.schema) ? JSON.stringify(schema) : undefined;
    const before = text === undefined ? undefined : byText.get(text);
    if (text === undefined || before) return before ?? read(schema, limits);
    const reading = read(schema, limits);
    byText.set(text, reading);
    characters += text.length;
    for (const oldest of byText.keys()) {
      if (byText.size <= shared.most && characters <= shared.characters) break;
      byText.delete(oldest);
      characters -= oldest.length;
    }
    return reading;
  };
}

/**
 * A judge that knows each schema, by the object that it is, for as long as that object lives. Each is compiled by an instance of its
 * own, so that neither names (`$id`) nor rests are shared; equal ones share what was compiled.
 */
export function createValidate(limits: Limits = defaultLimits): Validate {
  const schemas = new WeakMap<object, Known | 'any object'>();
  const readOnce = readingOnce(limits);
  const knownOf = (schema: object): Known | 'any object' => {
    const before = schemas.get(schema);
    if (before) return before;
    const known = takesAnyObject(schema) ? 'any object' : { ...readOnce(schema), strikes: 0 };
    schemas.set(schema, known);
    return known;
  };
  return (schema, value) => {
    try {
      // WeakMap takes no other keys, and JavaScript no types.
      if (typeof schema !== 'object' || schema === null) return unchecked('it is no object');
      const known = knownOf(schema);
      if (known === 'any object')
        return isObject(value) ? { ok: true } : { ok: false, problems: ['must be object'] };
      if (!known.ok) return unchecked(known.reason);
      const slow = `judging by it takes more than ${limits.checkMs} ms`;
      if (known.strikes >= strikesAllowed) return unchecked(slow);
      const validity = check(known.compiled, value, limits.checkMs);
      if (validity) return validity;
      known.strikes += 1;
      return unchecked(slow);
    } catch (error) {
      const isDeep = error instanceof RangeError;
      return unchecked(isDeep ? 'judging by it goes too deep' : 'it broke while it was used');
    }
  };
}

/** Undefined: it took too long. */
function check(compiled: Compiled, value: unknown, ms: number): Validity | undefined {
  const most = { nodes: quickProduct / compiled.nodes, characters: quickCharacters, depth: Infinity };
  const size = sizeOf(value, most);
  const isSmall = size !== undefined;
  const isQuick = isSmall && !compiled.isRisky && compiled.formats * size.characters ** 2 <= quickFormats;
  const judged = isQuick
    ? { done: errorsOf(compiled.first, value) }
    : within(ms, () => errorsOf(compiled.first, value));
  if (!judged) return undefined;
  const [odd] = compiled.unread;
  if (!judged.done)
    return odd === undefined
      ? { ok: true }
      : { ok: true, unused: lineOf(`its pattern cannot be read here: ${odd}`) };
  // How many mistakes are told must not depend on how busy the machine is: only of what is risky it may.
  const isFew = isQuick && compiled.nodes * size.nodes <= quickMistakes;
  const all = isSmall && allErrors(compiled, value, isFew ? undefined : ms / 4);
  return { ok: false, problems: problemsOf(all || judged.done) };
}

/** All mistakes of a value that is not large. Each costs memory: where they may be many they are sought for `ms`. */
function allErrors(compiled: Compiled, value: unknown, ms?: number): Errors | undefined {
  const all = compiled.all();
  if (!all) return undefined;
  const found = ms === undefined ? errorsOf(all, value) : within(ms, () => errorsOf(all, value))?.done;
  return found || undefined;
}

type Errors = NonNullable<ValidateFunction['errors']>;
/** Null: it fits. */
function errorsOf(validate: ValidateFunction, value: unknown): Errors | null {
  const isValid: unknown = validate(value);
  const errors = validate.errors ?? [];
  // They would be kept until the next value.
  validate.errors = null;
  return isValid === true ? null : errors;
}

/** That of a host, whose schemas it knows for as long as they live. */
export const validate: Validate = createValidate();
