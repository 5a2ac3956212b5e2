/** Lines that a person types, the keyboard behind them, and the width of texts. */
import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import stringWidth from 'string-width';
import { asLine } from '../../machines/text.ts';

/** Tells whether each character of a line takes one terminal column, as Latin letters, common punctuation and arrows do. */
const isPlain = (line: string): boolean =>
  /^[ -~\u00A1-\u00AC\u00AE-\u024F\u2010-\u2027\u2190-\u21FF]*$/.test(line);
/** The package is only asked when necessary, because its first use takes 20 ms or more. */
const widthOf = (line: string): number => (isPlain(line) ? line.length : stringWidth(line));
export function padded(text: string, columns: number): string {
  const line = asLine(text);
  // Measures no long line: that would take minutes for some MB.
  return line.length > columns * longest ? line : line + ' '.repeat(Math.max(0, columns - widthOf(line)));
}
export const columnsOf = (text: string): number => widthOf(asLine(text));

export function fitting(text: string, columns: number, end = ''): string {
  // Cuts very long texts first: a visible character takes at most two columns and only a few code units.
  const line = asLine(text.slice(0, columns * longest));
  if (line.length <= columns && widthOf(line) <= columns) return line;
  if (isPlain(line)) return line.slice(0, Math.max(0, columns - widthOf(end))) + end;
  let shown = '';
  let left = columns - widthOf(end);
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    left -= widthOf(segment);
    if (left < 0) return shown + end;
    shown += segment;
  }
  return text.length > columns * longest ? shown + end : shown;
}
const longest = 16;

export interface Typing {
  readonly history?: readonly string[];
  readonly onHistory?: (lines: readonly string[]) => void;
  readonly isImmediate?: (line: string) => boolean;
  readonly complete?: (line: string) => Promise<readonly [readonly string[], string]>;
}

/** `more`: the line is incomplete, and the next one belongs to it. */
export type OnLine = (line: string) => Promise<'over' | 'again' | 'more'>;

const mostHistory = 1_000;
const defaultColumns = 80;

export const isClosed = (lines: Interface & { readonly closed?: boolean }): boolean => lines.closed === true;

type Screen = Writable & { readonly columns?: number };
interface LineHow {
  readonly text: string;
  readonly isSecret?: boolean;
  readonly typing?: Typing;
  readonly onReady: () => void;
}

/** An editor of its own, so that its text is in no history, undo or clipboard of another line. */
export class TypedLine {
  readonly lines: Interface & { prevRows?: number };
  readonly #keys = new Readable({ read: () => {} });
  readonly #output: Screen;
  /** Stream that the line editor writes to; the text reaches the screen only while the line is shown. */
  readonly #own: Writable;
  readonly isSecret: boolean;
  readonly isQuestion: boolean;
  #isShown = false;
  #isBusy = false;

