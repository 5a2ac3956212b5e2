import {
  createDigest,
  createRedactionKey,
  processFacts,
  sha256Of,
  systemClock,
} from '../../adapters/index.ts';
import { redactorOf, SecretIndex, SecretRedactor, type Profile } from '../../machines/trace/index.ts';
import { machines } from '../runtime/assemble.ts';
import { chartText, wordsOf } from '../runtime/charts.ts';
import { version, xstateVersion } from '../version.ts';
import type { RecorderOptions } from './recorder.ts';

let words: ReadonlySet<string> | undefined;
/** Made when it is first asked for: that takes a few ms, and most hosts have no secret. */
const chartWords = (): ReadonlySet<string> => (words ??= new Set(Object.values(machines).flatMap(wordsOf)));

/** By kind: what a head says of the charts. */
export const fingerprints = (): Record<string, string> =>
  Object.fromEntries(Object.entries(machines).map(([kind, m]) => [kind, sha256Of([chartText(m)])]));

/** A key of several lines is often told line by line. */
const wholeAndLines = (secret: string): readonly string[] =>
  [secret, ...secret.split(/\r?\n/)].filter((text) => text.trim() !== '');

/** What a host knows to be secret, for everything that it records or shows. */
export class KnownSecrets {
  readonly #secrets: SecretIndex;
  readonly #names = new Set<string>();
  /** For what hosts and peers are told. */
  readonly redactor: SecretRedactor;

  constructor(secrets: readonly string[] = []) {
    this.#secrets = new SecretIndex(secrets);
    this.redactor = new SecretRedactor({ secrets: this.#secrets });
  }
  /** Texts that are hidden from now on, of a server whose name is not, should it be the same word. */
  hide(secrets: Iterable<string>, server: string): void {
    this.#names.add(server);
    for (const secret of secrets) for (const text of wholeAndLines(secret)) this.#secrets.add(text);
  }
  /** A recorder of this host in real time, with a redactor of its own. `key`: see `RecordOptions`. */
  recording(profile: Profile, key?: string): RecorderOptions {
    const { hash, keyId } = createRedactionKey(key);
    return {
      profile,
      now: systemClock.now,
      redactor: redactorOf(hash, this.#secrets, {
        has: (word) => this.#names.has(word) || chartWords().has(word),
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
      charts: fingerprints,
    };
  }
}
