import type { Computer, ResourceContent } from '../../api/computer-handle.ts';
import { A2cError } from '../../kernel/errors.ts';
import { violation, brokenByTime, type Violation } from '../../../machines/resources/check/index.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';

/** What came of one read. */
export type Came =
  | { readonly ok: true; readonly contents: readonly ResourceContent[] }
  | { readonly ok: false; readonly failure: Failure };

/** Reads of one server, one after the other, so that each has its own time. What is wrong with a read is kept. */
export class CheckReader {
  readonly #computer: Computer;
  readonly #server: string;
  readonly #limitMs: number;
  readonly #onRead: (uri: string) => void;
  readonly violations: Violation[] = [];
  /** What was read first, by URI: it is compared with what comes later. */
  readonly first = new Map<string, string>();

  constructor(computer: Computer, server: string, limitMs: number, onRead: (uri: string) => void) {
    this.#computer = computer;
    this.#server = server;
    this.#limitMs = limitMs;
    this.#onRead = onRead;
  }
  add(some: readonly Violation[]): void {
    this.violations.push(...some);
  }
  /** Undefined: it came too late, or was refused, and that has been said. */
  async read(uri: string): Promise<readonly ResourceContent[] | undefined> {
    const came = await this.ask(uri);
    if (!came) return undefined;
    if (came.ok) {
      this.first.set(uri, textOf(came.contents));
      return came.contents;
    }
    this.add([violation('unreadable', uri, null, came.failure.message)]);
    return undefined;
  }
  /** Undefined: it came too late, and that has been said. */
  async ask(uri: string): Promise<Came | undefined> {
    this.#onRead(uri);
    const startedAt = performance.now();
    const came = await this.#within(uri);
    const tookMs = came && performance.now() - startedAt;
    this.add(brokenByTime(uri, tookMs, this.#limitMs));
    return came;
  }
  /** The same once more: its text, or undefined where it cannot be had now. */
  async again(uri: string): Promise<string | undefined> {
    this.#onRead(uri);
    const came = await this.#within(uri);
    return came?.ok === true ? textOf(came.contents) : undefined;
  }
  #within(uri: string): Promise<Came | undefined> {
    const asked = this.#computer.readResource(uri, { server: this.#server }).then(
      (contents): Came => ({ ok: true, contents }),
      (error: unknown): Came => ({ ok: false, failure: failureOf(error) }),
    );
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(undefined), this.#limitMs);
      void asked.then((came) => {
        clearTimeout(late);
        resolve(came);
      });
    });
  }
}
/** What is compared: one text as it is, anything else as a whole. */
const textOf = (contents: readonly ResourceContent[]): string => {
  const [only] = contents;
  return contents.length === 1 && typeof only?.text === 'string' ? only.text : JSON.stringify(contents);
};
const failureOf = (error: unknown): Failure =>
  error instanceof A2cError
    ? { code: error.code, message: error.message, details: error.details }
    : { code: wireCodes.internal, message: String(error) };
