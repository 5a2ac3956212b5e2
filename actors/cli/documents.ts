import { serveDocuments } from '../../adapters/index.ts';
import { badRequest } from '../kernel/errors.ts';
import type { CommandContext } from './context.ts';
import { exitCodeAtEnd } from './exit-codes.ts';

export interface DocumentsOptions {
  readonly host: string;
  readonly port?: number;
  readonly token?: string | false;
  readonly watch: boolean;
}

export async function documents(
  { terminal, signal, folder }: CommandContext,
  folders: readonly string[],
  { host, port, token, watch }: DocumentsOptions,
): Promise<number> {
  if (port === undefined && terminal.isInteractive)
    terminal.err(
      'documents over stdio: an MCP client starts this command. For a running one: --port 0. Ctrl-C ends it',
    );
  const message = await serveDocuments(folders.length > 0 ? folders : [folder ?? process.cwd()], {
    host,
    ...(port !== undefined && { port }),
    ...(token !== undefined && { token }),
    isWatching: watch,
    notice: (text) => terminal.err(text),
    // Prints the address as a config entry, so that a person or a program can copy it.
    listening: ({ url, token: wanted }) => {
      const headers = wanted === undefined ? {} : { headers: { Authorization: `Bearer ${wanted}` } };
      terminal.line(JSON.stringify({ mcpServers: { documents: { type: 'http', url, ...headers } } }));
      terminal.err(`documents over streamable HTTP at ${url}; Ctrl-C ends it`);
    },
    signal,
  });
  if (message === undefined) return exitCodeAtEnd(signal);
  throw badRequest(message, 'See a2c documents --help.');
}
