import { defineConfig } from 'vitest/config';

/** The official conformance suite of MCP against a host of `createComputer` and against `a2c serve`: run by `.ci/full`; needs the npm registry. */
export default defineConfig({
  test: {
    env: { A2C_KEYRING: 'off' },
    include: ['scenarios/contracts/conformance/*.conformance.ts'],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    maxConcurrency: 5,
    maxWorkers: 1,
  },
});
