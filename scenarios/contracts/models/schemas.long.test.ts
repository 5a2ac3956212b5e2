import { describe } from 'vitest';
import { schemaInvariants } from './schema-invariants.ts';

describe('a converted schema', () => schemaInvariants(300));
