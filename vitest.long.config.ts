import { defineConfig } from 'vitest/config';

/** What takes minutes: run by .ci/run after everything else. */
export default defineConfig({
  test: {
    include: ['scenarios/**/*.long.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    testTimeout: 300_000,
    maxWorkers: 2,
  },
});
