/** Every scenario that can be real, played with real processes: the fakes are held against what happens. */
import '../stories/plans.scenario.ts';
import { describe } from 'vitest';
import { testReally } from './plan/suite.ts';

describe.concurrent('for real, as in virtual time', { timeout: 300_000 }, () => testReally());
