import { readFile } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  Keyboard,
  stopGroup,
  type TerminalInput,
  fitting,
  TypedLine,
  isClosed,
  type OnLine,
  type Typing,
} from './typed-line.ts';
import { asJson, asLine, asText } from '../../machines/text.ts';

/** What a person names on the command line: the whole text of a file, or of stdin for `-`. Rejects with a sentence. */
export async function readText(name: string): Promise<string> {
  if (name === '-') return text(process.stdin);
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new Error(`cannot read ${name}: ${why}`, { cause: error });
  }
}

interface Question {
  readonly text: string;
  readonly isSecret: boolean;
  /** Answers the asker once; later answers are dropped. */
  settle(answer: string | null): void;
  line?: TypedLine;
}
interface Stage {
  /** A line for a question. */
  open(question: { readonly text: string; readonly isSecret: boolean }): TypedLine;
  /** Puts it on the screen, in front of a prompt. */
  show(line: TypedLine): void;
  /** No question is open any more. */
  done(): void;
}

/** Questions to a person: one is open, the others wait for it. */
class Questions {
  readonly #stage: Stage;
  readonly #asked: Question[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }
  /** Line of the question that is open. */
  get line(): TypedLine | undefined {
    return this.#asked[0]?.line;
  }
  /** Null: there is no answer, or the signal came first. */
  ask(text: string, signal: AbortSignal, isSecret: boolean): Promise<string | null> {
    return new Promise((resolve) => {
      const withdraw = (): void => this.#withdraw(question);
      const question: Question = {
        text,
        isSecret,
        settle: (answer) => {
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        },
      };
      signal.addEventListener('abort', withdraw, { once: true });
      if (this.#asked.push(question) === 1) this.#openFirst();
    });
  }
  /** All of them without an answer. */
  close(): void {
    const all = this.#asked.splice(0);
    for (const { line, settle } of all) {
      line?.close();
      settle(null);
    }
  }
  #openFirst(): void {
    const [question] = this.#asked;
    if (!question) return this.#stage.done();
    const line = this.#stage.open(question);
    question.line = line;
    line.lines.once('line', (answer) => this.#end(question, answer));
    line.lines.once('SIGINT', () => this.#end(question, null));
    line.lines.once('close', () => this.#end(question, null));
    this.#stage.show(line);
  }
  #end(question: Question, answer: string | null): void {
    if (this.#asked[0] !== question) return;
    this.#asked.shift();
    question.line?.close();
    question.settle(answer);
    this.#openFirst();
  }
  /**
   * Nobody wants the answer any more. A secret may be half typed, or typed by somebody who has not seen that: the rest of it, up
   * to Enter, is still for this line, and goes nowhere.
   */
  #withdraw(question: Question): void {
    const at = this.#asked.indexOf(question);
    question.settle(null);
    if (question.line && question.isSecret) return question.line.ask(`${question.text}${notAsked}`);
    question.line?.hide();
    if (question.line) this.#end(question, null);
    else if (at >= 0) this.#asked.splice(at, 1);
  }
}
const notAsked = '(not asked any more; Enter goes on) ';

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
   * Nothing where nobody reads along, and while a person is asked or types.
   */
  meter(text: string | null): void;
  /**
   * Asks until `onLine` says that it is over, the input ends, or `close` is called; a question that is open stays in front of it.
   * Ctrl-C says no to an open question, clears a half-typed line, and else goes to `onInterrupt`.
   */
  prompt(text: string, onLine: OnLine, onInterrupt: OnInterrupt, typing?: Typing): Promise<void>;
  /**
   * One question in the middle of everything else; null when there is nobody to answer, or no more. `isSecret`: what is typed
   * is not shown, is kept nowhere, and reaches nobody else, also when the question is withdrawn meanwhile.
   */
  question(text: string, signal: AbortSignal, how?: { readonly isSecret?: boolean }): Promise<string | null>;
  /** For good: nobody is asked any more. */
  close(): void;
}
interface TerminalStreams {
  readonly input: TerminalInput;
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Ctrl-C while nobody is asked; Ctrl-Z. */
  readonly interrupt?: () => void;
  readonly suspend?: () => void;
}
/** Says whether Ctrl-C ends the prompt. `isAgain`: nothing was typed since the last one. */
type OnInterrupt = (isAgain: boolean) => 'over' | 'again';

const clearLine = '\r\u001B[K';
const clearScreen = '\u001B[H\u001B[2J';
const defaultColumns = 80;
/** In the place of the prompt, for a line that goes on. */
const more = '...> ';
const ctrlC = '\u0003';

class LineTerminal implements Terminal {
  readonly isInteractive: boolean;
  readonly isRead: boolean;
  readonly isWatched: boolean;
  readonly #streams: TerminalStreams;
  readonly #keyboard: Keyboard;
  readonly #questions: Questions;
  /** The line of the prompt, at a terminal. */
  #typed: TypedLine | undefined;
  #wantsLine = false;
  /** It had the last row when somebody else got the screen. */
  #aside: TypedLine | undefined;
  /** A prompt that is piped ends no line, and nobody types one after it: also when its answer was read. */
  #isOpen = false;
  #meter: string | null = null;
  /** Ctrl-C was the last key. */
  #wasInterrupted = false;
  #end = (): void => {};

