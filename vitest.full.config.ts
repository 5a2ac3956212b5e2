import { mergeConfig } from 'vitest/config';
import long from './vitest.long.config.ts';

/** Tests of minutes, such as those of each bundler, of foreign clients and of each form of Redis: run by .ci/full only. */
export default mergeConfig(
  { test: { ...long.test, projects: [] } },
  {
    test: {
      projects: [
        { extends: true, test: { name: 'full', include: ['{actors,scenarios}/**/*.full.test.ts'] } },
      ],
    },
  },
);
