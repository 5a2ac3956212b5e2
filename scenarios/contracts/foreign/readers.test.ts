import { expect, it } from 'vitest';
import { readAll, readers } from './readers.contract.ts';

// Readers whose worker may run until its time limit are in the full suite.
it.each(Object.entries(readers).filter(([, { isTimed }]) => !isTimed))(
  'text from outside of any form is read, or refused, and never costs more than its size: %s',
  async (_, reader) => {
    expect(Object.keys(await readAll(reader, 64_001))).not.toEqual([]);
  },
);
