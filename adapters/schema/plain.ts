/** Schemas of plain keywords, as nearly all tools have: a value that fits is known without compiling, which takes 20 ms. */
type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isFields,
};
const listOf = (said: unknown): readonly unknown[] => (Array.isArray(said) ? said : [said]);
const isType = (said: unknown): boolean => typeof said === 'string' && Object.hasOwn(types, said);
const isText = (said: unknown): boolean => typeof said === 'string';
const isNumber = (said: unknown): boolean => typeof said === 'number';
const isPrimitive = (said: unknown): boolean => said === null || typeof said !== 'object';
const anything = (): boolean => true;

type Fit = (value: unknown, said: never, schema: Fields) => boolean;
interface Keyword {
  readonly isRight: (said: unknown) => boolean;
  /** Says yes only where a whole validator would; undefined for a note. */
  readonly fits?: Fit;
  /** The schemas in it. */
  readonly inner?: (said: never) => readonly unknown[];
}
const note: Keyword = { isRight: anything };
const limit = (fits: (value: unknown, most: number) => boolean): Keyword => ({ isRight: isNumber, fits });
const size = (value: unknown): number => (Array.isArray(value) ? value.length : NaN);
const one = (said: unknown): readonly unknown[] => [said];

const notes = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'];
const keywords: Readonly<Record<string, Keyword>> = {
  ...Object.fromEntries(notes.map((name) => [name, note])),
  type: {
    isRight: (said) => listOf(said).length > 0 && listOf(said).every(isType),
    fits: (value, said) => listOf(said).some((type) => types[String(type)]?.(value)),
  },
  enum: {
    isRight: (said) => Array.isArray(said) && said.length > 0 && said.every(isPrimitive),
    fits: (value, said: readonly unknown[]) => said.includes(value),
  },
  const: { isRight: isPrimitive, fits: (value, said) => value === said },
  minimum: limit((value, least) => typeof value !== 'number' || value >= least),
  maximum: limit((value, most) => typeof value !== 'number' || value <= most),
  exclusiveMinimum: limit((value, least) => typeof value !== 'number' || value > least),
  exclusiveMaximum: limit((value, most) => typeof value !== 'number' || value < most),
  minItems: limit((value, least) => !(size(value) < least)),
  maxItems: limit((value, most) => !(size(value) > most)),
  minLength: limit((value, least) => typeof value !== 'string' || Array.from(value).length >= least),
  maxLength: limit((value, most) => typeof value !== 'string' || Array.from(value).length <= most),
  required: {
    isRight: (said) => Array.isArray(said) && said.every(isText),
    fits: (value, said: readonly string[]) =>
      !isFields(value) || said.every((key) => Object.hasOwn(value, key) && value[key] !== undefined),
  },
  properties: {
    isRight: isFields,
    inner: Object.values,
    fits: (value, said: Fields) =>
      !isFields(value) ||
      Object.entries(said).every(
        ([key, schema]) => !Object.hasOwn(value, key) || fits(value[key], schema as Fields),
      ),
  },
  additionalProperties: {
    isRight: anything,
    inner: one,
    fits: (value, said: Fields | boolean, { properties }) =>
      !isFields(value) ||
      Object.entries(value).every(
        ([key, part]) => (isFields(properties) && Object.hasOwn(properties, key)) || fits(part, said),
      ),
  },
  items: {
    isRight: anything,
    inner: one,
    fits: (value, said: Fields | boolean) => !Array.isArray(value) || value.every((part) => fits(part, said)),
  },
  anyOf: {
    isRight: (said) => Array.isArray(said) && said.length > 0,
    inner: (said) => said,
    fits: (value, said: readonly Fields[]) => said.some((schema) => fits(value, schema)),
  },
};

/** Also undefined in value, which is written as no member, is left to the whole validator. */
const fits = (value: unknown, schema: Fields | boolean): boolean =>
  typeof schema === 'boolean'
    ? schema
    : value !== undefined &&
      Object.entries(schema).every(
        ([key, said]) => keywords[key]?.fits?.(value, said as never, schema) ?? true,
      );

/** Largest schema that is looked at; 256 characters or an element of a list count as a part. */
const mostParts = 1_000;
const partsOf = (said: unknown): number =>
  Array.isArray(said) ? said.length : typeof said === 'string' ? said.length / 256 : 0;
const deepest = 50;
function isPlain(schema: unknown, left: { parts: number }, depth = 0): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isFields(schema) || depth > deepest) return false;
  return Object.entries(schema).every(([key, said]) => {
    left.parts -= 1 + partsOf(said);
    const keyword = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
    if (!keyword || left.parts < 0 || !keyword.isRight(said)) return false;
    return keyword.inner?.(said as never).every((part) => isPlain(part, left, depth + 1)) ?? true;
  });
}
const known = new WeakMap<object, boolean>();

/** True only where the whole validator would say yes; false says nothing. */
export function plainlyFits(schema: object, value: unknown): boolean {
  if (!isFields(schema)) return false;
  const before = known.get(schema);
  const isKnown = before ?? plainAtTop(schema);
  if (before === undefined) known.set(schema, isKnown);
  return isKnown && fits(value, schema);
}
const knownDialects = /^https?:\/\/json-schema\.org\/draft(?:-07|\/2020-12)\/schema#?$/;
/** `$schema` names a dialect that reads these keywords in the same way. */
function plainAtTop({ $schema, ...schema }: Fields): boolean {
  const isRead = $schema === undefined || (typeof $schema === 'string' && knownDialects.test($schema));
  return isRead && isPlain(schema, { parts: mostParts });
}
