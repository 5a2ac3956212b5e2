import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embedded } from '../../machines/inspection-wire.ts';

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

/** What a page that is one file shows. */
export interface PageContent {
  /** A `welcome` whose `lines` are empty. */
  readonly welcome: object;
  /** NDJSON of trace format 1. */
  readonly trace: string;
  /** `Checks` */
  readonly checks: object;
}
const read = (name: string): string => readFileSync(join(pageFolder, name), 'utf8');
/** No text of a script ends its element. */
const inScript = (text: string): string => text.replaceAll(/<(\/script|!--)/gi, String.raw`\x3C$1`);
/** In JSON `<` stands in texts alone. */
const inJson = (text: string): string => text.replaceAll('<', String.raw`\u003c`);
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The inspector's page and a trace as one HTML file, which asks nothing of any network: only its own script may run, and
 * a worker made of the text that lays charts out. Throws when the page is not built.
 */
export function singlePage({ welcome, trace, checks }: PageContent): string {
  if (!isPageBuilt()) throw new Error('the page of the inspector is not built: npm run build');
  const script = inScript(read('page.js'));
  const style = read('page.css');
  const policy = [
    `default-src 'none'`,
    `script-src ${hashOf(script)} blob:`,
    `style-src ${hashOf(style)}`,
    `worker-src blob:`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const data = (id: string, type: string, text: string): string =>
    `<script id="${id}" type="${type}">${text}</script>`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    `<title>a2c inspector</title><link rel="icon" href="data:," /><style>${style}</style></head>`,
    '<body><div id="app"><p>This page needs JavaScript.</p></div>',
    data(embedded.welcome, 'application/json', inJson(JSON.stringify(welcome))),
    data(embedded.checks, 'application/json', inJson(JSON.stringify(checks))),
    data(embedded.trace, 'application/x-ndjson', inJson(trace)),
    data(embedded.elk, 'text/plain', inScript(read('elk-worker.js'))),
    `<script type="module">${script}</script>`,
    '</body></html>',
    '',
  ].join('\n');
}
