import { fileURLToPath } from 'node:url';

/**
 * How to start the project's own documents server as a child: with the Node that runs us, from the built file
 * beside this one or, in a checkout that runs its sources, through tsx.
 */
export function documentsCommand(root: string): { command: string; args: string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  const main = fileURLToPath(new URL(isSource ? './main.ts' : './main.js', import.meta.url));
  return { command: process.execPath, args: [...(isSource ? ['--import', 'tsx'] : []), main, root] };
}
