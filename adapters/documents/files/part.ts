import type { FileHandle } from 'node:fs/promises';
import { isBinary, limits, sizeText } from '../../../machines/documents/index.ts';
import { inWords, openFile, Refusal, type Place } from './place.ts';

export interface Part {
  /** As the file has it, line ends included; bytes that are not UTF-8 became U+FFFD. */
  readonly text: string;
  /** From 1; `toLine` is the last line in `text`, one less than `fromLine` for an empty file. */
  readonly fromLine: number;
  readonly toLine: number;
  /** Unknown when a large file was not read to its end. */
  readonly totalLines: number | null;
  /** The file goes on after `text`. */
  readonly isCut: boolean;
  /** Not even the first line fitted. */
  readonly isInsideLine: boolean;
}

export interface Range {
  readonly fromLine?: number | undefined;
  readonly lines?: number | undefined;
}

/** A whole file of at most 1 MiB, or the lines of a range from any text file, at most 1 MiB of them. */
export const readPart = async (place: Place, range: Range, signal: AbortSignal): Promise<Part> => {
  const { path, facts } = place;
  if (facts.isDirectory()) throw new Refusal(`"${path}" is a folder; list_files shows what is in it`);
  if (!facts.isFile()) throw new Refusal(`"${path}" is not a regular file`);
  const isWhole = range.fromLine === undefined && range.lines === undefined;
  const handle = await openFile(place.real, path);
  try {
    const start = await firstBytes(handle, limits.sniffBytes);
    if (isBinary(start)) {
      throw new Refusal(`"${path}" is not a text file (${sizeText(facts.size)}), so it cannot be read here`);
    }
    if (isWhole && facts.size > limits.fileBytes) {
      throw new Refusal(
        `"${path}" has ${sizeText(facts.size)}; only ${sizeText(limits.fileBytes)} can be read at once. ` +
          'Read a part of it: from_line 1 and lines 500, then go on from there',
      );
    }
    return await readLines(handle, path, range.fromLine ?? 1, range.lines ?? Infinity, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw inWords(error, path);
  } finally {
    await handle.close();
  }
};

/** The first bytes of a file, fewer if it has fewer. */
export const firstBytes = async (handle: FileHandle, most: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await handle.read(buffer, length, most - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};

const readLines = async (
  handle: FileHandle,
  path: string,
  fromLine: number,
  lines: number,
  signal: AbortSignal,
): Promise<Part> => {
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(64 * 1024);
  const taken = new Taken(fromLine, lines);
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    position += bytesRead;
    taken.add(decoder.decode(chunk.subarray(0, bytesRead), { stream: bytesRead > 0 }));
    if (bytesRead === 0) return taken.part(path, true);
    // A small file is read to its end for the number of its lines.
    if (taken.isFull && taken.hasMore && position > limits.fileBytes) return taken.part(path, false);
    if (position >= limits.partBytes) {
      if (taken.isStarted) return taken.part(path, false);
      throw new Refusal(
        `line ${fromLine} of "${path}" is not within its first ${sizeText(limits.partBytes)}`,
      );
    }
  }
};

/** Takes the wanted lines out of a stream of text and counts the others. */
class Taken {
  readonly #fromLine: number;
  readonly #end: number;
  readonly #whole: string[] = [];
  #wholeChars = 0;
  /** The wanted line that has not ended yet. */
  #open = '';
  /** The line that the next character belongs to. */
  #line = 1;
  #isAtLineStart = true;
  #isTooLong = false;
  #hasMore = false;

  constructor(fromLine: number, lines: number) {
    this.#fromLine = fromLine;
    this.#end = fromLine + lines;
  }

  get isStarted(): boolean {
    return this.#line > this.#fromLine || this.#open !== '';
  }

  get hasMore(): boolean {
    return this.#hasMore;
  }

  get isFull(): boolean {
    return this.#isTooLong || this.#line >= this.#end;
  }

  add(text: string): void {
    for (let at = 0; at < text.length;) {
      const lineEnd = text.indexOf('\n', at);
      const next = lineEnd < 0 ? text.length : lineEnd + 1;
      if (this.isFull) this.#hasMore = true;
      else if (this.#line >= this.#fromLine) this.#take(text.slice(at, next), lineEnd >= 0);
      if (lineEnd >= 0) this.#line += 1;
      this.#isAtLineStart = lineEnd >= 0;
      at = next;
    }
  }

  #take(piece: string, isEnd: boolean): void {
    this.#open += piece;
    if (this.#wholeChars + this.#open.length > limits.fileBytes) {
      this.#isTooLong = true;
      // Only whole lines, so that the next question can go on at a line; unless the first is too long by itself.
      this.#open = this.#whole.length > 0 ? '' : this.#open.slice(0, limits.fileBytes);
      this.#hasMore = true;
    } else if (isEnd) {
      this.#whole.push(this.#open);
      this.#wholeChars += this.#open.length;
      this.#open = '';
    }
  }

  part(path: string, isAtEnd: boolean): Part {
    const total = this.#line - (this.#isAtLineStart ? 1 : 0);
    if (isAtEnd && this.#fromLine > Math.max(total, 1)) {
      throw new Refusal(`"${path}" has ${total} lines, so there is no line ${this.#fromLine}`);
    }
    return {
      text: this.#whole.join('') + this.#open,
      fromLine: this.#fromLine,
      toLine: this.#fromLine + this.#whole.length + (this.#open === '' ? 0 : 1) - 1,
      totalLines: isAtEnd ? total : null,
      isCut: this.#hasMore || !isAtEnd,
      isInsideLine: this.#isTooLong && this.#whole.length === 0,
    };
  }
}
