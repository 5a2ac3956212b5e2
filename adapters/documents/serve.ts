import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { Library, type LibraryOptions } from './library.ts';
import { addResources, type Shared, share } from './sharing.ts';
import { addTools } from './tools.ts';

/** `dpe://` documents, some `window://` windows, and tools; it only reads. Refusals name no path outside. */
export const createDocumentsServer = (shared: Shared): McpServer => {
  const server = new McpServer(
    { name: 'documents', title: 'Documents', version: '0.1.0' },
    {
      instructions:
        'Read-only access to the files of some folders. search finds files of all formats by their words, list_files shows ' +
        'folders, read gives the text of any file (Word, PDF, Excel, slides, mail … as Markdown) in parts. Paths are relative, with / ' +
        'between names. Documents are resources, too: dpe://HOST/DOC_REF with format=markdown is the text of one, /pages/N of one page; ' +
        'with depth=metadata or depth=pages it is told as JSON.',
    },
  );
  addTools(server, shared);
  addResources(server, shared);
  return server;
};

export interface ServeOptions {
  /** Host part of the document URIs, `documents` by default. */
  readonly host?: string;
  readonly isWatching?: boolean;
  /** Called with a sentence about each problem that does not stop the server. */
  readonly notice: (text: string) => void;
  /** Signal that ends the server. */
  readonly signal: AbortSignal;
}
export class CannotServe extends Error {}
const defaultHost = 'documents';
/** Time in ms for writing pending answers after stdin has ended; shorter than the host's `stdinGraceMs`. */
const lastWordsMs = 300;

export async function openDocuments(
  paths: readonly string[],
  host: string,
  options: LibraryOptions,
): Promise<Shared> {
  if (!/^[a-z\d][a-z\d.-]{0,62}$/.test(host))
    throw new CannotServe(
      `"${host}" cannot be the host of URIs: lower-case letters, digits, dots and dashes`,
    );
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined);
    if (!facts?.isDirectory()) throw new CannotServe(`${path} is not a folder`);
  }
  return share(await Library.open(paths, options), host);
}

/** Over stdio, until stdin ends or the signal aborts. Rejects with `CannotServe` when the server cannot start. */
export async function serve(paths: readonly string[], options: ServeOptions): Promise<void> {
  const { host = defaultHost, notice, signal, isWatching = true } = options;
  const shared = await openDocuments(paths, host, { isWatching, notice });
  try {
    await overStdio(shared, signal);
  } finally {
    await shared.close();
  }
}

async function overStdio(shared: Shared, signal: AbortSignal): Promise<void> {
  const server = createDocumentsServer(shared);
  const inputEnded = new Promise<void>((done) => {
    process.stdin.once('end', () => setTimeout(done, lastWordsMs));
    // An error means that the reader is gone.
    process.stdout.on('error', () => done());
  });
  // The transport would close with stdin, before the last answers.
  const input = process.stdin.pipe(new PassThrough(), { end: false });
  await server.connect(new StdioServerTransport(input, process.stdout));
  if (!signal.aborted) await Promise.race([inputEnded, once(signal, 'abort')]);
  await server.close();
}
