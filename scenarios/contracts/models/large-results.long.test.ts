import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { mostCharacters, toResponse } from '../../../machines/models/present.ts';
import { openai } from '../../../machines/models/openai.ts';

const megabyte = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heldMegabytes(): number {
  collect();
  return process.memoryUsage().heapUsed / megabyte;
}
const large = (n: number): string =>
  Array.from({ length: 40 }, () => String(n % 10).repeat(megabyte)).join('');

describe('results of 40 MiB', () => {
  it('are held by a conversation no further than they are shown', () => {
    const call = { id: 'c', function: { name: 't' } };
    const before = heldMegabytes();
    const messages = Array.from({ length: 8 }, (_, n) => {
      const result = { content: [{ type: 'text', text: large(n) }] };
      return openai.toResult(call, toResponse('c', { outcome: 'succeeded', result }));
    });
    const held = heldMegabytes() - before;
    expect(messages.map(({ content }) => content.length)).toEqual(
      Array.from(
        { length: 8 },
        () => mostCharacters + '\n\n[cut: 100000 of 41943040 characters shown]'.length,
      ),
    );
    expect(held).toBeLessThan(20);
  });
});
