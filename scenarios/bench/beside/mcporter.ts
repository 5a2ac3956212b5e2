/**
 * Ten tasks at a shell, done with `a2c` and with mcporter, over one config with twelve servers of which three are broken. Writes what
 * had to be typed, how long it took and what was said as Markdown to stdout, or to the file that is named. It takes mcporter from npm.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const mcporter = 'mcporter@0.9.0';
const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = join(root, 'dist/actors/main.js');
const fixture = (name: string): string => join(root, 'scenarios/fixtures', `${name}.mjs`);

interface Tool {
  readonly name: 'a2c' | 'mcporter';
  readonly run: readonly string[];
}
interface Done {
  readonly typed: string;
  readonly seconds: number;
  readonly code: number | null;
  readonly out: string;
}
interface Task {
  readonly what: string;
  readonly a2c: readonly string[];
  readonly mcporter: readonly string[];
}
const tasks: readonly Task[] = [
  { what: 'See which servers work', a2c: ['status'], mcporter: ['list'] },
  { what: 'List the tools of one server', a2c: ['tools', 'typed'], mcporter: ['list', 'typed'] },
  {
    what: 'See how a tool is called',
    a2c: ['tools', 'get_next'],
    mcporter: ['list', 'typed', '--schema'],
  },
  { what: 'Call a tool', a2c: ['call', 'get_next', 'n=1'], mcporter: ['call', 'typed.get_next', 'n=1'] },
  {
    what: 'Call it with a wrong argument',
    a2c: ['call', 'get_next', 'n=soon'],
    mcporter: ['call', 'typed.get_next', 'n=soon'],
  },
  {
    what: 'Mistype the name of a tool',
    a2c: ['call', 'typed.get_nxt', 'n=1'],
    mcporter: ['call', 'typed.get_nxt', 'n=1'],
  },
  {
    what: 'Mistype the name of a server',
    a2c: ['tools', 'typde'],
    mcporter: ['list', 'typde'],
  },
  { what: 'Find out why a server is down', a2c: ['logs', 'crashing'], mcporter: ['list', 'crashing'] },
  {
    what: 'Call one of two tools with one name',
    a2c: ['call', 'two.echo', 'text=hi'],
    mcporter: ['call', 'two.echo', 'text=hi'],
  },
  {
    what: 'Add a server',
    a2c: ['add', 'new', '--', 'npx', '-y', 'pkg'],
    mcporter: ['config', 'add', 'new', '--command', 'npx', '--arg', '-y', '--arg', 'pkg'],
  },
];
const limitMs = 120_000;
const mostBytes = 8 * 1024 * 1024;

function run(tool: Tool, args: readonly string[], cwd: string): Promise<Done> {
  const [command = '', ...before] = tool.run;
  const startedAt = performance.now();
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(cwd, 'state'),
    XDG_CONFIG_HOME: join(cwd, 'config'),
    NO_COLOR: '1',
  };
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: mostBytes } as const;
    const child = execFile(command, [...before, ...args], options, (_error, stdout, stderr) =>
      resolve({
        typed: [tool.name, ...args].join(' '),
        seconds: (performance.now() - startedAt) / 1000,
        code: child.exitCode,
        out: stderr + stdout,
      }),
    );
  });
}
const plain = (text: string): string =>
  text
    .replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, '')
    .split('\n')
    .filter((line) => !/^(@a2c |npm (warn|notice) )/.test(line) && line.trim() !== '')
    .map((line) =>
      line
        .replaceAll(root, './')
        .replaceAll(folder, '.')
        .replaceAll(process.execPath, 'node')
        .replaceAll(homedir(), '~'),
    )
    .slice(0, 6)
    .map((line) => line.slice(0, 110))
    .join('\n');

const folder = mkdtempSync(join(tmpdir(), 'a2c-compare-'));
try {
  const own = (...args: readonly string[]): object => ({ command: process.execPath, args });
  const mcpServers: Record<string, object> = {
    typed: own(fixture('typed-server')),
    two: own(fixture('mcp-server')),
    three: own(fixture('mcp-server')),
    windows: own(fixture('windows-server')),
    documents: own(fixture('documents-server')),
    ...Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`typed-${name}`, own(fixture('typed-server'), name)]),
    ),
    missing: { command: 'no-such-command-anywhere' },
    crashing: own('-e', 'console.error("Error: DATABASE_URL is not set"); process.exit(7)'),
    mute: { ...own(fixture('mcp-server'), 'mute'), a2c: { timeouts: { connectMs: 5_000 } } },
  };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }, null, 2));
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config/mcporter.json'), JSON.stringify({ mcpServers }, null, 2));
  const ours: Tool = { name: 'a2c', run: [process.execPath, main] };
  const theirs: Tool = { name: 'mcporter', run: ['npx', '-y', '-p', mcporter, 'mcporter'] };
  // Fetches the package, and lists the tools once, as an earlier day would have.
  await run(theirs, ['--version'], folder);
  await run(ours, ['tools', '--trust'], folder);
  const lines = ['| task | typed | keys | seconds | exit |', '|---|---|---|---|---|'];
  const said: string[] = [];
  for (const task of tasks) {
    for (const tool of [ours, theirs]) {
      const done = await run(tool, task[tool.name], folder);
      const { typed, seconds, code, out } = done;
      lines.push(
        `| ${tool === ours ? task.what : ''} | \`${typed}\` | ${typed.length} | ${seconds.toFixed(1)} | ${code} |`,
      );
      said.push(`### ${task.what}: \`${typed}\`\n\n\`\`\`text\n${plain(out)}\n\`\`\`\n`);
    }
  }
  const page = `# a2c beside mcporter\n\nMade by \`npm run bench:mcporter\`, with ${mcporter} and Node ${process.versions.node}. Twelve servers in one config, three of them broken: a command that does not exist, a server that crashes, and one that never answers. Seconds are of one run on one machine; those of mcporter have about 0.4 s of \`npx\` in them.\n\n${lines.join('\n')}\n\n## What was said\n\nThe first six lines of each.\n\n${said.join('\n')}`;
  const file = process.argv[2];
  if (file === undefined) process.stdout.write(page);
  else writeFileSync(file, page);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
