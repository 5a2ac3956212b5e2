import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { embedded } from '../../machines/inspection.ts';
import { ownFile } from '../own-files.ts';

export const pageFolder = (): string => dirname(ownFile('adapters/page/index.html'));
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
/** In a checkout `npm run build` makes the page. */
export function isPageBuilt(): boolean {
  try {
    return pageFolder() !== '';
  } catch {
    return false;
  }
}
export interface PageFile {
  readonly type: string;
  read(): Buffer;
}

/** Read once when the server starts; no other file can be requested. Throws `OwnFileMissing`. */
export function pageFiles(from = pageFolder()): ReadonlyMap<string, PageFile> {
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
  walk('/');
  return files.set('/', files.get('/index.html') as PageFile);
}

export interface PageContent {
  /** First message to the page, of type `welcome`, with empty `lines`. */
  readonly welcome: object;
  readonly trace: () => AsyncIterable<string>;
  /** Results of checking the trace, of type `Checks`; null for one that is too long. */
  readonly checks: object | null;
}
const read = (name: string): string => readFileSync(join(pageFolder(), name), 'utf8');
/** Escapes text for a script element, so that no text ends the element. */
const inScript = (text: string): string => text.replaceAll(/<(\/script|!--)/gi, String.raw`\x3C$1`);
/** Compresses a text with gzip to base64: about ten times smaller, in characters that are never markup. */
const packed = (text: string): string => gzipSync(text).toString('base64');
/** Escapes `<` in JSON, where the character occurs only inside texts, so that no text ends the HTML element. */
const inJson = (text: string): string => text.replaceAll('<', String.raw`\u003c`);
async function* packedParts(parts: AsyncIterable<string>): AsyncGenerator<string> {
  // Encodes three bytes at a time, so that the parts together are the base64 of the whole.
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of Readable.from(parts).pipe(createGzip()) as AsyncIterable<Buffer>) {
    const all = Buffer.concat([rest, bytes]);
    const end = all.length - (all.length % 3);
    yield all.subarray(0, end).toString('base64');
    rest = all.subarray(end);
  }
  yield rest.toString('base64');
}
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const data = (id: string, type: string, text: string): string =>
  `<script id="${id}" type="${type}">${text}</script>\n`;
/** Needs no network: only its own script and a worker for the layout may run. Throws `OwnFileMissing`. */
export async function* singlePage(contents: readonly PageContent[]): AsyncGenerator<string> {
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
  yield [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    `<title>a2c inspector</title><link rel="icon" href="data:," /><style>${style}</style></head>`,
    '<body><div id="app"><p>This page needs JavaScript.</p></div>',
    '',
  ].join('\n');
  for (const [n, { welcome, trace, checks }] of contents.entries()) {
    const end = contents.length > 1 ? `-${n}` : '';
    yield data(`${embedded.welcome}${end}`, 'application/json', inJson(JSON.stringify(welcome)));
    yield data(`${embedded.checks}${end}`, 'application/json', inJson(JSON.stringify(checks)));
    yield `<script id="${embedded.trace}${end}" type="text/plain">`;
    yield* packedParts(trace());
    yield '</script>\n';
  }
  yield data(embedded.elk, 'text/plain', packed(read('elk-worker.js')));
  yield `<script type="module">${script}</script>\n</body></html>\n`;
}
