import { defineConfig } from 'vitest/config';

/** Tests that run with the Windows build of Node under Wine (`scenarios/wine/run.mjs`). */
export default defineConfig({
  test: {
    passWithNoTests: false,
    // See vitest.config.ts.
    execArgv: ['--no-allocation-site-pretenuring'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    env: { A2C_KEYRING: 'off' },
    include: ['{machines,adapters}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.{long,browser,redis}.test.ts'],
  },
});
