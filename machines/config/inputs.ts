import type { z } from 'zod';
import { inputSchemas } from './schemas.ts';
import { addMistake, addWarning, check, type Findings, type Path } from './mistake.ts';
import { isObject } from '../protocol/json.ts';

/** Fields that all inputs have. */
export interface InputBase {
  /** Id, unique in the config; `${input:id}` is replaced by the value. */
  readonly id: string;
  /** Description for people; empty when the file has none. */
  readonly description: string;
}
/** Input for which a person types a text. */
export interface PromptInput extends InputBase {
  readonly type: 'promptString';
  /** Value when none is given; null: there is no default, and servers that need the input cannot start. */
  readonly default: string | null;
  /** True when the value is secret and must not be shown, recorded or sent to agents. */
  readonly password: boolean;
}
/** Input whose value is chosen from a list. */
export interface PickInput extends InputBase {
  readonly type: 'pickString';
  /** Values from which one is chosen. */
  readonly options: readonly string[];
  /** Labels that VS Code shows for some values, by value. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Value when none is given; null: there is no default, and servers that need the input cannot start. */
  readonly default: string | null;
}
/** Input whose value a shell command prints; it may run for at most 30 s. */
export interface CommandInput extends InputBase {
  readonly type: 'command';
  /** Command line for the system's shell; its trimmed stdout is the value. */
  readonly command: string;
  /** Arguments of the command: their values are quoted and appended to the command line, sorted by name. */
  readonly args: Readonly<Record<string, string>> | null;
  /**
   * True for a command of VS Code from another client's file, which is never run. The host or a variable
   * provides its value.
   */
  readonly isForeign: boolean;
}
/** Definition of a value that servers refer to as `${input:id}`. */
export type InputDefinition = PromptInput | PickInput | CommandInput;

type InputType = keyof typeof inputSchemas;

/** `promptString` in the protocol, `PromptString` in Rust, `prompt_string` by hand. */
const spellings: Readonly<Record<string, InputType>> = {
  promptstring: 'promptString',
  pickstring: 'pickString',
  command: 'command',
};

const typeOf = (value: unknown): InputType | undefined => {
  const word = typeof value === 'string' ? value.toLowerCase().replace(/[_-]/g, '') : '';
  return Object.hasOwn(spellings, word) ? spellings[word] : undefined;
};

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
      // VS Code allows any value here, because it passes the value to a command of its own.
      else if (key !== 'args' || inputSchemas.command.shape.args.safeParse(value).success) return true;
      else addWarning(findings, [...path, key], 'is no object of texts, ignored');
      return false;
    }),
  );
