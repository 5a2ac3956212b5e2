import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedded } from '../../machines/inspection/index.ts';
import { isPageBuilt, pageFolder } from './page-files.ts';

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
