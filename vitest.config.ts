import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Test files that count what a process holds, end it, or replace its clock: each has a worker of its own. */
const alone = ['adapters/process/**/*.test.ts', 'scenarios/replay/world/*.test.ts'];
const long = [
  '**/node_modules/**',
  '**/*.{long,full,lockstep,simulation,interop,browser,redis,chaos,lifecycle,wine,across}.test.ts',
];

export default defineConfig({
  test: {
    passWithNoTests: false,
    // What XState makes and drops at once would be kept until a full collection: a fifth to a quarter of the CPU less.
    execArgv: ['--no-allocation-site-pretenuring'],
    globalSetup: ['scenarios/fixtures/built-first.ts', 'scenarios/fixtures/browser-path.ts'],
    // Tests wait for events, not for times: only what hangs meets these, on the slowest of machines, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Many tests wait for processes: a third worker has the cores meanwhile. One project, so that each of them loads
    // the modules once, and reckons while others wait.
    maxWorkers: 3,
    // Tests neither read nor write what the person who runs them keeps for real hosts.
    env: {
      XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-state-')),
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-config-')),
      A2C_KEYRING: 'off',
    },
    // Files share what they load, which saves a third of their CPU; what was transformed is kept in node_modules for the next run.
    isolate: false,
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{machines,adapters,actors,scenarios,examples}/**/*.test.ts'],
          exclude: [...long, ...alone],
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: long, isolate: true } },
    ],
  },
});
