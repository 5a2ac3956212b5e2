import type { ErrorObject } from 'ajv';

const problemsShown = 5;
const stepLength = 60;
const lineLength = 200;

/** One line, and not a long one: names of properties and texts of schemas are a stranger's. */
export const lineOf = (text: string, length = lineLength): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};
const stepOf = (step: string): string =>
  lineOf(/^[\w$@-]+$/.test(step) ? step : JSON.stringify(step), stepLength);
/** `/a/0/b~1c` → `['a', '0', 'b/c']`. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const choices: readonly string[] = ['anyOf', 'oneOf'];
/** Problems of a property that the schema names, and not of the object that has it or lacks it. */
const properties = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'];

interface Problem {
  readonly path: string;
  readonly text: string;
  /** That no branch fits; why not is said beside it. */
  readonly isChoice: boolean;
}
function problemOf({
  instancePath,
  keyword,
  params,
  message = 'is wrong',
  propertyName,
}: ErrorObject): Problem {
  const said = params as Readonly<Record<string, unknown>>;
  const property =
    propertyName ?? properties.map((name) => said[name]).find((name) => typeof name === 'string');
  const steps = [...stepsOf(instancePath), ...(property === undefined ? [] : [property])];
  const path = steps.map((step) => stepOf(step)).join('.');
  return { path, text: sentence(keyword, said, message), isChoice: choices.includes(keyword) };
}
function sentence(keyword: string, params: Readonly<Record<string, unknown>>, message: string): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  if (missingProperty !== undefined) return 'is missing';
  if ((additionalProperty ?? unevaluatedProperty) !== undefined) return 'is not a property that it may have';
  if (keyword === 'propertyNames') return 'is a name that it may not have';
  // What the schema says, and not what the value is.
  if (Array.isArray(allowedValues))
    return `must be one of ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(allowedValue)}`;
  if (keyword === 'type') return message.replaceAll(',', ' or ');
  return keyword === 'false schema' ? 'must not be there' : message;
}

/** A line for each field: `items.2.name: must be string`. Of what a choice wants the branches are told, with an `or`. */
export function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const fields = new Map<string, Problem[]>();
  // What follows from a condition is told as such.
  const told = errors.filter(({ keyword }) => keyword !== 'if');
  for (const error of told.length > 0 ? told : errors) {
    const problem = problemOf(error);
    const others = fields.get(problem.path);
    if (others) others.push(problem);
    else fields.set(problem.path, [problem]);
  }
  return [...fields].slice(0, problemsShown).map(([path, problems]) => {
    const plain = problems.filter(({ isChoice }) => !isChoice);
    const joint = plain.length < problems.length ? ' or ' : ' and ';
    const texts = new Set((plain.length > 0 ? plain : problems).map(({ text }) => text));
    return lineOf(`${path === '' ? '' : `${path}: `}${[...texts].join(joint)}`);
  });
}
