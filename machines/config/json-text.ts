import { pathText, type Mistake, type Path } from './mistake.ts';

/** What `JSON.parse` does not tell: where a text is broken, and which keys stand twice (the later one would win unseen). */
export type JsonText =
  | { readonly ok: true; readonly duplicates: readonly Mistake[] }
  | { readonly ok: false; readonly mistake: Mistake };

interface Frame {
  readonly isList: boolean;
  readonly keys: Set<string>;
  readonly openedAt: number;
  /** The step that leads to the value now read. */
  step: string | number;
}
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

/** Finding a place costs a walk over the text; nobody reads more than these. */
const mostDuplicates = 50;

const space = /[ \t\n\r]*/y;
const quoted = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const wanted: Readonly<Record<Expected, string>> = {
  value: 'a value',
  valueOrEnd: 'a value or "]"',
  key: 'a key in double quotes',
  keyOrEnd: 'a key in double quotes or "}"',
  colon: '":" after the key',
  commaOrEnd: '"," or the closing bracket',
  nothing: 'the end of the file',
};

/** Accepts exactly what `JSON.parse` accepts, with a list of its own instead of the stack. Never quotes the text. */
export const scanJson = (text: string): JsonText => {
  const frames: Frame[] = [];
  const duplicates: Mistake[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const afterValue = (): Expected => (frames.length === 0 ? 'nothing' : 'commaOrEnd');
  for (;;) {
    take(space);
    const char = text[at];
    const top = frames.at(-1);
    if (char === undefined) {
      if (expected === 'nothing') return { ok: true, duplicates };
      return broken(text, at, endsEarly(text, top));
    }
    const isValue = expected === 'value' || expected === 'valueOrEnd';
    const isKey = expected === 'key' || expected === 'keyOrEnd';
    if (isValue && (char === '{' || char === '[')) {
      frames.push({ isList: char === '[', keys: new Set(), openedAt: at, step: 0 });
      expected = char === '[' ? 'valueOrEnd' : 'keyOrEnd';
      at += 1;
    } else if ((isValue || isKey) && char === '"') {
      const start = at;
      const body = take(quoted);
      if (text[at] !== '"') return broken(text, at, brokenString(text, at));
      at += 1;
      if (isValue) expected = afterValue();
      else {
        note(String(JSON.parse(`${body}"`)), start, text, frames, duplicates);
        expected = 'colon';
      }
    } else if (isValue && take(scalar) !== '') {
      expected = afterValue();
    } else if (expected === 'colon' && char === ':') {
      expected = 'value';
      at += 1;
    } else if (expected === 'commaOrEnd' && char === ',' && top !== undefined) {
      if (typeof top.step === 'number') top.step += 1;
      expected = top.isList ? 'value' : 'key';
      at += 1;
    } else if (char === (top?.isList ? ']' : '}') && canClose(expected) && top !== undefined) {
      frames.pop();
      expected = afterValue();
      at += 1;
    } else {
      return broken(text, at, unexpected(text, at, expected));
    }
  }
};

const canClose = (expected: Expected): boolean =>
  expected === 'valueOrEnd' || expected === 'keyOrEnd' || expected === 'commaOrEnd';

const note = (
  key: string,
  at: number,
  text: string,
  frames: readonly Frame[],
  duplicates: Mistake[],
): void => {
  const top = frames.at(-1);
  if (top === undefined) return;
  top.step = key;
  if (top.keys.has(key) && duplicates.length < mostDuplicates) {
    const path: Path = frames.map((frame) => frame.step);
    duplicates.push({
      path: pathText(path),
      message: `stands twice in its object, again at ${place(text, at)}`,
    });
  }
  top.keys.add(key);
};

/** `line:column`, both from 1. */
const place = (text: string, at: number): string => {
  const before = text.slice(0, at).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
};

const broken = (text: string, at: number, message: string): JsonText => ({
  ok: false,
  mistake: { path: '', message: `is not valid JSON at ${place(text, at)} (line:column): ${message}` },
});

const endsEarly = (text: string, top: Frame | undefined): string =>
  top === undefined
    ? 'the file is empty'
    : `the file ends although the "${top.isList ? '[' : '{'}" of ${place(text, top.openedAt)} is still open`;

const brokenString = (text: string, at: number): string => {
  const char = text[at];
  if (char === undefined) return 'this string is never closed';
  if (char === '\\') return 'unknown escape in a string; a backslash is written "\\\\"';
  return char === '\n' || char === '\r'
    ? 'a string must be closed on its own line'
    : 'control character in a string';
};

const unexpected = (text: string, at: number, expected: Expected): string => {
  const char = text[at];
  if (char === '/' || char === '#') return 'comments are not allowed in JSON';
  if (char === "'") return 'JSON takes double quotes only';
  if ((expected === 'key' && char === '}') || (expected === 'value' && char === ']')) {
    return 'remove the comma before this bracket';
  }
  return `expected ${wanted[expected]}`;
};
