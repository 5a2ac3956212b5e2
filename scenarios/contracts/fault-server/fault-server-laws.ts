import { describe, it } from 'vitest';
import type { Part } from '../../stage/thoroughness.ts';
import { frameLaws } from './fault-server-frame.ts';
import { listLaws, notifyLaws } from './fault-server-lists.ts';
import { netLaws } from './fault-server-net.ts';
import { procLaws } from './fault-server-proc.ts';
import { resourceLaws } from './fault-server-resources.ts';
import { lifeLaws, rpcLaws } from './fault-server-rpc.ts';
import { starting, type Laws } from './fault-server-stage.ts';

export const laws: Laws = {
  ...{ ...procLaws, ...frameLaws, ...lifeLaws, ...rpcLaws },
  ...{ ...notifyLaws, ...listLaws, ...resourceLaws, ...netLaws },
};
const layerOf = (word: string): string | undefined => word.split('.')[0];
/** The first word of each layer. */
const few = new Set(
  Object.keys(laws).filter(
    (word, n, words) => words.findIndex((other) => layerOf(other) === layerOf(word)) === n,
  ),
);

/** What the fault server does on real pipes: a test for each word of this part. */
export function testFaultServer(part: Part): void {
  // What they await are events; a busy machine may start many processes slowly.
  describe.concurrent('the fault server', { timeout: 200_000 }, () => {
    const ofPart = Object.entries(laws).filter(([word]) => few.has(word) === (part === 'few'));
    for (const [word, { law, holds }] of ofPart)
      it(`${word} ${law}`, async ({ expect: expected, onTestFinished }) => {
        await expected(holds(starting(onTestFinished))).resolves.toBeUndefined();
      });
  });
}
