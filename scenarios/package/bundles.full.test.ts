import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { installed } from '../fixtures/installed.ts';
import { strangerProject } from '../fixtures/stranger-project.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);
const project = testFolder('bundled');
const out = (...names: string[]): string => join(project, 'out', ...names);

const wanted = [
  ...['esbuild@0.28.2', 'rollup@4.68.8', 'tsup@9.0.0', 'vite@8.3.8', 'webpack@5.112.2', 'bun@1.4.5'],
  ...['@rollup/plugin-node-resolve@16', '@rollup/plugin-commonjs@28', '@rollup/plugin-json@6'],
  ...['typescript@6', 'webpack-cli@7', 'node@24.21.0', 'postject@1.0.0-alpha.6'],
];
let tools = '';
const tool = (name: string, ...argv: string[]) =>
  run(join(tools, 'node_modules/.bin', name), argv, { cwd: project });
const write = (name: string, text: string): string => {
  writeFileSync(join(project, name), text);
  return name;
};

/** esbuild needs it for packages in CommonJS (docs/bundling.md). */
const banner = /^```js\n(import \{ createRequire as .*)\n```$/m.exec(
  readFileSync(at('../../docs/bundling.md'), 'utf8'),
)?.[1];

const esbuilt = (format: string, file: string, ...more: readonly string[]) =>
  tool(
    'esbuild',
    'host.mjs',
    '--bundle',
    '--platform=node',
    `--format=${format}`,
    `--outfile=${file}`,
    ...more,
  );

const bundlers: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'esbuild, as a module': async () => {
    const file = out('esm/host.mjs');
    await esbuilt('esm', file, `--banner:js=${banner}`);
    return [process.execPath, file];
  },
  'esbuild, as CommonJS': async () => {
    const file = out('cjs/host.cjs');
    await esbuilt('cjs', file);
    return [process.execPath, file];
  },
  tsup: async () => {
    const options = { entry: ['host.mjs'], format: ['esm'], outDir: 'out/tsup', banner: { js: banner } };
    write('tsup.config.mjs', `export default { ...${JSON.stringify(options)}, noExternal: [/.*/] };`);
    await tool('tsup');
    return [process.execPath, out('tsup/host.js')];
  },
  rollup: async () => {
    const plugins = ['node-resolve', 'commonjs', 'json'].map(
      (name) =>
        `require('@rollup/plugin-${name}').default(${name === 'node-resolve' ? `{ preferBuiltins: true, exportConditions: ['node'] }` : ''})`,
    );
    const config = write(
      'rollup.config.mjs',
      `import { createRequire } from 'node:module';
      const require = createRequire(${JSON.stringify(join(tools, 'package.json'))});
      export default { input: 'host.mjs', output: { dir: 'out/rollup' }, plugins: [${plugins.join(', ')}] };`,
    );
    await tool('rollup', '--silent', '-c', config);
    return [process.execPath, out('rollup/host.js')];
  },
  'Vite for a server': async () => {
    const options = {
      build: { ssr: 'host.mjs', outDir: 'out/vite' },
      ssr: { noExternal: true },
      logLevel: 'error',
    };
    await tool('vite', 'build', '-c', write('vite.config.mjs', `export default ${JSON.stringify(options)};`));
    return [process.execPath, out('vite/host.js')];
  },
  webpack: async () => {
    const options = {
      ...{ mode: 'production', target: 'node', entry: './host.mjs', optimization: { minimize: false } },
      output: { path: out('webpack'), filename: 'host.cjs' },
    };
    await tool('webpack', '-c', write('webpack.config.cjs', `module.exports = ${JSON.stringify(options)};`));
    return [process.execPath, out('webpack/host.cjs')];
  },
  'bun build --compile': async () => {
    await tool('bun', 'build', '--compile', 'host.mjs', '--outfile', out('bun/app'));
    return [out('bun/app')];
  },
  'Node as a single file': async () => {
    const [file, blob, app] = [out('sea/host.cjs'), out('sea/app.blob'), out('sea/app')];
    await esbuilt('cjs', file);
    const node = join(tools, 'node_modules/node/bin/node');
    const sea = write(
      'sea.json',
      JSON.stringify({ main: file, output: blob, disableExperimentalSEAWarning: true }),
    );
    await run(node, ['--experimental-sea-config', sea], { cwd: project });
    cpSync(node, app);
    const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
    await tool('postject', app, 'NODE_SEA_BLOB', blob, ...fuse);
    return [app];
  },
};

