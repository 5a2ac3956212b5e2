/** Tasks with `a2c` and with mcporter, as Markdown. Linux; what it installs stays in `A2C_BENCH_FOLDER`. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = join(root, 'dist/actors/main.js');
const packages = process.env['A2C_BENCH_FOLDER'] ?? join(homedir(), '.cache/a2c-actors-mcporter');
const runs = Number(process.env['RUNS'] ?? 5);
/** Plays only the tasks whose names have this in them. */
const only = new RegExp(process.env['ONLY'] ?? '', 'i');
const folder = mkdtempSync(join(tmpdir(), 'a2c-beside-'));
const cutFolder = new RegExp(`${join(tmpdir(), 'a2c')}[\\w-]*…$`);

interface Published {
  readonly package: string;
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
const official = (name: string): string => `@modelcontextprotocol/server-${name}`;
const published: Readonly<Record<string, Published>> = {
  everything: { package: official('everything'), file: 'dist/index.js' },
  files: { package: official('filesystem'), file: 'dist/index.js', args: [folder] },
  memory: {
    package: official('memory'),
    file: 'dist/index.js',
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  },
  second: {
    package: official('memory'),
    file: 'dist/index.js',
    env: { MEMORY_FILE_PATH: join(folder, 'second.jsonl') },
  },
  thinking: { package: official('sequential-thinking'), file: 'dist/index.js' },
  github: { package: official('github'), file: 'dist/index.js' },
  playwright: { package: '@playwright/mcp', file: 'cli.js' },
  context: { package: '@upstash/context7-mcp', file: 'dist/index.js' },
  tavily: { package: 'tavily-mcp', file: 'build/index.js', env: { TAVILY_API_KEY: 'none' } },
  notion: { package: '@notionhq/notion-mcp-server', file: 'bin/cli.mjs', env: { NOTION_TOKEN: 'ntn_none' } },
  firecrawl: { package: 'firecrawl-mcp', file: 'dist/index.js', env: { FIRECRAWL_API_KEY: 'none' } },
  kubernetes: { package: 'mcp-server-kubernetes', file: 'dist/index.js' },
  // Ends at once, because its key is missing.
  crashing: { package: 'airtable-mcp-server', file: 'dist/main.js' },
  // Serves HTTP on a free port, and never answers on stdio.
  silent: {
    package: official('everything'),
    file: 'dist/index.js',
    args: ['streamableHttp'],
    env: { PORT: '0' },
  },
};

interface Task {
  readonly what: string;
  readonly a2c: readonly string[];
  readonly mcporter: readonly string[];
  readonly isSlow?: boolean;
  readonly stdin?: string;
}
const sum = ['a=1', 'b=2'];
const both = (what: string, ...words: readonly string[]): Task => ({ what, a2c: words, mcporter: words });
const inConfig = (what: string, config: string, ...words: readonly string[]): Task => ({
  what,
  a2c: [...words, '-c', `sub/${config}.json`],
  mcporter: [...words, '--config', `sub/${config}.json`],
});
const document = 'demo://resource/static/document/architecture.md';
const entities = '[{"name": "Ann", "entityType": "person", "observations": []}]';
const slowTool = 'everything.trigger-long-running-operation';
const tasks: readonly Task[] = [
  both('Version', '--version'),
  { what: 'Servers of the config', a2c: ['list'], mcporter: ['config', 'list'] },
  { what: 'Tools of all servers', a2c: ['tools'], mcporter: ['list'], isSlow: true },
  { what: 'Which servers work', a2c: ['status'], mcporter: ['list', '--status'], isSlow: true },
  { what: 'Tools of one server', a2c: ['tools', 'everything'], mcporter: ['list', 'everything'] },
  { what: 'How a tool is called', a2c: ['tools', 'get-sum'], mcporter: ['list', 'everything', '--schema'] },
  both('One call', 'call', 'everything.get-sum', ...sum),
  {
    what: 'One call, result as JSON',
    a2c: ['call', 'everything.get-sum', ...sum, '--json'],
    mcporter: ['call', 'everything.get-sum', ...sum, '--output', 'json'],
  },
  both('Wrong argument', 'call', 'everything.get-sum', 'a=1', 'b=soon'),
  both('Misspelt tool', 'call', 'everything.get-smu', ...sum),
  both('Misspelt server', 'call', 'evrything.get-sum', ...sum),
  both('One of two servers with one tool', 'call', 'second.read_graph'),
  both('Kept server, second call', 'call', 'memory.read_graph'),
  both('Structured result', 'call', 'everything.get-structured-content', 'location=New York'),
  both('Image', 'call', 'everything.get-tiny-image'),
  both('Server that crashes', 'call', 'crashing.list_bases'),
  { ...both('Silent server', 'call', 'silent.echo', 'message=hi'), isSlow: true },
  {
    what: 'Server without a config',
    a2c: ['call', 'get-sum', ...sum, '--', 'node', fileOf('everything')],
    mcporter: ['call', '--stdio', `node ${fileOf('everything')}`, 'get-sum', ...sum],
  },
  {
    what: 'Add a server',
    a2c: ['add', 'new', '--force', '-c', 'own.json', '--', 'npx', '-y', 'pkg'],
    mcporter: ['config', 'add', 'new', '--command', 'npx', '--arg', '-y', '--arg', 'pkg'],
  },
  both('Help', '--help'),
  { what: 'Help of one command', a2c: ['help', 'call'], mcporter: ['call', '--help'] },
  both('Misspelt command', 'cal', 'everything.echo'),
  both('Tool forgotten', 'call', 'everything'),
  both('Text of a file as an argument', 'call', 'everything.echo', 'message=@notes.txt'),
  {
    what: 'Arguments as JSON',
    a2c: ['call', 'everything.echo', '{"message": "hi"}'],
    mcporter: ['call', 'everything.echo', '--args', '{"message": "hi"}'],
  },
  {
    what: 'Two configs',
    a2c: ['call', 'first.echo', 'message=hi', '-c', 'sub/first.json', '-c', 'own.json'],
    mcporter: ['call', 'first.echo', 'message=hi', '--config', 'sub/first.json', '--config', 'own.json'],
  },
  inConfig('Relative path in a config elsewhere', 'near', 'call', 'near.echo', 'message=hi'),
  inConfig('Arguments in the command', 'wrong', 'call', 'wrong.echo', 'message=hi'),
  {
    what: 'Line for another client',
    a2c: ['claude', 'mcp', 'add', '--transport', 'http', 'far', 'https://example.com/mcp', '--force'],
    mcporter: ['config', 'add', 'far', 'https://example.com/mcp'],
  },
  { what: 'Why a server is down', a2c: ['status', 'crashing'], mcporter: ['list', 'crashing'] },
  { what: 'Resources of one server', a2c: ['resources', 'everything'], mcporter: ['resource', 'everything'] },
  {
    what: 'Types of the tools',
    a2c: ['generate', 'types', 'everything'],
    mcporter: ['emit-ts', 'everything', '--out', 'everything.d.ts'],
  },
  {
    what: 'One resource',
    a2c: ['read', document],
    mcporter: ['resource', 'everything', document],
  },
  both('Values in order', 'call', 'everything.get-sum', '1', '2'),
  {
    what: 'Server and tool apart',
    a2c: ['call', 'everything', 'get-sum', ...sum],
    mcporter: ['call', '--server', 'everything', '--tool', 'get-sum', ...sum],
  },
  {
    what: 'Arguments from stdin',
    a2c: ['call', 'everything.echo', '-'],
    mcporter: ['call', 'everything.echo', '--args', '-'],
    stdin: '{"message": "hi"}',
  },
  {
    what: 'List of objects as an argument',
    a2c: ['call', 'second.create_entities', `entities:=${entities}`],
    mcporter: ['call', 'second.create_entities', '--args', `{"entities": ${entities}}`],
  },
  both('Missing argument', 'call', 'everything.get-sum', 'a=1'),
  both('Unknown argument', 'call', 'everything.get-sum', ...sum, 'c=3'),
  both('Wrong choice', 'call', 'everything.get-structured-content', 'location=Paris'),
  {
    what: 'Limit of a call',
    a2c: ['call', slowTool, 'duration=20', '-t', '3'],
    mcporter: ['call', slowTool, 'duration=20', '--timeout', '3000'],
  },
  {
    what: 'Failure as JSON',
    a2c: ['call', 'everything.get-sum', 'a=1', 'b=soon', '--json'],
    mcporter: ['call', 'everything.get-sum', 'a=1', 'b=soon', '--output', 'json'],
  },
  {
    what: 'Tools as JSON',
    a2c: ['tools', 'everything', '--json'],
    mcporter: ['list', 'everything', '--json'],
  },
  {
    what: 'Image into a file',
    a2c: ['call', 'everything.get-tiny-image', '--save', 'images'],
    mcporter: ['call', 'everything.get-tiny-image', '--save-images', 'images'],
  },
  both('Result with links', 'call', 'everything.get-resource-links', 'count=2'),
  { what: 'Entry of one server', a2c: ['get', 'tavily'], mcporter: ['config', 'get', 'tavily'] },
  {
    what: 'URL where nobody listens',
    a2c: ['tools', 'http://127.0.0.1:59999/mcp'],
    mcporter: ['list', '--http-url', 'http://127.0.0.1:59999/mcp', '--allow-http'],
  },
  inConfig('Command that is not installed', 'absent', 'call', 'absent.echo'),
  inConfig('Variable that is not set', 'unset', 'call', 'unset.echo', 'message=hi'),
  inConfig('Config with comments', 'noted', 'call', 'noted.echo', 'message=hi'),
  { what: 'Login where none is needed', a2c: ['login', 'everything'], mcporter: ['auth', 'everything'] },
  { what: 'What is kept', a2c: ['keep', '--list'], mcporter: ['daemon', 'status'] },
  { ...inConfig('Server that needs 40 s', 'slow', 'call', 'slow.echo', 'message=hi'), isSlow: true },
];
/** Answers of each task as a person saw them, to be looked at again when the page is made again; others were the result. */
const seen: Readonly<Record<string, { readonly a2c: string; readonly mcporter: string }>> = {
  Version: { a2c: 'the number', mcporter: 'the number' },
  'Servers of the config': {
    a2c: 'a line each, with its number of tools',
    mcporter: 'four lines each, no tools',
  },
  'Tools of all servers': {
    a2c: 'each tool in a line; why two servers are missing, and what to type',
    mcporter: 'numbers of tools; which servers are missing',
  },
  'Which servers work': { a2c: 'state of each, cause, what to type', mcporter: 'state of each' },
  'Tools of one server': { a2c: 'a line each', mcporter: 'signatures with all parameters' },
  'How a tool is called': {
    a2c: 'signature and parameters of this tool',
    mcporter: 'signatures and schemas of all tools of its server',
  },
  'One call, result as JSON': {
    a2c: 'outcome, ids and result in one document',
    mcporter: 'the result as the server sent it',
  },
  'Wrong argument': {
    a2c: 'names the argument, shows the signature; not sent',
    mcporter: 'words of the validator in the server',
  },
  'Misspelt tool': { a2c: 'refused, names the nearest', mcporter: 'calls the nearest one' },
  'Misspelt server': { a2c: 'refused, names the nearest', mcporter: 'stack trace, no hint' },
  Image: { a2c: 'its type and size in its place', mcporter: 'the image left out without a word' },
  'Server that crashes': {
    a2c: 'words of the server, and what to type',
    mcporter: '"Connection closed", stack trace',
  },
  'Silent server': { a2c: 'what it waits for, then the reason after 60 s', mcporter: 'no word for a minute' },
  'Add a server': { a2c: 'the file, and what to type next', mcporter: 'the file' },
  Help: { a2c: 'one screen', mcporter: 'two screens' },
  'Help of one command': { a2c: 'its arguments, options and examples', mcporter: 'the same' },
  'Misspelt command': { a2c: 'names the nearest', mcporter: 'takes it for a server' },
  'Tool forgotten': { a2c: 'that it is a server, and what to type', mcporter: 'stack trace' },
  'Two configs': { a2c: 'the result; both count', mcporter: 'the first is dropped without a word' },
  'Arguments in the command': { a2c: 'refused, with the entry to write', mcporter: 'the result' },
  'Line for another client': { a2c: 'the file, and what to type next', mcporter: 'the file' },
  'Why a server is down': { a2c: 'state, cause, stderr, what to do', mcporter: 'stderr, stack trace' },
  'Resources of one server': { a2c: 'a line each, and how one is read', mcporter: 'JSON' },
  'Types of the tools': { a2c: 'on stdout, exact', mcporter: 'in a file' },
  'One resource': { a2c: 'the text; no server is named', mcporter: 'the text' },
  'Values in order': { a2c: 'the result', mcporter: 'not understood' },
  'Missing argument': {
    a2c: 'names the argument, shows the signature; not sent',
    mcporter: 'words of the validator in the server',
  },
  'Unknown argument': {
    a2c: 'names the argument, shows the signature; not sent',
    mcporter: 'sent, and the argument ignored',
  },
  'Wrong choice': {
    a2c: 'names the choices; not sent',
    mcporter: 'words of the validator in the server',
  },
  'Limit of a call': { a2c: 'that its effect is unknown; exit code 3', mcporter: 'stack trace' },
  'Failure as JSON': {
    a2c: 'outcome, phase and failure in one document; exit code 2',
    mcporter: 'the result as the server sent it',
  },
  'Tools as JSON': { a2c: 'one document', mcporter: 'one document' },
  'Image into a file': { a2c: 'the file, and its place in the result', mcporter: 'the file' },
  'Result with links': {
    a2c: 'each link, and how it is read',
    mcporter: 'the links left out without a word',
  },
  'Entry of one server': { a2c: 'the entry, secrets hidden', mcporter: 'its parts' },
  'URL where nobody listens': { a2c: 'the cause; exit code 1', mcporter: '"fetch failed"; exit code 0' },
  'Command that is not installed': { a2c: 'the cause, and what to do', mcporter: 'ENOENT, stack trace' },
  'Variable that is not set': { a2c: 'which one, then the result', mcporter: 'the result, without a word' },
  'Login where none is needed': { a2c: 'that there is none, and what to do', mcporter: 'no word' },
  'What is kept': { a2c: 'a line each', mcporter: 'a line each' },
  'Server that needs 40 s': { a2c: 'what it waits for, then the result', mcporter: 'the result' },
};
function fileOf(name: string): string {
  const { package: of = '', file = '' } = published[name] ?? {};
  return join(packages, 'node_modules', of, file);
}

interface Done {
  readonly seconds: number;
  readonly cpu: number;
  readonly code: number | null;
  readonly out: string;
}
/** In seconds; of the children that have ended, and of theirs. */
function cpuOfChildren(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
const limitMs = 120_000;
function run(command: readonly string[], stdin = ''): Promise<Done> {
  const [program = '', ...args] = command;
  const [startedAt, before] = [performance.now(), cpuOfChildren()];
  const env = {
    PATH: `${join(packages, 'node_modules/node/bin')}:${process.env['PATH']}`,
    ...{ HOME: folder, XDG_STATE_HOME: join(folder, 'state'), NO_COLOR: '1' },
  };
  return new Promise((resolve) => {
    const options = { cwd: folder, env, timeout: limitMs, maxBuffer: 8 * 1024 * 1024 };
    const child = execFile(program, args, options, (_, stdout, stderr) =>
      resolve({
        seconds: (performance.now() - startedAt) / 1_000,
        cpu: cpuOfChildren() - before,
        code: child.exitCode,
        out: stderr + stdout,
      }),
    );
    child.stdin?.end(stdin);
  });
}
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const said = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('@a2c '))
    .map((line) => line.replaceAll(packages, '…').replaceAll(folder, '.').replaceAll(root, './'))
    // A line that is too long is cut, also within the name of the folder.
    .map((line) => line.replace(cutFolder, '.…'))
    // A link in an answer leads nowhere from the page.
    .map((line) => line.replaceAll('](', '] ('))
    .slice(0, 5)
    .map((line) => line.slice(0, 120))
    .join('\n');

function install(): void {
  const names = [...new Set(Object.values(published).map((server) => server.package))];
  if (names.every((name) => existsSync(join(packages, 'node_modules', name)))) return;
  mkdirSync(packages, { recursive: true });
  const install_ = ['install', '--no-audit', '--no-fund', '--prefix', packages, 'mcporter@latest', 'node@24'];
  execFileSync('npm', [...install_, ...names], { stdio: 'inherit' });
}
install();
const node24 = join(packages, 'node_modules/node/bin/node');
const mcporter = join(packages, 'node_modules/mcporter/dist/cli.js');
const { version } = JSON.parse(
  readFileSync(join(packages, 'node_modules/mcporter/package.json'), 'utf8'),
) as {
  version: string;
};
const here = `a2c, Node ${process.versions.node.split('.')[0]}`;
const tools = {
  [here]: [process.execPath, main],
  'a2c, Node 24': [node24, main],
  mcporter: [node24, mcporter],
};
type Name = keyof typeof tools;

const slowerBy = (ours: Done, theirs: Done): string =>
  [[ours.seconds / theirs.seconds, 'the time'] as const, [ours.cpu / theirs.cpu, 'the CPU'] as const]
    .filter(([times]) => times > 1)
    .map(([times, of]) => `${times.toFixed(2)} × ${of}`)
    .join(' and ');
async function measured(task: Task): Promise<Readonly<Record<Name, Done>>> {
  const all = Object.fromEntries(Object.keys(tools).map((name) => [name, [] as Done[]]));
  for (let turn = 0; turn < (task.isSlow ? 1 : runs); turn += 1)
    for (const [name, command] of Object.entries(tools))
      all[name]?.push(await run([...command, ...task[name === 'mcporter' ? 'mcporter' : 'a2c']], task.stdin));
  return Object.fromEntries(
    Object.entries(all).map(([name, done]) => [
      name,
      {
        ...{ code: done.at(-1)?.code ?? null, out: done.at(-1)?.out ?? '' },
        seconds: median(done.map(({ seconds }) => seconds)),
        cpu: median(done.map(({ cpu }) => cpu)),
      },
    ]),
  );
}
try {
  const entries = Object.entries(published).map(([name, { args = [], env = {} }]) => {
    const kept = name === 'memory' ? { lifecycle: 'keep-alive', a2c: { keepAlive: true } } : {};
    return [name, { command: 'node', args: [fileOf(name), ...args], env, ...kept }] as const;
  });
  const without = entries.map(([name, { lifecycle: _, ...entry }]) => [name, entry] as const);
  mkdirSync(join(folder, 'config'));
  writeFileSync(
    join(folder, 'config/mcporter.json'),
    JSON.stringify({ mcpServers: Object.fromEntries(entries) }),
  );
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(without) }));
  writeFileSync(join(folder, 'own.json'), JSON.stringify({ mcpServers: {} }));
  writeFileSync(join(folder, 'notes.txt'), 'two\nlines');
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'sub/near.mjs'), `import ${JSON.stringify(fileOf('everything'))};`);
  const everything = fileOf('everything');
  const late = `setTimeout(() => import(${JSON.stringify(everything)}), 40000)`;
  for (const [name, entry] of Object.entries({
    first: { command: 'node', args: [everything] },
    near: { command: 'node', args: ['./near.mjs'] },
    wrong: { command: `node ${everything}` },
    slow: { command: 'node', args: ['-e', late] },
    absent: { command: 'no-such-command' },
    unset: { command: 'node', args: [everything], env: { NEEDED: '${NO_SUCH_VARIABLE}' } },
  }))
    writeFileSync(join(folder, `sub/${name}.json`), JSON.stringify({ mcpServers: { [name]: entry } }));
  const noted = `{ // mine\n  "mcpServers": { "noted": { "command": "node", "args": [${JSON.stringify(everything)}], } } }`;
  writeFileSync(join(folder, 'sub/noted.json'), noted);
  for (const [name, command] of Object.entries(tools)) {
    await run([...command, ...(name === 'mcporter' ? ['list'] : ['tools', '--trust'])]);
    await run([...command, 'call', 'memory.read_graph']);
  }
  const rows = ['| task | typed | keys | seconds | CPU | exit | answer |', '|---|---|---|---|---|---|---|'];
  const texts: string[] = [];
  const lost: string[] = [];
  for (const task of tasks.filter(({ what }) => only.test(what))) {
    const done = await measured(task);
    process.stderr.write(`${task.what}\n`);
    for (const [name, { seconds, cpu, code, out }] of Object.entries(done)) {
      const of = name === 'mcporter' ? 'mcporter' : 'a2c';
      const words = task[name === 'mcporter' ? 'mcporter' : 'a2c'].map((word) =>
        word.replaceAll(packages, '…'),
      );
      const typed = [name === 'mcporter' ? name : 'a2c', ...words].join(' ');
      const first = name === here ? task.what : '';
      const shown = name === 'a2c, Node 24' ? 'the same, Node 24' : `\`${typed}\``;
      rows.push(
        `| ${first} | ${shown} | ${typed.length} | ${seconds.toFixed(2)} | ${cpu.toFixed(2)} | ${code} | ${seen[task.what]?.[of] ?? 'the result'} |`,
      );
      if (name !== 'a2c, Node 24')
        texts.push(`### ${task.what}: \`${typed}\`\n\n\`\`\`text\n${said(out)}\n\`\`\`\n`);
    }
    const theirs = done['mcporter'];
    for (const [name, ours] of Object.entries(done)) {
      const by = name !== 'mcporter' && theirs ? slowerBy(ours, theirs) : '';
      if (by !== '') lost.push(`- ${task.what}, ${name.replace('a2c, ', '')}: ${by}`);
    }
  }
  const page = `# a2c beside mcporter

Made by \`node --import tsx scenarios/bench/beside/mcporter.ts\` with mcporter ${version} on Node 24, which it needs, and a2c on Node ${process.versions.node} (first line) and on 24. One config has fourteen servers of twelve packages from npm: one crashes, one never answers, and \`memory\` is kept between calls by both. Medians of ${runs} runs in turns; of a task that waits for the silent server one run. Seconds and CPU seconds include the servers that were started, on one machine that had other work. The last column is the answer as a person saw it.

${rows.join('\n')}

## Slower than mcporter

By medians; a few hundredths are noise of the machine:

${lost.length > 0 ? lost.join('\n') : 'None.'}

## What was said

The first five lines of each.

${texts.join('\n')}`;
  const [file] = process.argv.slice(2).filter((word) => word !== '--');
  if (file === undefined) process.stdout.write(page);
  else writeFileSync(file, page);
} finally {
  await run([process.execPath, main, 'keep', '--stop']);
  await run([node24, mcporter, 'daemon', 'stop']);
  rmSync(folder, { recursive: true, force: true });
}
