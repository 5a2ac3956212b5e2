import { defineConfig } from 'vitest/config';

/** An office on several nodes, with a real Redis: run by .ci/run; needs `redis-server`, and fails where there is none. */
export default defineConfig({
  test: {
    include: ['{adapters,actors,scenarios,examples}/**/*.redis.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    env: { A2C_KEYRING: 'off' },
  },
});
