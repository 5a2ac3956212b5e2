import { inOneLine } from './printing/contents.ts';
import { yesOrNo } from './answering.ts';
import type { ElicitAnswer } from '../api/computer-options.ts';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import { validate } from '../../adapters/schema/validate.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Choice {
  readonly value: unknown;
  readonly title: string;
}
/** `enum` with or without `enumNames`, or `oneOf` and `anyOf` with titles. */
function choicesOf(schema: Fields): readonly Choice[] {
  const { enum: values, enumNames: names } = schema;
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(titled))
    return titled.filter(isObject).map((one) => ({
      value: one['const'],
      title: textOf(one['title']) ?? String(one['const']),
    }));
  if (!Array.isArray(values)) return [];
  return values.map((value: unknown, n) => ({
    value,
    title: textOf(Array.isArray(names) ? names[n] : undefined) ?? String(value),
  }));
}
/** Returns what the value must be when the text does not fit. */
export function readField(text: string, schema: Fields): { readonly value: unknown } | string {
  const { type, items } = schema;
  const choices = choicesOf(schema);
  if (choices.length > 0) return readChoice(text, choices);
  if (type !== 'array') return checked(valueOf(text, type), schema);
  const all: unknown[] = [];
  for (const part of text.split(',')) {
    const one = readField(part.trim(), isObject(items) ? items : {});
    if (typeof one === 'string') return one;
    all.push(one.value);
  }
  return checked([...new Set(all)], schema);
}
function checked(value: unknown, schema: Fields): { readonly value: unknown } | string {
  const judged = validate(schema, value);
  return judged.ok === false ? judged.problems.join('; ') : { value };
}
function valueOf(text: string, type: unknown): unknown {
  if (type === 'boolean' && /^(y|yes|true|n|no|false)$/i.test(text)) return /^[yt]/i.test(text);
  if ((type === 'integer' || type === 'number') && text !== '') return Number(text);
  return text;
}
function readChoice(text: string, choices: readonly Choice[]): { readonly value: unknown } | string {
  const chosen =
    choices[Number(text) - 1] ?? choices.find(({ value, title }) => String(value) === text || title === text);
  return chosen
    ? { value: chosen.value }
    : `must be a number from 1 to ${choices.length}, or one of these names`;
}

/** An empty answer takes the default, or leaves an optional field out. */
export async function fillIn(
  terminal: Terminal,
  server: string,
  params: Fields,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const { message, requestedSchema } = params;
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  terminal.errText(`server ${server} asks: ${String(message)}`);
  const isWanted = await yesOrNo(terminal, 'answer it?', signal, true);
  if (isWanted === null) return { action: 'cancel' };
  if (!isWanted) return { action: 'decline' };
  const content: [string, string | number | boolean | readonly string[]][] = [];
  for (const [name, field] of Object.entries(properties)) {
    const answer = await askField(
      terminal,
      { name, field: isObject(field) ? field : {}, isRequired: required.includes(name) },
      signal,
    );
    if (answer === null) return { action: 'cancel' };
    if (answer !== undefined) content.push([name, answer.value as string]);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}
interface Field {
  readonly name: string;
  readonly field: Fields;
  readonly isRequired: boolean;
}
/** Null when the person gives up, undefined when the field is left out. */
export async function askField(
  terminal: Terminal,
  { name, field, isRequired }: Field,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | null | undefined> {
  const { title, description, default: preset, items } = field;
  const choices = choicesOf(field['type'] === 'array' && isObject(items) ? items : field);
  if (typeof description === 'string') terminal.err(inOneLine(description, 200));
  choices.forEach((choice, n) => terminal.err(`  ${n + 1}  ${choice.title}`));
  const facts =
    preset === undefined ? (isRequired ? '' : ' (optional)') : ` [${inOneLine(JSON.stringify(preset), 60)}]`;
  for (;;) {
    const text = await terminal.question(`${textOf(title) ?? name}${facts}: `, signal);
    if (text === null) return null;
    if (text.trim() === '' && preset !== undefined) return { value: preset };
    if (text.trim() === '' && !isRequired) return undefined;
    const read = readField(text.trim(), field);
    if (typeof read !== 'string') return read;
    terminal.err(`it ${read}`);
  }
}
