import { defineConfig } from 'vitest/config';

/** An office on several nodes whose processes and network break, with 10,000 calls running: run by `.ci/full`; needs `nginx`, `redis-server`, `ip` and root. */
export default defineConfig({
  test: {
    include: ['{adapters,actors,scenarios}/**/*.chaos.test.ts'],
    passWithNoTests: false,
    // What hangs meets these; what is slow does not.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    env: { A2C_KEYRING: 'off' },
  },
});
