// What was right stays right: red when a sum is wrong (30 becomes 300 in shop.mjs), or the list drifts (report is renamed).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from 'a2c-actors/replay';

const trace = 'node_modules/a2c-actors/examples/traces/acme.trace.ndjson';
/** Record of the call that went well, as `a2c verify` prints it. */
const record = 24;
const command = ['node', 'shop.mjs'];

await test('the sum of BOLT is right', async () => {
  const expect = { [`${record}:result.content.0.text`]: 'BOLT: 42' };
  const { verdict, text } = await verify(trace, { command, yes: true, record, expect });
  assert.equal(verdict, 'green', text);
});
await test('the shop offers what it offered, with the same schemas', async () => {
  const { verdict, text } = await verify(trace, { command, yes: true, record });
  assert.equal(verdict, 'green', text);
});
