import { expect, it } from 'vitest';
import { type Client, type KeptClient, keysOf } from './clients.ts';
import { LargeLetters } from './mail.ts';

it('a node keeps a limited number of bytes for a node that fetches nothing, and what it keeps for others does not count there', async () => {
  const stored = new Set<string>();
  const now = {
    set: async (key: string) => stored.add(key) && 'OK',
    del: async (key: string) => stored.delete(key),
  };
  const client = { now, close: () => {} } as unknown as KeptClient<Client>;
  const letters = new LargeLetters('n', client, keysOf('a2c', 0), 150);
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
  expect([send('b'), send('b'), send('b')]).toEqual([true, true, false]);
  expect(send('c')).toBe(true);
  await quiet();
  const keyOf = (count: number): string => `{a2c:0}:large:n:${count}`;
  expect([...stored]).toEqual([1, 2, 3].map(keyOf));
  expect(announced).toEqual([`b ${keyOf(1)}`, `b ${keyOf(2)}`, `c ${keyOf(3)}`]);
  letters.fetched(keyOf(1));
  expect([settled, send('b'), send('b')]).toEqual([[true], true, false]);
  // A peer that is gone never gets the letter that is not stored yet (false); the fate of its stored letter is unknown.
  letters.forget('b');
  await quiet();
  expect([settled, [...stored]]).toEqual([[true, undefined, false], [1, 3].map(keyOf)]);
  letters.close();
});
