/** Values of inputs: from variables, hosts, earlier answers, questions and defaults. */
import { frozenJson } from '../../machines/catalog/tool.ts';
import type { CommandInput, InputDefinition } from '../../machines/config/inputs.ts';
import { isSecretInput, isSecretName } from '../../machines/secrets/secret-names.ts';

/**
 * Asks somebody on behalf of the host for the value of an input. Resolving with undefined means no answer, so that
 * the default is used; a rejection means that the input has no value. `signal` ends the question; several
 * questions may be open at a time.
 */
export type AskInput = (question: InputQuestion) => Promise<unknown>;
/** Input whose value is asked for. */
export type InputQuestion = InputDefinition & {
  /** Signal that aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal;
};
export type Resolved =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** True when the value must not be shown: the input is a password, or its id looks like that of one. */
      readonly isSecret: boolean;
    }
  | { readonly ok: false; readonly reason: string };

interface InputsOptions {
  readonly definitions?: readonly InputDefinition[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly ask?: AskInput;
  readonly run?: (line: string, signal: AbortSignal) => Promise<string>;
}

/** The first that is set and not empty is used (docs/config.md, Inputs). */
export const variablesFor = (id: string): readonly string[] => {
  const asWritten = `A2C_SMCP_${id.replace(/\W/gu, '_')}`;
  return [...new Set([asWritten, asWritten.toUpperCase()])];
};

const missing = (reason: string): Resolved => ({ ok: false, reason });
const noOption = 'is none of its options';

interface KnownValue {
  readonly value: unknown;
  /** Set by a host or a person; no question is asked while it exists. */
  readonly isSet: boolean;
  /** The answer must be asked for again before it is used. */
  readonly isStale: boolean;
}
interface Asking {
  readonly end: AbortController;
  readonly answer: Promise<Resolved>;
  waiting: number;
}

/** First of: environment, set value, earlier answer, question, default. Callers of one input share a question. */
export class Inputs {
  readonly #definitions = new Map<string, InputDefinition>();
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #ask: AskInput | undefined;
  readonly #run: InputsOptions['run'];
  readonly #values = new Map<string, KnownValue>();
  readonly #asking = new Map<string, Asking>();
  #isClosed = false;

  constructor({ definitions = [], environment = {}, ask, run }: InputsOptions = {}) {
    for (const definition of definitions) this.#definitions.set(definition.id, definition);
    this.#environment = environment;
    this.#ask = ask;
    this.#run = run;
  }

