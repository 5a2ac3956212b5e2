import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{machines,adapters,actors,scenarios,examples}/**/*.test.ts'],
    passWithNoTests: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
});
