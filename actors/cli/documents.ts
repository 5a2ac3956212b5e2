import type { DocumentsOptions } from './hosting.ts';
import { serveDocuments } from '../../adapters/documents/command.ts';
import { badRequest } from '../kernel/errors.ts';
import type { CommandContext } from './context.ts';
import { exitCodeAtEnd } from './exit-codes.ts';

export async function documents(
  { terminal, signal, folder }: CommandContext,
  folders: readonly string[],
  { host, watch }: DocumentsOptions,
): Promise<number> {
  if (terminal.isInteractive)
    terminal.err('documents over stdio: an MCP client starts this command. Ctrl-C ends it');
  const message = await serveDocuments(folders.length > 0 ? folders : [folder ?? process.cwd()], {
    host,
    isWatching: watch,
    notice: (text) => terminal.err(text),
    signal,
  });
  if (message === undefined) return exitCodeAtEnd(signal);
  throw badRequest(message, 'See a2c documents --help.');
}
