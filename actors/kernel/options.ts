/** Checks of the options that a host gives: names, and values as far as they can be judged at once. */
import { A2cError, badRequest } from './errors.ts';
import { nearest } from '../../machines/text.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { jsonOf } from '../../machines/protocol/json.ts';

/** Fault of one option: its path below the checked object, and what is wrong. */
interface Fault {
  readonly at: string;
  readonly message: string;
  readonly remedy?: string;
}
export type Check = (value: unknown, at: string) => Fault | undefined;
/** The compiler finds a missing one. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check };

/** Longest delay of a JavaScript timer, in ms. */
const longestMs = 2 ** 31 - 1;
const longestShown = 40;

/** A text is cut; anything without a short form is named by its kind. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.length > longestShown ? `${value.slice(0, longestShown)}…` : value}'`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
export const check =
  (expected: string, isFine: (value: unknown) => boolean, remedy?: string, show = shown): Check =>
  (value, at) =>
    isFine(value)
      ? undefined
      : { at, message: `expected ${expected}, got ${show(value)}`, ...(remedy !== undefined && { remedy }) };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= longestMs;

export const anything: Check = () => undefined;
export const flag = check('true or false', (value) => typeof value === 'boolean');
export const callback = check('a function', (value) => typeof value === 'function');
export const text = check('a text', (value) => typeof value === 'string');
export const name = check(
  'a text that is not blank',
  (value) => typeof value === 'string' && value.trim() !== '',
);
export const texts = check(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
);
export const whole = check('a whole number', (value) => Number.isSafeInteger(value));
export const count = check('a whole number from 0', (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER));
export const fromOne = check('a whole number from 1', (value) => isWhole(value, 1, Number.MAX_SAFE_INTEGER));
export const positive = check('a number above 0', (value) => Number.isFinite(value) && Number(value) > 0);
export const noLimit = check('0 (no limit) or a rate { perSecond, burst }', (value) => value === 0);
export const port = check('a port, a whole number from 0 to 65535', (value) => isWhole(value, 0, 65_535));
export const within = (least: number, most: number, remedy: string): Check =>
  check(`a whole number from ${least} to ${most}`, (value) => isWhole(value, least, most), remedy);
export const ms = check(`milliseconds from 0 to ${longestMs}`, isTime);
export const limit = check(`milliseconds from 0 (no limit) to ${longestMs}`, isTime);
export const url = check(
  'an http: or https: URL',
  (value) =>
    typeof value === 'string' && URL.canParse(value) && /^(?:https?|wss?):$/.test(new URL(value).protocol),
  'Such as http://127.0.0.1:3000.',
);
/** Also of another realm. */
export const signal = check(
  'an AbortSignal',
  (value) => isObject(value) && typeof value['aborted'] === 'boolean',
);
/** A text in its place is not shown, because it may hold secrets. */
export const object = check('an object', isObject, undefined, (value) =>
  typeof value === 'string' ? 'a text' : shown(value),
);
/** Refuses what throws when it is read, since it would throw again in a machine. */
export const json: Check = (value, at) =>
  object(value, at) ??
  (jsonOf(value) === undefined ? { at, message: 'cannot be written as JSON' } : undefined);
