import { expect, it } from 'vitest';
import { type Client, type KeptClient, keysOf } from './clients.ts';
import { LargeLetters } from './mail.ts';

it('keeps so much for a node that fetches nothing, and what it keeps for others is not in that', async () => {
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
  // One stands there, two wait; the fourth has no room.
  expect([send('b'), send('b'), send('b'), send('b')]).toEqual([true, true, true, false]);
  expect(send('c')).toBe(true);
  await quiet();
  expect([stored.size, announced]).toEqual([2, ['b {a2c:0}:large:n:1', 'c {a2c:0}:large:n:4']]);
  letters.fetched('{a2c:0}:large:n:1');
  await quiet();
  expect([announced.at(-1), settled]).toEqual(['b {a2c:0}:large:n:2', [true]]);
  expect([send('b'), send('b')]).toEqual([true, false]);
  // Whoever is not there any more has seen neither what waits nor, for all that is known, what stands.
  letters.forget('b');
  await quiet();
  expect([settled, [...stored.keys()]]).toEqual([
    [true, false, false, undefined],
    ['{a2c:0}:large:n:1', '{a2c:0}:large:n:4'],
  ]);
  letters.close();
});
