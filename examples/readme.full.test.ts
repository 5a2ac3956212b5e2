import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiled, linkedProject } from '../scenarios/fixtures/linked-project.ts';
import { testFolder } from '../scenarios/fixtures/test-folder.ts';

/** Runs the programs and commands of README.md as they stand, in a project that has the built package. */
const root = fileURLToPath(new URL('..', import.meta.url));
const here = testFolder('readme');
const pages = ['README.md', 'docs/calls.md'].map((name) => readFileSync(join(root, name), 'utf8'));
const [page = ''] = pages;
const programs = [...pages.join('\n').matchAll(/^<!-- (\S+\.mjs) -->\n```js\n(.*?)^```$/gms)];

beforeAll(() => {
  linkedProject(here, '@modelcontextprotocol', 'zod');
  writeFileSync(join(here, 'package.json'), '{ "description": "sells tea", "type": "module" }');
  writeFileSync(join(here, 'README.md'), '# A shop\n\nIt sells tea.\n');
  for (const [, name = '', code = ''] of programs) writeFileSync(join(here, name), code);
});

/** Runs a command to its end, with what a person types. */
async function run([command = '', ...argv]: readonly string[], { typed = '' } = {}) {
  // A test that starts tests must not look like one of its own.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(command, argv, {
    cwd: here,
    env: {
      ...inherited,
      PATH: `${join(here, 'node_modules/.bin')}:${inherited['PATH']}`,
      XDG_CONFIG_HOME: join(here, 'config'),
      XDG_STATE_HOME: join(here, 'state'),
    },
  });
  // A program that ends before it has read its input closes the pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(typed);
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { out, err, code: code as number | null };
}

describe('README.md', () => {
  it('has these programs, the first and the test of at most ten lines', () => {
    expect(programs.map(([, name]) => name)).toEqual([
      'first.mjs',
      'office.mjs',
      'shop.test.mjs',
      'confirm.mjs',
    ]);
    for (const n of [0, 2]) expect(programs[n]?.[2]?.trim().split('\n').length).toBeLessThanOrEqual(10);
    expect(programs[2]?.[2]).toBe(readFileSync(join(root, 'examples/shop/shop.test.mjs'), 'utf8'));
  });

  it('calls a tool with two concepts', async () => {
    expect(await run(['node', 'first.mjs'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('tea'),
    });
  });

  it('has a first program that strict TypeScript takes', () => {
    writeFileSync(join(here, 'first.ts'), readFileSync(join(here, 'first.mjs')));
    const strict = [
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--moduleDetection',
      'force',
    ];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    expect(compiled(here, ['first.ts'], ...strict, ...types)).toBe('');
  });

  it.each([
    ['y\n', 'succeeded'],
    ['n\n', 'The user said no'],
  ])('asks a person, who types %j', async (typed, said) => {
    const { out, code } = await run(['node', 'confirm.mjs'], { typed });
    expect([code, out]).toEqual([0, expect.stringContaining('Run read')]);
    expect(out).toContain(said);
  });

  it('calls a tool through an office', async () => {
    expect(await run(['node', 'office.mjs'])).toEqual({ code: 0, err: '', out: 'succeeded\n' });
  });

  it('adds a server at the command line, lists its tools, calls one and looks at a host', async () => {
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
      block.trim().split('\n'),
    );
    const [[, ...commands] = [], [up = ''] = []] = blocks;
    // Another server of the same publisher, which is here without a network.
    const local = (command: string): string[] =>
      command
        .replace('server-filesystem .', 'server-everything')
        .replace(/files\.\S+/, 'files.get-env')
        .split(' ');
    const outs: string[] = [];
    for (const command of commands) {
      const { code, out, err } = await run(local(command));
      expect([code, err], command).toEqual([0, expect.anything()]);
      outs.push(out + err);
    }
    expect(outs).toEqual([
      expect.stringContaining('files'),
      expect.stringContaining('get-env'),
      expect.stringContaining('PATH'),
    ]);
    const host = await run([...up.split(' '), '--port', '0'], { typed: 'quit\n' });
    expect(host).toMatchObject({ code: 0 });
    expect(host.out + host.err).toMatch(/^inspector http:\/\/127\.0\.0\.1:\d+\//m);
  });

  it('replays a failure to a red test and a green one', async () => {
    const [, copy = '', packages = ''] = /^(cp .*shop\.mjs \.) && npm install (.*)$/m.exec(page) ?? [];
    expect(await run(copy.split(' '))).toMatchObject({ code: 0, err: '' });
    const shop = readFileSync(join(here, 'shop.mjs'), 'utf8');
    const imports = [...shop.matchAll(/^import .* from '((?:@[^/']+\/)?[^/']+)/gm)].map(([, name]) => name);
    expect(new Set(packages.split(' '))).toEqual(new Set(imports));
    const test = ['node', '--test', 'shop.test.mjs'];
    const red = await run(test);
    const [, said = ''] = /red while the server dies: `([^`]+)`/.exec(page) ?? [];
    expect(red).toMatchObject({ code: 1, out: expect.stringContaining(said) });
    writeFileSync(join(here, 'shop.mjs'), shop.replace(/crash\(`.*`\); \/\/ mended: /, ''));
    expect(await run(test)).toMatchObject({ code: 0, out: expect.stringContaining('pass 1') });
  });
});
