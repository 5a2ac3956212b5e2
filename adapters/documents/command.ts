import { isSource, ownFile, sourceFile } from '../own-files.ts';
import { isSingleProgram } from '../process/reaper/host-program.ts';
import type { ServeOptions } from './serve.ts';

function documentsProgram(): string | undefined {
  if (isSource) return sourceFile('adapters/documents/main.ts');
  if (isSingleProgram()) return undefined;
  try {
    return ownFile('adapters/documents/main.js');
  } catch {
    return undefined;
  }
}

/** The same Node with the built file, or the source through tsx; without these files `a2c` from the PATH. */
export function documentsCommand(root: string): { command: string; args: string[] } {
  const main = documentsProgram();
  if (main === undefined) return { command: 'a2c', args: ['documents', root] };
  return { command: process.execPath, args: [...(isSource ? ['--import', 'tsx'] : []), main, root] };
}

/** Folders are searched only when a package is missing. */
export async function unreadDocuments(
  programs: readonly { readonly args: readonly string[] }[],
): Promise<string[]> {
  const { command: _, args } = documentsCommand('');
  const main = args.at(-2) ?? '';
  const folders = programs.flatMap((program) => (program.args.includes(main) ? program.args.slice(-1) : []));
  if (folders.length === 0) return [];
  const { unreadIn } = await import('./library.ts');
  return unreadIn(folders);
}

/** Its code is loaded only here. Resolves to the reason when the server cannot start. */
export async function serveDocuments(
  folders: readonly string[],
  options: ServeOptions,
): Promise<string | undefined> {
  const { CannotServe, serve } = await import('./serve.ts');
  try {
    await serve(folders, options);
    return undefined;
  } catch (error) {
    if (error instanceof CannotServe) return error.message;
    throw error;
  }
}
