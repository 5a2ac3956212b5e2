import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Rooms whose files named `*.SUFFIX.test.ts` belong to the project SUFFIX; those without a suffix are `npm test`. */
const rooms = '{machines,adapters,actors,scenarios,examples}/**';
const suffixes =
  '{alone,long,full,lockstep,simulation,interop,browser,redis,chaos,lifecycle,wine,across}.test.ts';
const later = ['**/node_modules/**', `**/*.${suffixes}`];
const builtFirst = ['scenarios/fixtures/built-first.ts'];
/** Test files of `npm test` that count what a process holds, or end it: each has a worker of its own. */
const isolated = ['adapters/process/**/*.test.ts'];

type Project = NonNullable<TestProjectInlineConfiguration['test']>;
const projects: readonly Project[] = [
  // Files share what they load, which saves a third of their CPU.
  { name: 'unit', include: [`${rooms}/*.test.ts`], exclude: [...later, ...isolated], isolate: false },
  { name: 'isolated', include: isolated, exclude: later },
  // Part of `.ci/run`: what takes longer, and what needs a worker of its own.
  { name: 'long', isolate: false },
  { name: 'alone' },
  { name: 'lifecycle', maxConcurrency: 5 },
  // Needs a browser, or Redis.
  { name: 'browser' },
  { name: 'redis' },
  // Part of `.ci/full`: tests of minutes or of rare faults, such as bundlers, foreign clients, storms and corpora.
  { name: 'full' },
  {
    name: 'lockstep',
    include: [
      `${rooms}/*.lockstep.test.ts`,
      'scenarios/recordings/recordings.long.test.ts',
      'scenarios/simulator/{corpus,nodes-run}{,.long,.full}.test.ts',
    ],
    env: { A2C_STEPPER: 'lockstep' },
  },
  { name: 'simulation', maxWorkers: 1 },
  { name: 'interop', maxWorkers: 1 },
  {
    name: 'conformance',
    include: ['scenarios/contracts/conformance/*.conformance.ts'],
    maxConcurrency: 5,
    maxWorkers: 1,
  },
  // An office on several nodes whose processes and network break: needs `nginx`, `redis-server`, `ip` and root.
  { name: 'chaos', testTimeout: 600_000, maxWorkers: 1 },
  // One side under Wine, the other on this system: `npm run test:wine across`.
  { name: 'across', maxWorkers: 1 },
];

// Under Wine, which `npm run test:wine` starts: what differs most on Windows first.
const onWindows = [
  'adapters/storage/**/*.test.ts',
  'adapters/process/{launch,run-text,local-launcher,windows-trees.wine}.test.ts',
  'adapters/documents/{serve,serve.long,parsing/pdf}.test.ts',
  'adapters/optional-packages.test.ts',
  'machines/protocol/json.test.ts',
  'actors/cli/{config-file,typed-server.long}.test.ts',
  'actors/e2e/{first-light,server-ends}.test.ts',
];
/** Files that need what Windows or Wine has not. */
const leftOut = [
  // Needs the programs `sleep` and `sh`.
  'adapters/process/reaper/ledger.test.ts',
  // Needs `/proc`, where it looks for processes.
  'actors/e2e/{child-environment,lazy}.test.ts',
  // Sends SIGUSR2 to its server.
  'actors/cli/withdrawn.test.ts',
  '**/node_modules/**',
  '**/!(planted-faults).alone.test.ts',
  '**/*.{full,lockstep,simulation,interop,browser,redis,chaos,lifecycle,across}.test.ts',
];
const aloneOnWindows = [
  'adapters/process/**/*.test.ts',
  '{actors,scenarios}/**/*.wine.test.ts',
  'actors/e2e/planted-faults.alone.test.ts',
];
const windows: readonly Project[] = [
  { name: 'fast', include: onWindows, exclude: leftOut, isolate: false },
  {
    name: 'shared',
    include: [
      '{machines,adapters,actors}/**/!(*.*).test.ts',
      'adapters/{socket/office,page/session,documents/parsing/html}.long.test.ts',
      'actors/e2e/{call-policy,files,tools-told}.long.test.ts',
      'actors/cli/{files,login,starting,prompt/prompt}.long.test.ts',
      'actors/cli/{call,one-shot,import-cases,config-file,long-running}.long.test.ts',
      'actors/{cli/printing/servers,inspector/live-stream,logging/host-log}.long.test.ts',
      'adapters/documents/parsing/{xlsx,encoding}.long.test.ts',
    ],
    exclude: [...leftOut, ...onWindows, ...aloneOnWindows],
    isolate: false,
  },
  { name: 'alone', include: aloneOnWindows, exclude: [...leftOut, ...onWindows] },
];

/**
 * Projects of this run: those of `npm test`, unless one is named (`npm test -- --project long`) or a file
 * (`npx vitest run actors/cli/serve.long.test.ts`).
 */
function wanted(): readonly Project[] {
  if (process.platform === 'win32') return windows;
  const words = process.argv.slice(2);
  const isFile = (word: string, n: number): boolean =>
    word.includes('/') && !word.startsWith('-') && words[n - 1]?.startsWith('-') !== true;
  const isNamed = words.some((word, n) => word.startsWith('--project') || isFile(word, n));
  return isNamed ? projects : projects.slice(0, 2);
}

const own = mkdtempSync(join(tmpdir(), 'a2c-test-'));
process.once('exit', () => rmSync(own, { recursive: true, force: true }));
export default defineConfig({
  test: {
    passWithNoTests: false,
    // What XState makes and drops at once would be kept until a full collection: a fifth to a quarter of the CPU less.
    execArgv: ['--no-allocation-site-pretenuring'],
    experimental: { fsModuleCache: process.platform !== 'win32' },
    projects: wanted().map((project, n) => ({
      test: {
        include: [`${rooms}/*.${project.name as string}.test.ts`],
        globalSetup: process.platform === 'win32' ? [] : builtFirst,
        execArgv: ['--no-allocation-site-pretenuring'],
        // Tests wait for events, not for times: only what hangs meets these, on the slowest of machines, too.
        testTimeout: n < 2 ? 120_000 : 300_000,
        hookTimeout: n < 2 ? 120_000 : 300_000,
        expect: { poll: { timeout: 60_000 } },
        // Many tests wait for processes: a third worker has the cores meanwhile.
        maxWorkers: n < 3 && process.platform !== 'win32' ? 3 : 2,
        // The first two share their workers; the others run one after the other.
        sequence: { groupOrder: Math.max(1, n) },
        ...project,
        // Tests neither read nor write what the person who runs them keeps for real hosts.
        env: {
          XDG_STATE_HOME: mkdtempSync(join(own, 'state-')),
          XDG_CONFIG_HOME: mkdtempSync(join(own, 'config-')),
          A2C_KEYRING: 'off',
          ...project.env,
        },
      },
    })),
  },
});
