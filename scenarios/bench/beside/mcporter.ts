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
type Typed = string | readonly string[];
const words = (typed: Typed): readonly string[] => (typeof typed === 'string' ? typed.split(' ') : typed);
/** Words with blanks in them are typed as a list. */
function task(what: string, a2c: Typed, mcporter = a2c, more: Pick<Task, 'isSlow' | 'stdin'> = {}): Task {
  return { what, a2c: words(a2c), mcporter: words(mcporter), ...more };
}
const inConfig = (what: string, config: string, typed: string, more = {}): Task =>
  task(what, `${typed} -c sub/${config}.json`, `${typed} --config sub/${config}.json`, more);
const document = 'demo://resource/static/document/architecture.md';
const entities = '[{"name": "Ann", "entityType": "person", "observations": []}]';
const slowTool = 'everything.trigger-long-running-operation';
const isSlow = true;
const call = 'call everything.get-sum';
const sum = `${call} a=1 b=2`;
const echo = ['call', 'everything.echo'];
const create = ['call', 'second.create_entities'];
const tasks: readonly Task[] = [
  task('Version', '--version'),
  task('Servers of the config', 'list', 'config list'),
  task('Tools of all servers', 'tools', 'list', { isSlow }),
  task('Which servers work', 'status', 'list --status', { isSlow }),
  task('Tools of one server', 'tools everything', 'list everything'),
  task('How a tool is called', 'tools get-sum', 'list everything --schema'),
  task('One call', sum),
  task('One call, result as JSON', `${sum} --json`, `${sum} --output json`),
  task('Wrong argument', `${call} a=1 b=soon`),
  task('Misspelt tool', 'call everything.get-smu a=1 b=2'),
  task('Misspelt server', 'call evrything.get-sum a=1 b=2'),
  task('One of two servers with one tool', 'call second.read_graph'),
  task('Kept server, second call', 'call memory.read_graph'),
  task('Structured result', ['call', 'everything.get-structured-content', 'location=New York']),
  task('Image', 'call everything.get-tiny-image'),
  task('Server that crashes', 'call crashing.list_bases'),
  task('Silent server', 'call silent.echo message=hi', undefined, { isSlow }),
  task(
    'Server without a config',
    ['call', 'get-sum', 'a=1', 'b=2', '--', 'node', fileOf('everything')],
    ['call', '--stdio', `node ${fileOf('everything')}`, 'get-sum', 'a=1', 'b=2'],
  ),
  task(
    'Add a server',
    'add new --force -c own.json -- npx -y pkg',
    'config add new --command npx --arg -y --arg pkg',
  ),
  task('Help', '--help'),
  task('Help of one command', 'help call', 'call --help'),
  task('Misspelt command', 'cal everything.echo'),
  task('Tool forgotten', 'call everything'),
  task('Text of a file as an argument', 'call everything.echo message=@notes.txt'),
  task('Arguments as JSON', [...echo, '{"message": "hi"}'], [...echo, '--args', '{"message": "hi"}']),
  task(
    'Two configs',
    'call first.echo message=hi -c sub/first.json -c own.json',
    'call first.echo message=hi --config sub/first.json --config own.json',
  ),
  inConfig('Relative path in a config elsewhere', 'near', 'call near.echo message=hi'),
  inConfig('Arguments in the command', 'wrong', 'call wrong.echo message=hi'),
  task(
    'Line for another client',
    'claude mcp add --transport http far https://example.com/mcp --force',
    'config add far https://example.com/mcp',
  ),
  task('Why a server is down', 'status crashing', 'list crashing'),
  task('Resources of one server', 'resources everything', 'resource everything'),
  task('Types of the tools', 'generate types everything', 'emit-ts everything --out everything.d.ts'),
  task('One resource', `read ${document}`, `resource everything ${document}`),
  task('Values in order', `${call} 1 2`),
  task(
    'Server and tool apart',
    'call everything get-sum a=1 b=2',
    'call --server everything --tool get-sum a=1 b=2',
  ),
  task('Arguments from stdin', [...echo, '-'], [...echo, '--args', '-'], { stdin: '{"message": "hi"}' }),
  task(
    'List of objects as an argument',
    [...create, `entities:=${entities}`],
    [...create, '--args', `{"entities": ${entities}}`],
  ),
  task('Missing argument', `${call} a=1`),
  task('Unknown argument', `${sum} c=3`),
  task('Wrong choice', 'call everything.get-structured-content location=Paris'),
  task('Limit of a call', `call ${slowTool} duration=20 -t 3`, `call ${slowTool} duration=20 --timeout 3000`),
  task('Failure as JSON', `${call} a=1 b=soon --json`, `${call} a=1 b=soon --output json`),
  task('Tools as JSON', 'tools everything --json', 'list everything --json'),
  task(
    'Image into a file',
    'call everything.get-tiny-image --save images',
    'call everything.get-tiny-image --save-images images',
  ),
  task('Result with links', 'call everything.get-resource-links count=2'),
  task('Entry of one server', 'get tavily', 'config get tavily'),
  task(
    'URL where nobody listens',
    'tools http://127.0.0.1:59999/mcp',
    'list --http-url http://127.0.0.1:59999/mcp --allow-http',
  ),
  inConfig('Command that is not installed', 'absent', 'call absent.echo'),
  inConfig('Variable that is not set', 'unset', 'call unset.echo message=hi'),
  inConfig('Config with comments', 'noted', 'call noted.echo message=hi'),
  task('Login where none is needed', 'login everything', 'auth everything'),
  task('What is kept', 'keep --list', 'daemon status'),
  inConfig('Server that needs 40 s', 'slow', 'call slow.echo message=hi', { isSlow }),
];
/** Answers of each task as a person saw them, to be looked at again when the page is made again; others were the result. */
const seen: Readonly<Record<string, readonly [a2c: string, mcporter: string]>> = {
  Version: ['the number', 'the number'],
  'Servers of the config': ['a line each, with its number of tools', 'four lines each, no tools'],
  'Tools of all servers': [
    'each tool in a line; why two servers are missing, and what to type',
    'numbers of tools; which servers are missing',
  ],
  'Which servers work': ['state of each, cause, what to type', 'state of each'],
  'Tools of one server': ['a line each', 'signatures with all parameters'],
  'How a tool is called': [
    'signature and parameters of this tool',
    'signatures and schemas of all tools of its server',
  ],
  'One call, result as JSON': ['outcome, ids and result in one document', 'the result as the server sent it'],
  'Wrong argument': [
    'names the argument, shows the signature; not sent',
    'words of the validator in the server',
  ],
  'Misspelt tool': ['refused, names the nearest', 'calls the nearest one'],
  'Misspelt server': ['refused, names the nearest', 'stack trace, no hint'],
  Image: ['its type and size in its place', 'the image left out without a word'],
  'Server that crashes': ['words of the server, and what to type', '"Connection closed", stack trace'],
  'Silent server': ['what it waits for, then the reason after 60 s', 'no word for a minute'],
  'Add a server': ['the file, and what to type next', 'the file'],
  Help: ['one screen', 'two screens'],
  'Help of one command': ['its arguments, options and examples', 'the same'],
  'Misspelt command': ['names the nearest', 'takes it for a server'],
  'Tool forgotten': ['that it is a server, and what to type', 'stack trace'],
  'Two configs': ['the result; both count', 'the first is dropped without a word'],
  'Arguments in the command': ['refused, with the entry to write', 'the result'],
  'Line for another client': ['the file, and what to type next', 'the file'],
  'Why a server is down': ['state, cause, stderr, what to do', 'stderr, stack trace'],
  'Resources of one server': ['a line each, and how one is read', 'JSON'],
  'Types of the tools': ['on stdout, exact', 'in a file'],
  'One resource': ['the text; no server is named', 'the text'],
  'Values in order': ['the result', 'not understood'],
  'Missing argument': [
    'names the argument, shows the signature; not sent',
    'words of the validator in the server',
  ],
  'Unknown argument': ['names the argument, shows the signature; not sent', 'sent, and the argument ignored'],
  'Wrong choice': ['names the choices; not sent', 'words of the validator in the server'],
  'Limit of a call': ['that its effect is unknown; exit code 3', 'stack trace'],
  'Failure as JSON': [
    'outcome, phase and failure in one document; exit code 2',
    'the result as the server sent it',
  ],
  'Tools as JSON': ['one document', 'one document'],
  'Image into a file': ['the file, and its place in the result', 'the file'],
  'Result with links': ['each link, and how it is read', 'the links left out without a word'],
  'Entry of one server': ['the entry, secrets hidden', 'its parts'],
  'URL where nobody listens': ['the cause; exit code 1', '"fetch failed"; exit code 0'],
  'Command that is not installed': ['the cause, and what to do', 'ENOENT, stack trace'],
  'Variable that is not set': ['which one, then the result', 'the result, without a word'],
  'Login where none is needed': ['that there is none, and what to do', 'no word'],
  'What is kept': ['a line each', 'a line each'],
  'Server that needs 40 s': ['what it waits for, then the result', 'the result'],
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
const about = readFileSync(join(packages, 'node_modules/mcporter/package.json'), 'utf8');
const { version } = JSON.parse(about) as { version: string };
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
  const write = (file: string, mcpServers: object): void =>
    writeFileSync(join(folder, file), JSON.stringify({ mcpServers }));
  write('config/mcporter.json', Object.fromEntries(entries));
  write('mcp.json', Object.fromEntries(without));
  write('own.json', {});
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
    write(`sub/${name}.json`, { [name]: entry });
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
      const typed = [of, ...task[of].map((word) => word.replaceAll(packages, '…'))].join(' ');
      const first = name === here ? task.what : '';
      const shown = name === 'a2c, Node 24' ? 'the same, Node 24' : `\`${typed}\``;
      rows.push(
        `| ${first} | ${shown} | ${typed.length} | ${seconds.toFixed(2)} | ${cpu.toFixed(2)} | ${code} | ${seen[task.what]?.[of === 'a2c' ? 0 : 1] ?? 'the result'} |`,
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
