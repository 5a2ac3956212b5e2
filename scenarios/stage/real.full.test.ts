/** The scenarios that `.ci/run` leaves out. */
import '../stories/all.scenario.ts';
import { describe } from 'vitest';
import { testReally } from './plan/suite.ts';

describe('a story for real', { timeout: 300_000 }, () => testReally('rest'));
