import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/**
 * The one place that writes to a person. Results go to `out`, everything else to `err`. While a prompt waits for
 * input, lines from behind are written above it and the half-typed input stays as it is.
 */
export interface Terminal {
  readonly isInteractive: boolean;
  /** Results: one line, or one document. */
  out(text: string): void;
  /** Progress, warnings, errors. */
  err(text: string): void;
  /**
   * Asks until `onLine` says that it is over, the input ends, or `close` is called. Ctrl-C goes to `onInterrupt`,
   * which says whether that ends it.
   */
  prompt(text: string, onLine: OnLine, onInterrupt: () => 'over' | 'again'): Promise<void>;
  /** One question in the middle of everything else; null when there is nobody to answer, or no more. */
  question(text: string, signal: AbortSignal): Promise<string | null>;
  close(): void;
}
export type OnLine = (line: string) => Promise<'over' | 'again'>;
export interface TerminalStreams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable;
}

class LineTerminal implements Terminal {
  readonly isInteractive: boolean;
  readonly #streams: TerminalStreams;
  #lines: Interface | undefined;
  #isAsking = false;
  #answer: ((line: string | null) => void) | undefined;

  constructor(streams: TerminalStreams) {
    this.#streams = streams;
    this.isInteractive = streams.input.isTTY === true && streams.output.isTTY === true;
  }
  out(text: string): void {
    this.#write(this.#streams.output, text);
  }
  err(text: string): void {
    this.#write(this.#streams.errors, text);
  }
  #write(stream: Writable, text: string): void {
    const isWaiting = this.#isAsking && this.isInteractive;
    if (isWaiting) this.#streams.output.write('\r\u001B[K');
    stream.write(`${text}\n`);
    if (isWaiting) this.#lines?.prompt(true);
  }

  async prompt(text: string, onLine: OnLine, onInterrupt: () => 'over' | 'again'): Promise<void> {
    const { input, output } = this.#streams;
    // Whatever is piped in is no terminal: readline would echo it.
    const lines = createInterface({ input, output, prompt: text, terminal: this.isInteractive });
    this.#lines = lines;
    const typed = this.#typedInto(lines);
    lines.on('SIGINT', () => {
      if (onInterrupt() === 'over') lines.close();
    });
    this.#ask();
    for await (const line of typed) {
      this.#isAsking = false;
      if (line.trim() !== '' && (await onLine(line.trim())) === 'over') break;
      this.#ask();
    }
    this.#isAsking = false;
    lines.close();
    this.#lines = undefined;
  }
  /** Lines in the order in which they came; those that answer a question are not among them. */
  async *#typedInto(lines: Interface): AsyncGenerator<string, void> {
    const queue: (string | null)[] = [];
    let wake = (): void => {};
    const put = (line: string | null): void => {
      queue.push(line);
      wake();
    };
    lines.on('line', (line) => (this.#answer ? this.#answer(line) : put(line)));
    lines.on('close', () => {
      this.#answer?.(null);
      put(null);
    });
    for (;;) {
      const line = queue.shift();
      if (line === null) return;
      if (line === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield line;
    }
  }
  #ask(): void {
    // The input may have ended while the last line was worked on.
    if (!this.#lines || (this.#lines as Interface & { closed?: boolean }).closed) return;
    this.#isAsking = true;
    this.#lines.prompt();
  }

  async question(text: string, signal: AbortSignal): Promise<string | null> {
    const lines = this.#lines;
    if (!lines || !this.isInteractive || signal.aborted) return null;
    const [before, wasAsking] = [lines.getPrompt(), this.#isAsking];
    const line = await new Promise<string | null>((resolve) => {
      this.#answer = resolve;
      signal.addEventListener('abort', () => resolve(null), { once: true });
      lines.setPrompt(text);
      this.#ask();
    });
    this.#answer = undefined;
    lines.setPrompt(before);
    this.#isAsking = wasAsking;
    if (wasAsking) lines.prompt();
    return line;
  }
  close(): void {
    this.#lines?.close();
  }
}

export const createTerminal = (
  streams: TerminalStreams = { input: process.stdin, output: process.stdout, errors: process.stderr },
): Terminal => new LineTerminal(streams);
