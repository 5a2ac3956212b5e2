import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Test files that count what a process holds, end processes, or take all cores: each has a worker of its own. */
const alone = [
  'actors/e2e/death.long.test.ts',
  'adapters/process/**/*.long.test.ts',
  'scenarios/**/*.long.test.ts',
];

/** What takes long, with many processes or much of everything: run by .ci/run after everything else. */
export default defineConfig({
  test: {
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    // See vitest.config.ts.
    execArgv: ['--no-allocation-site-pretenuring'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    // Many tests wait for processes: a third worker uses the cores meanwhile.
    maxWorkers: 3,
    // Tests neither read nor write what the person who runs them keeps for real hosts.
    env: {
      XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-state-')),
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-config-')),
      A2C_KEYRING: 'off',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{machines,adapters,actors,examples}/**/*.long.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
          // Files share what they load, which saves a third of their CPU.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
});
