/** Mistakes of a value, in one line for each place. */
import type { ErrorObject } from 'ajv';

const problemsShown = 5;
const stepLength = 60;
const lineLength = 200;
/** Number of mistakes that are read at most. A value may have a million mistakes, each quoting a schema of 256 KiB. */
const problemsSeen = 1_000;
const textsSeen = 30;
const textSeen = 2_000;

/** Shortens a text to one line of limited length, because property names and texts of schemas come from an untrusted server. */
export const lineOf = (text: string, length = lineLength): string => {
  const line = text.slice(0, textSeen).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > length || text.length > textSeen ? `${line.slice(0, length - 1)}…` : line;
};
const quoted = (text: string): string => JSON.stringify(text.slice(0, textSeen));
const stepOf = (step: string): string => {
  const seen = step.slice(0, textSeen);
  return lineOf(/^[\w$@-]+$/.test(seen) ? seen : quoted(seen), stepLength);
};
const stepsOf = (pointer: string): string[] =>
  pointer
    .slice(0, textSeen)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const choices: readonly string[] = ['anyOf', 'oneOf'];
/** Parameters of ajv errors that name the property concerned, for errors that ajv reports at the object around it. */
const properties = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'];

/** Cache of the JSON text of lists and objects in schemas, because a thousand mistakes may quote the same one. */
const jsonTexts = new WeakMap<object, string>();
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const word = jsonTexts.get(value) ?? JSON.stringify(value).slice(0, textSeen);
  jsonTexts.set(value, word);
  return word;
}
const anyOf = (values: readonly unknown[]): string =>
  values
    .slice(0, lineLength)
    .map((value) => jsonOf(value).slice(0, lineLength))
    .join(', ');

/** A missing property and one that is not allowed count as fields. */
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
  /** Texts that say that no branch of a choice (`anyOf`, `oneOf`) matches; the reasons are in `texts`, if there are any. */
  readonly choices: Set<string>;
}
const say = (texts: Set<string>, error: ErrorObject): void => {
  if (texts.size < textsSeen) texts.add(sentenceOf(error));
};
function lineFor(place: string, { texts, choices: unfit }: Field): string {
  const said = [...(texts.size > 0 ? texts : unfit)].join(unfit.size > 0 ? ' or ' : ' and ');
  return lineOf(place === '' ? said : `${place}: ${said}`);
}

/** Time and memory stay bounded however many errors there are and whatever they quote. */
export function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const seen = errors.slice(0, problemsSeen);
  // Drops the errors of `if` itself, because the errors of its `then` or `else` are reported too.
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
