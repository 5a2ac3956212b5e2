import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from 'a2c-actors/replay';

await test('the shop answers for a customer without orders', async () => {
  const trace = 'node_modules/a2c-actors/examples/traces/acme.trace.ndjson';
  const { verdict, text } = await verify(trace, { command: ['node', 'shop.mjs'], yes: true });
  assert.equal(verdict, 'green', text);
});
