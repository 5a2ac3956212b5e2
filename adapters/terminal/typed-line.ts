import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { columnsOf } from './columns.ts';

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
export type Screen = Writable & { readonly columns?: number };
export interface LineHow {
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
