/** Contexts are kept here and nowhere else: no machine, recording, server or peer ever has one. */
import type { Answers, AskedWith, ServerQuestion } from './computer-options.ts';
import { newId } from '../../adapters/clock.ts';
import { sha256Of } from '../../adapters/storage/traces.ts';
import type { Answers as SessionAnswers } from '../../adapters/mcp/messages/answers.ts';
import type { KnownCall } from '../../machines/call/history.ts';
import { keyOf, nameOf, type Address } from '../../machines/kernel/effects.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';

/** A larger context is compared by identity. */
const mostValues = 1_000;

const primitiveText = (value: number | boolean | bigint | symbol | undefined): string =>
  `${typeof value} ${String(value)}`;

export class CallContexts {
  readonly #contexts = new TransientMap<string, unknown>();
  /** Numbers by which the text of a context names objects that are compared by identity. */
  readonly #numbers = new WeakMap<object, number>();
  /** Random text in the keys of callers, so that a key tells nothing about the context. */
  readonly #salt = newId();
  #last = 0;

  begin(ticket: string, context: unknown): void {
    if (context !== undefined) this.#contexts.set(keyOf(ticket), context);
  }
  end(ticket: string): void {
    this.#contexts.delete(keyOf(ticket));
  }
  of(ticket: string): unknown {
    return this.#contexts.get(keyOf(ticket));
  }
  at(call: Address): unknown {
    const name = nameOf(call);
    return this.#contexts.get(name.slice(name.lastIndexOf(':') + 1));
  }
  /** Equal contexts have the same key; none has undefined. */
  callerOf(context: unknown): string | undefined {
    if (context === undefined) return undefined;
    const left = { values: mostValues };
    const text = this.#textOf(context, left);
    const whole = left.values < 0 && typeof context === 'object' ? this.#numbered(context) : text;
    return `context.${sha256Of([this.#salt, whole]).slice(0, 32)}`;
  }
  /** Plain objects and lists by their values, everything else by its identity. */
  #textOf(value: unknown, left: { values: number }): string {
    left.values -= 1;
    if (left.values < 0) return '';
    if (value === null) return 'null';
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value === 'function') return this.#numbered(value);
    if (typeof value !== 'object') return primitiveText(value as number);
    if (Array.isArray(value)) return `[${value.map((each) => this.#textOf(each, left)).join()}]`;
    const kind: unknown = Object.getPrototypeOf(value);
    if (kind !== Object.prototype && kind !== null) return this.#numbered(value);
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    const parts = entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => `${JSON.stringify(key)}:${this.#textOf(each, left)}`);
    return `{${parts.join()}}`;
  }
  #numbered(value: object | null): string {
    if (value === null) return 'null';
    const number = this.#numbers.get(value) ?? (this.#last += 1);
    this.#numbers.set(value, number);
    return `#${number}`;
  }
}

/** A method that the host left out is not added, because it is then not declared to servers. */
export function answersFor(
  { capabilities, roots, sample, elicit, elicitUrl }: Answers = {},
  running: () => readonly KnownCall[],
  contexts: CallContexts,
): SessionAnswers {
  const asked = (server: string, signal: AbortSignal): ServerQuestion => {
    const calls = running().filter((call) => call.server === server && call.phase === 'running');
    const callers = new Set(calls.map(({ context }) => contexts.callerOf(context)));
    const context = callers.size === 1 ? calls[0]?.context : undefined;
    return { server, calls, ...(context !== undefined && { context }), signal };
  };
  const withCalls =
    <Params, Answer>(answer: (question: AskedWith<Params>) => Promise<Answer>) =>
    (server: string, params: Params, signal: AbortSignal): Promise<Answer> =>
      answer({ ...asked(server, signal), params });
  const answers = {
    ...(capabilities && { capabilities }),
    ...(roots && { roots: (server: string) => roots(asked(server, new AbortController().signal)) }),
    ...(sample && { sample: withCalls(sample) }),
    ...(elicit && { elicit: withCalls(elicit) }),
    ...(elicitUrl && { elicitUrl: withCalls(elicitUrl) }),
  };
  return answers as unknown as SessionAnswers;
}
