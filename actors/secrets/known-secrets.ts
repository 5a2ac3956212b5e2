import { createRedactionKey } from '../../adapters/storage/traces.ts';
import {
  markOf,
  redactorOf,
  SecretRedactor,
  type KeyedHash,
  type Words,
} from '../../machines/secrets/redaction.ts';
import { SecretIndex } from '../../machines/secrets/secret-index.ts';
import { HookRedactor, type RedactHook } from './hook-redactor.ts';

/** Splits a secret of several lines, such as a key, because texts often quote it line by line. */
const wholeAndLines = (secret: string): readonly string[] =>
  [secret, ...secret.split(/\r?\n/)].filter((text) => text.trim() !== '');

/** The same secret always gets the same mark. `key` is the one of `RecordOptions`. */
export function marksBy(key?: string): (secret: string) => string {
  const { hash } = createRedactionKey(key);
  return (secret) => markOf(hash(secret));
}
/** Number of session ids and cookies that are remembered, and the length in characters from which one is no ordinary word. */
const [mostSessions, shortestSession] = [100, 8];
/** Secrets of a host, hidden in everything that it records or shows. */
export class KnownSecrets {
  readonly #secrets: SecretIndex;
  readonly #names = new Set<string>();
  readonly #sessions: string[] = [];
  readonly #hook: RedactHook | undefined;
  #notice: (text: string) => void;
  readonly redactor: SecretRedactor;

  constructor(secrets: readonly string[] = [], hook?: RedactHook, notice: (text: string) => void = () => {}) {
    this.#secrets = new SecretIndex(secrets);
    this.#hook = hook;
    this.#notice = notice;
    this.redactor = new SecretRedactor({ secrets: this.#secrets, plain: this.#names });
  }
  /** The names of their servers are not hidden, even if one equals a secret. */
  hide(secrets: Iterable<string>, ...servers: readonly string[]): void {
    for (const server of servers) this.#names.add(server);
    for (const secret of secrets) for (const text of wholeAndLines(secret)) this.#secrets.add(text);
  }
  /** Only the last ones are remembered, because servers give any number. */
  hideSession(id: string): void {
    if (id.length < shortestSession || this.#secrets.has(id)) return;
    this.#secrets.add(id);
    if (this.#sessions.push(id) > mostSessions) this.#secrets.drop(this.#sessions.shift());
  }
  #failed(error: unknown): void {
    const notice = this.#notice;
    this.#notice = () => {};
    notice(
      `record.redact failed, and what it was asked about is hidden: ${this.redactor.text(String(error))}`,
    );
  }
  /** In a trace, where `words` are hidden only under names of secrets. */
  inTrace(
    hash: KeyedHash,
    words: () => Words,
  ): { readonly redactor: SecretRedactor; readonly hook?: HookRedactor } {
    const hook = this.#hook;
    return {
      ...(hook && {
        hook: new HookRedactor(
          hook,
          (secret) => markOf(hash(secret)),
          (error) => this.#failed(error),
        ),
      }),
      redactor: redactorOf(hash, this.#secrets, {
        has: (word) => this.#names.has(word) || words().has(word),
      }),
    };
  }
}
