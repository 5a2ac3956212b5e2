import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the page was built: beside the built server, or in `dist/` of a checkout that runs its sources. */
const isSource = import.meta.url.endsWith('.ts');
export const pageFolder = fileURLToPath(
  new URL(isSource ? '../../dist/adapters/page/' : '../page/', import.meta.url),
);
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};
/** `npm run build` makes it. */
export const isPageBuilt = (): boolean => existsSync(join(pageFolder, 'index.html'));
export interface PageFile {
  readonly type: string;
  read(): Buffer;
}
const notBuilt =
  '<!doctype html><title>a2c</title><p>The page of the inspector is not built: npm run build</p>\n';

/** URL path → file, of what there is when the server starts. Nothing else can be asked for. */
export function pageFiles(from = pageFolder): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(from, path), { withFileTypes: true })) {
      const inner = posix.join(path, entry.name);
      const type = types[extname(entry.name)];
      if (entry.isDirectory()) walk(inner);
      else if (entry.isFile() && type !== undefined)
        files.set(inner, { type, read: () => readFileSync(join(from, inner)) });
    }
  };
  try {
    walk('/');
  } catch {
    // A checkout that was never built.
  }
  const index = files.get('/index.html');
  const type = types['.html'] as string;
  return files.set('/', index ?? { type, read: () => Buffer.from(notBuilt) });
}
