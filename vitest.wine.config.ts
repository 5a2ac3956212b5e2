import { defineConfig } from 'vitest/config';

/** Files that run in `.ci/run`, too: what differs most by system, and a call by the command and by the API. */
const fast = [
  'adapters/storage/**/*.test.ts',
  'adapters/process/{launch,run-text,windows-spawn,windows-trees.wine}.test.ts',
  'adapters/documents/{names,server,parsing/pdf}.test.ts',
  'adapters/optional-packages.test.ts',
  'machines/protocol/size.test.ts',
  'actors/cli/{config-file,typed-server}.test.ts',
  'actors/e2e/{first-light,server-ends}.test.ts',
];
/** Files that need what Windows or Wine has not. */
const left = [
  // Needs the programs `sleep` and `sh`.
  'adapters/process/reaper/ledger.test.ts',
  // Needs `/proc`, where it looks for processes.
  'actors/e2e/{child-environment,finder-e2e,lazy}.test.ts',
  // Sends SIGUSR2 to its server.
  'actors/cli/withdrawn.test.ts',
  // Needs a server that is up within two seconds.
  'actors/cli/prompt/answers-told.test.ts',
  '**/node_modules/**',
  '**/*.{long,full,lockstep,simulation,interop,browser,redis,chaos,lifecycle,across}.test.ts',
];
/** Files that count what a process holds, or end it. */
const alone = ['adapters/process/**/*.test.ts', '{actors,scenarios}/**/*.wine.test.ts'];

/** Tests that run with the Windows build of Node under Wine (`scenarios/wine/run.mjs`). */
export default defineConfig({
  test: {
    passWithNoTests: false,
    // See vitest.config.ts.
    execArgv: ['--no-allocation-site-pretenuring'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    env: { A2C_KEYRING: 'off' },
    // Files share what they load, which is most of their time there.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'fast', include: fast, exclude: left } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{machines,adapters,actors}/**/*.test.ts'],
          exclude: [...left, ...fast, ...alone],
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: [...left, ...fast], isolate: true } },
    ],
  },
});
