import type { ErrorObject } from 'ajv';

const problemsShown = 5;
const stepLength = 60;
const lineLength = 200;
/** A value may have a million mistakes, and each may quote a schema of 256 KiB: nobody looks at more of them … */
const problemsSeen = 1_000;
/** … nor says more of one field: in a line there is no room for so many. */
const textsSeen = 30;
/** Of any text nothing is read behind this, for as much fits into no line. */
const textSeen = 2_000;

/** One line, and not a long one: names of properties and texts of schemas are a stranger's. */
export const lineOf = (text: string, length = lineLength): string => {
  const line = text.slice(0, textSeen).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > length || text.length > textSeen ? `${line.slice(0, length - 1)}…` : line;
};
const quoted = (text: string): string => JSON.stringify(text.slice(0, textSeen));
const stepOf = (step: string): string => {
  const seen = step.slice(0, textSeen);
  return lineOf(/^[\w$@-]+$/.test(seen) ? seen : quoted(seen), stepLength);
};
/** `/a/0/b~1c` → `['a', '0', 'b/c']`. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .slice(0, textSeen)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const choices: readonly string[] = ['anyOf', 'oneOf'];
/** Problems of a property that the schema names, and not of the object that has it or lacks it. */
const properties = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'];

/** Of lists and objects of schemas, their JSON: a thousand mistakes may quote the same. */
const words = new WeakMap<object, string>();
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const word = words.get(value) ?? JSON.stringify(value).slice(0, textSeen);
  words.set(value, word);
  return word;
}
/** What the schema allows, and not what the value is. More of them than this fit into no line. */
const anyOf = (values: readonly unknown[]): string =>
  values
    .slice(0, lineLength)
    .map((value) => jsonOf(value).slice(0, lineLength))
    .join(', ');

/** `items.2.name`; a property that is missing, or is one too many, is a field, too. */
function placeOf({ instancePath, params, propertyName }: ErrorObject): string {
  const said = params as Readonly<Record<string, unknown>>;
  const property =
    propertyName ?? properties.map((name) => said[name]).find((name) => typeof name === 'string');
  const steps = [...stepsOf(instancePath), ...(property === undefined ? [] : [property])];
  return steps.map((step) => stepOf(step)).join('.');
}
function sentenceOf({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } =
    params as Readonly<Record<string, unknown>>;
  if (missingProperty !== undefined) return 'is missing';
  if ((additionalProperty ?? unevaluatedProperty) !== undefined) return 'is not a property that it may have';
  if (keyword === 'propertyNames') return 'is a name that it may not have';
  if (Array.isArray(allowedValues)) return `must be one of ${anyOf(allowedValues)}`;
  if (keyword === 'const') return `must be ${jsonOf(allowedValue)}`;
  if (keyword === 'type') return message.replaceAll(',', ' or ');
  return keyword === 'false schema' ? 'must not be there' : message.slice(0, textSeen);
}

interface Field {
  readonly texts: Set<string>;
  /** That no branch fits; why not is said in the texts, if at all. */
  readonly choices: Set<string>;
}
const say = (texts: Set<string>, error: ErrorObject): void => {
  if (texts.size < textsSeen) texts.add(sentenceOf(error));
};
function lineFor(place: string, { texts, choices: unfit }: Field): string {
  const said = [...(texts.size > 0 ? texts : unfit)].join(unfit.size > 0 ? ' or ' : ' and ');
  return lineOf(place === '' ? said : `${place}: ${said}`);
}

/**
 * A line for each field: `items.2.name: must be string`. Of what a choice wants the branches are told, with an `or`.
 * Takes no longer, and no more memory, however many errors there are and whatever they quote.
 */
export function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const seen = errors.slice(0, problemsSeen);
  // What follows from a condition is told as such.
  const told = seen.filter(({ keyword }) => keyword !== 'if');
  const fields = new Map<string, Field>();
  for (const error of told.length > 0 ? told : seen) {
    const place = placeOf(error);
    const known = fields.get(place);
    if (!known && fields.size === problemsShown) continue;
    const field = known ?? { texts: new Set(), choices: new Set() };
    fields.set(place, field);
    say(choices.includes(error.keyword) ? field.choices : field.texts, error);
  }
  return [...fields].map(([place, field]) => lineFor(place, field));
}
