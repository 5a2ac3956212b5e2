/** Ends that do not come: each has a fallback, and that one another. */
import { expect } from 'vitest';
import { setup, type AnyStateMachine } from 'xstate';
import { machines } from '../../../../actors/kinds/all.ts';
import { scenario } from '../../../stage/plan/index.ts';
import type { Harness, HarnessOptions } from '../../../stage/harness.ts';
import { order, reaches, signalsTo, stageAfter, stageOf } from '../../../stage/watching.ts';

const tools = { read: { answers: { content: [] }, afterMs: 50 } };

type Kinds = Readonly<Record<string, AnyStateMachine>>;
/** One ignores all events, even close, in general or in one state; the fallbacks exist for such bugs. */
const deaf = (kind: string): Kinds => ({ ...machines, [kind]: setup({}).createMachine({ id: kind }) });
const deafIn = (kind: string, state: string): Kinds => {
  const { config, implementations } = machines[kind] as AnyStateMachine;
  const { on = {}, ...rest } = config.states?.[state] ?? {};
  const heard = Object.keys({ ...config.on, ...on });
  const silent = { ...rest, on: Object.fromEntries(heard.map((type) => [type, {}])) };
  const chart = { ...config, states: { ...config.states, [state]: silent } };
  const machine = setup({}).createMachine(chart as never) as unknown as AnyStateMachine;
  return { ...machines, [kind]: machine.provide(implementations as never) };
};

const deafCalls = { servers: { fs: { tools } }, kinds: deaf('call') };
scenario('a call that obeys no cancel holds up a stop for drain time and grace', deafCalls, async (s) => {
  await s.up(100);
  const call = s.call('read');
  order(s, 'server.stop');
  await s.run(s.timing.drainMs + s.timing.cancelGraceMs - 1);
  expect([stageOf(s), signalsTo(s)]).toEqual(['closing', []]);
  await s.run(10);
  expect([stageOf(s), signalsTo(s)]).toEqual(['idle', ['stdin']]);
  expect(s.servers.alive).toBe(0);
  s.close();
  expect(call.settled).toMatchObject([{ outcome: 'unknown', failure: { code: 'Crashed' } }]);
});

scenario('a call that obeys no cancel holds up a close for the grace of that only', deafCalls, async (s) => {
  await s.up(100);
  const call = s.call('read');
  s.close();
  await s.run(s.timing.cancelGraceMs - 1);
  expect([stageOf(s), signalsTo(s)]).toEqual(['closing', []]);
  await s.run(10);
  expect(s.directory.size).toBe(0);
  expect(call.settled).toMatchObject([{ outcome: 'unknown' }]);
});

scenario('a stop said again ends the waiting for a call that obeys no cancel', deafCalls, async (s) => {
  await s.up(100);
  const call = s.call('read');
  for (const signals of [[], [], ['stdin']]) {
    order(s, 'server.stop');
    expect([stageOf(s), signalsTo(s)]).toEqual(['closing', signals]);
  }
  expect(await stageAfter(s, 10)).toBe('idle');
  expect(s.servers.alive).toBe(0);
  s.close();
  expect(call.settled).toMatchObject([{ outcome: 'unknown' }]);
});

scenario('the last one counts of the orders that come while calls are cancelled', deafCalls, async (s) => {
  await s.up(100);
  s.call('read');
  for (const type of ['server.stop', 'server.stop', 'server.start', 'server.stop'] as const) order(s, type);
  expect(signalsTo(s)).toEqual([]);
  order(s, 'server.start');
  await s.run(s.timing.cancelGraceMs + 10);
  expect(s.servers.startsOf('fs')).toBe(2);
  expect(stageOf(s)).toBe('ready');
});

const hurried = {
  servers: {
    fs: { tools, startMs: 50, leaves: { count: 1, stubborn: true }, later: { 2: { leaves: { count: 0 } } } },
  },
} as const;
scenario('a process that is told to hurry takes its next step, if on its way down', hurried, async (s) => {
  s.computer();
  await reaches(s, 'ready');
  s.servers.kill('fs', { code: 1 });
  expect([stageOf(s), signalsTo(s)]).toEqual(['recovering', ['SIGTERM']]);
  order(s, 'server.stop');
  order(s, 'server.stop');
  expect(signalsTo(s)).toEqual(['SIGTERM', 'SIGKILL']);
  expect(await stageAfter(s, 10)).toBe('idle');
  expect(s.servers.alive).toBe(0);
});

const obeying = { servers: { fs: { tools } }, kinds: deafIn('process', 'running'), failing: '/process' };
for (const [what, act, rests] of [
  ['stopped', (s: Harness) => order(s, 'server.stop'), 'idle'],
  ['recovered from a broken stream', (s: Harness) => s.servers.breakStream('fs'), 'waiting'],
  ['closed', (s: Harness) => s.close(), 'closing'],
] as const)
  scenario(`a process machine that obeys nothing is forced if its server is ${what}`, obeying, async (s) => {
    await s.up(100);
    act(s);
    await s.run(5499);
    expect(s.servers.alive).toBe(1);
    expect(await stageAfter(s, 260)).toBe(rests);
    expect(s.servers.alive).toBe(0);
  });

const unreachable: HarnessOptions['mend'] = (ports) => ({
  ...ports,
  process: (at, input, emit) => {
    const instance = ports.process(at, input, emit);
    return { tell() {}, close: () => instance.close() };
  },
});
const undying = { servers: { fs: { tools } }, mend: unreachable };
scenario('a process without an exit after SIGKILL is given up, its group forced', undying, async (s) => {
  await s.up(100);
  s.close();
  await s.run(4600);
  expect(s.directory.find('computer')).toBeUndefined();
  expect(s.servers.alive).toBe(0);
});

const unkillable = {
  servers: { fs: { tools, leaves: { count: 1, stubborn: true }, later: { 2: { leaves: { count: 0 } } } } },
  mend: unreachable,
} as const;
scenario('members of a dead group that survive SIGKILL are given up at last', unkillable, async (s) => {
  await s.up(100);
  s.servers.kill('fs', { code: 1 });
  await s.run(s.timing.termGraceMs + s.timing.killGraceMs - 1);
  expect([stageOf(s), signalsTo(s)]).toEqual(['recovering', ['SIGTERM', 'SIGKILL']]);
  expect(await stageAfter(s, 2000)).toBe('ready');
});

const leaving = {
  servers: { fs: { tools, startMs: 50, leaves: { count: 2 }, later: { 2: { leaves: { count: 0 } } } } },
};
scenario('a launcher that ends before its start was seen is swept with what it left', leaving, async (s) => {
  await s.up(10);
  s.servers.kill('fs', { code: 1 });
  expect(signalsTo(s)).toEqual(['SIGTERM']);
  expect(await stageAfter(s, 2000)).toBe('ready');
  expect(s.servers.alive).toBe(1);
});
