import '../../stories/all.scenario.ts';
import { describe } from 'vitest';
import { testMutants } from './mutant-suite.ts';

describe('a mutant of the machines or of the directory', () => testMutants('some'));