  /** Never rejects. `signal` aborts when the value is not wanted; a question without callers is withdrawn. */
  async resolve(id: string, signal?: AbortSignal, isAskedForAgain = false): Promise<Resolved> {
    const given = variablesFor(id).find((name) => this.variable(name));
    const definition = this.#definitions.get(id);
    if (given !== undefined) {
      const value = this.variable(given);
      return fits(definition, value) ? this.#found(id, value) : missing(`${given} ${noOption}`);
    }
    const known = this.#values.get(id);
    const isAskedAgain = isAskedForAgain && known?.isSet === false && this.#asker(definition) !== undefined;
    if (known && !known.isStale && !isAskedAgain) return this.#found(id, known.value);
    if (definition === undefined) return missing('the config does not define it');
    if (this.#isClosed) return missing('the computer is closed');
    const asking = this.#asking.get(id) ?? this.#start(definition);
    asking.waiting += 1;
    signal?.addEventListener('abort', () => this.#leave(id, asking), { once: true });
    return asking.answer;
  }
  /** Only answers: values that were set are kept. */
  askAgain(ids: readonly string[]): void {
    for (const id of ids) {
      const known = this.#values.get(id);
      if (known?.isSet === false) this.#values.set(id, { ...known, isStale: true });
    }
  }
  /** Values that were set are kept. */
  forgetAnswers(ids: readonly string[]): void {
    for (const id of ids) if (this.#values.get(id)?.isSet === false) this.#values.delete(id);
  }
  /** All facts besides answers, as text to compare later. The text may hold secrets. */
  groundsOf(ids: readonly string[], variables: readonly string[]): string {
    return JSON.stringify([
      ids.map((id) => [this.#definitions.get(id), variablesFor(id).map((name) => this.variable(name))]),
      variables.map((name) => this.variable(name)),
    ]);
  }
  variable(name: string): string | undefined {
    return Object.hasOwn(this.#environment, name) ? this.#environment[name] : undefined;
  }
  variables(): readonly string[] {
    return Object.keys(this.#environment);
  }

  definitions(): readonly InputDefinition[] {
    return [...this.#definitions.values()];
  }
  /** Inputs whose definition is unchanged keep their values. */
  setDefinitions(definitions: readonly InputDefinition[]): void {
    const next = new Map(definitions.map((definition) => [definition.id, definition]));
    for (const id of [...this.#definitions.keys()]) if (!next.has(id)) this.remove(id);
    for (const [id, definition] of next)
      if (JSON.stringify(this.#definitions.get(id)) !== JSON.stringify(definition)) this.add(definition);
  }
  add(definition: InputDefinition): void {
    this.#definitions.set(definition.id, definition);
    this.#forget(definition.id, 'it was changed while it was asked');
  }
  remove(id: string): boolean {
    const was = this.#definitions.delete(id);
    this.#forget(id, 'it was removed while it was asked');
    return was;
  }

  /** Without values of the environment and defaults. */
  values(): readonly { readonly id: string; readonly value: unknown }[] {
    return [...this.#values].flatMap(([id, { value, isStale }]) => (isStale ? [] : [{ id, value }]));
  }
  /** Withdraws an open question. False when there is no such input, or the value does not fit it. */
  setValue(id: string, value: unknown): boolean {
    const definition = this.#definitions.get(id);
    const copy = jsonOf(value);
    if (definition === undefined || copy === undefined || !fits(definition, copy)) return false;
    this.#keep(id, copy, true);
    this.#asking.get(id)?.end.abort('it was set while it was asked');
    return true;
  }
  /** The next caller asks again. Without `id` for all inputs. False when nothing was known. */
  clearValue(id?: string): boolean {
    if (id !== undefined) return this.#values.delete(id);
    const hadAny = this.#values.size > 0;
    this.#values.clear();
    return hadAny;
  }
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#asking.values()) end.abort('the computer is closed');
  }

  #keep(id: string, value: unknown, isSet: boolean): void {
    this.#values.set(id, { value, isSet, isStale: false });
  }
  #leave(id: string, asking: Asking): void {
    asking.waiting -= 1;
    if (asking.waiting > 0) return;
    if (this.#asking.get(id) === asking) this.#asking.delete(id);
    asking.end.abort('nobody waits for it any more');
  }
  #found(id: string, value: unknown): Resolved {
    const definition = this.#definitions.get(id);
    return { ok: true, value, isSecret: definition ? isSecretInput(definition) : isSecretName(id) };
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
    void asking.answer.then(() => {
      if (this.#asking.get(id) === asking) this.#asking.delete(id);
    });
    return asking;
  }
  #asker(definition: InputDefinition | undefined): AskInput | undefined {
    const run = this.#run;
    if (definition?.type !== 'command' || definition.isForeign || !run) return this.#ask;
    return async ({ signal }) => (await run(lineOf(definition), signal)).trim();
  }
  async #answer(definition: InputDefinition, signal: AbortSignal): Promise<Resolved> {
    const { id } = definition;
    const fallback = definition.type === 'command' ? null : definition.default;
    const ask = this.#asker(definition);
    if (!ask) return fallback === null ? missing(unasked(definition)) : this.#found(id, fallback);
    const said = await Promise.race([answered(ask, definition, signal), ended(signal)]);
    // Uses the known value, and drops the answer, when the question was ended while its answer was on the way.
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

/** Without an answer an earlier value is kept; an empty answer means the default. */
const valueOf = (said: unknown, known: KnownValue | undefined, fallback: unknown): unknown => {
  if (said === undefined) return known ? known.value : (fallback ?? undefined);
  return said === '' ? (fallback ?? said) : said;
};
type GivenAnswer = Exclude<Resolved, { ok: true }> | { readonly ok: true; readonly value: unknown };

const answered = async (
  ask: AskInput,
  definition: InputDefinition,
  signal: AbortSignal,
): Promise<GivenAnswer> => {
  try {
    const answer = await ask({ ...definition, signal });
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

/** A frozen copy; undefined for a value that JSON cannot hold or that is nested too deeply. */
const jsonOf = (value: unknown): unknown => {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : frozenJson(JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
};