export const instance = check(
  'an object or a function',
  (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
);
export const having = (method: string, expected: string, remedy: string): Check =>
  check(
    expected,
    (value) => typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === 'function',
    remedy,
  );
export const oneOf = (...words: readonly string[]): Check =>
  check(`one of ${words.join(', ')}`, (value) => words.includes(value as string));
/** `expected` names all checks. For an object, the fault names the wrong option. */
export const either = (expected: string, ...checks: readonly Check[]): Check => {
  const whole = check(expected, () => false);
  return (value, at) => {
    const faults = checks.map((each) => each(value, at));
    if (faults.includes(undefined)) return undefined;
    return faults.find((fault) => fault !== undefined && fault.at !== at) ?? whole(value, at);
  };
};
export const disabled = check('false', (value) => value === false);
export const optional =
  (judge: Check): Check =>
  (value, at) =>
    value === undefined ? undefined : judge(value, at);
export const listOf =
  (each: Check, remedy?: string): Check =>
  (value, at) => {
    if (!Array.isArray(value))
      return { at, message: `expected a list, got ${shown(value)}`, ...(remedy !== undefined && { remedy }) };
    return value.map((one, index) => each(one, `${at}[${index}]`)).find((fault) => fault !== undefined);
  };

export const mapOf =
  (each: Check): Check =>
  (value, at) =>
    object(value, at) ??
    Object.entries(value as object)
      .map(([key, one]) => each(one, path(at, key)))
      .find((fault) => fault !== undefined);

const path = (at: string, key: string): string => (at === '' ? key : `${at}.${key}`);
/** `elsewhere` names options that belong somewhere else, with that place, for a hint in the error. */
export const options =
  <Options>(
    checks: Checks<Options>,
    remedy?: string,
    elsewhere: Readonly<Record<string, string>> = {},
  ): Check =>
  (value, at) => {
    if (!isObject(value))
      return {
        at,
        message: `expected an object, got ${shown(value)}`,
        ...(remedy !== undefined && { remedy }),
      };
    const known = checks as Readonly<Record<string, Check>>;
    for (const [key, given] of Object.entries(value)) {
      const fault = Object.hasOwn(known, key)
        ? known[key]?.(given, path(at, key))
        : unknown(at, key, known, elsewhere);
      if (fault && (given !== undefined || !Object.hasOwn(known, key))) return fault;
    }
    return undefined;
  };
function unknown(at: string, key: string, known: object, elsewhere: Readonly<Record<string, string>>): Fault {
  const [close] = nearest(key, Object.keys(known));
  const place = Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
  const hint =
    place === undefined
      ? close === undefined
        ? ''
        : ` (did you mean ${close}?)`
      : ` (${key} belongs in ${place})`;
  return {
    at: path(at, key),
    message: `unknown option${hint}`,
    remedy: `Known here: ${Object.keys(known).join(', ')}.`,
  };
}

export type EventNames<Events> = Readonly<Record<keyof Events, true>>;
export function mustBeEvent(given: unknown, names: object, listener: unknown): void {
  const known = Object.keys(names);
  // `once` of node:events listens to `error`, too, which no handle has.
  if (given === 'error' || known.includes(given as string))
    return mustBeOptions('on', listener, argument('listener', callback));
  const [close] = typeof given === 'string' ? nearest(given, known) : [];
  const hint = close === undefined ? '' : ` (did you mean ${close}?)`;
  throw badRequest(`on: unknown event ${shown(given)}${hint}`, `Known here: ${known.join(', ')}.`);
}

export const needing =
  (needed: readonly string[], inner: Check): Check =>
  (value, at) => {
    const fault = inner(value, at);
    if (fault) return fault;
    const missing = needed.find((key) => (value as Readonly<Record<string, unknown>>)[key] === undefined);
    return missing === undefined ? undefined : { at: path(at, missing), message: 'is missing' };
  };

export function wrongOptions(of: string, value: unknown, judge: Check): A2cError | undefined {
  const fault = judge(value, '');
  if (!fault) return undefined;
  const { at, message, remedy } = fault;
  return new A2cError({
    code: wireCodes.badRequest,
    message: `${of}: ${at === '' ? 'options' : at}: ${message}`,
    details: { option: at },
    ...(remedy !== undefined && { remedy }),
  });
}
export const argument =
  (name: string, judge: Check): Check =>
  (value) =>
    judge(value, name);
/** Last argument of a method, which may be left out. */
export const how = <Options>(checks: Checks<Options>): readonly [name: string, judge: Check] => [
  '',
  optional(options<Options>(checks)),
];
export type Arguments = readonly (readonly [name: string, judge: Check])[];
/** By the name of the method, or `group.method`. */
export type MethodArguments = Readonly<Record<string, Arguments>>;
/** A wrong argument is an `A2cError` (`BadRequest`): methods of `throwing` throw it, the others reject. */
export function checkArguments(
  handle: object,
  methods: MethodArguments,
  throwing: readonly string[] = [],
): void {
  for (const [of, needed] of Object.entries(methods)) {
    const names = of.split('.');
    const method = names.pop() ?? '';
    type Methods = Readonly<Record<string, object & ((...given: unknown[]) => unknown)>>;
    const group = names.reduce(
      (at: object, name) => (at as Readonly<Record<string, object>>)[name] ?? at,
      handle,
    );
    const plain = (group as Methods)[method];
    const checked = (...given: unknown[]): unknown => {
      const fault = needed.map(([at, judge], n) => judge(given[n], at)).find(Boolean);
      const error = fault && wrongOptions(of, undefined, () => fault);
      if (!error) return plain?.apply(group, given);
      if (throwing.includes(of)) throw error;
      return Promise.reject(error);
    };
    Object.defineProperty(group, method, { value: checked, configurable: true, writable: true });
  }
}
export function mustBeOptions(of: string, value: unknown, judge: Check): void {
  const error = wrongOptions(of, value, judge);
  if (error) throw error;
}