  constructor(output: Screen, how: LineHow) {
    this.#output = output;
    this.isSecret = how.isSecret === true;
    this.isQuestion = how.typing === undefined;
    this.#own = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        if (this.#isShown && !this.isSecret) output.write(chunk);
        done();
      },
    });
    Object.defineProperty(this.#own, 'columns', { get: () => output.columns });
    this.lines = createInterface({
      input: this.#keys,
      output: this.#own,
      prompt: how.text,
      terminal: true,
      removeHistoryDuplicates: true,
      ...helpOf(how.typing),
    });
    // Marks the line as hidden after Enter, because the cursor is in the next row then. A secret is not echoed, so its row stays.
    this.lines.on('line', () => (this.#isShown &&= this.isSecret));
    this.lines.on('pause', () => (this.#isBusy = true));
    this.lines.on('resume', () => {
      this.#isBusy = false;
      how.onReady();
    });
  }
  get isShown(): boolean {
    return this.#isShown;
  }
  /** Tells that the line takes no keys, because possible completions are being looked for. */
  get isBusy(): boolean {
    return this.#isBusy && !isClosed(this.lines);
  }
  press(keys: string): void {
    this.#keys.emit('data', keys);
  }
  show(): void {
    this.#isShown = true;
    if (this.isSecret) this.#output.write(this.lines.getPrompt());
    else this.lines.prompt(true);
  }
  hide(): void {
    if (!this.#isShown) return;
    const { columns = defaultColumns } = this.#output;
    const rows = this.isSecret
      ? Math.floor(columnsOf(this.lines.getPrompt()) / columns)
      : this.lines.getCursorPos().rows;
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    // Sets the row of the cursor in readline to the first one; otherwise readline would move up by the rows of the line last shown.
    this.lines.prevRows = 0;
    this.#isShown = false;
  }
  ask(text: string): void {
    const wasShown = this.#isShown;
    this.hide();
    this.lines.setPrompt(text);
    if (wasShown) this.show();
  }
  /** Corrects the number of rows after the terminal was resized. Otherwise readline would move up by the rows of the old width. */
  resized(): void {
    if (!this.#isShown) return;
    this.lines.prevRows = this.lines.getCursorPos().rows;
    this.#own.emit('resize');
  }
  clear(): void {
    this.lines.write(null, { ctrl: true, name: 'e' });
    this.lines.write(null, { ctrl: true, name: 'u' });
  }
  close(): void {
    if (this.#isShown) this.#output.write('\n');
    this.#isShown = false;
    this.lines.close();
  }
}
function helpOf(typing: Typing | undefined): object {
  if (!typing) return { historySize: 0 };
  const { history = [], complete } = typing;
  const completer = (line: string, done: (error: null, found: [string[], string]) => void): void => {
    const none: readonly [readonly string[], string] = [[], line];
    void (complete?.(line) ?? Promise.resolve(none))
      .catch(() => none)
      .then(([some, part]) => done(null, [[...some], part]));
  };
  return { history: [...history], historySize: mostHistory, completer };
}

export type TerminalInput = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
};
interface Listeners {
  to(): TypedLine | undefined;
  press(line: TypedLine, keys: string): void;
  /** Handles Ctrl-C while no input line is open; it then interrupts the program as usual. */
  interrupt(): void;
  /** Returns at once where a program cannot be stopped. */
  suspend(): void;
  /** Called when the program continues after Ctrl-Z, because the screen may show other content. */
  onContinue(): void;
  onEnd(): void;
}
/** Pattern for keys up to Enter, Ctrl-C, Ctrl-D or Ctrl-Z, after which another line may get the next key. */
const untilTurn = /[^\r\n\u0003\u0004\u001A]*(?:\r\n|[\r\n\u0003\u0004\u001A])|[^\r\n\u0003\u0004\u001A]+/g;
const ctrlC = '\u0003';
const ctrlZ = '\u001A';

/** One reader to the end of the program, so that the terminal or a shell never shows a late answer. */
export class Keyboard {
  readonly #input: TerminalInput;
  readonly #listeners: Listeners;
  readonly #decoder = new StringDecoder('utf8');
  readonly #keys: string[] = [];
  /** Keys typed while no line was open. The next prompt gets them; a question never does. */
  readonly #ahead: string[] = [];
  #state: 'untouched' | 'reading' | 'over' = 'untouched';
  /** Pasted keys wait one turn of the event loop, because the asker may ask the next question at once. */
  #isSettling = false;
  #isStopped = false;

  constructor(input: TerminalInput, listeners: Listeners) {
    this.#input = input;
    this.#listeners = listeners;
  }
  get isOver(): boolean {
    return this.#state === 'over';
  }
  read(): void {
    if (this.#state !== 'untouched') return;
    this.#state = 'reading';
    this.#input.on('data', this.#take);
    this.#input.once('end', this.#end);
    process.on('SIGCONT', this.#continue);
    this.#input.setRawMode?.(true);
    this.#input.resume();
    if (this.#input.readableEnded) this.#end();
  }
  close(): void {
    const wasReading = this.#state === 'reading';
    this.#state = 'over';
    if (!wasReading) return;
    this.#input.off('data', this.#take);
    this.#input.off('end', this.#end);
    process.off('SIGCONT', this.#continue);
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }
  /** Keys pasted after a secret may be part of it, so they go to another question or are dropped. */
  settle(isSecret = false): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    const pasted = isSecret ? this.#keys.length : 0;
    setImmediate(() => {
      this.#isSettling = false;
      if (!this.#listeners.to()?.isQuestion) this.#keys.splice(0, pasted);
      this.#handOut();
    });
  }
  catchUp(): void {
    if (this.#ahead.length > 0) this.settle();
  }
  #suspend(): void {
    this.#input.setRawMode?.(false);
    this.#isStopped = true;
    this.#listeners.suspend();
    setImmediate(() => this.#isStopped && this.#continue());
  }
  /** Sets raw mode again, because the shell may have left the terminal in any mode. */
  readonly #continue = (): void => {
    if (this.#state !== 'reading') return;
    this.#isStopped = false;
    this.#input.setRawMode?.(false);
    this.#input.setRawMode?.(true);
    this.#listeners.onContinue();
  };
  readonly #end = (): void => {
    this.close();
    this.#listeners.onEnd();
  };
  readonly #take = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    this.#keys.push(...(text.match(untilTurn) ?? []));
    this.#handOut();
  };
  #handOut(): void {
    if (this.#listeners.to()?.isQuestion === false) this.#keys.unshift(...this.#ahead.splice(0));
    while (this.#keys.length > 0 && !this.#isSettling) {
      const line = this.#listeners.to();
      if (line?.isBusy) return;
      const typed = (this.#keys.shift() ?? '').replace('\r\n', '\r');
      const keys = typed.replace(ctrlZ, '');
      if (line && keys !== '') this.#listeners.press(line, keys);
      else if (keys.endsWith(ctrlC)) {
        this.#ahead.length = 0;
        this.#listeners.interrupt();
      } else if (keys !== '') this.#ahead.push(keys);
      if (keys !== typed) this.#suspend();
      if (this.#listeners.to() !== line) this.settle(line?.isSecret);
    }
  }
}

/** With a parent such as npx, so that the shell notices. Servers are in groups of their own and go on. */
export function stopGroup(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP');
}
