import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { asJson, asLine, asText } from '../../machines/text/index.ts';
import { fitting } from './columns.ts';
import {
  clearInput,
  followWidth,
  hide,
  isClosed,
  mostHistory,
  putBack,
  show,
  takeAway,
  type OnLine,
  type Typing,
} from './typed-line.ts';

/**
 * The one place that writes to a person. Results go to `out`, everything else to `err`. While a prompt waits for
 * input, lines from behind are written above it and the half-typed input stays as it is.
 *
 * Whatever is given to it may be the text of a stranger: characters that a terminal obeys, or that nobody sees, are
 * shown as escapes, and no text can look like a prompt or a line for programs (machines/text).
 */
export interface Terminal {
  /** A person can be asked. */
  readonly isInteractive: boolean;
  /** A person reads what goes to `out`; otherwise a program or a file does. */
  readonly isRead: boolean;
  /** A person reads along what goes to `err`. */
  readonly isWatched: boolean;
  /** Results: one line, or one JSON document. A line end in it is shown as an escape. */
  out(line: string): void;
  /** Results of several lines: line ends and tabs in it stay. */
  outText(text: string): void;
  /** In the place of all that is on the screen; where nobody reads it these lines are written below one another. */
  screen(lines: readonly string[]): void;
  /** For programs that read lines, on `out` or on `err`: it begins one, wherever the prompt stands. JSON behind a word. */
  line(text: string, where?: 'out' | 'err'): void;
  /** Progress, warnings, errors: one line, as `out` has it. */
  err(line: string): void;
  /** The same of several lines. */
  errText(text: string): void;
  /**
   * What goes on right now: the last line of `err`, cut to its width, which the next one replaces; null takes it away.
   * Nothing where nobody reads along, and while a question is open.
   */
  meter(text: string | null): void;
  /**
   * Asks until `onLine` says that it is over, the input ends, or `close` is called. Ctrl-C says no to an open
   * question, clears a half-typed line, and else goes to `onInterrupt`, which says whether that ends it.
   */
  prompt(text: string, onLine: OnLine, onInterrupt: () => 'over' | 'again', typing?: Typing): Promise<void>;
  /**
   * One question in the middle of everything else; null when there is nobody to answer, or no more. `isSecret`: what is typed
   * is not shown.
   */
  question(text: string, signal: AbortSignal, how?: { readonly isSecret?: boolean }): Promise<string | null>;
  close(): void;
}
export interface TerminalStreams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

const clearLine = '\r\u001B[K';
const clearScreen = '\u001B[H\u001B[2J';
const defaultColumns = 80;
/** In the place of the prompt, for a line that goes on. */
const more = '...> ';

class LineTerminal implements Terminal {
  readonly isInteractive: boolean;
  readonly isRead: boolean;
  readonly isWatched: boolean;
  readonly #streams: TerminalStreams;
  #lines: Interface | undefined;
  #wantsLine = false;
  /** A prompt that is piped ends no line, and nobody types one after it: also when its answer was read. */
  #isOpen = false;
  #meter: string | null = null;
  #questions: Promise<unknown> = Promise.resolve();
  #answer: ((line: string | null) => void) | undefined;
  #end = (): void => {};

