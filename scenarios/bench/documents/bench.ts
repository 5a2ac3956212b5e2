/**
 * Compares the documents server with markitdown and pandoc on the same files: words, their order and cells of tables that are
 * kept, and CPU time. The samples are the documents in the source packages of some projects at PyPI, and those of a folder that
 * is given. `node --import tsx scenarios/bench/documents/bench.ts -- [FOLDER]`; markitdown is used where `python3 -m markitdown` runs (or `MARKITDOWN_PYTHON`
 * names its Python), pandoc and pdftotext where they are installed.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesOf, samples, wholeText } from './samples.ts';
import { addScore, noScore, truthOf, type Score } from './truth.ts';

/** Largest number of files of one format. */
const most = Number(process.env['FILES'] ?? 60);
const formats = ['docx', 'pptx', 'xlsx', 'pdf', 'html', 'odt', 'epub', 'ipynb'];

interface Read {
  readonly text: string | undefined;
  readonly cpuMs: number;
}
type Peer = (paths: readonly string[]) => Promise<readonly Read[]>;

/** CPU time in ms that a process has used with its threads (Linux); with `field` 13 that of its ended children. */
function cpuOf(pid: number | null, field = 11): number {
  const stat = readFileSync(`/proc/${pid ?? 'self'}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[field]) + Number(fields[field + 1])) * 10;
}

/** Reads through the server, started as a process. It watches no folder, because a read needs no watch. */
const ours =
  (folder: string): Peer =>
  async (paths) => {
    const main = fileURLToPath(new URL('../../../dist/actors/main.js', import.meta.url));
    const args = [main, 'documents', folder, '--no-watch'];
    const transport = new StdioClientTransport({ command: process.execPath, args });
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
    const paths = filesOf(folder, format, most);
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
