import { expect, it } from 'vitest';
import { type Client, type KeptClient, keysOf } from './clients.ts';
import { LargeLetters } from './mail.ts';

it('a node keeps a limited number of bytes for a node that fetches nothing, and what it keeps for others does not count there', async () => {
  const stored = new Map<string, Buffer>();
  const now = {
    set: async (key: string, part: Buffer) => void stored.set(key, part),
    del: async (key: string) => void stored.delete(key),
  };
  const client = { now, close: () => {} } as unknown as KeptClient<Client>;
  const letters = new LargeLetters('n', client, keysOf('a2c', 0), { standingBytes: 100, waitingBytes: 150 });
  const announced: string[] = [];
  const settled: unknown[] = [];
  const send = (to: string): boolean =>
    letters.send(
      to,
      Buffer.alloc(60),
      async (key) => {
        announced.push(`${to} ${key}`);
        return true;
      },
      (isFetched) => settled.push(isFetched),
    );
  const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  // The first letter is stored and the next two wait; the fourth exceeds the limit of waiting bytes.
  expect([send('b'), send('b'), send('b'), send('b')]).toEqual([true, true, true, false]);
  expect(send('c')).toBe(true);
  await quiet();
  expect([stored.size, announced]).toEqual([2, ['b {a2c:0}:large:n:1', 'c {a2c:0}:large:n:4']]);
  letters.fetched('{a2c:0}:large:n:1');
  await quiet();
  expect([announced.at(-1), settled]).toEqual(['b {a2c:0}:large:n:2', [true]]);
  expect([send('b'), send('b')]).toEqual([true, false]);
  // A peer that is gone never gets its waiting letters (false); the fate of its stored letter is unknown (undefined).
  letters.forget('b');
  await quiet();
  expect([settled, [...stored.keys()]]).toEqual([
    [true, false, false, undefined],
    ['{a2c:0}:large:n:1', '{a2c:0}:large:n:4'],
  ]);
  letters.close();
});
