// Builds `dist`: the library and the command, each in chunks that load when they are needed, the types rolled up, and the page of
// the inspector.
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

process.chdir(import.meta.dirname);
const { bin, exports, dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
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
  'scenarios/replay/story-worker.ts',
];
const faultServer = 'scenarios/fault-server/fault-server.mjs';
const sourceOf = (built) => built.replace(/^\.?\/?dist\//, '').replace(/\.js$/, '.ts');

/** Packages that `a2c call` loads. They are bundled with the command, because many small files take long to load. */
const inCommand = [
  'ajv',
  'ajv-formats',
  'commander',
  'cross-spawn',
  'env-paths',
  'fastest-levenshtein',
  'http-proxy-agent',
  'https-proxy-agent',
  'limiter',
  'p-queue',
  'proper-lockfile',
  'proxy-from-env',
  'socket.io-parser',
  'string-width',
  'xstate',
  'zod',
];

const node = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Bundled: its file for Node loads its parts in a way that bundlers of hosts do not see.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  outbase: '.',
  outdir: 'dist',
};
const library = { ...node, packages: 'external' };

/** Leaves out the error texts of zod in 50 languages, of which the command speaks one. */
const englishOnly = {
  name: 'english-only',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    })),
};
/**
 * Modules that a call over stdio does not need. Each is loaded at its first use, packages from where npm has installed them.
 */
const seldom =
  /^((node:)?(child_process|crypto|dgram|dns|http|https|net|readline|readline\/promises|tls|vm|worker_threads|zlib|assert)|@modelcontextprotocol\/(client|core)|https?-proxy-agent|socket\.io-parser|string-width)$/;
const asNeeded = {
  name: 'as-needed',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: seldom }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'as-needed' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'as-needed' }, async ({ path }) => {
      const module = `require('${path}')`;
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      const parts = names.map((name) => `get ${name}() { return ${module}.${name}; }`);
      const contents =
        names.length > 0
          ? `module.exports = { ${parts.join(', ')} };`
          : `export default (...given) => ${module}.default(...given);`;
      return { contents, resolveDir: import.meta.dirname };
    });
  },
};

/**
 * Parts of the command that load together, each as one file because Node takes long for many: a name, and the sources that it
 * begins with. A part has no code of the parts before it.
 */
const parts = {
  start: ['actors/main.ts'],
  read: [
    ...['run', 'context', 'config-file', 'call', 'last-lists', 'one-shot', 'listing'],
    ...['printing/failures', 'printing/hints', 'printing/servers'],
    ...['laboratory', 'hosting'],
  ].map((name) => `actors/cli/${name}.ts`),
  host: [
    ...['computer', 'runtime'].map((name) => `actors/api/${name}.ts`),
    ...['incident', 'incidents'].map((name) => `machines/incidents/${name}.ts`),
    'adapters/process/run-text.ts',
  ],
};
/** Finds the part of each chunk that `esbuild` made. */
function partsOf({ outputs }) {
  const found = new Map();
  for (const [part, sources] of Object.entries(parts)) {
    const waiting = Object.keys(outputs).filter((file) => sources.includes(outputs[file].entryPoint));
    if (waiting.length !== sources.length) throw new Error(`build.mjs: a source of ${part} is no entry`);
    for (const file of waiting) {
      if (found.has(file)) continue;
      found.set(file, part);
      const { imports } = outputs[file];
      waiting.push(
        ...imports.flatMap(({ kind, path, external }) =>
          kind === 'import-statement' && !external ? [path] : [],
        ),
      );
    }
  }
  return found;
}
const ofNode = /import ?(?:([\w$]+),)?([\w$]+|\* as [\w$]+|\{[^}]*\}) ?from ?["']([^"']+)["'];/g;
/** For modules as CommonJS, and for those that are loaded at their first use. */
const requiring = `const require=(name)=>process.getBuiltinModule(name)??process.getBuiltinModule("module").createRequire(import.meta.url)(name);`;
/**
 * Takes modules of Node without their form as ES modules: to import one evaluates all its exports, of which some load much.
 */
const withoutImports = {
  name: 'without-imports',
  renderChunk: (code) =>
    code.replace(ofNode, (all, first, rest, module) => {
      if (!isBuiltin(module)) return all;
      const names = [first, rest]
        .filter(Boolean)
        .map((name) => name.replace(/^\* as /, '').replaceAll(' as ', ':'));
      return names.map((name) => `const ${name}=process.getBuiltinModule("${module}");`).join('');
    }),
};

/** Builds `a2c` beside the library, in one go with the packages that it loads, since it starts often. */
async function buildCommand() {
  const file = bin.a2c;
  const { outputFiles, metafile } = await build({
    ...node,
    entryPoints: [{ in: sourceOf(file), out: file.replace(/^dist\/|\.js$/g, '') }],
    splitting: true,
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    chunkNames: 'command/[name]-[hash]',
    mainFields: ['module', 'main'],
    external: Object.keys({ ...dependencies, ...peerDependencies }).filter(
      (name) => !inCommand.includes(name),
    ),
    plugins: [englishOnly, asNeeded],
  });
  const chunks = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const partOf = partsOf(metafile);
  const merged = await rollup({
    input: join(import.meta.dirname, file),
    external: (id) => !/^[./]/.test(id),
    treeshake: false,
    plugins: [
      {
        name: 'chunks',
        resolveId: (id, from) => (from ? join(dirname(from), id) : id),
        load: (id) => chunks.get(id),
      },
      withoutImports,
    ],
  });
  await merged.write({
    dir: 'dist',
    compact: true,
    hoistTransitiveImports: false,
    intro: requiring,
    entryFileNames: relative('dist', file),
    chunkFileNames: 'command/[name].js',
    // The entry stays a file of its own: it awaits commands, which import from its part.
    manualChunks: (id) =>
      id === join(import.meta.dirname, file) ? undefined : partOf.get(relative('.', id)),
    onlyExplicitManualChunks: true,
  });
  await merged.close();
}

async function buildLibrary() {
  // One file, because it reads its vocabulary beside itself and starts often.
  await build({ ...library, entryPoints: [faultServer], outExtension: { '.js': '.mjs' } });
  mkdirSync('dist/scenarios/fault-server/words', { recursive: true });
  copyFileSync('scenarios/fault-server/words/words.json', 'dist/scenarios/fault-server/words/words.json');
  // Embedded, so that a host which was bundled without this package still has it.
  const reaper = await build({
    ...library,
    entryPoints: ['adapters/process/reaper/reaper.ts'],
    format: 'cjs',
    minify: true,
    // Shown by `ps` in place of the code.
    banner: { js: "process.title='a2c reaper '+process.argv.at(-1);" },
    write: false,
  });
  const entryPoints = [...new Set([...entries.map(({ code }) => sourceOf(code)), ...programs])];
  await build({
    ...library,
    entryPoints: entryPoints.map((file) => ({ in: file, out: file.replace(/\.\w+$/, '') })),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    define: { EMBEDDED_REAPER: JSON.stringify(reaper.outputFiles[0].text) },
  });
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
      // The compiler reads the types of Node by itself no more: since TypeScript 6 a project names them, or its libraries.
      banner: '/// <reference types="node" />',
    });
    await rolled.close();
    for (const { fileName } of output) if (fileName.endsWith('.map')) publishSources(join('dist', fileName));
  }
  rmSync(folder, { recursive: true });
}

rmSync('dist', { recursive: true, force: true });
await Promise.all([buildLibrary(), buildCommand(), buildPage(), buildTypes()]);
for (const file of Object.values(bin)) chmodSync(file, 0o755);
