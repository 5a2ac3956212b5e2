import { defineConfig } from 'vitest/config';

/** Cases of broken servers, played to a host that is judged from outside: run by .ci/run; needs Linux for its process table. */
export default defineConfig({
  test: {
    include: ['scenarios/judge/*.lifecycle.test.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    // What hangs meets these; what is slow does not.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    // Most cases wait for something: a few at once use the cores meanwhile.
    maxConcurrency: 5,
    maxWorkers: 2,
    env: { A2C_KEYRING: 'off' },
  },
});
