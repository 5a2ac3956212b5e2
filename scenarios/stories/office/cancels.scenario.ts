import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Harness } from '../../stage/harness.ts';
import { after, everybody, hello } from '../../stage/watching.ts';

const never = { fs: { tools: { read: { never: true, progresses: { everyMs: 20 } } } } } as const;
/** The call reaches its computer, but its answer never reaches the agent. */
const unheard = async (s: Harness, timeoutMs = 60_000) => {
  await everybody(s);
  const call = await after(s, 100, s.agentCall('read', { timeoutMs }));
  s.network.faults.holdAck('a1', 'lost');
  call.cancel();
  expect(call.settled).toEqual([]);
  return call;
};
const unknown = { end: 'cancelled', outcome: 'unknown', failure: { code: 'ToolCallCancelled' } };

scenario('a call that is cancelled has ended as its computer says', { servers: never }, async (s) => {
  await everybody(s);
  s.network.faults.setLatency(30);
  const call = await after(s, 200, s.agentCall('read'));
  call.cancel();
  call.cancel();
  expect(call.settled).toEqual([]);
  await s.run(200);
  const meta = { a2c_outcome: 'unknown', a2c_phase: 'running', a2c_cancelled: true, a2c_server: 'fs' };
  expect(call.settled).toMatchObject([{ end: 'failed', failure: null, result: { meta } }]);
  expect(s.servers.heard.filter((line) => line === 'cancelled tools/call at fs')).toHaveLength(1);
});

const slow = { fs: { tools: { read: { answers: hello, afterMs: 100 } } } };
scenario('a call cancelled while its answer is on its way has that answer', { servers: slow }, async (s) => {
  await everybody(s);
  s.network.faults.setLatency(30);
  const call = await after(s, 170, s.agentCall('read'));
  call.cancel();
  expect(call.settled).toEqual([]);
  await s.run(200);
  expect(call.settled).toMatchObject([{ outcome: 'succeeded', failure: null, result: hello }]);
});

scenario('a cancelled call without an answer is unknown after a while', { servers: never }, async (s) => {
  const call = await unheard(s);
  await s.run(s.timing.cancelMs - 100);
  expect(call.settled).toEqual([]);
  await s.run(200);
  expect(call.settled).toMatchObject([{ ...unknown, phase: 'running', result: null }]);
});

scenario('a cancelled call ends when the time of its caller is over', { servers: never }, async (s) => {
  await everybody(s);
  const call = await after(s, 6_500, s.agentCall('read', { timeoutMs: 1_000 }));
  s.network.faults.holdAck('a1', 'lost');
  const other = await after(s, 6_500, s.agentCall('read', { timeoutMs: 1_000, reqId: 'other' }));
  other.cancel();
  await s.run(600);
  expect([call.settled.length, other.settled.length]).toEqual([1, 1]);
});

scenario('a cancelled call ends with the connection of its agent', { servers: never }, async (s) => {
  const call = await unheard(s);
  s.network.faults.dropLink('a1');
  await s.run(10);
  expect(call.settled).toMatchObject([unknown]);
});

scenario('a cancelled call ends with its agent', { servers: never }, async (s) => {
  const call = await unheard(s);
  s.close('agent');
  await s.run(10);
  expect(call.settled).toMatchObject([unknown]);
});
