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
      /** False when another document may have caused the failure, so that a new attempt makes sense. */
      readonly isLasting?: boolean;
    };

/** Loaded with the first document, so that unused formats cost nothing. */
const readers: Readonly<Record<DocumentFormat, () => Promise<Reader>>> = {
  md: async () => (await import('./markdown.ts')).readMarkdown,
  txt: async () => (await import('./plain.ts')).readPlain,
  html: async () => (await import('./html.ts')).readHtml,
  csv: async () => (await import('./plain.ts')).readCsv,
  json: async () => (await import('./data.ts')).readJson,
  jsonl: async () => (await import('./data.ts')).readJsonLines,
  yaml: async () => (await import('./plain.ts')).readYaml,
  xml: async () => (await import('./plain.ts')).readXml,
  ipynb: async () => (await import('./notebook.ts')).readNotebook,
  epub: async () => (await import('./epub.ts')).readEpub,
  rtf: async () => (await import('./rtf.ts')).readRtf,
  eml: async () => (await import('./mail.ts')).readMail,
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
/** The first line, cut to 200 characters, because a library's message may contain anything. */
function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `it is broken: ${(message.split('\n')[0] ?? '').slice(0, 200)}`;
}

parentPort?.on('message', (job: Job) => {
  void read(job).then((done) => parentPort?.postMessage(done));
});