interface Said {
  readonly pid: number;
  readonly outcome: string;
  readonly page: unknown;
  readonly vrl: unknown;
  readonly told: readonly string[];
}
/** `end` closes its stdin, and `kill` ends it as `kill -9` does. */
async function host([command = '', ...argv]: readonly string[], env: object = {}) {
  const child = spawn(command, argv, {
    cwd: project,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE: process.execPath,
      SERVER: at('../bench/baseline/echo-server.mjs'),
      XDG_STATE_HOME: join(project, 'state'),
      ...env,
    },
  });
  const ended = once(child, 'close');
  const first = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [line] = await Promise.race([first, ended.then(() => Promise.reject(new Error('it said nothing')))]);
  const said = JSON.parse(line) as Said;
  const stop = async (how: () => void): Promise<void> => {
    how();
    await ended;
  };
  return {
    ...said,
    end: () => stop(() => child.stdin.end()),
    kill: () => stop(() => child.kill('SIGKILL')),
  };
}
const childrenOf = (parent: number): Map<number, string> =>
  new Map(
    readdirSync('/proc').flatMap((name): [number, string][] => {
      try {
        const [, , its] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return Number(its) === parent ? [[Number(name), line]] : [];
      } catch {
        return [];
      }
    }),
  );
const lives = (pid: number): boolean => existsSync(`/proc/${pid}`);

const [installedAt, shippedAt] = [join(project, 'node_modules/a2c-actors'), join(project, 'shipped')];

const decoys = ['reaper.js', 'worker.js', 'worker.mjs', 'index.html', 'page/index.html'];

describe.skipIf(process.platform !== 'linux')('a host that was bundled', () => {
  beforeAll(async () => {
    tools = await installed('bundlers', wanted);
    strangerProject(project, ['@bpinternal/verel']);
    cpSync(at('host.mjs'), join(project, 'host.mjs'));
    write('package.json', '{ "private": true, "type": "module" }');
  }, 600_000);

  afterEach(() => existsSync(shippedAt) && renameSync(shippedAt, installedAt));

  it.each(Object.keys(bundlers))('has all its parts, or is told what is missing, by %s', async (name) => {
    const command = (await bundlers[name]?.()) ?? [];
    const isSea = name === 'Node as a single file';
    const reaper = isSea ? 0 : 1;
    const told = isSea ? [expect.stringContaining('no reaper') as string] : [];

    const inPlace = await host(command);
    expect(inPlace).toMatchObject({ outcome: 'succeeded', page: 200 });
    // A single file of Bun finds no packages.
    if (name !== 'bun build --compile') expect(inPlace.vrl).toBe('checked');
    expect([...new Set(inPlace.told)]).toEqual(told);
    const children = [...childrenOf(inPlace.pid).values()];
    expect(children.filter((line) => line.includes('a2c-actors/dist/adapters/process/reaper/'))).toHaveLength(
      reaper,
    );
    await inPlace.end();

    const [file = ''] = command.slice(-1);
    const away = testFolder('away');
    cpSync(dirname(file), away, { recursive: true });
    mkdirSync(join(away, 'page'));
    const note = join(away, 'decoy-was-run');
    for (const decoy of decoys)
      writeFileSync(join(away, decoy), `require('node:fs').writeFileSync('${note}', '')`);
    const moved = [...command.slice(0, -1), join(away, basename(file))];
    renameSync(installedAt, shippedAt);
    const alone = await host(moved);
    const missing = { code: 'ConfigInvalid', remedy: expect.stringContaining('A2C_ASSETS') as string };
    expect(alone).toMatchObject({ outcome: 'succeeded', page: missing });
    expect(alone.vrl).toMatchObject({ code: 'ConfigInvalid' });
    expect([...new Set(alone.told)]).toEqual(told);
    const left = childrenOf(alone.pid);
    expect([...left.values()].filter((line) => line.includes('a2c reaper '))).toHaveLength(reaper);
    await alone.kill();
    if (!isSea) await vi.waitUntil(() => ![...left.keys()].some(lives), { timeout: 30_000 });
    expect(existsSync(note)).toBe(false);

    const given = await host(moved, { A2C_ASSETS: join(shippedAt, 'dist') });
    expect(given).toMatchObject({ outcome: 'succeeded', page: 200 });
    await given.end();
  });
});
