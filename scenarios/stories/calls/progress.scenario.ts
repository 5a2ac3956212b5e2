import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import type { AskedCall, Harness, HarnessOptions } from '../../stage/harness.ts';
import { after, everybody, hello } from '../../stage/watching.ts';

const tools = { work: { answers: hello, afterMs: 1_000, progresses: { everyMs: 40 } } };
const followed = (s: Harness): AskedCall => {
  const call = { reqId: 'r', ticket: 'r', computer: 'c1', tool: 'work', params: {}, timeoutMs: 60_000 };
  const wanting = { type: 'agent.call', wantsProgress: true, replyTo: 'host:agent' };
  return s.asked('agent', 'r', Object.assign(wanting, call));
};

const working = { servers: { fs: { tools } } };
scenario('an agent hears how far its call is, five times a second at most', working, async (s) => {
  await everybody(s, 300);
  const call = followed(s);
  const other = await after(s, 1_200, s.agentCall('work'));
  expect([call, other].map(({ settled }) => settled[0]?.outcome)).toEqual(['succeeded', 'succeeded']);
  const told = s.heard('agent', 'call.progressed');
  expect(told.every(({ ticket }) => ticket === call.ticket)).toBe(true);
  const steps = told.map(({ progress }) => progress as number);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(steps[0]).toBe(1);
  expect(steps).toHaveLength(5);
});

const quiet = { servers: { fs: { tools } }, timing: { callIdleMs: 300 } };
scenario('progress begins the silence again, and is told all the same', quiet, async (s) => {
  await everybody(s, 300);
  const call = await after(s, 1_200, followed(s));
  expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
  expect(s.heard('agent', 'call.progressed')).toHaveLength(5);
});

let reports: ((fact: object) => void)[] = [];
const reporting: HarnessOptions['mend'] = (ports) => {
  reports = [];
  return {
    ...ports,
    request: (from, asked, emit) => {
      if (asked.method === 'tools/call')
        reports.push((fact) => emit(Object.assign({ id: asked.id }, fact) as RequestFact));
      return ports.request(from, asked, emit);
    },
  };
};
const held = { type: 'ask.held', method: 'elicitation/create' };
const silent = { fs: { tools: { work: { never: true } } } } as const;

const waiting = { servers: silent, mend: reporting, timing: { callIdleMs: 300 } };
scenario('silence and time of a call stand still while a server waits for its host', waiting, async (s) => {
  await s.up(100);
  const [patient, brief] = [s.call('work', { timeoutMs: 60_000 }), s.call('work', { timeoutMs: 200 })];
  await s.run(100);
  for (const report of reports) report(held);
  await s.run(15_000);
  reports[0]?.({ type: 'ask.progress', progress: 1 });
  await s.run(15_000);
  expect([patient.settled, brief.settled]).toEqual([[], []]);
  for (const report of reports) report({ type: 'ask.freed', ms: 30_000 });
  await s.run(90);
  expect([patient.settled, brief.settled]).toEqual([[], []]);
  await s.run(211);
  const details = [patient, brief].map(({ settled }) => settled[0]?.failure?.details?.['which']);
  expect(details).toEqual(['idle', 'caller']);
});

const limited = { servers: silent, mend: reporting, options: { fs: { callTotalMs: 1_000 } } };
scenario('the longest time of a call holds also while its server waits for its host', limited, async (s) => {
  await s.up(100);
  const call = s.call('work', { timeoutMs: 400 });
  reports[0]?.(held);
  await s.run(999);
  expect(call.settled).toEqual([]);
  await s.run(1);
  expect(call.settled).toMatchObject([
    {
      outcome: 'unknown',
      failure: {
        message: expect.stringContaining(
          'it waits for the answer of its host to elicitation/create',
        ) as string,
        details: { timeout: 1_000, which: 'total' },
      },
    },
  ]);
});

const people = { servers: silent, mend: reporting };
scenario('the limit of an agent holds while a person is asked, which it reads', people, async (s) => {
  await everybody(s, 300);
  const call = await after(s, 100, s.agentCall('work', { timeoutMs: 2_000 }));
  reports[0]?.(held);
  await s.run(2_100);
  expect(call.settled).toMatchObject([
    {
      result: {
        structuredContent: {
          error: {
            message: expect.stringMatching(
              /within 2000 ms .*: it waits for the answer of its host to elicitation\/create; whether it took effect is unknown$/,
            ) as string,
            remedy: expect.stringContaining('a person or its host has not done so') as string,
          },
        },
        meta: { a2c_outcome: 'unknown' },
      },
    },
  ]);
});

const unlimited = (s: Harness): AskedCall => {
  const call = { reqId: 'r', ticket: 'host.r', tool: 'work', params: {}, timeoutMs: 60_000, mostMs: 600_000 };
  const about = { type: 'call.request', agent: null, isConfirmed: false, replyTo: 'host:computer' };
  return s.asked('computer', 'host.r', Object.assign(about, call));
};
for (const [what, everyMs, ms] of [
  ['for ever ends after ten times', 50_000, 600_000],
  ['never ends after once', 0, 60_000],
] as const)
  scenario(
    `a call without a limit whose server reports progress ${what} the limit that it has instead`,
    {
      servers: { fs: { tools: { work: { never: true, ...(everyMs > 0 && { progresses: { everyMs } }) } } } },
      timing: { pingMs: 0 },
    },
    async (s) => {
      await s.up(100);
      const call = unlimited(s);
      await s.run(ms - 1);
      expect(call.settled).toEqual([]);
      await s.run(1);
      expect(call.settled).toMatchObject([{ outcome: 'unknown', failure: { details: { timeout: ms } } }]);
    },
  );
