import { clearScreenDown, cursorTo, moveCursor, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** The line that a person is typing: how it leaves the screen for a message, and comes back. */

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
export const mostHistory = 1_000;

export const isClosed = (lines: Interface & { readonly closed?: boolean }): boolean => lines.closed === true;
export const clearInput = (lines: Interface): void => {
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
};

/** Takes what is typed off the screen, however many rows it has; answers how many there were above the cursor. */
export function takeAway(lines: Interface, output: Writable): number {
  const rows = isHidden(lines, output) ? 0 : lines.getCursorPos().rows;
  moveCursor(output, 0, -rows);
  cursorTo(output, 0);
  clearScreenDown(output);
  return rows;
}
/** Readline goes up by as many rows as the line had when it was last shown. */
export function putBack(lines: Interface, output: Writable, rows: number): void {
  output.write('\n'.repeat(rows));
  if (isHidden(lines, output)) output.write(lines.getPrompt());
  else lines.prompt(true);
}
/** In another width the line has other rows: readline would go up by those of the old one. */
export function followWidth(lines: Interface & { prevRows?: number }, output: Writable): () => void {
  const resized = (): void => void (lines.prevRows = lines.getCursorPos().rows);
  output.prependListener('resize', resized);
  return () => output.off('resize', resized);
}
type Shown = Interface & { output?: Writable };
const isHidden = (lines: Shown, output: Writable): boolean => lines.output !== output;
/** From now on nothing of what is typed is shown; the prompt is, once. */
export function hide(lines: Shown, output: Writable): void {
  const { columns } = output as { columns?: number };
  lines.output = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { columns });
  output.write(lines.getPrompt());
}
export function show(lines: Shown, output: Writable): void {
  lines.output = output;
  output.write('\n');
}
