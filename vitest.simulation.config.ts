import { defineConfig } from 'vitest/config';

/** The seeds 1 to 1,000: run by .ci/full, alone, because the simulator takes all cores. */
export default defineConfig({
  test: {
    include: ['scenarios/simulator/*.simulation.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    testTimeout: 300_000,
    maxWorkers: 1,
  },
});
