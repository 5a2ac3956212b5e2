import type { z } from 'zod';
import { inputSchemas, serverSchemas } from './schemas.ts';
import { nearest } from '../text.ts';

/**
 * What is wrong with a config file, one per place. `message` never holds a value of the file: it may be a secret.
 */
export interface Mistake {
  /** Where, inside the file: `servers[2].server_parameters.command`; empty for the file as a whole. */
  readonly path: string;
  /** What is wrong there, in one sentence. */
  readonly message: string;
  /** What the person can do about it. */
  readonly remedy?: string;
  /** Where in the text, from 1; of a file that is watched. */
  readonly line?: number;
  /** In its line, from 1. */
  readonly column?: number;
}

export type Path = readonly (string | number)[];

/** What a reading of a file found so far; filled from top to bottom. */
export interface Findings {
  readonly mistakes: Mistake[];
  readonly warnings: string[];
}

const plainKey = /^[\w$@-]+$/;

/** `['servers', 2, 'my tool']` → `servers[2]["my tool"]`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!plainKey.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

/** Whether a place is this one, or something inside it. */
export const isWithin = (place: string, outer: string): boolean =>
  place === outer || place.startsWith(`${outer}.`) || place.startsWith(`${outer}[`);

/** The one line a person reads: `a2c.json: servers[0].name: is missing … (remedy)`. */
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

/** The JSON kind of a value, as a person says it. */
export const nounOf = (value: unknown): string => {
  if (value === null) return 'null';
  return nouns[Array.isArray(value) ? 'array' : typeof value] ?? 'nothing';
};

/** zod's own sentences name classes and codes; these name what the person typed. */
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

/** What a schema says about a value, with every issue as a mistake at the place that `originOf` names. */
export const check = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  findings: Findings,
  originOf: (path: Path) => Path,
): T | undefined => {
  const result = schema.safeParse(value, { error: sentence });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    // JSON has no symbols, so a path never holds one.
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

// ── keys that were probably meant ─────────────────────────────────────────────────────────────────────
/** Keys of a schema and of all schemas inside it. */
function keysIn(schema: z.core.$ZodType): readonly string[] {
  const {
    shape = {},
    innerType,
    in: input,
    element,
    valueType,
    options = [],
  } = schema._zod.def as {
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
    readonly innerType?: z.core.$ZodType;
    readonly in?: z.core.$ZodType;
    readonly element?: z.core.$ZodType;
    readonly valueType?: z.core.$ZodType;
    readonly options?: readonly z.core.$ZodType[];
  };
  const inner = [...Object.values(shape), innerType, input, element, valueType, ...options];
  return [...Object.keys(shape), ...inner.flatMap((each) => (each === undefined ? [] : keysIn(each)))];
}
/** Every key of the protocol's shape, its inputs and our own settings: candidates for "did you mean". */
const knownKeys: ReadonlySet<string> = new Set([
  'servers',
  'inputs',
  ...[...Object.values(serverSchemas), ...Object.values(inputSchemas)].flatMap(keysIn),
]);

/** A remedy for an unknown key: what was probably meant, if anything. */
export const remedyFor = (key: string): string | undefined => {
  // Stated as a rule because it is the commonest mixture of the two shapes, and no typing error.
  if (key === 'command' || key === 'url') return `${key} belongs into server_parameters`;
  const [close] = nearest(key, knownKeys);
  return close === undefined ? undefined : `did you mean ${close}?`;
};
