import { syntaxFailure } from '../../../machines/call/program-mistakes.ts';
import type { ProgramChecked, Transformed, Transformer } from '../../../machines/call/transform.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** Found by its text; no VRL is run. */
export type ScriptedProgram =
  /** A compile error; `offset` in bytes. */
  | { readonly wrong: string; readonly offset: number }
  | { readonly makes: (event: Readonly<Record<string, unknown>>) => unknown; readonly takesMs?: number }
  | { readonly fails: string; readonly takesMs?: number }
  | { readonly takesMs: 'forever' };

type Answer = { readonly json: string } | { readonly failure: Failure } | 'right';
interface Job {
  readonly source: string;
  readonly event: string | null;
  readonly emit: (answer: Answer) => void;
}
const unknownProgram = { wrong: 'no such program', offset: 0 };
const closed: Failure = { code: 'ToolCallCancelled', message: 'VRL was closed' };
/** Serializes an event; throws at functions, as a structured clone does. */
const textOf = (event: object): string =>
  JSON.stringify(event, (_, value: unknown) => {
    if (typeof value === 'function') throw new Error('a function could not be cloned');
    return value;
  });

/** One after the other, each 1 ms unless scripted otherwise. Passes the contract `transform`. */
export class ScriptedTransformer implements Transformer {
  readonly #clock: VirtualClock;
  readonly #programs: Readonly<Record<string, ScriptedProgram>>;
  readonly #vrlMs: number;
  #jobs: Job[] = [];
  #timer: unknown;
  #isClosed = false;

  constructor(
    clock: VirtualClock,
    programs: Readonly<Record<string, ScriptedProgram>>,
    { vrlMs = timing.vrlMs }: { readonly vrlMs?: number } = {},
  ) {
    this.#clock = clock;
    this.#programs = programs;
    this.#vrlMs = vrlMs;
  }
  check(source: string): Promise<ProgramChecked> {
    return new Promise((resolve) => {
      this.#add({
        source,
        event: null,
        emit: (answer) =>
          resolve(
            answer !== 'right' && 'failure' in answer ? { ok: false, failure: answer.failure } : { ok: true },
          ),
      });
    });
  }
  run(source: string, event: object, emit: (answer: Transformed) => void): () => void {
    const told = (answer: Answer): void => {
      if (answer === 'right') return;
      emit('json' in answer ? { ok: true, ...answer } : { ok: false, ...answer });
    };
    try {
      return this.#add({ source, event: textOf(event), emit: told });
    } catch (error) {
      const failure = { code: wireCodes.badRequest, message: `It cannot be handed over: ${String(error)}` };
      const timer = this.#clock.setTimeout(() => told({ failure }), 0);
      return () => this.#clock.clearTimeout(timer);
    }
  }
  close(): Promise<void> {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const { emit } of jobs) emit({ failure: closed });
    return Promise.resolve();
  }

  #add(job: Job): () => void {
    if (this.#isClosed) {
      const timer = this.#clock.setTimeout(() => job.emit({ failure: closed }), 0);
      return () => this.#clock.clearTimeout(timer);
    }
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#begin(job);
    return () => {
      const isRunning = this.#jobs[0] === job;
      // A program that runs goes on running, but its result is dropped.
      if (isRunning) this.#jobs[0] = { ...job, emit: () => {} };
      else this.#jobs = this.#jobs.filter((other) => other !== job);
    };
  }
  #begin(job: Job): void {
    const [ms, answer] = this.#outcomeOf(job);
    this.#timer = this.#clock.setTimeout(() => {
      const [done, next] = this.#jobs;
      this.#jobs.shift();
      if (next) this.#begin(next);
      done?.emit(answer());
    }, ms);
  }
  #outcomeOf({ source, event }: Job): [ms: number, answer: () => Answer] {
    const { [source]: program = unknownProgram } = this.#programs;
    if ('wrong' in program) {
      const { wrong: message, offset } = program;
      const errors = [{ message, labels: [{ message, primary: true, span: [offset, offset] as const }] }];
      const failure = syntaxFailure(source, errors) ?? closed;
      return [1, () => ({ failure })];
    }
    if (event === null) return [1, () => 'right'];
    const { takesMs = 1 } = program;
    if (takesMs === 'forever' || takesMs > this.#vrlMs) return [this.#vrlMs, () => this.#tooLong()];
    if ('fails' in program)
      return [takesMs, () => ({ failure: { code: wireCodes.internal, message: program.fails } })];
    const { makes } = program as Extract<ScriptedProgram, { makes: unknown }>;
    const after = (): unknown => makes(JSON.parse(event) as Readonly<Record<string, unknown>>);
    return [takesMs, () => ({ json: JSON.stringify(after() ?? null) })];
  }
  #tooLong(): Answer {
    const message = `The program did not end within ${this.#vrlMs} ms`;
    return { failure: { code: wireCodes.noAnswer, message, details: { timeout: this.#vrlMs } } };
  }
}
