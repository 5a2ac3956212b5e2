import type { Terminal } from '../../../adapters/index.ts';
import { inOneLine } from '../printing/answers-collections.ts';
import { yesOrNo } from './yes-or-no.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

/** A form that a server wants a person to fill in (MCP elicitation): one question for each field. */

export interface Answered {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Fields;
}
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A value that may be chosen, and how it is shown. */
interface Choice {
  readonly value: unknown;
  readonly title: string;
}
/** Of `enum` with or without `enumNames`, or of `oneOf` and `anyOf` with titles. */
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
/** What a text means in a field; a sentence where it means nothing. */
export function readField(text: string, schema: Fields): { readonly value: unknown } | string {
  const { type, items } = schema;
  if (type === 'array') return readChoices(text, choicesOf(isObject(items) ? items : {}), schema);
  const choices = choicesOf(schema);
  if (choices.length > 0) return readChoice(text, choices);
  if (type === 'boolean') {
    if (/^(y|yes|true)$/i.test(text)) return { value: true };
    return /^(n|no|false)$/i.test(text) ? { value: false } : 'yes or no';
  }
  if (type === 'integer' || type === 'number') return readNumber(text, schema);
  if (type === 'object') return readObject(text);
  return readText(text, schema);
}
/** A field with fields of its own, which MCP has not, is written as JSON. */
function readObject(text: string): { readonly value: unknown } | string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { value };
  } catch {
    // Told below, as JSON of another kind.
  }
  return 'a JSON object';
}
function readChoice(text: string, choices: readonly Choice[]): { readonly value: unknown } | string {
  const chosen =
    choices[Number(text) - 1] ?? choices.find(({ value, title }) => String(value) === text || title === text);
  return chosen ? { value: chosen.value } : `a number from 1 to ${choices.length}, or one of these names`;
}
function readChoices(
  text: string,
  choices: readonly Choice[],
  schema: Fields,
): { readonly value: unknown } | string {
  const all: unknown[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const one = choices.length > 0 ? readChoice(part, choices) : { value: part };
    if (typeof one === 'string') return one;
    if (!all.includes(one.value)) all.push(one.value);
  }
  const { minItems, maxItems } = schema;
  if (typeof minItems === 'number' && all.length < minItems)
    return `at least ${minItems}, with commas between`;
  if (typeof maxItems === 'number' && all.length > maxItems) return `at most ${maxItems}`;
  return { value: all };
}
function readNumber(text: string, { type, minimum, maximum }: Fields): { readonly value: number } | string {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) return 'a number';
  if (type === 'integer' && !Number.isInteger(number)) return 'a whole number';
  if (typeof minimum === 'number' && number < minimum) return `at least ${minimum}`;
  if (typeof maximum === 'number' && number > maximum) return `at most ${maximum}`;
  return { value: number };
}
const formats: Readonly<Record<string, readonly [RegExp, string]>> = {
  email: [/^[^\s@]+@[^\s@]+$/, 'an e-mail address'],
  uri: [/^[a-z][a-z\d+.-]*:\S+$/i, 'a URI, such as https://example.com'],
  date: [/^\d{4}-\d{2}-\d{2}$/, 'a date, such as 2026-01-31'],
  'date-time': [/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/i, 'a time, such as 2026-01-31T12:00:00Z'],
};
function readText(
  text: string,
  { minLength, maxLength, format }: Fields,
): { readonly value: string } | string {
  const length = Array.from(text).length;
  if (typeof minLength === 'number' && length < minLength) return `at least ${minLength} characters`;
  if (typeof maxLength === 'number' && length > maxLength) return `at most ${maxLength} characters`;
  const [pattern, said] = (typeof format === 'string' ? formats[format] : undefined) ?? [];
  return pattern && !pattern.test(text) ? (said ?? '') : { value: text };
}

/** Asks field by field. An empty answer means the default, or that the field is left out where it may be. */
export async function fillIn(
  terminal: Terminal,
  server: string,
  params: Fields,
  signal: AbortSignal,
): Promise<Answered> {
  const { message, requestedSchema } = params;
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  terminal.errText(`server ${server} asks: ${String(message)}`);
  const isWanted = await yesOrNo(terminal, 'answer it?', signal, true);
  if (isWanted === null) return { action: 'cancel' };
  if (!isWanted) return { action: 'decline' };
  const content: [string, unknown][] = [];
  for (const [name, field] of Object.entries(properties)) {
    const answer = await askField(
      terminal,
      { name, field: isObject(field) ? field : {}, isRequired: required.includes(name) },
      signal,
    );
    if (answer === null) return { action: 'cancel' };
    if (answer !== undefined) content.push([name, answer.value]);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}
interface Field {
  readonly name: string;
  readonly field: Fields;
  readonly isRequired: boolean;
}
/** Null: a person does not go on. Undefined: the field is left out. */
async function askField(
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
    terminal.err(`expected ${read}`);
  }
}
