import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { isByPage, named, type ReadDocument, type DocumentFormat } from '../../../machines/documents.ts';
import { Unreadable, type Source } from './reader.ts';
import { readers } from './readers.ts';

export interface Job extends Source {
  readonly format: DocumentFormat;
}
export type Done =
  | { readonly ok: true; readonly document: ReadDocument }
  | { readonly ok: false; readonly reason: string };

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

async function read({ format, ...source }: Job): Promise<Done> {
  try {
    const reader = await readers[format]();
    return { ok: true, document: named(await reader(source), isByPage(format), digest) };
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
