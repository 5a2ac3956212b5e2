/** Every sixth scenario that can be real; `real.full.test.ts` has the others. */
import '../stories/all.scenario.ts';
import { describe } from 'vitest';
import { testReally } from './plan/suite.ts';

describe('a story for real', { timeout: 300_000 }, () => testReally('some'));
