/** Rules for files below a folder, which the documents server lists, searches and reads. */

/** Limits of one request to the documents server. An answer that a limit has shortened says so. */
export const limits = {
  /** Largest file, in bytes, that is read whole, searched, or answered in one piece. */
  fileBytes: 1024 * 1024,
  /** Largest offset, in bytes, at which a requested part of a larger file may begin or end. */
  partBytes: 64 * 1024 * 1024,
  /** Largest total of bytes read in one search. */
  searchBytes: 64 * 1024 * 1024,
  /** Largest number of entries in a list, or hits in a search. */
  results: 200,
  /** Largest number of directory entries examined for one answer. */
  visited: 20_000,
  /** Largest number of levels searched below the requested folder. */
  depth: 20,
  /** Number of bytes at the start of a file by which text is distinguished from binary data. */
  sniffBytes: 8192,
  /** Number of characters shown of a line with a hit. */
  previewChars: 240,
  /** Largest length of a query or pattern, in characters. */
  wordChars: 500,
  /** Largest file, in bytes, that is read as a document. */
  documentBytes: 50 * 1024 * 1024,
  /** Largest total size, in bytes, to which an office file may unpack. */
  unpackedBytes: 200 * 1024 * 1024,
  /**
   * Time limit in ms for reading one document, and limit in bytes for the growth of this process meanwhile.
   */
  parseMs: 20_000,
  parseGrowthBytes: 768 * 1024 * 1024,
  /** Heap limit of one reader thread, in MiB. */
  parseHeapMb: 512,
  /** Largest number of rows and columns of a table, and of elements on a page; the rest is only counted. */
  tableRows: 2000,
  tableColumns: 200,
  /** Largest number of cells of a table: limits the rows of a wide one, and how far the text of merged cells is repeated. */
  tableCells: 400_000,
  pageElements: 2000,
  /** Largest total of cached documents, in characters of JSON. */
  cachedChars: 64 * 1024 * 1024,
  /** Largest number of documents listed individually; beyond it only the catalogue is listed. */
  listedDocuments: 200,
  /** Largest number of documents that are served, and of folder entries that are examined to find them. */
  documents: 100_000,
  libraryEntries: 400_000,
  /** Largest number of documents in the catalogue, and of those whose changes are watched. */
  catalogued: 20_000,
  watched: 20_000,
  /** Largest length of a window, in characters. */
  windowChars: 20_000,
  /** Largest number of pages that `open` keeps on the Desktop. */
  openPages: 8,
} as const;

// ── paths ─────────────────────────────────────────────────────────────────────────────────────────────
/** Path from a client after checking, or the reason why it is refused. `.` is the root folder. */
type CheckedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): CheckedPath => ({ ok: false, reason });

/**
 * Checks that a path is relative to the root and stays inside it. Only the text is checked; a symbolic link
 * that leads outside must be detected when the file is opened.
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

/** Joins a folder and a name with `/`; the root `.` is left out, so `.` and `a` give `a`. */
export const joinPath = (folder: string, name: string): string =>
  folder === '.' ? name : `${folder}/${name}`;

const bulky = new Set(['node_modules', 'dist']);

/**
 * Tells whether a walk skips this entry: hidden entries and folders with generated files. A folder named
 * explicitly is still searched.
 */
export const isSkipped = (name: string, isFolder: boolean): boolean =>
  name.startsWith('.') || (isFolder && bulky.has(name));

// ── patterns ──────────────────────────────────────────────────────────────────────────────────────────
/**
 * Returns a test of relative paths for a simple glob: `*` and `?` within a name, `**` for any number of
 * folders, `{a,b}` for alternatives. Without `/` only the last name is tested. Backtracking is limited to one
 * `*`, so that no pattern is slow.
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

/**
 * Expands braces: `*.{ts,js}` gives `*.ts` and `*.js`. Nesting is not supported; beyond 64 results the rest
 * is taken literally.
 */
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
 * Matches wildcards with backtracking to the last star only, which is enough because an earlier star never
 * needs to change.
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
 * Tells whether a file is binary from its first bytes: a NUL, a PDF header, or more than 10 % control
 * characters. Invalid UTF-8 still counts as text.
 */
export const isBinary = (start: Uint8Array): boolean => {
  const bytes = start.subarray(0, limits.sniffBytes);
  if (bytes.includes(0) || pdf.every((byte, index) => bytes[index] === byte)) return true;
  const odd = bytes.reduce((count, byte) => count + (byte < 32 && !layout.has(byte) ? 1 : 0), 0);
  return odd * 10 > bytes.length;
};

/** First bytes of a PDF, `%PDF-`; they look like text, but the rest is binary. */
const pdf = [0x25, 0x50, 0x44, 0x46, 0x2d];
/** Control characters allowed in text: backspace, tab, line feed, form feed, carriage return, escape. */
const layout = new Set([8, 9, 10, 12, 13, 27]);

/** Splits a text into lines without their ends; a final line end adds no empty line. */
export const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

export interface Hit {
  /** Number of the line with the hit, from 1. */
  readonly line: number;
  /** Column of the hit, from 1, in UTF-16 units. */
  readonly column: number;
  /** Text of the line, or of a long line only the part around the hit. */
  readonly text: string;
}

/** Returns at most `most` lines that contain `query` literally, each with its first hit. */
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

/** Formats a number of bytes for people, such as `1.5 KiB` for 1,536. */
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
