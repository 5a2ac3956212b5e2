import { defineConfig } from 'vitest/config';

/** Days that no run has lived before, from the commit: run by .ci/run, alone, because it has a minute for them. */
export default defineConfig({
  test: {
    include: ['scenarios/sim/*.simulation.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    testTimeout: 300_000,
    maxWorkers: 1,
  },
});
