import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../replay/page.ts';

/** What docs/extend.md tells a reader to write, in a folder of somebody who uses the package as it was built. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/extend.md'), 'utf8');
const here = mkdtempSync(join(tmpdir(), 'a2c-extend-'));
const at = (...path: string[]): string => join(here, ...path);
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

beforeAll(() => {
  for (const folder of ['node_modules/@types', 'node_modules/@modelcontextprotocol', 'bin'])
    mkdirSync(at(folder), { recursive: true });
  symlinkSync(root, at('node_modules/a2c-actors'), 'dir');
  for (const name of ['@types/node', '@modelcontextprotocol/sdk'])
    symlinkSync(join(root, 'node_modules', name), at('node_modules', name), 'dir');
  copyFileSync(fixture('docker.sh'), at('bin/docker'));
  chmodSync(at('bin/docker'), 0o755);
  writeFileSync(at('package.json'), JSON.stringify({ type: 'module' }));
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
  rmSync(here, { recursive: true });
});

const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH']}`, NODE_OPTIONS: '' };
/** What a program prints that stands in this folder. */
const hosted = (program: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: here,
    env,
    encoding: 'utf8',
  });
/** What lives of all that found our `docker` in its PATH, and which containers it has. */
const left = (): ({ pid: number } | string)[] => [
  ...JSON.parse(
    execFileSync(process.execPath, [fixture('living.mjs'), at('bin'), '2000'], { encoding: 'utf8' }),
  ),
  ...readdirSync(at('bin/containers')).filter((name) => !name.endsWith('.removed')),
];

describe('docs/extend.md', () => {
  it('has examples that the compiler takes', () => {
    const sources = readdirSync(here).filter((name) => name.endsWith('.ts'));
    expect(sources.toSorted()).toEqual([
      'block-0.ts',
      'block-2.ts',
      'clock.ts',
      'containers.test.ts',
      'containers.ts',
    ]);
    const options =
      '--strict --module nodenext --target es2023 --types node --skipLibCheck --outDir out'.split(' ');
    const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, ...sources], {
      cwd: here,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('has a launcher for containers that passes the contract, under another runner, and leaves nothing', () => {
    const { stdout, status } = spawnSync(process.execPath, ['--test', 'out/containers.test.js'], {
      cwd: here,
      env,
      encoding: 'utf8',
    });
    expect(status, stdout).toBe(0);
    expect(Number(/^(?:#|ℹ) pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(20);
    expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
    expect(left()).toEqual([]);
  });

  it('has a launcher that gives a server its variables, of which docker is told no value', () => {
    const program = `
      import { containersOf } from './out/containers.js';
      const spec = { server: 's', command: 'sh', args: ['-c', 'echo "$TOKEN"'], env: { TOKEN: 'hunter2' } };
      const { stdout, ended } = containersOf('image').launch(spec, { ...process.env, ...spec.env });
      stdout.pipe(process.stdout);
      await ended;`;
    expect(hosted(program)).toBe('hunter2\n');
    const log = readFileSync(at('bin/containers.log'), 'utf8');
    expect(log).toMatch(/^run --rm --interactive --init --name a2c-\S+ --env TOKEN image sh -c /m);
    expect(log).not.toContain('hunter2');
  });

  it('has a server inside the host that is called like any other', () => {
    const program = `
      import { computer } from './out/clock.js';
      const { outcome, result } = await computer.callTool('now', {}, { confirmed: true });
      console.log(outcome, /^\\d{4}-\\d\\d-/.test(result.content[0].text));
      await computer.close();`;
    expect(hosted(program)).toBe('succeeded true\n');
  });

  it('has a launcher with which a computer serves, and of which a host that just exits leaves no container', () => {
    const server = { command: process.execPath, args: [fixture('mannered-server.mjs'), 'stubborn'] };
    const program = `
      import { createComputer } from 'a2c-actors';
      import { containersOf } from './out/containers.js';
      const config = { mcpServers: { deaf: ${JSON.stringify(server)} } };
      const computer = await createComputer({ config, launcher: containersOf('image'), stateDir: false });
      const { outcome } = await computer.callTool('echo', { text: 'hi' }, { confirmed: true });
      console.log(outcome, computer.servers()[0].state);
      process.exit(0);`;
    expect(hosted(program)).toBe('succeeded ready\n');
    expect(left()).toEqual([]);
  });
});
