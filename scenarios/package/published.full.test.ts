import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { installed } from '../fixtures/installed.ts';
import { packInto } from '../fixtures/stranger-project.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { manifest, root } from '../fixtures/checkout.ts';

const run = promisify(execFile);
const folder = testFolder('published');
const checkers = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];
/** npm has each as a package of its own for each platform. */
const nodes = ['20.19.5', '22.23.3', '24.21.0', '26.10.0'];
const { platform, arch } = process;
const platformNames: Readonly<Record<string, string>> = { win32: 'win' };
const nodePackage = `node-${platformNames[platform] ?? platform}-${arch}`;

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const [, first = ''] = /^<!-- first\.mjs -->\n```js\n(.*?)^```$/ms.exec(readme) ?? [];
const { version } = manifest;
let file = '';
beforeAll(() => void (file = packInto(folder)));

describe('the packed package', () => {
  let bin = '';
  beforeAll(async () => {
    bin = join(await installed('publish', checkers), 'node_modules/.bin');
  }, 300_000);

  it('has no mistake that publint finds', async () => {
    const { stdout } = await run(join(bin, 'publint'), ['run', file, '--strict']);
    expect(stdout).toContain('All good!');
  });

  it('has types that each resolution of modules finds, but for those without ESM', async () => {
    // The command exits with 1 when it finds something.
    const argv = [file, '--profile', 'esm-only', '--format', 'json'];
    const { stdout } = await run(join(bin, 'attw'), argv, { maxBuffer: 2 ** 24 });
    expect(JSON.parse(stdout)).toMatchObject({ analysis: { types: { kind: 'included' } } });
  });
});

describe.skipIf(platform === 'win32').each(nodes)('the package, installed on Node %s,', (node) => {
  const home = join(folder, node);
  const program = async (command: string, ...argv: string[]): Promise<string> => {
    const path = [join(home, 'bin'), process.env['PATH']].join(delimiter);
    const env = { ...process.env, PATH: path, XDG_STATE_HOME: join(home, 'state') };
    return (await run(command, argv, { cwd: home, env })).stdout.trim();
  };
  beforeAll(async () => {
    const from = await installed(`node-${node}`, [`${nodePackage}@${node}`]);
    mkdirSync(join(home, 'bin'), { recursive: true });
    symlinkSync(join(from, 'node_modules', nodePackage, 'bin/node'), join(home, 'bin/node'));
    writeFileSync(join(home, 'package.json'), '{ "private": true }');
    await program('npm', 'install', '--no-audit', '--no-fund', '--engine-strict', file);
  }, 300_000);

  it('is imported, and calls a tool', async () => {
    writeFileSync(join(home, 'first.mjs'), first);
    expect(await program('node', '--version')).toBe(`v${node}`);
    expect(await program('node', 'first.mjs')).toContain('"private":true');
  });

  it('is imported by a CommonJS program', async () => {
    const code = "console.log(Object.keys(require('a2c-actors')).includes('createComputer'))";
    expect(await program('node', '-e', code)).toContain('true');
  });

  it('has the command', async () => {
    expect(await program('npx', '-p', 'a2c-actors', 'a2c', '--version')).toContain(version);
  });
});
