import type { z } from 'zod';
import { inputSchemas } from './schemas.ts';
import { addMistake, addWarning, check, type Findings, type Path } from './mistake.ts';
import { isObject } from '../protocol/json.ts';

/** What all inputs have. */
export interface InputBase {
  /** Unique in its config: `${input:id}` stands for its value. */
  readonly id: string;
  /** Empty when the file has none. */
  readonly description: string;
}
/** An input for which somebody writes a text. */
export interface PromptInput extends InputBase {
  readonly type: 'promptString';
  /** Counts when nobody gives a value; null: there is none, and it cannot be had then. */
  readonly default: string | null;
  /** Its value is secret: it is never shown, recorded or told to agents. */
  readonly password: boolean;
}
/** An input of which the values are known. */
export interface PickInput extends InputBase {
  readonly type: 'pickString';
  /** What may be the value. */
  readonly options: readonly string[];
  /** How VS Code shows some of them, by value. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Counts when nobody gives a value; null: there is none, and it cannot be had then. */
  readonly default: string | null;
}
/** An input that a command of the shell writes (seed 002; 30 s at most). */
export interface CommandInput extends InputBase {
  readonly type: 'command';
  /** A line for the shell of the system; its stdout without blanks around it is the value. */
  readonly command: string;
  /** Their values are appended to the line, quoted, in the order of their names. */
  readonly args: Readonly<Record<string, string>> | null;
  /** From a file of another client: a command of VS Code, which is never run. The host gives its value, or a variable. */
  readonly isForeign: boolean;
}
/** A value that servers name as `${input:id}` (a2c-wire §3.9). */
export type InputDefinition = PromptInput | PickInput | CommandInput;

type InputType = keyof typeof inputSchemas;

/** Rust writes `PromptString`, some hands write `prompt_string`; the protocol has `promptString`. */
const spellings: Readonly<Record<string, InputType>> = {
  promptstring: 'promptString',
  pickstring: 'pickString',
  command: 'command',
};

const typeOf = (value: unknown): InputType | undefined => {
  const word = typeof value === 'string' ? value.toLowerCase().replace(/[_-]/g, '') : '';
  return Object.hasOwn(spellings, word) ? spellings[word] : undefined;
};

/** The `inputs` of a file: each definition that is right, and a mistake or a warning for all else. */
export const readInputs = (
  value: unknown,
  path: Path,
  foreignFile: boolean,
  findings: Findings,
): readonly InputDefinition[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    addMistake(findings, path, 'expected a list of input definitions');
    return [];
  }
  const places = new Map<string, number>();
  return value.flatMap((entry: unknown, index) => {
    const input = readInput(entry, [...path, index], foreignFile, findings);
    if (input === undefined) return [];
    const earlier = places.get(input.id);
    if (earlier !== undefined) {
      addMistake(
        findings,
        [...path, index, 'id'],
        `${JSON.stringify(input.id)} is already the id of inputs[${earlier}]`,
      );
      return [];
    }
    places.set(input.id, index);
    return [input];
  });
};

const readInput = (
  entry: unknown,
  path: Path,
  foreignFile: boolean,
  findings: Findings,
): InputDefinition | undefined => {
  if (!isObject(entry)) {
    addMistake(findings, path, 'expected an object that defines an input');
    return undefined;
  }
  const type = typeOf(entry['type']);
  if (type === undefined) {
    addMistake(findings, [...path, 'type'], 'expected one of promptString, pickString, command');
    return undefined;
  }
  const value = { ...(foreignFile ? ofOthers(entry, type, path, findings) : entry), type };
  const at = (inner: Path): Path => [...path, ...inner];
  if (type === 'promptString') {
    const input = check(inputSchemas.promptString, value, findings, at);
    return (
      input && { ...input, ...base(input), default: input.default ?? null, password: input.password ?? false }
    );
  }
  if (type === 'pickString') return picked(check(inputSchemas.pickString, value, findings, at), at, findings);
  const input = check(inputSchemas.command, value, findings, at);
  return input && { ...input, ...base(input), args: input.args ?? null, isForeign: foreignFile };
};

const picked = (
  input: z.output<typeof inputSchemas.pickString> | undefined,
  at: (inner: Path) => Path,
  findings: Findings,
): PickInput | undefined => {
  if (input === undefined) return undefined;
  const { options: given, default: chosen = null, ...rest } = input;
  const options = given.map((one) => (typeof one === 'string' ? one : one.value));
  if (chosen && !options.includes(chosen)) addWarning(findings, at(['default']), 'is none of the options');
  const labels = given.flatMap((one) =>
    typeof one === 'string' || !one.label || one.label === one.value ? [] : [[one.value, one.label] as const],
  );
  return {
    ...rest,
    ...base(input),
    options,
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    default: chosen,
  };
};

const base = (input: { description?: string | null | undefined }) => ({
  description: input.description ?? '',
});

/** What other clients know and we do not is a warning. */
const ofOthers = (
  entry: Readonly<Record<string, unknown>>,
  type: InputType,
  path: Path,
  findings: Findings,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(entry).filter(([key, value]) => {
      if (!Object.hasOwn(inputSchemas[type].shape, key))
        addWarning(findings, [...path, key], 'unknown key, ignored');
      // VS Code hands whatever stands there to a command of its own.
      else if (key !== 'args' || inputSchemas.command.shape.args.safeParse(value).success) return true;
      else addWarning(findings, [...path, key], 'is no object of texts, ignored');
      return false;
    }),
  );
