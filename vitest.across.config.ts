import { defineConfig } from 'vitest/config';

/** Tests in which one side runs on this system and the other under Wine (`scenarios/wine/run.mjs`). */
export default defineConfig({
  test: {
    include: ['scenarios/wine/*.across.test.ts'],
    passWithNoTests: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    env: { A2C_KEYRING: 'off' },
  },
});