  constructor(streams: TerminalStreams) {
    this.#streams = streams;
    this.isRead = streams.output.isTTY === true;
    this.isWatched = streams.errors.isTTY === true;
    this.isInteractive = streams.input.isTTY === true && this.isRead;
  }
  out(line: string): void {
    this.#write(this.#streams.output, asLine(line));
  }
  outText(text: string): void {
    this.#write(this.#streams.output, asText(text));
  }
  screen(lines: readonly string[]): void {
    if (this.isRead) this.#streams.output.write(clearScreen);
    for (const line of lines) this.out(line);
  }
  line(text: string, where: 'out' | 'err' = 'out'): void {
    const line = asJson(text);
    if (where === 'err') return this.#write(this.#streams.errors, line);
    this.#write(this.#streams.output, this.#isOpen ? `\n${line}` : line);
  }
  err(line: string): void {
    this.#write(this.#streams.errors, asLine(line));
  }
  errText(text: string): void {
    this.#write(this.#streams.errors, asText(text));
  }
  meter(text: string | null): void {
    if (!this.isWatched || (text !== null && this.#answer)) return;
    const { errors } = this.#streams;
    // Short of the width: a line that is full begins the next one.
    const shown = text === null ? null : fitting(text, (errors.columns ?? defaultColumns) - 1);
    if (shown !== this.#meter) errors.write(clearLine + (shown ?? ''));
    this.#meter = shown;
  }
  #write(stream: Writable, text: string): void {
    const isWaiting = this.isInteractive && (this.#wantsLine || this.#answer !== undefined);
    const lines = isWaiting ? this.#lines : undefined;
    const { output } = this.#streams;
    const meter = this.#meter;
    this.meter(null);
    const rows = lines && !isClosed(lines) ? takeAway(lines, output) : 0;
    stream.write(`${text}\n`);
    if (stream === output) this.#isOpen = false;
    if (lines && !isClosed(lines)) putBack(lines, output, rows);
    if (meter !== null) this.meter(meter);
  }

  async prompt(
    text: string,
    onLine: OnLine,
    onInterrupt: () => 'over' | 'again',
    typing: Typing = {},
  ): Promise<void> {
    const { output } = this.#streams;
    const lines = this.#opened(text, typing);
    this.#lines = lines;
    const unfollow = followWidth(lines, output);
    const isImmediate = (line: string): boolean =>
      !this.#wantsLine && typing.isImmediate?.(line.trim()) === true;
    const typed = this.#typedInto(lines, (line) => isImmediate(line) && void onLine(line.trim()));
    let isOver = false;
    const ended = new Promise<void>((resolve) => {
      this.#end = () => {
        isOver = true;
        lines.close();
        resolve();
      };
    });
    lines.on('SIGINT', () => {
      if (this.#answer) this.#answer(null);
      else if (this.#wantsLine && lines.line !== '') clearInput(lines);
      else if (onInterrupt() === 'over') this.#end();
      else if (this.#wantsLine && lines.getPrompt() === more) {
        // What was begun is given up.
        lines.setPrompt(text);
        output.write('\n');
        lines.prompt();
      }
    });
    this.#ask();
    const taken = (async () => {
      for await (const line of typed) {
        if (isOver) return;
        this.#wantsLine = false;
        const next = line.trim() === '' ? 'again' : await onLine(line.trim());
        if (next === 'over') return;
        lines.setPrompt(next === 'more' ? more : text);
        if (!isOver) this.#ask();
      }
    })();
    // Whoever ends it does not wait for the line that is being worked on.
    await Promise.race([taken, ended]);
    this.#wantsLine = false;
    unfollow();
    lines.close();
    this.#lines = undefined;
  }
  #opened(text: string, { history = [], onHistory = () => {}, complete }: Typing): Interface {
    const { input, output } = this.#streams;
    const completer = (line: string, done: (error: null, found: [string[], string]) => void): void => {
      const none: readonly [readonly string[], string] = [[], line];
      void (complete?.(line) ?? Promise.resolve(none))
        .catch(() => none)
        .then(([some, part]) => done(null, [[...some], part]));
    };
    const lines = createInterface({
      input,
      output,
      prompt: text,
      // Whatever is piped in is no terminal: readline would echo it.
      terminal: this.isInteractive,
      ...(this.isInteractive && { history: [...history], historySize: mostHistory, completer }),
      removeHistoryDuplicates: true,
    });
    lines.on('history', (all: string[]) => {
      // Answers to questions may be secrets, and a line after a blank is not to be kept.
      if (this.#answer || all[0]?.startsWith(' ')) all.shift();
      else onHistory(all);
    });
    return lines;
  }
  /** Lines in the order in which they came; those that answer a question are not among them. */
  async *#typedInto(lines: Interface, isDone: (line: string) => unknown): AsyncGenerator<string, void> {
    const queue: (string | null)[] = [];
    let wake = (): void => {};
    const put = (line: string | null): void => {
      queue.push(line);
      wake();
    };
    lines.on('line', (line) => {
      if (this.#answer) this.#answer(line);
      else if (isDone(line) === false) put(line);
    });
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
    if (!this.#lines || isClosed(this.#lines)) return;
    this.#wantsLine = true;
    if (this.#answer) return;
    this.#lines.prompt();
    this.#isOpen = !this.isInteractive;
  }

  question(
    text: string,
    signal: AbortSignal,
    { isSecret = false }: { readonly isSecret?: boolean } = {},
  ): Promise<string | null> {
    // One after the other: a line answers one of them.
    const answer = this.#questions.then(() => this.#askOnce(asLine(text), signal, isSecret));
    this.#questions = answer;
    return answer;
  }
  async #askOnce(text: string, signal: AbortSignal, isSecret: boolean): Promise<string | null> {
    if (!this.isInteractive || signal.aborted) return null;
    this.meter(null);
    const lines = this.#lines;
    const { output } = this.#streams;
    if (!lines) return this.#askAlone(text, signal, isSecret);
    if (isClosed(lines)) return null;
    const [before, halfTyped] = [lines.getPrompt(), lines.line];
    const line = await new Promise<string | null>((resolve) => {
      this.#answer = resolve;
      signal.addEventListener('abort', () => resolve(null), { once: true });
      // What was typed before the question is no answer to it: it is put aside.
      clearInput(lines);
      lines.setPrompt(text);
      if (isSecret) hide(lines, output);
      lines.prompt();
    });
    if (isSecret) show(lines, output);
    this.#answer = undefined;
    if (isClosed(lines)) return line;
    clearInput(lines);
    lines.setPrompt(before);
    if (this.#wantsLine) lines.prompt();
    lines.write(halfTyped);
    return line;
  }
  /** No prompt is open: a line of its own. Ctrl-C is no answer. */
  async #askAlone(text: string, signal: AbortSignal, isSecret: boolean): Promise<string | null> {
    const { input, output } = this.#streams;
    const lines = createInterface({ input, output, prompt: text, terminal: true });
    const line = await new Promise<string | null>((resolve) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => resolve(null));
      lines.once('close', () => resolve(null));
      signal.addEventListener('abort', () => resolve(null), { once: true });
      if (isSecret) hide(lines, output);
      lines.prompt();
    });
    if (isSecret) show(lines, output);
    lines.close();
    return line;
  }
  close(): void {
    this.#end();
  }
}

export const createTerminal = (
  streams: TerminalStreams = { input: process.stdin, output: process.stdout, errors: process.stderr },
): Terminal => new LineTerminal(streams);
