/** TypeScript for the tools of one server: types of arguments and results from their JSON Schemas. */
import { fieldsOf } from '../protocol/json.ts';
import { plain, type Schema } from './schema.ts';

export interface DescribedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);
const keyOf = (name: string): string => (isIdentifier(name) ? name : JSON.stringify(name));
const wordsIn = (name: string): string[] => name.match(/[A-Za-z0-9]+/g) ?? [];
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
const typeName = (name: string): string =>
  wordsIn(name)
    .map(capital)
    .join('')
    .replace(/^(?=\d)/, '_') || 'Tool';

/** No text of a server can end the comment. */
function comment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return '';
  const lines = text
    .trim()
    .replaceAll('*/', String.raw`*\/`)
    // oxlint-disable-next-line no-control-regex -- no other character ends a line of an editor
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ''].join(
    '\n',
  );
}

const union = (types: readonly string[]): string => {
  const all = [...new Set(types)];
  if (all.includes('unknown') || all.length === 0) return 'unknown';
  return all.map((type) => (all.length > 1 && type.includes(' & ') ? `(${type})` : type)).join(' | ');
};
const list = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

function objectType(schema: Schema, indent: string): string {
  const properties = fieldsOf(schema['properties']);
  const required = list(schema['required']) ?? [];
  const { additionalProperties: more = true } = schema;
  const within = `${indent}  `;
  const lines = Object.entries(properties).map(([name, value]) => {
    const { description, default: preset } = fieldsOf(value);
    const text = typeof description === 'string' ? description : '';
    const told = preset === undefined ? text : `${text} Default: ${JSON.stringify(preset)}`;
    const mark = required.includes(name) ? '' : '?';
    return `${comment(told, within)}${within}${keyOf(name)}${mark}: ${typeOf(value, within)};\n`;
  });
  if (lines.length === 0) {
    if (more === false) return 'Record<string, never>';
    return `Record<string, ${more === true ? 'unknown' : typeOf(more, within)}>`;
  }
  // Gives further properties the type unknown, because another type would contradict the named properties.
  if (more !== false) lines.push(`${within}[more: string]: unknown;\n`);
  return `{\n${lines.join('')}${indent}}`;
}
function named(type: unknown, schema: Schema, indent: string): string {
  if (type === 'object') return objectType(schema, indent);
  if (type === 'array') return `Array<${typeOf(schema['items'], `${indent}  `)}>`;
  return type === 'integer' ? 'number' : String(type);
}
/** What TypeScript cannot express is left out, so that each valid value has the type. */
function typeOf(value: unknown, indent: string): string {
  const schema = fieldsOf(value);
  if ('const' in schema) return JSON.stringify(schema['const']);
  const values = list(schema['enum']);
  if (values) return union(values.map((one) => JSON.stringify(one)));
  const some = list(schema['anyOf']);
  const { type = 'properties' in schema ? 'object' : undefined } = schema;
  const own =
    type === undefined ? undefined : union([type].flat().map((each) => named(each, schema, indent)));
  const parts = [
    ...(own === undefined || (some && own.startsWith('Record<')) ? [] : [own]),
    ...(some ? [union(some.map((each) => typeOf(each, indent)))] : []),
    ...(list(schema['allOf']) ?? []).map((each) => typeOf(each, indent)),
  ].filter((part) => part !== 'unknown');
  const joined = parts.map((part) => (parts.length > 1 && part.includes(' | ') ? `(${part})` : part));
  return joined.join(' & ') || 'unknown';
}
const rootType = (schema: object): string => typeOf(plain(schema), '');

/** MCP demands that the arguments are an object. */
const argumentsType = (schema: object): string => rootType({ ...schema, type: 'object', nullable: false });

interface NamedTool extends DescribedTool {
  readonly type: string;
}
function namesOf(tools: readonly DescribedTool[]): NamedTool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const wanted = typeName(tool.name);
    let type = wanted;
    for (let n = 2; taken.has(type); n += 1) type = `${wanted}${n}`;
    taken.add(type);
    return { ...tool, type };
  });
}
const resultOf = ({ type, outputSchema }: NamedTool): string =>
  outputSchema === undefined ? 'CallToolResult' : `${type}Result`;

export function toolTypes(server: string, tools: readonly DescribedTool[]): string {
  const all = namesOf(tools);
  const needsResult = all.some(({ outputSchema }) => outputSchema === undefined);
  const lines = all.map(
    (tool) =>
      `  ${JSON.stringify(tool.name)}: { arguments: ${tool.type}Arguments; result: ${resultOf(tool)} };\n`,
  );
  return [
    ...(needsResult ? ["import type { CallToolResult } from 'a2c-actors';\n\n"] : []),
    ...all.map(
      (tool) =>
        `${comment(tool.description, '')}export type ${tool.type}Arguments = ${argumentsType(tool.inputSchema)};\n` +
        (tool.outputSchema === undefined
          ? ''
          : `export type ${tool.type}Result = ${rootType(tool.outputSchema)};\n`),
    ),
    `\n${comment(`Tools of the server ${server}, by name.`, '')}export interface ${typeName(server)}Tools {\n${lines.join('')}}\n`,
  ].join('');
}
