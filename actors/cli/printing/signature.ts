import { A2cError, failureOf } from '../../kernel/errors.ts';
import { argumentsFor, schemaOf, typesOf, type Argument } from '../arguments.ts';
import { inOneLine } from './contents.ts';
import { typedHere, type Place } from './hints.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

const widest = 60;
const brief = (value: unknown): string => inOneLine(JSON.stringify(value) ?? String(value), widest);

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly schema: Fields;
}
const optionsOf = ({ enum: values }: Fields): readonly unknown[] => (Array.isArray(values) ? values : []);
/** Fields of an object within an object are not shown. */
function objectText(schema: Fields, depth: number): string {
  const own = parametersOf(schema, depth).map(
    ({ name, isRequired, type }) => `${name}${isRequired ? '' : '?'}: ${type}`,
  );
  return own.length === 0 ? 'object' : inOneLine(`{${own.join(', ')}}`, widest);
}
function typeText(schema: Fields, depth = 1): string {
  const options = optionsOf(schema);
  if (options.length > 0) return inOneLine(options.map((each) => JSON.stringify(each)).join(' | '), widest);
  const types = typesOf(schema);
  const { items } = schema;
  const texts = types.map((type) => {
    if (type === 'array' && isObject(items)) return `${typeText(items)}[]`;
    return type === 'object' && depth > 0 ? objectText(schema, depth - 1) : type;
  });
  return texts.length === 0 ? 'any' : texts.join(' | ');
}
/** Returns the parameters of a tool in the order of its schema, in which values without a name are taken. */
function parametersOf(schema: unknown, depth?: number): readonly Parameter[] {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  const required: unknown = isObject(schema) ? schema['required'] : [];
  return Object.keys(properties).map((name): Parameter => {
    const own = schemaOf(schema, name);
    const isRequired = Array.isArray(required) && required.includes(name);
    return { name, isRequired, type: typeText(own, depth), schema: own };
  });
}

export const signatureText = (name: string, schema: unknown): string =>
  `${name}(${parametersOf(schema)
    .map(({ name: key, isRequired, type, schema: own }) => {
      const preset = 'default' in own ? ` = ${brief(own['default'])}` : '';
      return `${key}${isRequired ? '' : '?'}: ${type}${preset}`;
    })
    .join(', ')})`;

export function readFor(
  { name, inputSchema: schema }: Pick<Described, 'name' | 'inputSchema'>,
  words: readonly Argument[],
): Record<string, unknown> {
  try {
    return argumentsFor(words, schema);
  } catch (error) {
    throw new A2cError({ ...failureOf(error), remedy: signatureText(name, schema) });
  }
}

function parameterLines(schema: unknown): string[] {
  const all = parametersOf(schema);
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  const ofType = Math.max(0, ...all.map(({ type }) => type.length));
  return all.map(({ name, isRequired, type, schema: own }) => {
    const { description } = own;
    const facts = [
      isRequired ? 'required' : 'optional',
      ...('default' in own ? [`default ${brief(own['default'])}`] : []),
    ];
    const said = typeof description === 'string' ? ` ${inOneLine(description, 200)}` : '';
    return `  ${name.padEnd(width)}  ${type.padEnd(ofType)}  ${facts.join(', ')}.${said}`.trimEnd();
  });
}

const examples: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, null: null };
function exampleOf(schema: Fields): unknown {
  const [option] = optionsOf(schema);
  const [type = ''] = typesOf(schema);
  return schema['default'] ?? option ?? (type in examples ? examples[type] : '…');
}
export interface CallToCopy {
  readonly name: string;
  readonly options: Place;
}
function exampleCall({ name, options }: CallToCopy, schema: unknown): string {
  const words = parametersOf(schema)
    .filter((each) => each.isRequired)
    .map(({ name: key, schema: own }) => {
      const value = exampleOf(own);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return `${key}${typeof value === 'object' ? ':=' : '='}${text}`;
    });
  return typedHere(options, 'call', name, ...words);
}

interface Described {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly server?: string;
  readonly original?: string;
  readonly title?: string;
}
export function toolText(
  { name, description = '', inputSchema: schema, server, original, title }: Described,
  call: CallToCopy = { name, options: {} },
): string {
  const isAlias = original !== undefined && original !== name;
  const where = server === undefined ? [] : [`of ${server}${isAlias ? `, which calls it ${original}` : ''}`];
  const lines = parameterLines(schema);
  return [
    signatureText(name, schema),
    ...where,
    ...(title === undefined ? [] : [title]),
    ...(description.trim() === '' ? [] : ['', description.trim()]),
    ...(lines.length > 0 ? ['', ...lines] : []),
    '',
    exampleCall(call, schema),
  ].join('\n');
}
