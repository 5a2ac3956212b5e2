/** Every scenario that can be real, played with real processes. */
import './dsl.scenario.ts';
import { describe } from 'vitest';
import { testReally } from './dsl/suite.ts';

describe.concurrent('for real, as in virtual time', { timeout: 60_000 }, () => testReally({ few: false }));
