import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serveHttp } from './http.ts';
import { Library, type LibraryOptions } from './library/library.ts';
import { share, type Shared } from './resources/sharing.ts';
import { createDocumentsServer } from './server.ts';

export interface ServeOptions {
  /** Host of the URIs. Default: documents. */
  readonly host?: string;
  /** Streamable HTTP on this port of the loopback address; without it stdio. */
  readonly port?: number;
  /** What clients must show over HTTP. Default: one that is drawn. False: nobody is asked. */
  readonly token?: string | false;
  readonly isWatching?: boolean;
  /** Hears what does not work as it should. */
  readonly notice: (text: string) => void;
  /** Hears once where it can be reached over HTTP. */
  readonly listening?: (where: { readonly url: string; readonly token: string | undefined }) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}
/** Why it cannot start: said to whoever started it. */
export class CannotServe extends Error {}
export const defaultHost = 'documents';
/** Answers under way may still be written after stdin ended; shorter than the host's `stdinGraceMs`. */
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

/** Serves folders until its input ends or the signal says so. Rejects with `CannotServe`. */
export async function serve(paths: readonly string[], options: ServeOptions): Promise<void> {
  const { host = defaultHost, port, notice, signal, isWatching = true } = options;
  const shared = await openDocuments(paths, host, { isWatching, notice });
  try {
    if (port === undefined) await overStdio(shared, signal);
    else {
      const token =
        options.token === false ? undefined : (options.token ?? randomBytes(24).toString('base64url'));
      const serving = await serveHttp(shared, { port, token }).catch((error: unknown) => {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
        throw new CannotServe(
          `port ${port} of 127.0.0.1 cannot be had (${code}); --port 0 takes any free one`,
        );
      });
      options.listening?.({ url: serving.url, token });
      await ended(signal);
      await serving.close();
    }
  } finally {
    await shared.close();
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });

async function overStdio(shared: Shared, signal: AbortSignal): Promise<void> {
  const server = createDocumentsServer(shared);
  const inputEnded = new Promise<void>((done) => {
    process.stdin.once('end', () => setTimeout(done, lastWordsMs));
    // The reader is gone: there is nobody left to answer.
    process.stdout.on('error', () => done());
  });
  // The transport closes with its input, which here stays open for the last answers.
  const input = process.stdin.pipe(new PassThrough(), { end: false });
  await server.connect(new StdioServerTransport(input, process.stdout));
  await Promise.race([inputEnded, ended(signal)]);
  await server.close();
}
