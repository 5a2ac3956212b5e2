/** Formats that have a reader. */
export type DocumentFormat = 'md' | 'txt' | 'html' | 'csv' | 'json' | 'xlsx' | 'docx' | 'pptx' | 'pdf';

const byExtension: Readonly<Record<string, DocumentFormat>> = {
  md: 'md',
  markdown: 'md',
  txt: 'txt',
  text: 'txt',
  html: 'html',
  htm: 'html',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  xlsx: 'xlsx',
  docx: 'docx',
  pptx: 'pptx',
  pdf: 'pdf',
};

/** The extension of a path in lower case, without its dot; empty where there is none. */
export const fileTypeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};

/** Undefined: not a document. */
export const formatOf = (path: string): DocumentFormat | undefined => {
  const type = fileTypeOf(path);
  return Object.hasOwn(byExtension, type) ? byExtension[type] : undefined;
};

const starts: Partial<Record<DocumentFormat, readonly number[]>> = {
  pdf: [0x25, 0x50, 0x44, 0x46],
  xlsx: [0x50, 0x4b],
  docx: [0x50, 0x4b],
  pptx: [0x50, 0x4b],
};
/**
 * Whether a file may be what its extension says. A PDF may begin with other bytes, up to the first 1,024; an office
 * file is a ZIP; what is text has no NUL, unless it begins with the mark of UTF-16.
 */
export function isPlausible(format: DocumentFormat, start: Uint8Array): boolean {
  const wanted = starts[format];
  if (format === 'pdf') {
    const text = String.fromCharCode(...start.subarray(0, 1024));
    return text.includes('%PDF-');
  }
  if (wanted !== undefined) return wanted.every((byte, index) => start[index] === byte);
  const isWide = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  return isWide || !start.subarray(0, 8192).includes(0);
}
