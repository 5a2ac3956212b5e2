/** Rules for files below a folder, which the documents server lists, searches and reads. */

/** An answer that a limit has shortened says so. */
export const limits = {
  /** Read whole, searched, or answered in one piece. */
  fileBytes: 1024 * 1024,
  /** Offset at which a requested part of a larger file may begin or end. */
  partBytes: 64 * 1024 * 1024,
  searchBytes: 64 * 1024 * 1024,
  /** Characters of one answer of `read`, unless the caller says how much. */
  readChars: 64 * 1024,
  readFiles: 20,
  /** As Base64 it is what models take. */
  imageBytes: 3.5 * 1024 * 1024,
  results: 200,
  /** Directory entries examined for one answer. */
  visited: 20_000,
  depth: 20,
  /** By which text is distinguished from binary data. */
  sniffBytes: 8192,
  /** Characters of a query or pattern. */
  wordChars: 500,
  documentBytes: 50 * 1024 * 1024,
  unpackedBytes: 200 * 1024 * 1024,
  /** Time for reading one document, and growth of this process meanwhile. */
  parseMs: 60_000,
  parseGrowthBytes: 768 * 1024 * 1024,
  /** Of one reader thread, in MiB. */
  parseHeapMb: 512,
  /** Rows and columns of a table, elements of a page; the rest is only counted. */
  tableRows: 2000,
  tableColumns: 200,
  /** Limits the rows of a wide table, and how far the text of merged cells is repeated. */
  tableCells: 400_000,
  pageElements: 2000,
  /** Of all cached documents, as JSON. */
  cachedChars: 64 * 1024 * 1024,
  /** Beyond it only the catalogue is listed. */
  listedDocuments: 200,
  /** Served, and folder entries examined to find them. */
  documents: 100_000,
  libraryEntries: 400_000,
  /** In the catalogue, and watched for changes. */
  catalogued: 20_000,
  watched: 20_000,
  windowChars: 20_000,
} as const;

/** `.` is the root folder. */
type CheckedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): CheckedPath => ({ ok: false, reason });

/** Only the text: a symbolic link that leads outside must be detected when the file is opened. */
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

export const joinPath = (folder: string, name: string): string =>
  folder === '.' ? name : `${folder}/${name}`;

const bulky = new Set(['node_modules', 'dist']);

/** Hidden entries and folders with generated files; a folder named explicitly is still searched. */
export const isSkipped = (name: string, isFolder: boolean): boolean =>
  name.startsWith('.') || (isFolder && bulky.has(name));

/** `*`, `?`, `**` and `{a,b}`; without `/` only the last name is tested. No pattern is slow. */
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

/** Nesting is not supported; beyond 64 results the rest is taken literally. */
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

/** Backtracks to the last star only, which is enough: an earlier star never needs to change. */
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

/** A NUL, a PDF header, or more than 10 % control characters; invalid UTF-8 still counts as text. */
export const isBinary = (start: Uint8Array): boolean => {
  const bytes = start.subarray(0, limits.sniffBytes);
  if (bytes.includes(0) || pdf.every((byte, index) => bytes[index] === byte)) return true;
  const odd = bytes.reduce((count, byte) => count + (byte < 32 && !layout.has(byte) ? 1 : 0), 0);
  return odd * 10 > bytes.length;
};

/** `%PDF-`; it looks like text, but the rest is binary. */
const pdf = [0x25, 0x50, 0x44, 0x46, 0x2d];
/** Backspace, tab, line feed, form feed, carriage return, escape. */
const layout = new Set([8, 9, 10, 12, 13, 27]);

export const sizeText = (bytes: number): string => {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const unit = Math.min(Math.floor(Math.log2(Math.max(1, bytes)) / 10), units.length - 1);
  return `${Math.round((bytes / 1024 ** unit) * 10) / 10} ${units[unit]}`;
};
