/** Scenarios of progress on its way from a server to the caller. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, Harness } from '../../stage/harness.ts';

const hello = { content: [{ type: 'text', text: 'hello' }] };
const tools = { work: { answers: hello, afterMs: 1_000, progresses: { everyMs: 40 } } };
/** Makes a call of an agent that asks for progress. */
const followed = (s: Harness): AskedCall => {
  const call = { reqId: 'r', ticket: 'r', computer: 'c1', tool: 'work', params: {}, timeoutMs: 60_000 };
  const wanting = { type: 'agent.call', wantsProgress: true, replyTo: 'host:agent' };
  return s.asked('agent', 'r', Object.assign(wanting, call));
};

scenario(
  'an agent that wants to know hears how far its call is, at most five times a second, until it is answered',
  { servers: { fs: { tools } } },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    await s.run(300);
    const call = followed(s);
    const other = s.agentCall('work');
    await s.run(1_200);
    expect([call, other].map(({ settled }) => settled[0]?.outcome)).toEqual(['succeeded', 'succeeded']);
    const told = s.heard('agent', 'call.progressed');
    expect(told.every(({ ticket }) => ticket === call.ticket)).toBe(true);
    const steps = told.map(({ progress }) => progress as number);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect([steps[0], steps.length]).toEqual([1, 5]);
  },
);

scenario(
  'progress begins the silence again, and is told all the same',
  { servers: { fs: { tools } }, timing: { callIdleMs: 300 } },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    await s.run(300);
    const call = followed(s);
    await s.run(1_200);
    expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
    expect(s.heard('agent', 'call.progressed')).toHaveLength(5);
  },
);
