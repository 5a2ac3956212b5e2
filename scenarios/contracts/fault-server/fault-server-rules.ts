import { describe, it } from 'vitest';
import type { Part } from '../../stage/thoroughness.ts';
import { frameRules } from './fault-server-frame.ts';
import { listRules, notifyRules } from './fault-server-lists.ts';
import { netRules } from './fault-server-net.ts';
import { procRules } from './fault-server-proc.ts';
import { resourceRules } from './fault-server-resources.ts';
import { lifeRules, rpcRules } from './fault-server-rpc.ts';
import { starting, type Rules } from './fault-server-harness.ts';

export const rules: Rules = {
  ...procRules,
  ...frameRules,
  ...lifeRules,
  ...rpcRules,
  ...notifyRules,
  ...listRules,
  ...resourceRules,
  ...netRules,
};
const layerOf = (word: string): string | undefined => word.split('.')[0];
const few = new Set(
  Object.keys(rules).filter(
    (word, n, words) => words.findIndex((other) => layerOf(other) === layerOf(word)) === n,
  ),
);

export function testFaultServer(part: Part): void {
  // A busy machine may start many processes slowly.
  describe.concurrent('the fault server', { timeout: 200_000 }, () => {
    const ofPart = Object.entries(rules).filter(([word]) => few.has(word) === (part === 'few'));
    for (const [word, { rule, holds }] of ofPart)
      it(`${word} ${rule}`, async ({ expect: expected, onTestFinished }) => {
        await expected(holds(starting(onTestFinished))).resolves.toBeUndefined();
      });
  });
}
