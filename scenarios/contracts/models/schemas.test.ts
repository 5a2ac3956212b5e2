import { describe } from 'vitest';
import { schemaLaws } from './schema-laws.ts';

describe('a converted schema', () => schemaLaws(25));
