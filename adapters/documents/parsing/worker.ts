import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
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
      /**
       * Tells whether the same document would fail again. False when another document may have caused the failure, so that a new
       * attempt makes sense.
       */
      readonly isLasting?: boolean;
    };

/** First message of a thread: its number in the operating system, by which its CPU time can be read; undefined except on Linux. */
export interface Begun {
  readonly thread: string | undefined;
}
function threadOf(): string | undefined {
  try {
    return basename(readlinkSync('/proc/thread-self'));
  } catch {
    return undefined;
  }
}

/** Functions that load the reader of each format with its first document, so that unused formats cost nothing. */
const readers: Readonly<Record<DocumentFormat, () => Promise<Reader>>> = {
  md: async () => (await import('./markdown.ts')).readMarkdown,
  txt: async () => (await import('./plain.ts')).readPlain,
  html: async () => (await import('./html.ts')).readHtml,
  csv: async () => (await import('./plain.ts')).readCsv,
  json: async () => (await import('./data.ts')).readJson,
  jsonl: async () => (await import('./data.ts')).readJsonLines,
  yaml: async () => (await import('./data.ts')).readYaml,
  xml: async () => (await import('./data.ts')).readXml,
  ipynb: async () => (await import('./notebook.ts')).readNotebook,
  epub: async () => (await import('./epub.ts')).readEpub,
  odt: async () => (await import('./open-document.ts')).readOdt,
  odp: async () => (await import('./open-document.ts')).readOdp,
  ods: async () => (await import('./xlsx.ts')).readOds,
  xls: async () => (await import('./xlsx.ts')).readXls,
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
/** Reason for a failed read: the first line of the library's message, cut to 200 characters, because it may contain anything. */
function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `it is broken: ${(message.split('\n')[0] ?? '').slice(0, 200)}`;
}

parentPort?.postMessage({ thread: threadOf() } satisfies Begun);
parentPort?.on('message', (job: Job) => {
  void read(job).then((done) => parentPort?.postMessage(done));
});