  constructor(streams: TerminalStreams) {
    const { input, output, errors, interrupt = () => {}, suspend = () => {} } = streams;
    this.#streams = streams;
    this.isRead = output.isTTY === true;
    this.isWatched = errors.isTTY === true;
    this.isInteractive = input.isTTY === true && this.isRead;
    this.#questions = new Questions({
      open: (question) => this.#lineOf(question),
      show: (line) => {
        this.#typed?.hide();
        this.#show(line);
      },
      done: () => this.#wantsLine && this.#show(this.#typed),
    });
    this.#keyboard = new Keyboard(input, {
      to: () => this.#questions.line ?? this.#typed,
      press: (line, keys) => this.#press(line, keys),
      interrupt,
      suspend: () => {
        this.#stepAside();
        suspend();
      },
      onContinue: () => {
        this.#stepAside();
        this.#show(this.#aside);
        this.#aside = undefined;
      },
      onEnd: () => {
        this.#questions.close();
        this.#typed?.lines.close();
      },
    });
    if (this.isInteractive) output.on('resize', this.#resized);
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
    if (!this.isWatched || (text !== null && this.#shown)) return;
    const { errors } = this.#streams;
    // Short of the width: a line that is full begins the next one.
    const shown = text === null ? null : fitting(text, (errors.columns ?? defaultColumns) - 1);
    if (shown !== this.#meter) errors.write(clearLine + (shown ?? ''));
    this.#meter = shown;
  }
  #write(stream: Writable, text: string): void {
    const line = this.#shown;
    const meter = this.#meter;
    this.meter(null);
    line?.hide();
    stream.write(`${text}\n`);
    if (stream === this.#streams.output) this.#isOpen = false;
    this.#show(line);
    if (meter !== null) this.meter(meter);
  }
  #stepAside(): void {
    this.#aside = this.#shown ?? this.#aside;
    this.#aside?.hide();
  }
  /** The line that has the last row. */
  get #shown(): TypedLine | undefined {
    return [this.#questions.line, this.#typed].find((line) => line?.isShown);
  }
  #show(line: TypedLine | undefined): void {
    if (!line || isClosed(line.lines)) return;
    this.meter(null);
    line.show();
  }
  readonly #resized = (): void => this.#shown?.resized();
  #lineOf(how: { readonly text: string; readonly isSecret?: boolean; readonly typing?: Typing }): TypedLine {
    return new TypedLine(this.#streams.output, {
      ...how,
      onReady: () => this.#keyboard.settle(),
    });
  }
  /** What is typed while a command is at work is for the next prompt, and is shown as long as there is some of it. */
  #press(line: TypedLine, keys: string): void {
    if (keys !== ctrlC) this.#wasInterrupted = false;
    const isAhead = line === this.#typed && !this.#wantsLine;
    if (isAhead && !line.isShown && !isControl(keys)) this.#show(line);
    line.press(keys);
    if (isAhead && !this.#wantsLine && line.lines.line === '') line.hide();
  }

  async prompt(text: string, onLine: OnLine, onInterrupt: OnInterrupt, typing: Typing = {}): Promise<void> {
    const { input, output } = this.#streams;
    if (this.isInteractive) this.#keyboard.read();
    // Whatever is piped in is no terminal: readline would echo it.
    const typed = this.isInteractive ? this.#lineOf({ text, typing }) : undefined;
    const lines = typed?.lines ?? createInterface({ input, output, prompt: text, terminal: false });
    this.#typed = typed;
    lines.on('history', (all: string[]) => {
      // A line after a blank is not to be kept.
      if (all[0]?.startsWith(' ')) all.shift();
      else typing.onHistory?.(all);
    });
    const isImmediate = (line: string): boolean =>
      !this.#wantsLine && typing.isImmediate?.(line.trim()) === true;
    const all = typedInto(lines, (line) => isImmediate(line) && void onLine(line.trim()));
    let isOver = false;
    const ended = new Promise<void>((resolve) => {
      this.#end = () => {
        isOver = true;
        resolve();
      };
    });
    if (typed) this.#interruptible(typed, text, onInterrupt);
    this.#ask(lines);
    const taken = (async () => {
      for await (const line of all) {
        if (isOver) return;
        this.#wantsLine = false;
        const next = line.trim() === '' ? 'again' : await onLine(line.trim());
        if (next === 'over') return;
        lines.setPrompt(next === 'more' ? more : text);
        if (!isOver) this.#ask(lines);
      }
    })();
    if (this.#keyboard.isOver) lines.close();
    // Whoever ends it does not wait for the line that is being worked on.
    await Promise.race([taken, ended]).finally(() => {
      this.#wantsLine = false;
      this.#typed = undefined;
      if (typed) typed.close();
      else lines.close();
    });
  }
  #interruptible(typed: TypedLine, text: string, onInterrupt: OnInterrupt): void {
    const { lines } = typed;
    lines.on('SIGINT', () => {
      if (this.#wantsLine && lines.line !== '') return typed.clear();
      const isAgain = this.#wasInterrupted;
      this.#wasInterrupted = true;
      if (onInterrupt(isAgain) === 'over') return this.#end();
      // What was begun is given up.
      if (this.#wantsLine && lines.getPrompt() === more) typed.ask(text);
    });
  }
  #ask(lines: Interface): void {
    // The input may have ended while the last line was worked on.
    if (isClosed(lines)) return;
    this.#wantsLine = true;
    if (!this.#typed) {
      lines.prompt();
      this.#isOpen = true;
    } else if (!this.#questions.line) this.#show(this.#typed);
  }

  question(
    text: string,
    signal: AbortSignal,
    { isSecret = false }: { readonly isSecret?: boolean } = {},
  ): Promise<string | null> {
    if (!this.isInteractive || signal.aborted) return Promise.resolve(null);
    this.#keyboard.read();
    if (this.#keyboard.isOver) return Promise.resolve(null);
    return this.#questions.ask(asLine(text), signal, isSecret);
  }
  close(): void {
    this.#keyboard.close();
    this.#streams.output.off('resize', this.#resized);
    this.#questions.close();
    this.#end();
  }
}
/** Lines in the order in which they came; those that are done are not among them. */
async function* typedInto(lines: Interface, isDone: (line: string) => unknown): AsyncGenerator<string, void> {
  const queue: (string | null)[] = [];
  let wake = (): void => {};
  const put = (line: string | null): void => {
    queue.push(line);
    wake();
  };
  lines.on('line', (line) => isDone(line) === false && put(line));
  lines.on('close', () => put(null));
  for (;;) {
    const line = queue.shift();
    if (line === null) return;
    if (line === undefined) await new Promise<void>((resolve) => (wake = resolve));
    else yield line;
  }
}
const isControl = (keys: string): boolean => /^[\r\n\u0003\u0004]$/.test(keys);

export const createTerminal = (
  streams: TerminalStreams = {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    interrupt: () => void process.emit('SIGINT', 'SIGINT'),
    suspend: stopGroup,
  },
): Terminal => new LineTerminal(streams);
