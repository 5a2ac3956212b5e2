import { expect, it } from 'vitest';
import { CallHistoryWatch } from './call-history.ts';

const host = 'computer#1';
const client = 'computer/client:s#2';

it('remembers a call whose parameters throw as they are read, and the calls after it', () => {
  const watch = new CallHistoryWatch({
    ...{ most: 10, now: () => 0, contextOf: () => ({ server: 's', phase: 'running' }) },
    redact: (value) => JSON.parse(JSON.stringify(value)) as typeof value,
  });
  const ask = (reqId: string, params: object): void => {
    const call = { ticket: `host.${reqId}`, reqId, tool: 'echo', params, timeoutMs: 0 };
    watch.record({ k: 'post', from: host, a: client, ev: { type: 'call.request', ...call } } as never);
  };
  const settle = (reqId: string): void => {
    const call = { ticket: `host.${reqId}`, reqId, server: 's', tool: 'echo', outcome: 'succeeded' };
    watch.record({ k: 'post', from: client, a: host, ev: { type: 'call.settled', ...call } } as never);
  };
  ask('r1', {
    get text() {
      throw new Error('of the getter');
    },
  });
  ask('r2', { text: 'hi' });
  expect(watch.running().map(({ reqId }) => reqId)).toEqual(['r1', 'r2']);
  settle('r1');
  settle('r2');
  expect(watch.newestFirst()).toMatchObject([
    { reqId: 'r2', parameters: { text: 'hi' } },
    { reqId: 'r1', parameters: { not_kept: 'cannot be read' } },
  ]);
});
