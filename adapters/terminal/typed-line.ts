import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import stringWidth from 'string-width';
import { asLine } from '../../machines/text.ts';

/** As one line that fills so many columns of a terminal; a longer one stays as long as it is. */
export function padded(text: string, columns: number): string {
  const line = asLine(text);
  return line + ' '.repeat(Math.max(0, columns - stringWidth(line)));
}
/** How many columns of a terminal it takes as one line. */
export const columnsOf = (text: string): number => stringWidth(asLine(text));

const segmenter = new Intl.Segmenter();
/** As one line of at most so many columns; what is left out is marked by `end`. */
export function fitting(text: string, columns: number, end = ''): string {
  // No character that is seen has more than two columns, or is worth more than a few code units.
  const line = asLine(text.slice(0, columns * longest));
  if (line.length <= columns && stringWidth(line) <= columns) return line;
  let shown = '';
  let left = columns - stringWidth(end);
  for (const { segment } of segmenter.segment(line)) {
    left -= stringWidth(segment);
    if (left < 0) return shown + end;
    shown += segment;
  }
  return text.length > columns * longest ? shown + end : shown;
}
const longest = 16;

/** What helps a person to type at a prompt. */
export interface Typing {
  /** Lines of earlier runs, the newest first. */
  readonly history?: readonly string[];
  /** Hears the whole history, the newest first, each time a line is added. */
  readonly onHistory?: (lines: readonly string[]) => void;
  /** A line that does not wait until the one before it is done. */
  readonly isImmediate?: (line: string) => boolean;
  /** What the end of a line could become, and the part of it that this would replace. */
  readonly complete?: (line: string) => Promise<readonly [readonly string[], string]>;
}

/** `more`: the line is not whole, the next one belongs to it; until then the prompt is another. */
export type OnLine = (line: string) => Promise<'over' | 'again' | 'more'>;

/** Lines that are remembered. */
const mostHistory = 1_000;
const defaultColumns = 80;

export const isClosed = (lines: Interface & { readonly closed?: boolean }): boolean => lines.closed === true;

/** A screen that may be resized. */
type Screen = Writable & { readonly columns?: number };
interface LineHow {
  readonly text: string;
  /** Nothing of what is typed is shown. */
  readonly isSecret?: boolean;
  readonly typing?: Typing;
  /** Keys that waited can be taken. */
  readonly onReady: () => void;
}

/**
 * One line that a person is asked for, with an editor of its own: what was typed in one of them is in no history, undo or
 * clipboard of another. It has the keys that it is given, and is on the screen from `show` to `hide`.
 */
export class TypedLine {
  readonly lines: Interface & { prevRows?: number };
  readonly #keys = new Readable({ read: () => {} });
  readonly #output: Screen;
  /** What the editor writes to. */
  readonly #own: Writable;
  readonly isSecret: boolean;
  /** Not a prompt. */
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
    // Enter ends its row. A secret stands in one that nobody has ended.
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
  /** It takes no keys: words that could be meant are looked for. */
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
  /** Off the screen, however many rows it has. */
  hide(): void {
    if (!this.#isShown) return;
    const { columns = defaultColumns } = this.#output;
    const rows = this.isSecret
      ? Math.floor(columnsOf(this.lines.getPrompt()) / columns)
      : this.lines.getCursorPos().rows;
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    // Readline goes up by as many rows as the line had when it was last shown.
    this.lines.prevRows = 0;
    this.#isShown = false;
  }
  /** Another text before what is typed. */
  ask(text: string): void {
    const wasShown = this.#isShown;
    this.hide();
    this.lines.setPrompt(text);
    if (wasShown) this.show();
  }
  /** In another width the line has other rows: readline would go up by those of the old one. */
  resized(): void {
    if (!this.#isShown) return;
    this.lines.prevRows = this.lines.getCursorPos().rows;
    this.#own.emit('resize');
  }
  clear(): void {
    this.lines.write(null, { ctrl: true, name: 'e' });
    this.lines.write(null, { ctrl: true, name: 'u' });
  }
  /** What is on the screen of it stays there. */
  close(): void {
    if (this.#isShown) this.#output.write('\n');
    this.#isShown = false;
    this.lines.close();
  }
}
/** Options of an editor: what was typed before, and how a word could go on. */
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
  /** Whom the next key is for. */
  to(): TypedLine | undefined;
  press(line: TypedLine, keys: string): void;
  /** Ctrl-C while nobody is asked: what it means outside of a terminal that we read. */
  interrupt(): void;
  /** Ctrl-Z: this program stops until somebody continues it. Whoever cannot be stopped returns at once. */
  suspend(): void;
  /** Somebody else had the screen, and what stood there is gone. */
  onContinue(): void;
  /** No key comes any more. */
  onEnd(): void;
}
/** Up to the next key after which somebody else may be asked: Enter, Ctrl-C, Ctrl-D, Ctrl-Z. */
const untilTurn = /[^\r\n\u0003\u0004\u001A]*(?:\r\n|[\r\n\u0003\u0004\u001A])|[^\r\n\u0003\u0004\u001A]+/g;
const ctrlC = '\u0003';
const ctrlZ = '\u001A';

/**
 * The one reader of a terminal, from the first question to the end of the program: keys go to the line that is asked for when
 * they are read, and to nobody where there is none, so that no answer that comes late is shown by the terminal or by a shell.
 */
export class Keyboard {
  readonly #input: TerminalInput;
  readonly #listeners: Listeners;
  readonly #decoder = new StringDecoder('utf8');
  readonly #keys: string[] = [];
  #state: 'untouched' | 'reading' | 'over' = 'untouched';
  /** Who answered one question may ask the next at once: what was pasted with the answer waits for that. */
  #isSettling = false;
  /** By Ctrl-Z. */
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
  /** The terminal is that of the shell again. */
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
  /**
   * Whoever could take no key may take some after this turn of the event loop. What was pasted behind a secret may be more of it: it
   * is for another question or for nobody.
   */
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
  /** The shell has the terminal as it was before. Where there is none to go back to, nothing stops, and the keys are ours again. */
  #suspend(): void {
    this.#input.setRawMode?.(false);
    this.#isStopped = true;
    this.#listeners.suspend();
    setImmediate(() => this.#isStopped && this.#continue());
  }
  /** Sets the mode again: the shell may have left the terminal in any mode. */
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
    while (this.#keys.length > 0 && !this.#isSettling) {
      const line = this.#listeners.to();
      if (line?.isBusy) return;
      const typed = (this.#keys.shift() ?? '').replace('\r\n', '\r');
      const keys = typed.replace(ctrlZ, '');
      if (line && keys !== '') this.#listeners.press(line, keys);
      else if (keys.endsWith(ctrlC)) this.#listeners.interrupt();
      if (keys !== typed) this.#suspend();
      if (this.#listeners.to() !== line) this.settle(line?.isSecret);
    }
  }
}

/** Ctrl-Z, as a terminal does it: with whoever started us, such as npx, so that the shell notices. Servers have groups of their own. */
export function stopGroup(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP');
}
