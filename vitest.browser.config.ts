import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The inspector's page in a real browser: needs Chromium, and fails where there is none. */
export default defineConfig({
  test: {
    include: ['{adapters,actors,scenarios}/**/*.browser.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    testTimeout: 120_000,
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
