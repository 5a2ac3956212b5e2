import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Our office between peers that others wrote: needs Python and PyPI, and says so in one line where they are not there. */
export default defineConfig({
  test: {
    include: ['scenarios/**/*.interop.test.ts'],
    passWithNoTests: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    // Tests neither read nor write what the person who runs them keeps for real hosts.
    env: {
      XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-state-')),
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'a2c-test-config-')),
      A2C_KEYRING: 'off',
    },
  },
});
