/** Files below a folder, as the documents server lists, searches and reads them. */

/** What one question may cost. A reader is told whenever one of these cut an answer short. */
export const limits = {
  /** Largest file that is read whole, searched, or answered in one piece. */
  fileBytes: 1024 * 1024,
  /** How far into a larger file a part may begin or end. */
  partBytes: 64 * 1024 * 1024,
  /** All files of one search together. */
  searchBytes: 64 * 1024 * 1024,
  /** Entries of a list, hits of a search. */
  results: 200,
  /** Directory entries looked at for one answer, shown or not. */
  visited: 20_000,
  /** Levels below the folder that was asked for. */
  depth: 20,
  /** Bytes at the start of a file by which text is told from the rest. */
  sniffBytes: 8192,
  /** Characters of a line shown around a hit. */
  previewChars: 240,
  /** Characters of a query or pattern. */
  wordChars: 500,
  /** Largest file that is read as a document. */
  documentBytes: 50 * 1024 * 1024,
  /** What an office file may unpack to, all its parts together. */
  unpackedBytes: 200 * 1024 * 1024,
  /** How long one document may be read for, and what this process may grow by meanwhile. */
  parseMs: 20_000,
  parseGrowthBytes: 768 * 1024 * 1024,
  /** Heap of one reading thread. */
  parseHeapMb: 512,
  /** Rows of one table, columns of a row, elements of a page: the rest is counted. */
  tableRows: 2000,
  tableColumns: 200,
  pageElements: 2000,
  /** What was read is kept up to here, as characters of JSON. */
  cachedChars: 64 * 1024 * 1024,
  /** Documents that are listed one by one; of more the catalogue is listed. */
  listedDocuments: 200,
  /** All documents of a folder. */
  documents: 20_000,
  /** Characters of a window. */
  windowChars: 20_000,
  /** Pages that `open` keeps on the Desktop. */
  openPages: 8,
} as const;

// ── paths ─────────────────────────────────────────────────────────────────────────────────────────────
/** A path that a stranger named, cleaned, or why it is refused. `.` is the root itself. */
type CheckedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): CheckedPath => ({ ok: false, reason });

/**
 * Relative to the root, `/` between parts, no way out. Only the text is judged here: a symbolic link that leads out
 * is seen by whoever opens the file.
 */
export const checkPath = (raw: string): CheckedPath => {
  if (raw.includes('\0')) return refuse('a path must not contain a NUL character');
  if (/^([/\\]|[A-Za-z]:[/\\]|file:)/.test(raw)) {
    return refuse(`the path must be relative to the root, like "docs/a.md"; "${raw}" is absolute`);
  }
  const parts: string[] = [];
  for (const part of raw.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return refuse(`"${raw}" leads out of the root`);
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return { ok: true, path: parts.join('/') || '.' };
};

/** `.` and `a` → `a`. */
export const joinPath = (folder: string, name: string): string =>
  folder === '.' ? name : `${folder}/${name}`;

const bulky = new Set(['node_modules', 'dist']);

/**
 * What a walk leaves out: hidden entries, and folders full of what nobody wrote. Somebody who names such a folder
 * gets it.
 */
export const isSkipped = (name: string, isFolder: boolean): boolean =>
  name.startsWith('.') || (isFolder && bulky.has(name));

// ── patterns ──────────────────────────────────────────────────────────────────────────────────────────
/**
 * A simple glob as a test of relative paths: `*` and `?` within a name, `**` over any number of folders, `{a,b}`
 * for either. Without a `/` it tests the last name only. No backtracking over more than one `*`, so a hostile
 * pattern costs no more than a long one.
 */
export const patternTest = (pattern: string): ((path: string) => boolean) => {
  const whole = pattern.includes('/');
  const forms = alternatives(pattern).map((form) =>
    form.split('/').filter((part) => part !== '' && part !== '.'),
  );
  return (path) => {
    const parts = path.split('/');
    const tested = whole ? parts : parts.slice(-1);
    return forms.some((form) => matchesParts(form, tested));
  };
};

/** `*.{ts,js}` → `*.ts`, `*.js`. Not nested; beyond 64 forms the rest is taken as it stands. */
const alternatives = (pattern: string): readonly string[] => {
  let forms = [pattern.slice(0, limits.wordChars)];
  for (;;) {
    const next = forms.flatMap((form) => {
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(form);
      if (braces === null) return [form];
      const before = form.slice(0, braces.index);
      const after = form.slice(braces.index + braces[0].length);
      return (braces[1] ?? '').split(',').map((choice) => before + choice + after);
    });
    if (next.length > 64 || next.length === forms.length) return forms;
    forms = next;
  }
};

const matchesParts = (form: readonly string[], parts: readonly string[]): boolean =>
  greedy(
    form.length,
    parts.length,
    (at) => form[at] === '**',
    (at, index) => matchesName(form[at] ?? '', parts[index] ?? ''),
  );

const matchesName = (form: string, name: string): boolean =>
  greedy(
    form.length,
    name.length,
    (at) => form[at] === '*',
    (at, index) => form[at] === '?' || form[at] === name[index],
  );

/**
 * Wildcard matching that goes back to the last star only: enough, because an earlier star can always give what a
 * later one takes.
 */
const greedy = (
  formLength: number,
  textLength: number,
  isStar: (at: number) => boolean,
  isMatch: (at: number, index: number) => boolean,
): boolean => {
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < textLength) {
    if (at < formLength && isStar(at)) {
      star = at;
      resume = index;
      at += 1;
    } else if (at < formLength && isMatch(at, index)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else return false;
  }
  while (at < formLength && isStar(at)) at += 1;
  return at === formLength;
};

// ── texts ─────────────────────────────────────────────────────────────────────────────────────────────
/**
 * Whether the first bytes of a file are those of something else than text: a NUL, a PDF, or more than one control
 * character in ten. Broken UTF-8 is still text.
 */
export const isBinary = (start: Uint8Array): boolean => {
  const bytes = start.subarray(0, limits.sniffBytes);
  if (bytes.includes(0) || pdf.every((byte, index) => bytes[index] === byte)) return true;
  const odd = bytes.reduce((count, byte) => count + (byte < 32 && !layout.has(byte) ? 1 : 0), 0);
  return odd * 10 > bytes.length;
};

/** `%PDF-`: its head is text, and then nothing is. */
const pdf = [0x25, 0x50, 0x44, 0x46, 0x2d];
/** Backspace, tab, line feed, form feed, carriage return, escape. */
const layout = new Set([8, 9, 10, 12, 13, 27]);

/** Lines without their ends; the empty one after a last line end does not count. */
export const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

export interface Hit {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The line, or the part of a long line around the hit. */
  readonly text: string;
}

/** The lines that contain `query` literally, each at its first hit, at most `most` of them. */
export const findLines = (
  text: string,
  query: string,
  isCaseSensitive: boolean,
  most: number,
): readonly Hit[] => {
  const fold = (part: string): string => (isCaseSensitive ? part : part.toLowerCase());
  const wanted = fold(query);
  const hits: Hit[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (hits.length >= most) break;
    const at = fold(line).indexOf(wanted);
    if (at >= 0) hits.push({ line: index + 1, column: at + 1, text: preview(line, at) });
  }
  return hits;
};

const preview = (line: string, at: number): string => {
  if (line.length <= limits.previewChars) return line;
  const start = Math.max(0, at - limits.previewChars / 3);
  const end = start + limits.previewChars;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
};

/** 1,536 → `1.5 KiB`. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${Math.round(size * 10) / 10} ${units[unit]}`;
};
