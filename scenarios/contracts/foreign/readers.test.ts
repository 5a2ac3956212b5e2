import { expect, it } from 'vitest';
import { readAll, readers } from './readers.contract.ts';

it.each(Object.entries(readers))(
  'text from outside of any form is read, or refused, and never costs more than its size: %s',
  async (_, reader) => {
    expect(Object.keys(await readAll(reader, 64_000))).not.toEqual([]);
  },
);
