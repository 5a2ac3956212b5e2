import { mergeConfig } from 'vitest/config';
import long from './vitest.long.config.ts';

/** Tests of minutes, or of rare faults: bundlers, foreign clients, examples, storms, corpora: run by .ci/full only. */
export default mergeConfig(
  { test: { ...long.test, projects: [] } },
  {
    test: {
      projects: [
        {
          extends: true,
          test: { name: 'full', include: ['{adapters,actors,scenarios,examples}/**/*.full.test.ts'] },
        },
      ],
    },
  },
);
