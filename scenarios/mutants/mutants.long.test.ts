import '../stories/all.scenario.ts';
import { describe } from 'vitest';
import { testMutants } from './mutant-suite.ts';

describe('a mutant of the runtime', () => testMutants());
