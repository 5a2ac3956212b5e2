import type { RequestFact, Emit, Ports } from '../../machines/kernel/ports.ts';
import {
  couldBeAnything,
  isSecretName,
  replacedIn,
  spansOf,
  spellingsOf,
  type Span,
} from '../../machines/trace/index.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import { textInBase64 } from '../api/agent/base64.ts';

const mark = '***';
/** What may be the base64 of `user:password`, or of a secret alone. Longer ones hold more than that. */
const inBase64 = /(?<![\w+/-])[\w+/-]{4,4096}={0,2}/g;
// A word of a language; the base64 of a text has other letters, too.
const isMixed = /[A-Z\d]/;
const shortestNumber = 3;

const spansIn = (text: string, secrets: readonly string[]): Span[] =>
  secrets.flatMap((secret) => spellingsOf(secret).flatMap((spelled) => [...spansOf(text, spelled)]));

/** A text that was cut may begin or end inside a secret. */
const shortestPart = 6;
function* cutIn(text: string, secret: string): Generator<Span> {
  for (let length = Math.min(secret.length - 1, text.length); length >= shortestPart; length--) {
    if (text.endsWith(secret.slice(0, length))) yield [text.length - length, text.length];
    if (text.startsWith(secret.slice(-length))) yield [0, length];
  }
}
/**
 * Hides what servers were launched with from hosts and peers, wherever the text of a server can go: a server may put it
 * into its stderr, its errors, its log, its progress, or between its messages. What a tool answers is its answer, and
 * stays as it is.
 */
export class OutputRedactor {
  /** Of all servers: one may have been told what another one keeps. */
  readonly secrets: () => Iterable<string>;

  constructor(secrets: () => Iterable<string>) {
    this.secrets = secrets;
  }
  text(text: string): string {
    return this.#hidden(text, [...this.secrets()]);
  }
  #hidden(text: string, secrets: readonly string[]): string {
    if (secrets.length === 0) return text;
    const spans = [...spansIn(text, secrets), ...secrets.flatMap((secret) => [...cutIn(text, secret)])];
    for (const { 0: base64, index } of text.matchAll(inBase64)) {
      if (!isMixed.test(base64)) continue;
      const inside = textInBase64(base64);
      if (inside !== undefined && spansIn(inside, secrets).length > 0)
        spans.push([index, index + base64.length]);
    }
    return spans.length === 0 ? text : replacedIn(text, spans, () => mark);
  }
  /** Of a field: one that is short could be a part of any name, ours among them. */
  #key(key: string): string {
    const secrets = [...this.secrets()].filter((secret) => !couldBeAnything(secret));
    return this.#hidden(key, secrets);
  }
  /** Plain JSON without these secrets, and without anything under the name of one. */
  value<T>(value: T): T {
    return this.#in(value, isSecretName) as T;
  }
  /** In the texts of anything that is plain JSON, in its names of fields, and in numbers that are one. */
  #in(value: unknown, isSecret: (key: string) => boolean): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') {
      const digits = String(value);
      return digits.length >= shortestNumber && this.text(digits) === mark ? mark : value;
    }
    if (Array.isArray(value)) return value.map((each) => this.#in(each, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        this.#key(key),
        isSecret(key) && each !== null ? mark : this.#in(each, isSecret),
      ]),
    );
  }
  failure(failure: Failure): Failure {
    const { message, details, remedy } = failure;
    return {
      ...failure,
      message: this.text(message),
      ...(details && { details: this.#in(details, () => false) as typeof details }),
      ...(remedy !== undefined && { remedy: this.text(remedy) }),
    };
  }

  /** Who asked hears why a server refused and how far it is, and not what it was launched with. */
  answer(emit: Emit<RequestFact>): Emit<RequestFact> {
    return (fact) => {
      if (fact.type === 'ask.refused') emit({ ...fact, failure: this.failure(fact.failure) });
      else if (fact.type === 'ask.progress' && fact.message !== undefined)
        emit({ ...fact, message: this.text(fact.message) });
      else emit(fact);
    };
  }
  /** Why a session did not come about is told in words of servers, and of transports of the host's own. */
  session(open: Ports['session']): Ports['session'] {
    return (at, input, emit) =>
      open(at, input, (fact) =>
        emit(fact.type === 'session.failed' ? { ...fact, failure: this.failure(fact.failure) } : fact),
      );
  }
  /** What a process says at its end goes to hosts, and over the wire to agents. */
  process(open: Ports['process']): Ports['process'] {
    return (at, input, emit) =>
      open(at, input, (fact) => {
        if (fact.type === 'child.exited') emit({ ...fact, stderr: this.text(fact.stderr) });
        else if (fact.type === 'child.failed') emit({ ...fact, message: this.text(fact.message) });
        else emit(fact);
      });
  }
}
