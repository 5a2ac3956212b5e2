import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readTrace } from '../../machines/trace/reading.ts';
import { planOf, type Scene } from '../stage/plan/builder.ts';
import { playVirtually } from '../stage/plan/virtual/play-virtual.ts';
import type { Plan, Step } from '../stage/plan/plan.ts';
import { altered, provided } from '../fixtures/altered.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { runOf, seedAt, Tally } from './batch.ts';
import { runAll } from './worker-pool.ts';
import { described } from './drawing/describe.ts';
import { expand } from './drawing/expand.ts';
import { lookCloser } from './failure.ts';
import { pasted } from './paste.ts';
import { shrinkCandidatesOf, planWith } from './shrink-candidates.ts';
import { selectionOf } from './drawing/selection.ts';
import { seedOf } from './sim-command.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { sha256Of } from '../replay/report/files.ts';

const drawing = { forMs: 20_000, faults: 'all' };
const drawn = (seed: number, faults = 'all'): Plan =>
  expand(seed, { forMs: 20_000, among: selectionOf(faults) });
const seeds = Array.from({ length: 6 }, (_, n) => 1000 + n);
const few = seeds.slice(0, 2);
const mute = altered('computer', [[['on', 'call.request'], () => undefined]]);
const settledOnce = 'every call is settled exactly once';
const isCall = (step: Step): step is Extract<Step, { do: 'call' }> => step.do === 'call';

describe('a run', () => {
  it('is generated from its seed alone', () => {
    for (const seed of seeds) expect(drawn(seed)).toEqual(drawn(seed));
    expect(new Set(seeds.map((seed) => JSON.stringify(drawn(seed).servers))).size).toBe(seeds.length);
  });

  it('goes the same way each time, to the last digit of a context', async () => {
    const one = await playVirtually(drawn(1000), { isReplayed: false });
    const other = await playVirtually(drawn(1000), { isReplayed: false });
    expect(one.trace).toEqual(other.trace);
    expect((await simulate(drawn(1000))).rollingHash).toBe((await simulate(drawn(1000))).rollingHash);
  });

  it('is replayed strictly from its recording', async () => {
    expect((await playVirtually(drawn(1000))).wrong).toEqual([]);
  });

  it('has a random stream for each server and each call: one call less changes no other', () => {
    const whole = drawn(1003);
    const busy = expand(1003, { forMs: 20_000, among: selectionOf('none') });
    expect(busy.servers.map(({ name, tools }) => ({ name, tools }))).toEqual(
      whole.servers.map(({ name, tools }) => ({ name, tools })),
    );
    expect(busy.steps.filter(isCall)).toEqual(whole.steps.filter(isCall));
  });

  it('clears its faults, has everybody back, settles, and is checked', () => {
    for (const seed of seeds) {
      const { steps } = drawn(seed);
      const cleared = steps.findIndex((step) => step.do === 'clearFaults');
      const after = steps.slice(cleared).map((step) => step.do);
      expect(after.slice(0, 2)).toEqual(['clearFaults', 'begin']);
      expect(after.slice(-2)).toEqual(['run', 'quiescent']);
      expect(steps.slice(0, cleared).reduce((sum, s) => sum + (s.do === 'run' ? s.ms : 0), 0)).toBe(20_000);
    }
  });

  it('has no other faults than those that were asked for', () => {
    const layers = (plan: Plan): string[] =>
      [
        ...plan.servers.flatMap(({ faults = [], later = {} }) => [
          ...faults,
          ...Object.values(later).flatMap((one) => one.faults ?? []),
        ]),
        ...plan.steps.flatMap((step) => (step.do === 'fault' ? [step.fault] : [])),
      ]
        .map(({ fault }) => fault)
        .filter((word) => word !== 'sched.permuteTies');
    expect(seeds.flatMap((seed) => layers(drawn(seed, 'none')))).toEqual([]);
    const some = seeds.flatMap((seed) => layers(drawn(seed, 'rpc,proc.kill')));
    expect(some.length).toBeGreaterThan(0);
    expect(some.filter((word) => !/^rpc\.|^proc\.kill$/.test(word))).toEqual([]);
  });

  it('can be told to people', () => {
    const text = described(drawn(1001)).join('\n');
    for (const { name } of drawn(1001).servers) expect(text).toContain(`  ${name}: tools`);
  });
});

describe('a selection of faults', () => {
  it.each([
    ['rpc.nevr', 'did you mean rpc.never'],
    ['prc', 'did you mean'],
    ['', 'known layers'],
  ])('is told what is wrong with it: %j', (text, said) => {
    expect(() => selectionOf(text)).toThrow(said);
  });
});

