/** Every scenario that can be real and that `npm test` leaves out, played with real processes. */
import '../stories/plans.scenario.ts';
import { describe } from 'vitest';
import { testReally } from './plan/suite.ts';

describe.concurrent('for real, as in virtual time', { timeout: 300_000 }, () => testReally('rest'));
