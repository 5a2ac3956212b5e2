import { isNumber, isText, kept, said, type Tell } from './reading.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

/** What the fields of one form are read with. */
interface Around {
  /** The whole form: a field may point into it. */
  readonly schema: Fields;
  readonly tell: Tell;
}
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
const formats = ['email', 'uri', 'date', 'date-time'];
const isBound = (value: unknown): boolean => isNumber(value) && value >= 0;
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const checks = {
  title: isText,
  description: isText,
  format: (value: unknown) => formats.includes(String(value)),
  minLength: isBound,
  maxLength: isBound,
  minItems: isBound,
  maxItems: isBound,
  minimum: isNumber,
  maximum: isNumber,
  enum: Array.isArray,
  enumNames: isTextList,
} as const;

/**
 * One field of a form, as MCP has it: one type, titled choices as `oneOf` with constants, no null, a default of its type.
 * A field that means nothing is a text, so that a person is asked all the same.
 */
export function readField(name: string, field: unknown, { schema, tell }: Around): Fields {
  const at = `elicitation/create: field ${JSON.stringify(name)}`;
  const told: Tell = (what) => tell(`${at} ${what}`);
  if (!isObject(field)) told('is no object, and is read as text');
  const { default: preset, ...rest } = kept(flattened(said(field), schema), checks, { at, tell });
  const type = typeOf(rest);
  if (type !== rest['type']) told(`has no type of a field, and is read as ${type}`);
  const read = { ...rest, type, ...choicesOf(rest, type) };
  if (preset === undefined) return read;
  if (isOfType(preset, type)) return { ...read, default: preset };
  told('has a default of another type, which is left out');
  return read;
}

/** A field that points elsewhere in its form, or has one branch, is what stands there. */
function flattened(field: Fields, schema: Fields, depth = 0): Fields {
  const { $ref: pointer, allOf, anyOf, oneOf, ...rest } = field;
  const branches = [allOf, anyOf, oneOf].find(Array.isArray)?.filter((branch) => !isNull(branch));
  const only = branches?.length === 1 && !isChoice(branches[0]) ? (branches[0] as unknown) : undefined;
  const target = isText(pointer) ? targetOf(pointer, schema) : only;
  if (isObject(target) && depth < mostDeep) return flattened({ ...said(target), ...rest }, schema, depth + 1);
  return withoutNull({ ...rest, ...(branches && { oneOf: branches }) });
}
const mostDeep = 5;
function targetOf(pointer: string, schema: Fields): unknown {
  const [, folder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
  const all = schema[folder];
  return isObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
}
const isNull = (branch: unknown): boolean =>
  isObject(branch) && (branch['type'] === 'null' || branch['const'] === null);
/** A field that may be left out need not be able to be null, too. */
function withoutNull({ type, enum: values, ...rest }: Fields): Fields {
  const some: unknown = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  const choices: unknown = Array.isArray(values) ? values.filter((value) => value !== null) : values;
  return {
    ...rest,
    ...(some !== undefined && { type: some }),
    ...(choices !== undefined && { enum: choices }),
  };
}

const isChoice = (branch: unknown): branch is Fields => isObject(branch) && 'const' in branch;
const constantsOf = (branches: unknown): readonly Fields[] =>
  Array.isArray(branches) ? branches.filter(isChoice) : [];
/** The type of a field: its own, else that of its choices. */
function typeOf(field: Fields): (typeof types)[number] {
  const word = String(field['type']).toLowerCase();
  const own = types.find((type) => type === word);
  if (own) return own;
  const { enum: values, oneOf, const: only } = field;
  const choice: unknown =
    (values as readonly unknown[] | undefined)?.[0] ?? constantsOf(oneOf)[0]?.['const'] ?? only;
  if (typeof choice === 'number') return 'number';
  if (typeof choice === 'boolean') return 'boolean';
  return isObject(field['properties']) ? 'object' : 'string';
}
/** Each choice with a title, and of an array the choices of its items. */
function choicesOf({ oneOf, items, const: only, enum: values }: Fields, type: string): Fields {
  if (type === 'array') return isObject(items) ? { items: choiceItems(said(items)) } : {};
  if (only !== undefined && values === undefined) return { enum: [only] };
  const all = constantsOf(oneOf);
  return all.length > 0 ? { oneOf: all.map(titled) } : {};
}
function choiceItems({ anyOf, oneOf, ...rest }: Fields): Fields {
  const all = constantsOf(anyOf ?? oneOf);
  return all.length > 0 ? { ...rest, anyOf: all.map(titled) } : { type: 'string', ...rest };
}
const titled = ({ const: value, title }: Fields): Fields => ({
  const: value,
  title: isText(title) ? title : String(value),
});

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return isTextList(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return isNumber(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}
