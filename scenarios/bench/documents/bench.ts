/**
 * Compares the documents server with markitdown and pandoc on the same files: words, their order and cells of tables that are
 * kept, and CPU time. The samples are the documents in the source packages of some projects at PyPI, and those of a folder that
 * is given. `npm run bench:documents -- [FOLDER]`; markitdown is used where `python3 -m markitdown` runs (or `MARKITDOWN_PYTHON`
 * names its Python), pandoc and pdftotext where they are installed.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addScore, noScore, truthOf, type Score } from './truth.ts';

const packages =
  'python-docx python-pptx pyexcel-xlsx formulas tablib pypdf pdfminer.six odfpy ebooklib nbformat html2text docutils'.split(
    ' ',
  );
/** Largest number of files of one format. */
const most = Number(process.env['FILES'] ?? 60);
const formats = ['docx', 'pptx', 'xlsx', 'pdf', 'html', 'odt', 'epub', 'ipynb'];

interface Read {
  readonly text: string | undefined;
  readonly cpuMs: number;
}
type Peer = (paths: readonly string[]) => Promise<readonly Read[]>;

/** Downloads the source packages and unpacks them, once. */
function samples(): string {
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
/** Files of a format below a folder, spread evenly over all of them. */
function filesOf(folder: string, format: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith(`.${format}`))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.') || path.includes('/.cache/'))
    .toSorted();
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, at) => all[Math.floor(at * step)] ?? '');
}

/** CPU time in ms that a process has used with its threads (Linux); with `field` 13 that of its ended children. */
function cpuOf(pid: number | null, field = 11): number {
  const stat = readFileSync(`/proc/${pid ?? 'self'}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[field]) + Number(fields[field + 1])) * 10;
}

/** Reads through the server as a process, as any client does. */
const ours =
  (folder: string): Peer =>
  async (paths) => {
    const main = fileURLToPath(new URL('../../../dist/adapters/documents/main.js', import.meta.url));
    const transport = new StdioClientTransport({ command: process.execPath, args: [main, folder] });
    const client = new Client({ name: 'bench', version: '1' });
    await client.connect(transport);
    const reads: Read[] = [];
    for (const path of paths) {
      const before = cpuOf(transport.pid);
      const text = await wholeText(client, path.slice(folder.length + 1)).catch(() => undefined);
      reads.push({ text, cpuMs: cpuOf(transport.pid) - before });
    }
    await client.close();
    return reads;
  };
async function wholeText(client: Client, ref: string): Promise<string> {
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

const python = process.env['MARKITDOWN_PYTHON'] ?? 'python3';
const program = `
import json, sys, time
from markitdown import MarkItDown
read = MarkItDown()
for path in json.load(sys.stdin):
    began = time.process_time()
    try: text = read.convert(path).text_content
    except Exception: text = None
    print(json.dumps([text, (time.process_time() - began) * 1000]), flush=True)
`;
const markitdown: Peer = (paths) => {
  const { stdout } = spawnSync(python, ['-W', 'ignore', '-c', program], {
    input: JSON.stringify(paths),
    encoding: 'utf8',
    maxBuffer: 4e9,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('['));
  return Promise.resolve(
    lines.map((line) => {
      const [text, cpuMs] = JSON.parse(line) as [string | null, number];
      return { text: text ?? undefined, cpuMs };
    }),
  );
};
const pandoc: Peer = (paths) =>
  Promise.resolve(
    paths.map((path) => {
      const before = cpuOf(null, 13);
      const args = ['-t', 'gfm', '--wrap=none', '--', path];
      const { stdout, status } = spawnSync('pandoc', args, {
        encoding: 'utf8',
        maxBuffer: 1e9,
        timeout: 120_000,
      });
      return { text: status === 0 ? stdout : undefined, cpuMs: cpuOf(null, 13) - before };
    }),
  );
const isThere = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const share = ([kept, all]: readonly [number, number]): string => (all === 0 ? '–' : (kept / all).toFixed(3));
async function main(): Promise<void> {
  const folder = process.argv[2] ?? samples();
  const peers: [string, Peer, ReadonlySet<string>][] = [['a2c', ours(folder), new Set(formats)]];
  if (isThere(python, '-c', 'import markitdown'))
    peers.push(['markitdown', markitdown, new Set(['docx', 'pptx', 'xlsx', 'pdf', 'html', 'epub', 'ipynb'])]);
  if (isThere('pandoc', '--version'))
    peers.push(['pandoc', pandoc, new Set(['docx', 'html', 'odt', 'epub', 'ipynb'])]);
  console.log(
    '| format | files | reader | words kept | order | cells | failed | CPU s |\n|---|---|---|---|---|---|---|---|',
  );
  for (const format of formats) {
    const paths = filesOf(folder, format);
    const truths = paths.map((path) => truthOf(format, readFileSync(path), path));
    for (const [name, peer, known] of peers) {
      if (paths.length === 0 || !known.has(format)) continue;
      const reads = await peer(paths);
      const score: Score = noScore();
      for (const [at, truth] of truths.entries()) if (truth) addScore(score, truth, reads[at]?.text ?? '');
      const failed = reads.filter(({ text }) => text === undefined).length;
      const cpu = reads.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
      console.log(
        `| ${format} | ${paths.length} | ${name} | ${share(score.words)} | ${share(score.order)} | ${share(score.cells)} | ${failed} | ${cpu.toFixed(1)} |`,
      );
    }
  }
}
await main();
