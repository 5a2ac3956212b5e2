import { expect, it } from 'vitest';
import { readAll, readers } from './readers.contract.ts';

it.each(Object.entries(readers))(
  'text from outside of any form and size up to the limit is read, or refused, in linear time: %s',
  async (name, reader) => {
    const times = await readAll(reader, Infinity);
    process.stdout.write(`${name}, ms: ${JSON.stringify(times)}\n`);
    expect(Object.keys(times)).not.toEqual([]);
  },
);
