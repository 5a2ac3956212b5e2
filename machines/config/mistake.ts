import type { z } from 'zod';
import { inputSchemas, serverSchemas } from './schemas.ts';
import { nearest } from '../text.ts';

/**
 * Error at one place of a config file. `message` never contains a value of the file, because it may be a
 * secret.
 */
export interface Mistake {
  /** Path in the file: `servers[2].server_parameters.command`; empty for the file as a whole. */
  readonly path: string;
  /** Description of the error, in one sentence. */
  readonly message: string;
  /** Advice to the person for fixing the error. */
  readonly remedy?: string;
  /** Line in the text, from 1; known for text that cannot be parsed, and for every mistake of a watched file. */
  readonly line?: number;
  /** Column in the line, from 1. */
  readonly column?: number;
}

export type Path = readonly (string | number)[];

export interface Findings {
  readonly mistakes: Mistake[];
  readonly warnings: string[];
}

const plainKey = /^[\w$@-]+$/;

/** `['servers', 2, 'my tool']` gives `servers[2]["my tool"]`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!plainKey.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

export const isWithin = (place: string, outer: string): boolean =>
  place === outer || place.startsWith(`${outer}.`) || place.startsWith(`${outer}[`);

export const mistakeLine = (mistake: Mistake, file?: string): string => {
  const at = mistake.line === undefined ? undefined : `${mistake.line}:${mistake.column ?? 1}`;
  const where = [file, at, mistake.path].filter((part) => part !== undefined && part !== '');
  const remedy = mistake.remedy === undefined ? '' : ` (${mistake.remedy})`;
  return `${[...where, mistake.message].join(': ')}${remedy}`;
};

export const addMistake = (findings: Findings, path: Path, message: string, remedy?: string): void => {
  const place = pathText(path);
  findings.mistakes.push(remedy === undefined ? { path: place, message } : { path: place, message, remedy });
};

/** Two keys of one meaning have different values. */
export const addTwice = (findings: Findings, path: Path, other: string): void =>
  addMistake(findings, path, `says something else than ${other}, which means the same`, 'keep one of them');

export const addWarning = (findings: Findings, path: Path, message: string): void => {
  const place = pathText(path);
  findings.warnings.push(place === '' ? message : `${place}: ${message}`);
};

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

export const nounOf = (value: unknown): string => {
  if (value === null) return 'null';
  return nouns[Array.isArray(value) ? 'array' : typeof value] ?? 'nothing';
};

/** The messages of zod name classes and codes. */
const sentence = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === 'invalid_type') {
    const wanted = nouns[issue.expected] ?? issue.expected;
    return issue.input === undefined
      ? `is missing: expected ${wanted}`
      : `expected ${wanted}, got ${nounOf(issue.input)}`;
  }
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small' && issue.origin === 'string') return 'must not be empty';
  if (issue.code === 'too_small' && issue.origin === 'array') return 'must not be an empty list';
  if (issue.code === 'too_small') return `must be at least ${String(issue.minimum)}`;
  if (issue.code === 'too_big') return `must be at most ${String(issue.maximum)}`;
  return undefined;
};

export const check = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  findings: Findings,
  originOf: (path: Path) => Path,
): T | undefined => {
  const result = schema.safeParse(value, { error: sentence });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    // Only for the type checker: a path in JSON data has no symbols.
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        addMistake(findings, originOf([...path, key]), 'unknown key', remedyFor(key));
    } else {
      const text = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
      addMistake(findings, originOf(path), text ?? issue.message);
    }
  }
  return undefined;
};

type Inner = Partial<Record<'innerType' | 'in' | 'element' | 'valueType', z.core.$ZodType>> & {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly options?: readonly z.core.$ZodType[];
};
function keysIn(schema: z.core.$ZodType): readonly string[] {
  const { shape = {}, options = [], ...one } = schema._zod.def as Inner;
  const inner = [...Object.values(shape), one.innerType, one.in, one.element, one.valueType, ...options];
  return [...Object.keys(shape), ...inner.flatMap((each) => (each === undefined ? [] : keysIn(each)))];
}
const knownKeys: ReadonlySet<string> = new Set([
  'servers',
  'inputs',
  ...[...Object.values(serverSchemas), ...Object.values(inputSchemas)].flatMap(keysIn),
]);

export const remedyFor = (key: string): string | undefined => {
  // No typing error, but the most common confusion of the protocol's shape with that of other clients.
  if (key === 'command' || key === 'url') return `${key} belongs into server_parameters`;
  const [close] = nearest(key, knownKeys);
  return close === undefined ? undefined : `did you mean ${close}?`;
};
