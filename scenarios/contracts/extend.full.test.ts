import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../replay/report/page.ts';
import { fixtureFile, testFolder } from '../fixtures/test-folder.ts';
import { compiled, linkedProject } from '../fixtures/linked-project.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/extend.md'), 'utf8');
const here = testFolder('extend');
const at = (...path: string[]): string => join(here, ...path);

beforeAll(() => {
  linkedProject(here, '@types/node', '@modelcontextprotocol/sdk');
  mkdirSync(at('bin'));
  copyFileSync(fixtureFile('docker.sh'), at('bin/docker'));
  chmodSync(at('bin/docker'), 0o755);
  const names = [...page.matchAll(/^<!-- (\S+\.ts) -->$/gm)];
  for (const [n, { text, start }] of blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .entries()) {
    const name = names.find(({ index }) => page.slice(index, start).trimEnd().split('\n').length === 2)?.[1];
    writeFileSync(at(name ?? `block-${n}.ts`), text);
  }
});
afterAll(() => {
  for (const one of left()) if (typeof one !== 'string') process.kill(one.pid, 'SIGKILL');
});

const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH']}`, NODE_OPTIONS: '' };
const run = (program: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: here, env, encoding: 'utf8' });
/** Living processes that found our `docker` in their PATH, and its containers. */
const left = (): ({ pid: number } | string)[] => [
  ...JSON.parse(
    execFileSync(process.execPath, [fixtureFile('living-processes.mjs'), at('bin'), '2000'], {
      encoding: 'utf8',
    }),
  ),
  ...readdirSync(at('bin/containers')).filter((name) => !name.endsWith('.removed')),
];

/** One for all examples: to load the package costs more than to run them. Each tells what it saw, as a line. */
let said: Readonly<Record<string, unknown>> | undefined;
const example = (): Readonly<Record<string, unknown>> => (said ??= hosted());
const hosted = (): Readonly<Record<string, unknown>> => {
  const deaf = { command: process.execPath, args: [fixtureFile('shutdown-server.mjs'), 'stubborn'] };
  const { stdout, stderr } = run(`
    import { once } from 'node:events';
    import { createServer } from 'node:net';
    import { createInterface } from 'node:readline';
    import { createBehaviour } from ${JSON.stringify(fixtureFile('mcp-behaviour.mjs'))};
    import { createComputer } from 'a2c-actors';
    import { computer as clock } from './out/clock.js';
    import { containersOf } from './out/containers.js';
    import { start } from './out/notes.js';
    const tell = (name, value) => console.log(JSON.stringify({ [name]: value }));
    const call = (computer, tool, params) => computer.callTool(tool, params, { confirmed: true });

    const spec = { server: 's', command: 'sh', args: ['-c', 'echo "$TOKEN"'], env: { TOKEN: 'hunter2' } };
    const { stdout, ended } = containersOf('image').launch(spec, { ...process.env, ...spec.env });
    stdout.on('data', (text) => tell('variable', String(text)));
    await ended;

    const { outcome, result } = await call(clock, 'now', {});
    tell('clock', [outcome, /^\\d{4}-\\d\\d-/.test(result.content[0].text)]);
    await clock.close();

    const server = createServer((socket) => {
      const wire = { send: (message) => socket.write(JSON.stringify(message) + '\\n'), cancelled() {} };
      const { receive } = createBehaviour('echo', wire);
      createInterface(socket).on('line', (line) => receive(JSON.parse(line)));
    }).listen('notes.sock');
    await once(server, 'listening');
    const reached = await start('notes.sock');
    const notes = await call(reached, 'echo', { text: 'hi' });
    tell('unix', [notes.outcome, notes.server, notes.result.content[0].text]);
    await reached.close();
    server.close();

    const config = { mcpServers: { deaf: ${JSON.stringify(deaf)} } };
    const computer = await createComputer({ config, launcher: containersOf('image'), stateDir: false });
    const served = await call(computer, 'echo', { text: 'hi' });
    tell('container', [served.outcome, computer.status().servers[0].state]);
    process.exit(0);`);
  expect(stderr).toBe('');
  return Object.assign(
    {},
    ...stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  );
};

describe('docs/extend.md', () => {
  it('has examples that the compiler takes', () => {
    const sources = readdirSync(here).filter((name) => name.endsWith('.ts'));
    expect(sources.toSorted()).toEqual([
      ...[
        'asked.ts',
        'block-0.ts',
        'block-2.ts',
        'clock.ts',
        'containers.test.ts',
        'containers.ts',
        'notes.ts',
      ],
      ...['unix.test.ts', 'unix.ts'],
    ]);
    expect(compiled(here, sources, '--types', 'node')).toBe('');
  });

  it.each([
    ['a launcher for containers', 'containers', 20],
    ['a transport over Unix sockets', 'unix', 40],
  ])('has %s that passes the contract, under another runner, and leaves nothing', (_, name, cases) => {
    const { stdout, status } = run(`await import('./out/${name}.test.js')`);
    expect(status, stdout).toBe(0);
    expect(Number(/^(?:#|ℹ) pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(cases);
    expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
    expect(left()).toEqual([]);
  });

  it('has a launcher that gives a server its variables, of which docker is told no value', () => {
    expect(example()['variable']).toBe('hunter2\n');
    const log = readFileSync(at('bin/containers.log'), 'utf8');
    expect(log).toMatch(/^run --rm --interactive --init --name a2c-\S+ --env TOKEN image sh -c /m);
    expect(log).not.toContain('hunter2');
  });

  it('has a launcher with which a computer serves, and of which a host that just exits leaves no container', () => {
    expect(example()['container']).toEqual(['succeeded', 'ready']);
    expect(left()).toEqual([]);
  });

  it.each([
    ['inside the host', 'clock', ['succeeded', true]],
    ['on a Unix socket', 'unix', ['succeeded', 'notes', 'hi']],
  ])('has a server %s that is called like any other', (_, name, told) => {
    expect(example()[name]).toEqual(told);
  });
});
