import { defineConfig } from 'vitest/config';

/** Each step of the machines is taken by XState's interpreter as well: a difference ends the run. */
export default defineConfig({
  test: {
    include: [
      'scenarios/lockstep/*.lockstep.test.ts',
      'scenarios/recordings/recordings.test.ts',
      'scenarios/simulator/corpus{,.long}.test.ts',
      'scenarios/simulator/nodes-run.test.ts',
    ],
    globalSetup: ['scenarios/fixtures/built-first.ts'],
    passWithNoTests: false,
    // See vitest.config.ts.
    execArgv: ['--no-allocation-site-pretenuring'],
    testTimeout: 300_000,
    maxWorkers: 2,
    env: { A2C_STEPPER: 'lockstep' },
  },
});
