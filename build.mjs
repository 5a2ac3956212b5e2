// Builds `dist`: the code in chunks that load when they are needed, the types rolled up, and the page of the inspector.
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

process.chdir(import.meta.dirname);
const { bin, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const { resolve } = createRequire(import.meta.url);
const entries = Object.entries(exports).flatMap(([name, { types, default: code }]) =>
  types ? [{ name, types, code }] : [],
);

/** Files that run as processes and threads of their own; `adapters/own-files.ts` finds them. */
const programs = [
  'adapters/process/reaper/reaper.ts',
  'adapters/documents/main.ts',
  'adapters/documents/parsing/worker.ts',
  'adapters/vrl/worker.mjs',
  'scenarios/simulator/worker.ts',
];
const faultServer = 'scenarios/fault-server/fault-server.mjs';
const sourceOf = (built) => built.replace(/^\.?\/?dist\//, '').replace(/\.js$/, '.ts');

const node = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  // Bundled: its file for Node loads its parts in a way that bundlers of hosts do not see.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  outbase: '.',
  outdir: 'dist',
};

async function buildCode() {
  // One file, because it reads its vocabulary beside itself and starts often.
  await build({ ...node, entryPoints: [faultServer], outExtension: { '.js': '.mjs' } });
  mkdirSync('dist/scenarios/fault-server/words', { recursive: true });
  copyFileSync('scenarios/fault-server/words/words.json', 'dist/scenarios/fault-server/words/words.json');
  // Embedded, so that a host which was bundled without this package still has it.
  const reaper = await build({
    ...node,
    entryPoints: ['adapters/process/reaper/reaper.ts'],
    format: 'cjs',
    minify: true,
    // Shown by `ps` in place of the code.
    banner: { js: "process.title='a2c reaper '+process.argv.at(-1);" },
    write: false,
  });
  const code = entries.map(({ code }) => sourceOf(code));
  const commands = Object.values(bin).map(sourceOf);
  const entryPoints = [...new Set([...code, ...commands, ...programs])].filter(
    (file) => file !== faultServer,
  );
  await build({
    ...node,
    entryPoints: entryPoints.map((file) => ({ in: file, out: file.replace(/\.\w+$/, '') })),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    define: { EMBEDDED_REAPER: JSON.stringify(reaper.outputFiles[0].text) },
  });
  for (const file of Object.values(bin)) chmodSync(file, 0o755);
}

async function buildPage() {
  await build({
    entryPoints: ['adapters/page/page.tsx', 'adapters/page/page.css'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    outdir: 'dist/adapters/page',
  });
  copyFileSync('adapters/page/index.html', 'dist/adapters/page/index.html');
  copyFileSync(resolve('elkjs/lib/elk-worker.min.js'), 'dist/adapters/page/elk-worker.js');
}

/**
 * Entries whose types are rolled up together. Hosts import the first group, in which no package is named. The second group names
 * zod and XState; a type of both groups is written in each of them, with the same shape.
 */
const laboratory = ['./wire', './contracts', './replay', './scenario'];
const groups = [
  entries.filter(({ name }) => !laboratory.includes(name)),
  entries.filter(({ name }) => laboratory.includes(name)),
];

/** Publishes the sources that a map of declarations names, for editors open them, and lets the map name the published ones. */
function publishSources(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  map.sources = map.sources.map((name) => {
    const path = relative('.', join(dirname(file), name));
    // An entry that only exports again has no line of its own: its map names what tsc has written.
    const source = path.replace(/^dist\/(?:\.types\/)?(.*)\.d\.ts$/, '$1.ts');
    const copy = join('dist/sources', source);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(source, copy);
    return relative(dirname(file), copy);
  });
  writeFileSync(file, JSON.stringify(map));
}

async function buildTypes() {
  const folder = 'dist/.types';
  const tsc = [resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc')];
  try {
    await promisify(execFile)(process.execPath, [...tsc, '-p', 'tsconfig.build.json', '--outDir', folder]);
  } catch (error) {
    throw new Error(error.stdout || error.message, { cause: error });
  }
  for (const [n, group] of groups.entries()) {
    const rolled = await rollup({
      input: Object.fromEntries(
        group.map(({ types }) => [
          types.replace(/^\.\/dist\/|\.d\.ts$/g, ''),
          types.replace('./dist/', `${folder}/`),
        ]),
      ),
      external: (id) => !/^[./]/.test(id),
      treeshake: { moduleSideEffects: false },
      plugins: [dts({ sourcemap: true })],
      // Leaves to scenarios/house/public-types.test.ts whether each type can be imported from some entry.
      onwarn: ({ message }) =>
        message.includes('no public re-export') || process.stderr.write(`${message}\n`),
    });
    const { output } = await rolled.write({
      dir: 'dist',
      format: 'es',
      sourcemap: true,
      entryFileNames: '[name].d.ts',
      chunkFileNames: `types/${n}-[name]-[hash].d.ts`,
    });
    await rolled.close();
    for (const { fileName } of output) if (fileName.endsWith('.map')) publishSources(join('dist', fileName));
  }
  rmSync(folder, { recursive: true });
}

rmSync('dist', { recursive: true, force: true });
await Promise.all([buildCode(), buildPage(), buildTypes()]);
