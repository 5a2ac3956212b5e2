import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles what is measured, chains and yardsticks alike, into `dist` beside this file, with the peers in Python. A mistake in a type is
 * told and measured all the same: what runs is what stands there.
 */
export function build(): Promise<void> {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const project = fileURLToPath(new URL('tsconfig.build.json', import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', project], (error, stdout) => {
      if (error) process.stderr.write(`bench: the types do not fit\n${stdout || error.message}\n`);
      const peers = fileURLToPath(new URL('../interop', import.meta.url));
      const built = fileURLToPath(new URL('dist/scenarios/interop', import.meta.url));
      const isPython = (path: string): boolean => path === peers || path.endsWith('.py');
      cpSync(peers, built, { recursive: true, filter: isPython });
      resolve();
    });
  });
}
