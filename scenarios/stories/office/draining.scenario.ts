import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Harness } from '../../stage/harness.ts';
import { after, everybody } from '../../stage/watching.ts';

const said = { content: [{ type: 'text', text: 'done' }] };
const servers = {
  fs: { tools: { quick: { answers: said }, slow: { answers: said, afterMs: 500 }, never: { never: true } } },
} as const;
const reasons = (s: Harness, who: string): unknown[] =>
  s
    .heard(who, 'link.changed')
    .filter((e) => e.stage === 'waiting')
    .map((e) => e.reason);
const closing = 'The office is closing: connect again';

scenario('an office that is drained while nothing is on its way closes at once', { servers }, async (s) => {
  await everybody(s);
  s.order('office', { type: 'drain', ms: 5_000 });
  await s.run(1);
  expect(s.directory.find('office')).toBeUndefined();
  await s.run(10);
  expect([reasons(s, 'agent'), reasons(s, 'computer')]).toEqual([[closing], [closing]]);
});

scenario('an office that is drained answers what runs, and takes no other call', { servers }, async (s) => {
  await everybody(s);
  const running = await after(s, 100, s.agentCall('slow'));
  s.order('office', { type: 'drain', ms: 5_000 });
  s.order('office', { type: 'drain', ms: 5_000 });
  const late = await after(s, 100, s.agentCall('quick'));
  expect(late.settled).toMatchObject([{ outcome: 'failed', result: { isError: true } }]);
  expect(running.settled).toEqual([]);
  await s.run(1_000);
  expect(running.settled).toMatchObject([{ outcome: 'succeeded', result: said }]);
  expect(s.directory.find('office')).toBeUndefined();
});

scenario('an office is drained no longer than it may be; its last call is told', { servers }, async (s) => {
  await everybody(s);
  const running = await after(s, 100, s.agentCall('never'));
  s.order('office', { type: 'drain', ms: 2_000 });
  await s.run(1_900);
  expect(running.settled).toEqual([]);
  await s.run(200);
  expect(running.settled).toMatchObject([{ result: { isError: true, meta: { a2c_outcome: 'unknown' } } }]);
  expect(s.directory.find('office')).toBeUndefined();
});
