/** Each word of the fault vocabulary with real processes: the fakes are held against what happens. */
import './dsl.scenario.ts';
import { describe } from 'vitest';
import { testReally } from './dsl/suite.ts';

describe.concurrent('for real, as in virtual time', { timeout: 60_000 }, () => testReally({ few: true }));
