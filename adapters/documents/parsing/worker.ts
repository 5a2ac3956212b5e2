import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { named, type ReadDocument, type DocumentFormat } from '../../../machines/documents.ts';
import { Unreadable, type Reader, type Source } from './reader.ts';

export interface Job extends Source {
  readonly format: DocumentFormat;
}
export type Done =
  | { readonly ok: true; readonly document: ReadDocument }
  | {
      readonly ok: false;
      readonly reason: string;
      /** False: another document may be to blame, and it is worth trying again. */
      readonly isLasting?: boolean;
    };

/** Loaded when the first document of its format comes, so that nobody pays for formats that are not there. */
const readers: Readonly<Record<DocumentFormat, () => Promise<Reader>>> = {
  md: async () => (await import('./markdown.ts')).readMarkdown,
  txt: async () => (await import('./plain.ts')).readPlain,
  html: async () => (await import('./html.ts')).readHtml,
  csv: async () => (await import('./csv.ts')).readCsv,
  json: async () => (await import('./plain.ts')).readJson,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  docx: async () => (await import('./docx.ts')).readDocx,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  pdf: async () => (await import('./pdf.ts')).readPdf,
};
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

async function read({ format, ...source }: Job): Promise<Done> {
  try {
    const reader = await readers[format]();
    return { ok: true, document: named(await reader(source), format === 'pdf', digest) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}
/** What a library says of a broken file may have anything in it: its first line, cut. */
function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `it is broken: ${(message.split('\n')[0] ?? '').slice(0, 200)}`;
}

parentPort?.on('message', (job: Job) => {
  void read(job).then((done) => parentPort?.postMessage(done));
});
