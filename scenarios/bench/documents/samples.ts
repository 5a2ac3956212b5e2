/** Documents that packages ship, as samples. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const packages =
  'python-docx python-pptx pyexcel-xlsx formulas tablib pypdf pdfminer.six odfpy ebooklib nbformat html2text docutils'.split(
    ' ',
  );
/** Downloads the source packages and unpacks them, once. */
export function samples(): string {
  const folder = join(homedir(), '.cache', 'a2c-actors-documents');
  mkdirSync(folder, { recursive: true });
  for (const name of packages) {
    const own = join(folder, name);
    if (statSync(own, { throwIfNoEntry: false })) continue;
    process.stderr.write(`fetching ${name}\n`);
    const [first, ...args] = [
      'python3',
      '-m',
      'pip',
      'download',
      '-q',
      '--no-deps',
      '--no-binary',
      name,
      '-d',
      folder,
      name,
    ];
    if (spawnSync(first ?? '', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) continue;
    const archive = readdirSync(folder).find(
      (file) =>
        file.toLowerCase().replaceAll(/[-_.]/g, '').startsWith(name.toLowerCase().replaceAll(/[-_.]/g, '')) &&
        /\.(tar\.gz|zip)$/.test(file),
    );
    if (archive === undefined) continue;
    mkdirSync(own);
    execFileSync('tar', ['-xf', join(folder, archive), '-C', own]);
  }
  return folder;
}
/** At most so many files of a format below a folder, spread evenly over all of them. */
export function filesOf(folder: string, format: string, most: number): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith(`.${format}`))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.') || path.includes('/.cache/'))
    .toSorted();
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, at) => all[Math.floor(at * step)] ?? '');
}

/** Text of all pages of a document, as Markdown. */
export async function wholeText(client: Client, ref: string): Promise<string> {
  const texts: string[] = [];
  for (let offset: string | undefined = '0'; offset !== undefined;) {
    const uri = `dpe://documents/${encodeURIComponent(ref)}?format=markdown&limit=100&offset=${offset}`;
    const { contents } = await client.readResource({ uri }, { timeout: 300_000 });
    const { text } = contents[0] as { text: string };
    texts.push(text);
    offset = /\[This is not all: .*offset=(\d+)\.\]$/.exec(text)?.[1];
  }
  return texts.join('\n');
}
