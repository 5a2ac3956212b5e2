/** JSON with comments, read with the place of each mistake. */
import { createScanner, printParseErrorCode, visit } from 'jsonc-parser';
import { pathText, type Mistake } from './mistake.ts';

/** Of duplicate keys `JSON.parse` would silently use the last. */
export type JsonText =
  | { readonly ok: true; readonly value: unknown; readonly duplicates: readonly Mistake[] }
  | { readonly ok: false; readonly mistake: Mistake };

const mostDuplicates = 50;
/** More than a config needs; protects the parser's stack. */
const deepest = 500;

/** With comments and trailing commas; an error names line and column, from 1, and never quotes the text. */
export const readJson = (text: string): JsonText => {
  const deep = tooDeepAt(text);
  if (deep !== null) return broken(deep, `more than ${deepest} brackets are open`);
  const duplicates: Mistake[] = [];
  const objects: Set<string>[] = [];
  const extra: (readonly [number, number])[] = [];
  let first: JsonText | undefined;
  let comma: number | undefined;
  const close = (): void => {
    if (comma !== undefined) extra.push([comma, comma + 1]);
    comma = undefined;
  };
  const isOpen = (): void => void (comma = undefined);
  visit(
    text,
    {
      onObjectBegin: () => {
        objects.push(new Set());
        isOpen();
      },
      onArrayBegin: isOpen,
      onLiteralValue: isOpen,
      onObjectProperty: (key, _offset, _length, line, character, pathOf) => {
        isOpen();
        const keys = objects.at(-1);
        if (keys?.has(key) && duplicates.length < mostDuplicates)
          duplicates.push({
            path: pathText([...pathOf(), key]),
            message: `stands twice in its object, again at ${line + 1}:${character + 1}`,
          });
        keys?.add(key);
      },
      onSeparator: (mark, offset) => void (comma = mark === ',' ? offset : undefined),
      onObjectEnd: () => {
        objects.pop();
        close();
      },
      onArrayEnd: close,
      onComment: (offset, length) => void extra.push([offset, offset + length]),
      onError: (code, offset, _length, line, character) =>
        void (first ??= broken({ line, character }, saidOf(printParseErrorCode(code), text[offset]))),
    },
    { allowTrailingComma: true },
  );
  return first ?? { ok: true, value: valueOf(text, extra), duplicates };
};

/** `JSON.parse` treats `__proto__` as an ordinary key. */
const valueOf = (text: string, extra: readonly (readonly [number, number])[]): unknown => {
  const pieces: string[] = [];
  let from = 0;
  for (const [start, end] of extra.toSorted(([a], [b]) => a - b)) {
    pieces.push(text.slice(from, start), ' ');
    from = end;
  }
  return JSON.parse(pieces.join('') + text.slice(from)) as unknown;
};

interface Place {
  readonly line: number;
  readonly character: number;
}
/** Token numbers of the scanner; its enum does not exist at run time. */
const [opening, closing, end] = [new Set([1, 3]), new Set([2, 4]), 17];
const tooDeepAt = (text: string): Place | null => {
  const scanner = createScanner(text, true);
  let open = 0;
  for (let token: number = scanner.scan(); token !== end; token = scanner.scan()) {
    open += opening.has(token) ? 1 : closing.has(token) ? -1 : 0;
    if (open > deepest)
      return { line: scanner.getTokenStartLine(), character: scanner.getTokenStartCharacter() };
  }
  return null;
};

const broken = ({ line, character }: Place, message: string): JsonText => ({
  ok: false,
  mistake: {
    path: '',
    message: `is not valid JSON: ${message}`,
    line: line + 1,
    column: character + 1,
  },
});

/** Named by its code, because an editor may show it like one of JSON, or not at all. */
const strangerAt = (char: string | undefined): string | undefined =>
  char === undefined || /[\t\n\r\x20-\x7E]/.test(char)
    ? undefined
    : `the character U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} means nothing in JSON`;
const saidOf = (code: string, char: string | undefined): string =>
  (code === 'InvalidCharacter' ? undefined : strangerAt(char)) ??
  code.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
