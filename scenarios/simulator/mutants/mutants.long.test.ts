import { describe } from 'vitest';
import { testMutants } from './mutant-suite.ts';

describe('one mistake in the machines or in the directory', () => testMutants('rest'));
