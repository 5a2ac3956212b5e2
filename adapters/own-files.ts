import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import envPaths from 'env-paths';
import { version } from '../machines/version.ts';

/** Files of `dist` that are read, or run as a process or a thread of their own. */
export type OwnFile =
  | 'adapters/documents/main.js'
  | 'adapters/documents/parsing/worker.js'
  | 'adapters/page/index.html'
  | 'adapters/process/reaper/reaper.js'
  | 'adapters/vrl/worker.js'
  | 'scenarios/fault-server/fault-server.mjs'
  | 'scenarios/replay/story-worker.js'
  | 'scenarios/simulator/worker.js';

/** A bundle as CommonJS has no `import.meta`, but the name of its file. */
const here =
  (import.meta.url as string | undefined) ??
  (typeof __filename === 'string' ? pathToFileURL(__filename).href : undefined);

export const isSource = (here ?? '').endsWith('/adapters/own-files.ts');

export const sourceFile = (path: string): string => fileURLToPath(new URL(`../${path}`, here));

/** `createRequire` is not imported, because bundlers would follow it. */
const resolvedFrom = (file: string | undefined, module: string): string =>
  process
    .getBuiltinModule('node:module')
    .createRequire(file ?? '')
    .resolve(module);

/** Loads sources in a process of their own. */
export const sourceLoader = (): string =>
  pathToFileURL(resolvedFrom(here, 'tsx').replace(/cjs$/, 'mjs')).href;

export class OwnFileMissing extends Error {
  override readonly name = 'OwnFileMissing';
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** A bundle has this code in a file of its own, so the package is found by name, in the same version only. */
function packageFolder(): string | undefined {
  for (const from of [here, process.argv[1]]) {
    try {
      const manifest = resolvedFrom(from, 'a2c-actors/package.json');
      const found = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version?: unknown };
      if (found.version === version) return join(dirname(manifest), 'dist');
    } catch {
      // Tries the next place when this one is no file or has no such package.
    }
  }
  return undefined;
}
let found: string | undefined;

/** An Electron app reads its archive `app.asar` like a folder, but a program that it starts cannot. */
function outsideArchive(file: string): string {
  const unpacked = file.replace(/([\\/][^\\/]+\.asar)(?=[\\/])/, '$1.unpacked');
  return existsSync(unpacked) ? unpacked : file;
}

/** In the folder that `A2C_ASSETS` names, otherwise in the installed package. Throws `OwnFileMissing`. */
export function ownFile(path: OwnFile): string {
  const given = process.env['A2C_ASSETS'];
  const folder = given || (found ??= packageFolder());
  const file = folder === undefined ? undefined : outsideArchive(join(folder, path));
  if (file !== undefined && existsSync(file)) return file;
  if (isSource) throw new OwnFileMissing(`${path} is not built`, 'npm run build');
  const where = given ? `in A2C_ASSETS (${given})` : 'from this program';
  throw new OwnFileMissing(
    `${path} of a2c-actors ${version} is not found ${where}`,
    `Ship node_modules/a2c-actors ${version} with the program, or a copy of its folder dist that A2C_ASSETS names (docs/bundling.md).`,
  );
}

/** Node 22 and later; the next start takes half the time. Does nothing where the folder cannot be written. */
export function keepCompiledCode(): void {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?: (folder: string) => unknown;
  };
  enableCompileCache?.(join(envPaths('a2c', { suffix: '' }).cache, 'compiled'));
}
