import type { SecretStore } from '../../adapters/index.ts';
import { frozenJson } from '../../machines/catalog/tool.ts';
import type { CommandInput, InputDefinition } from '../../machines/config/inputs.ts';
import { isSecretName } from '../../machines/trace/index.ts';

/**
 * A host asks somebody for the value of an input. Undefined means that there is no answer, so that the default
 * counts; a rejection, that the input cannot be had. `signal` ends the question; several may be asked at a time.
 */
export type AskInput = (
  definition: InputDefinition,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;
export type Resolved =
  | {
      readonly ok: true;
      /** Any JSON, and a copy of its own. */
      readonly value: unknown;
      /** True for a password, and where the id looks like one: the value must not be shown. */
      readonly isSecret: boolean;
    }
  /** Why it cannot be had: one clause, without a value. */
  | { readonly ok: false; readonly reason: string };

interface InputsOptions {
  readonly definitions?: readonly InputDefinition[];
  /** Usually `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly ask?: AskInput;
  /** Runs the line of a `command` input, and resolves with what it wrote. */
  readonly run?: (line: string, signal: AbortSignal) => Promise<string>;
}

/** The variables that give an input, the first that is set and not empty counts (docs/config.md, Inputs). */
export const variablesFor = (id: string): readonly string[] => {
  const asWritten = `A2C_SMCP_${id.replace(/\W/gu, '_')}`;
  return [...new Set([asWritten, asWritten.toUpperCase()])];
};

const missing = (reason: string): Resolved => ({ ok: false, reason });
const noOption = 'is none of its options';

interface KnownValue {
  readonly value: unknown;
  /** True for a value that a host or a person has set: no question is asked while it is there. */
  readonly isSet: boolean;
  /** True for an answer that must be asked for again before it counts. */
  readonly isStale: boolean;
  /** Counts the values that this input has had. */
  readonly revision: number;
}
interface Asking {
  readonly end: AbortController;
  readonly answer: Promise<Resolved>;
  /** Number of callers that wait for the answer. */
  waiting: number;
}

/**
 * The values of inputs: from the environment, then as somebody set them, then from earlier answers, then from who is
 * asked, then the default. A value that was set is kept until it is cleared or its input changes, an answer also no
 * longer than until `askAnew`; two who want the same input at once ask once. Ends by `close`.
 */
export class Inputs {
  readonly #definitions = new Map<string, InputDefinition>();
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #ask: AskInput | undefined;
  readonly #run: InputsOptions['run'];
  readonly #values = new Map<string, KnownValue>();
  readonly #asking = new Map<string, Asking>();
  #revisions = 0;
  #isClosed = false;

  constructor({ definitions = [], environment = {}, ask, run }: InputsOptions = {}) {
    for (const definition of definitions) this.#definitions.set(definition.id, definition);
    this.#environment = environment;
    this.#ask = ask;
    this.#run = run;
  }

  /**
   * Resolves an input; never rejects. `signal` aborts when the value is not wanted any more: a question without a
   * caller is withdrawn. `isAnew`: an earlier answer does not count, and stays when there is no other.
   */
  async resolve(id: string, signal?: AbortSignal, isAnew = false): Promise<Resolved> {
    const given = variablesFor(id).find((name) => this.variable(name));
    const definition = this.#definitions.get(id);
    if (given !== undefined) {
      const value = this.variable(given);
      return fits(definition, value) ? this.#found(id, value) : missing(`${given} ${noOption}`);
    }
    const known = this.#values.get(id);
    const isAskedAgain = isAnew && known?.isSet === false && this.#asker(definition) !== undefined;
    if (known && !known.isStale && !isAskedAgain) return this.#found(id, known.value);
    if (definition === undefined) return missing('the config does not define it');
    if (this.#isClosed) return missing('the computer is closed');
    const asking = this.#asking.get(id) ?? this.#start(definition);
    asking.waiting += 1;
    signal?.addEventListener('abort', () => this.#leave(id, asking), { once: true });
    return asking.answer;
  }
  /** Makes the next caller ask for these inputs again. Values that were set stay. */
  askAnew(ids: readonly string[]): void {
    for (const id of ids) {
      const known = this.#values.get(id);
      if (known?.isSet === false) this.#values.set(id, { ...known, isStale: true });
    }
  }
  /** Answers to these are kept no longer. What was set stays. */
  forgetAnswers(ids: readonly string[]): void {
    for (const id of ids) if (this.#values.get(id)?.isSet === false) this.#values.delete(id);
  }
  /** Grows with each answer that is another than the one before. */
  revisionOf(id: string): number {
    return this.#values.get(id)?.revision ?? 0;
  }
  /** Grounds of these inputs and variables beside answers, to compare them later. They may hold secrets. */
  groundsOf(ids: readonly string[], variables: readonly string[]): string {
    return JSON.stringify([
      ids.map((id) => [this.#definitions.get(id), variablesFor(id).map((name) => this.variable(name))]),
      variables.map((name) => this.variable(name)),
    ]);
  }
  /** Value of `${env:NAME}`; undefined when it is not set. */
  variable(name: string): string | undefined {
    return Object.hasOwn(this.#environment, name) ? this.#environment[name] : undefined;
  }
  /** The names of all that are set. */
  variables(): readonly string[] {
    return Object.keys(this.#environment);
  }

  definitions(): readonly InputDefinition[] {
    return [...this.#definitions.values()];
  }
  /** Replaces all; values of those that stay as they were are kept. */
  setDefinitions(definitions: readonly InputDefinition[]): void {
    const next = new Map(definitions.map((definition) => [definition.id, definition]));
    for (const id of [...this.#definitions.keys()]) if (!next.has(id)) this.remove(id);
    for (const [id, definition] of next)
      if (JSON.stringify(this.#definitions.get(id)) !== JSON.stringify(definition)) this.add(definition);
  }
  /** Adds one, or puts it in the place of the one with its id, whose value is forgotten. */
  add(definition: InputDefinition): void {
    this.#definitions.set(definition.id, definition);
    this.#forget(definition.id, 'it was changed while it was asked');
  }
  /** False: there was none. */
  remove(id: string): boolean {
    const was = this.#definitions.delete(id);
    this.#forget(id, 'it was removed while it was asked');
    return was;
  }

  /** Known values; those of the environment and defaults are not in it. */
  values(): readonly { readonly id: string; readonly value: unknown }[] {
    return [...this.#values].flatMap(([id, { value, isStale }]) => (isStale ? [] : [{ id, value }]));
  }
  /** Sets a value; an open question for it is withdrawn. False: no such input, or no value for it. */
  setValue(id: string, value: unknown): boolean {
    const definition = this.#definitions.get(id);
    const copy = jsonOf(value);
    if (definition === undefined || copy === undefined || !fits(definition, copy)) return false;
    this.#keep(id, copy, true);
    this.#asking.get(id)?.end.abort('it was set while it was asked');
    return true;
  }
  /** The next who wants it asks again. False: nothing was known. Without an id: all. */
  clearValue(id?: string): boolean {
    if (id !== undefined) return this.#values.delete(id);
    const hadAny = this.#values.size > 0;
    this.#values.clear();
    return hadAny;
  }
  /** Ends every question; no further one is asked. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#asking.values()) end.abort('the computer is closed');
  }

  #keep(id: string, value: unknown, isSet: boolean): void {
    const known = this.#values.get(id);
    const isSame = known !== undefined && JSON.stringify(known.value) === JSON.stringify(value);
    this.#revisions += isSame ? 0 : 1;
    const revision = isSame ? known.revision : this.#revisions;
    this.#values.set(id, { value, isSet, isStale: false, revision });
  }
  #leave(id: string, asking: Asking): void {
    asking.waiting -= 1;
    if (asking.waiting > 0) return;
    if (this.#asking.get(id) === asking) this.#asking.delete(id);
    asking.end.abort('nobody waits for it any more');
  }
  #found(id: string, value: unknown): Resolved {
    const definition = this.#definitions.get(id);
    const isPassword = definition?.type === 'promptString' && definition.password;
    return { ok: true, value, isSecret: isPassword || isSecretName(id) };
  }
  #forget(id: string, reason: string): void {
    this.#values.delete(id);
    this.#asking.get(id)?.end.abort(reason);
    this.#asking.delete(id);
  }
  #start(definition: InputDefinition): Asking {
    const { id } = definition;
    const end = new AbortController();
    const asking: Asking = { end, answer: this.#answer(definition, end.signal), waiting: 0 };
    this.#asking.set(id, asking);
    const over = (): void => {
      if (this.#asking.get(id) === asking) this.#asking.delete(id);
    };
    void asking.answer.then(over);
    return asking;
  }
  /** A command answers for itself. */
  #asker(definition: InputDefinition | undefined): AskInput | undefined {
    const run = this.#run;
    if (definition?.type !== 'command' || definition.isForeign || !run) return this.#ask;
    return async (_, { signal }) => (await run(lineOf(definition), signal)).trim();
  }
  async #answer(definition: InputDefinition, signal: AbortSignal): Promise<Resolved> {
    const { id } = definition;
    const fallback = definition.type === 'command' ? null : definition.default;
    const ask = this.#asker(definition);
    if (!ask) return fallback === null ? missing(unasked(definition)) : this.#found(id, fallback);
    const said = await Promise.race([answered(ask, definition, signal), ended(signal)]);
    // The input may have ended while the answer was on its way.
    const known = this.#values.get(id);
    if (signal.aborted)
      return known && !known.isStale ? this.#found(id, known.value) : missing(String(signal.reason));
    if (!said.ok) return said;
    const value = valueOf(said.value, known, fallback);
    if (value === undefined) return missing(unasked(definition));
    if (!fits(definition, value)) return missing(`the answer ${noOption}`);
    this.#keep(id, value, false);
    return this.#found(id, value);
  }
}

/** No answer leaves an earlier one as it was; an empty one means the default. */
const valueOf = (said: unknown, known: KnownValue | undefined, fallback: unknown): unknown => {
  if (said === undefined) return known ? known.value : (fallback ?? undefined);
  return said === '' ? (fallback ?? said) : said;
};
type GivenAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

const answered = async (
  ask: AskInput,
  definition: InputDefinition,
  signal: AbortSignal,
): Promise<GivenAnswer> => {
  try {
    const answer = await ask(definition, { signal });
    if (answer === undefined) return { ok: true, value: undefined };
    const value = jsonOf(answer);
    return value === undefined ? { ok: false, reason: 'the answer is no JSON' } : { ok: true, value };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
};
const ended = (signal: AbortSignal): Promise<GivenAnswer> =>
  new Promise((resolve) => {
    const over = (): void => resolve({ ok: false, reason: String(signal.reason) });
    if (signal.aborted) over();
    else signal.addEventListener('abort', over, { once: true });
  });

const quoted = (text: string): string =>
  process.platform === 'win32'
    ? `"${text.replaceAll('"', '""')}"`
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
const lineOf = ({ command, args }: CommandInput): string => {
  const values = Object.entries(args ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [command, ...values.map(([, value]) => quoted(value))].join(' ');
};
const unasked = (definition: InputDefinition): string => {
  const [variable] = variablesFor(definition.id);
  const why =
    definition.type === 'command'
      ? 'it is a command of VS Code, which is not run here'
      : 'nobody gave a value';
  return `${why}, and ${variable} is not set`;
};
const fits = (definition: InputDefinition | undefined, value: unknown): boolean =>
  definition?.type !== 'pickString' || definition.options.some((option) => option === value);

/** Frozen copy; undefined for a value that JSON cannot hold, or is nested too deeply. */
const jsonOf = (value: unknown): unknown => {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : frozenJson(JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
};

/** Keeping of passwords from one run to the next. */
interface KeptPasswords {
  /** Opened when the first password is wanted; rejects where there is none. */
  open(): Promise<SecretStore>;
  /** Prefix of the names of entries, so that two configs may have an input of one id. */
  readonly scope: string;
  /** Hears why a password is not kept, once. */
  notice(text: string): void;
}

/**
 * Asks for an input, but for a password that is in the keyring. What somebody answers is kept there. When a password is wanted
 * a second time, the first one was refused or forgotten: then somebody is asked.
 */
export function keepingPasswords(
  ask: AskInput | undefined,
  { open, scope, notice }: KeptPasswords,
): AskInput {
  const given = new Set<string>();
  let opened: Promise<SecretStore | undefined> | undefined;
  const store = (): Promise<SecretStore | undefined> =>
    (opened ??= open().catch((error: unknown) => {
      notice(`passwords are not kept: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }));
  const tried = async <T>(work: (kept: SecretStore) => Promise<T>): Promise<T | undefined> => {
    const kept = await store();
    return kept && work(kept).catch((error: unknown) => void notice(`the keyring failed: ${String(error)}`));
  };
  return async (definition, how) => {
    if (definition.type !== 'promptString' || !definition.password) return ask?.(definition, how);
    const name = `${scope}#${definition.id}`;
    const isFirst = !given.has(name);
    given.add(name);
    const known = isFirst ? await tried((kept) => kept.get(name)) : undefined;
    if (known !== undefined) return known;
    const answer = await ask?.(definition, how);
    if (typeof answer === 'string' && answer !== '') await tried((kept) => kept.set(name, answer));
    return answer;
  };
}
