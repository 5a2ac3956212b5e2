import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What takes long, with many processes or much of everything: run by .ci/run after everything else. */
export default defineConfig({
  test: {
    include: ['{machines,adapters,actors,scenarios,examples}/**/*.long.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    // See vitest.config.ts.
    execArgv: ['--no-allocation-site-pretenuring'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Tests neither read nor write what the person who runs them keeps for real hosts.
    env: {
      XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-state-')),
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-config-')),
      A2C_KEYRING: 'off',
    },
  },
});