describe('seeds', () => {
  it('are numbers, or made of any text', () => {
    expect([seedOf('7'), seedOf('4294967295')]).toEqual([7, 4_294_967_295]);
    expect(seedOf('08b87de1')).toBe(seedOf('08b87de1'));
    expect(seedOf('08b87de1')).not.toBe(seedOf('08b87de2'));
    expect(seedAt(4_294_967_295, 1)).toBe(0);
  });

  it('have the same digest in any order', async () => {
    const forwards = new Tally();
    const backwards = new Tally();
    for (const seed of few) forwards.add(await runOf(seed, drawing));
    for (const seed of few.toReversed()) backwards.add(await runOf(seed, drawing));
    const pool = await runAll({ ...drawing, first: 1000, count: few.length, workers: 0 });
    expect([backwards.digest, pool.digest]).toEqual([forwards.digest, forwards.digest]);
    expect(pool.runs).toBe(few.length);
  });

  it('no longer begin when the time is over, or somebody says stop', async () => {
    const late = await runAll({ ...drawing, first: 1, count: 1000, workers: 0, budgetMs: 0 });
    expect(late.runs).toBeLessThan(2);
    const signal = AbortSignal.abort();
    const stopped = await runAll({ ...drawing, first: 1, count: 1000, workers: 0, signal });
    expect(stopped.runs).toBe(0);
  });
});

describe('a run that violates an invariant', () => {
  const found = async (): Promise<Plan> => {
    for (const plan of seeds.map((seed) => drawn(seed))) {
      const { violations } = await simulate(plan, { kinds: mute });
      if (violations.some(({ invariant }) => invariant === settledOnce)) return plan;
    }
    throw new Error('no run violates an invariant');
  };

  it('is shrunk to one call', async () => {
    const small = await shrink(await found(), { invariant: settledOnce, kinds: mute });
    expect(small.isCutShort).toBe(false);
    expect(small.plan.steps.filter((step) => step.do !== 'run').map((step) => step.do)).toEqual(['call']);
    expect(small.plan.servers).toEqual([]);
  });

  it('becomes a scenario, a plan and a trace that violates the same invariant', async () => {
    const out = testFolder('sim');
    const seed = Number((await found()).title.replace('seed ', ''));
    const violation = (await runOf(seed, drawing, { kinds: mute })).violations.find(
      ({ invariant }) => invariant === settledOnce,
    );
    if (!violation) throw new Error('it did not fail again');
    const failure = await lookCloser(seed, violation, { ...drawing, out, isShrunk: true, kinds: mute });
    expect(failure.isDeterministic).toBe(true);
    expect(readFileSync(failure.files.scenario, 'utf8')).toContain(`scenario('seed ${seed}: ${settledOnce}'`);
    expect(readTrace(readFileSync(failure.files.trace, 'utf8'), sha256Of)).toMatchObject({ ok: true });
    const kept = JSON.parse(readFileSync(failure.files.plan, 'utf8')) as Plan;
    expect((await simulate(kept, { kinds: mute })).violations.map(({ invariant }) => invariant)).toContain(
      settledOnce,
    );
  });

  it('may be one in which a machine livelocks', async () => {
    const plan = planOf('an agent', (s: Scene) => {
      s.server('fs', { tools: { read: {} } });
      s.office();
      s.run(100);
    });
    const restless = provided('view', { delays: { limit: 0, retry: 0 } });
    expect((await simulate(plan, { kinds: restless })).violations[0]?.what).toContain('livelock');
  });
});

describe('a generated plan', () => {
  it('is itself with all its candidates, and empty without any', async () => {
    for (const seed of few) {
      const plan = drawn(seed);
      expect((await simulate(planWith(plan, shrinkCandidatesOf(plan)))).rollingHash).toBe(
        (await simulate(plan)).rollingHash,
      );
      expect(planWith(plan, [])).toMatchObject({ servers: [] });
    }
  });

  it('is pasted as a scenario that makes the same run', async () => {
    for (const seed of few) {
      const plan = drawn(seed);
      let again: Plan | undefined;
      const scenario = (title: string, build: (s: Scene) => void): void =>
        void (again = planOf(title, build));
      (runInThisContext(`(scenario) => { ${pasted(plan)} }`) as (word: typeof scenario) => void)(scenario);
      const sent = async (one: Plan | undefined): Promise<unknown> => one && (await simulate(one)).records;
      expect(again?.servers).toEqual(plan.servers.map((server) => ({ faults: [], ...server })));
      expect(await sent(again)).toBe(await sent(plan));
    }
  });
});
