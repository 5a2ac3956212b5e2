import {
  createDigest,
  createRedactionKey,
  processFacts,
  sha256Of,
  systemClock,
} from '../../adapters/index.ts';
import { markOf, redactorOf, SecretIndex, SecretRedactor, type Profile } from '../../machines/trace/index.ts';
import { machines } from '../runtime/assemble.ts';
import { wordsOf } from '../runtime/charts.ts';
import { version, xstateVersion } from '../../machines/version.ts';
import { apiWords } from './host-words.ts';
import type { RecorderOptions } from './recorder.ts';
import { HookRedactor, type RedactHook } from './redaction.ts';

let words: ReadonlySet<string> | undefined;
/**
 * Words of our own code and API; they are hidden only under names of secrets. Collected on first use, because that
 * takes a few ms and most hosts have no secret.
 */
export const ownWords = (): ReadonlySet<string> =>
  (words ??= new Set([...Object.values(machines).flatMap(wordsOf), ...apiWords(Object.keys(machines))]));

/** Splits a secret of several lines, such as a key, because texts often quote it line by line. */
const wholeAndLines = (secret: string): readonly string[] =>
  [secret, ...secret.split(/\r?\n/)].filter((text) => text.trim() !== '');

/**
 * Makes the marks that replace secrets under one key; the same secret always gets the same mark. `key` is the one
 * of `RecordOptions`.
 */
export function marksBy(key?: string): (secret: string) => string {
  const { hash } = createRedactionKey(key);
  return (secret) => markOf(hash(secret));
}
/** Secrets of a host, hidden in everything that it records or shows. */
export class KnownSecrets {
  readonly #secrets: SecretIndex;
  readonly #names = new Set<string>();
  readonly #hook: RedactHook | undefined;
  #notice: (text: string) => void;
  /** Redactor for texts that hosts and peers get. */
  readonly redactor: SecretRedactor;

  /** `hook` is the host's own redaction; `notice` is called once when the hook throws. */
  constructor(secrets: readonly string[] = [], hook?: RedactHook, notice: (text: string) => void = () => {}) {
    this.#secrets = new SecretIndex(secrets);
    this.#hook = hook;
    this.#notice = notice;
    this.redactor = new SecretRedactor({ secrets: this.#secrets });
  }
  /** Hides these texts from now on. The name of their server is not hidden, even if it equals a secret. */
  hide(secrets: Iterable<string>, server: string): void {
    this.#names.add(server);
    for (const secret of secrets) for (const text of wholeAndLines(secret)) this.#secrets.add(text);
  }
  #failed(error: unknown): void {
    const notice = this.#notice;
    this.#notice = () => {};
    notice(
      `record.redact failed, and what it was asked about is hidden: ${this.redactor.text(String(error))}`,
    );
  }
  /**
   * Returns the options of a recorder of this host in real time, with its own redactor. `key` is the one of
   * `RecordOptions`.
   */
  recording(profile: Profile, key?: string): RecorderOptions {
    const { hash, keyId } = createRedactionKey(key);
    const hook = this.#hook;
    return {
      profile,
      ...(hook && {
        hook: new HookRedactor(
          hook,
          (secret) => markOf(hash(secret)),
          (error) => this.#failed(error),
        ),
      }),
      now: systemClock.now,
      wallClock: () => Date.now(),
      redactor: redactorOf(hash, this.#secrets, {
        has: (word) => this.#names.has(word) || ownWords().has(word),
      }),
      sha256: (text) => sha256Of([text]),
      digest: createDigest,
      about: {
        runtime: version,
        xstate: xstateVersion,
        node: processFacts.node,
        clock: 'real',
        started: new Date().toISOString(),
        redaction: { keyId },
      },
    };
  }
}
