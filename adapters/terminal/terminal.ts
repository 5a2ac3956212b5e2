/** The terminal of a person: the prompt, questions, what is printed above them, and Ctrl-C. */
import { readFile } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { asJson, asLine, asText } from '../../machines/text.ts';
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

/** `-` is stdin. Rejects with an error text for the person. */
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
  /** Answers the question once; later answers are dropped. */
  settle(answer: string | null): void;
  line?: TypedLine;
}
interface Stage {
  /** Makes the input line in which a person answers a question. */
  open(question: { readonly text: string; readonly isSecret: boolean }): TypedLine;
  /** Shows an input line on the screen, in front of a prompt. */
  show(line: TypedLine): void;
  /** Called when no question is open any more. */
  done(): void;
}

class Questions {
  readonly #stage: Stage;
  readonly #asked: Question[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }
  get line(): TypedLine | undefined {
    return this.#asked[0]?.line;
  }
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
  /** A half-typed secret belongs to its line up to Enter, so that it becomes the input of nothing else. */
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

/** Any text may come from a stranger: unsafe characters are escaped, and none can look like a prompt. */
export interface Terminal {
  readonly isInteractive: boolean;
  /** Tells whether a person reads `out`; otherwise a program or a file does. */
  readonly isRead: boolean;
  /** Tells whether a person reads `err`. */
  readonly isWatched: boolean;
  /** Writes a result of one line, or one JSON document, to stdout. A line end in it is shown as an escape. */
  out(line: string): void;
  outText(text: string): void;
  /** Writes a line for programs, a word and JSON, to `out` or `err`. It always begins a new line, even while a prompt is shown. */
  line(text: string, where?: 'out' | 'err'): void;
  err(line: string): void;
  errText(text: string): void;
  /** Last line of `err`, replaced by the next, removed by null; not shown while a person is asked or types. */
  meter(text: string | null): void;
  /** Ctrl-C rejects an open question, clears a half-typed line, and otherwise goes to `onInterrupt`. */
  prompt(text: string, onLine: OnLine, onInterrupt: OnInterrupt, typing?: Typing): Promise<void>;
  /** Null when no person can answer. `isSecret`: not shown, not kept, and given only to the asker. */
  question(text: string, signal: AbortSignal, how?: { readonly isSecret?: boolean }): Promise<string | null>;
  /** Does what Ctrl-C does where nobody is asked; other questions are answered by null. */
  interrupt(): void;
  close(): void;
}
/** Stream to a terminal or a pipe. */
type Screen = Writable & { readonly isTTY?: boolean };
interface TerminalStreams {
  readonly input: TerminalInput;
  readonly output: Screen;
  readonly errors: Screen & { readonly columns?: number };
  readonly interrupt?: () => void;
  readonly suspend?: () => void;
}
/** Handler for Ctrl-C that tells whether the prompt ends. `isAgain`: nothing was typed since the previous Ctrl-C. */
type OnInterrupt = (isAgain: boolean) => 'over' | 'again';

const clearLine = '\r\u001B[K';
const defaultColumns = 80;
const more = '...> ';
const ctrlC = '\u0003';

class LineTerminal implements Terminal {
  readonly isInteractive: boolean;
  readonly isRead: boolean;
  readonly isWatched: boolean;
  readonly #streams: TerminalStreams;
  readonly #keyboard: Keyboard;
  readonly #questions: Questions;
  #typed: TypedLine | undefined;
  #wantsLine = false;
  /** Input line that was on the screen when another program took it over. */
  #aside: TypedLine | undefined;
  /** True when the last text on stdout is a prompt without a line end, as after piped input. */
  #isOpen = false;
  #meter: string | null = null;
  #wasInterrupted = false;
  /** Lines that were entered at the prompt and are not taken yet: true for one that nobody saw, such as a pasted one. */
  readonly #unseen: boolean[] = [];
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
  interrupt(): void {
    this.#questions.close();
    this.#streams.interrupt?.();
  }
  out(line: string): void {
    this.#write(this.#streams.output, asLine(line));
  }
  outText(text: string): void {
    this.#write(this.#streams.output, asText(text));
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
    // Leaves one column free, because a full line makes the terminal begin the next one.
    const shown = text === null ? null : fitting(text, (errors.columns || defaultColumns) - 1);
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
  /** Text typed while a command is at work is kept for the next prompt. */
  #press(line: TypedLine, keys: string): void {
    if (keys !== ctrlC) this.#wasInterrupted = false;
    const isAhead = line === this.#typed && !this.#wantsLine;
    if (isAhead && !line.isShown && !isControl(keys)) this.#show(line);
    if (line === this.#typed && /[\r\n]$/.test(keys)) this.#unseen.push(!line.isShown);
    line.press(keys);
    if (isAhead && !this.#wantsLine && line.lines.line === '') line.hide();
  }

  async prompt(text: string, onLine: OnLine, onInterrupt: OnInterrupt, typing: Typing = {}): Promise<void> {
    const { input, output } = this.#streams;
    if (this.isInteractive) this.#keyboard.read();
    // Treats piped input as no terminal, because readline would echo it otherwise.
    const typed = this.isInteractive ? this.#lineOf({ text, typing }) : undefined;
    const lines = typed?.lines ?? createInterface({ input, output, prompt: text, terminal: false });
    this.#typed = typed;
    lines.on('history', (all: string[]) => {
      // Keeps a line that begins with a blank out of the history.
      if (all[0]?.startsWith(' ')) all.shift();
      else typing.onHistory?.(all);
    });
    const isImmediate = (line: string): boolean =>
      !this.#wantsLine && typing.isImmediate?.(line.trim()) === true;
    const all = typedInto(lines, (line) => {
      if (!isImmediate(line)) return false;
      this.#unseen.pop();
      void onLine(line.trim());
      return true;
    });
    let isOver = false;
    const ended = new Promise<void>((resolve) => {
      this.#end = () => {
        isOver = true;
        resolve();
      };
    });
    if (typed) this.#interruptible(typed, text, onInterrupt);
    this.#ask(lines);
    if (typed) this.#keyboard.catchUp();
    const taken = (async () => {
      for await (const line of all) {
        if (isOver) return;
        this.#wantsLine = false;
        if (this.#unseen.shift() === true) {
          typed?.hide();
          output.write(`${lines.getPrompt()}${asLine(line)}\n`);
        }
        const next = line.trim() === '' ? 'again' : await onLine(line.trim());
        if (next === 'over') return;
        lines.setPrompt(next === 'more' ? more : text);
        if (!isOver) this.#ask(lines);
      }
    })();
    if (this.#keyboard.isOver) lines.close();
    // Ends the prompt at once, without waiting for the command that is still running.
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
      if (this.#wantsLine && lines.getPrompt() === more) typed.ask(text);
    });
  }
  #ask(lines: Interface): void {
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
