import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import type { TypedLine } from './typed-line.ts';

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
