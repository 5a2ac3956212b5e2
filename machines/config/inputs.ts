import { z } from 'zod';
import { addMistake, addWarning, check, isObject, type Findings, type Path } from './mistake.ts';

interface InputBase {
  readonly id: string;
  /** Empty when the file has none. */
  readonly description: string;
}
export interface PromptInput extends InputBase {
  readonly type: 'promptString';
  readonly default: string | null;
  readonly password: boolean;
}
export interface PickInput extends InputBase {
  readonly type: 'pickString';
  readonly options: readonly string[];
  readonly default: string | null;
}
export interface CommandInput extends InputBase {
  readonly type: 'command';
  readonly command: string;
  readonly args: Readonly<Record<string, string>> | null;
}
/** A value that servers name as `${input:id}` (a2c-wire §3.9). */
export type InputDefinition = PromptInput | PickInput | CommandInput;

const id = z
  .string()
  .min(1)
  .refine((text) => !text.includes('}'), 'must not contain "}": no placeholder could name it');
const description = z.string().nullish();
const text = z.string().nullish();
export const inputSchemas = {
  promptString: z.strictObject({
    type: z.literal('promptString'),
    id,
    description,
    default: text,
    password: z.boolean().nullish(),
  }),
  pickString: z.strictObject({
    type: z.literal('pickString'),
    id,
    description,
    options: z.array(z.string()).min(1),
    default: text,
  }),
  command: z.strictObject({
    type: z.literal('command'),
    id,
    description,
    command: z.string().min(1),
    args: z.record(z.string(), z.string()).nullish(),
  }),
} as const;
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
  const value = { ...(foreignFile ? withoutUnknown(entry, type, path, findings) : entry), type };
  const at = (inner: Path): Path => [...path, ...inner];
  if (type === 'promptString') {
    const input = check(inputSchemas.promptString, value, findings, at);
    return (
      input && { ...input, ...base(input), default: input.default ?? null, password: input.password ?? false }
    );
  }
  if (type === 'pickString') {
    const input = check(inputSchemas.pickString, value, findings, at);
    if (input?.default && !input.options.includes(input.default)) {
      addWarning(findings, at(['default']), 'is none of the options');
    }
    return input && { ...input, ...base(input), default: input.default ?? null };
  }
  const input = check(inputSchemas.command, value, findings, at);
  return input && { ...input, ...base(input), args: input.args ?? null };
};

const base = (input: { description?: string | null | undefined }) => ({
  description: input.description ?? '',
});

const withoutUnknown = (
  entry: Readonly<Record<string, unknown>>,
  type: InputType,
  path: Path,
  findings: Findings,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(entry).filter(([key]) => {
      const isKnown = Object.hasOwn(inputSchemas[type].shape, key);
      if (!isKnown) addWarning(findings, [...path, key], 'unknown key, ignored');
      return isKnown;
    }),
  );
