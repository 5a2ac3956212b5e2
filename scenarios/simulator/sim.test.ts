import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readTrace } from '../../machines/trace/index.ts';
import { planOf, type Scene } from '../stage/plan/builder.ts';
import { playVirtually } from '../stage/plan/virtual/play-virtual.ts';
import type { Plan, Step } from '../stage/plan/plan.ts';
import { altered, provided } from '../fixtures/altered.ts';
import { dayOf, seedAt, Tally } from './batch.ts';
import { liveAll } from './crew.ts';
import { described } from './drawing/describe.ts';
import { expand } from './drawing/expand.ts';
import { lookCloser } from './failure.ts';
import { pasted } from './paste.ts';
import { piecesOf, planWith } from './pieces.ts';
import { selectionOf } from './drawing/selection.ts';
import { seedOf } from './sim-command.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { sha256Of } from '../replay/report/files.ts';

const drawing = { forMs: 20_000, faults: 'all' };
const drawn = (seed: number, faults = 'all'): Plan =>
  expand(seed, { forMs: 20_000, among: selectionOf(faults) });
const seeds = Array.from({ length: 6 }, (_, n) => 1000 + n);
/** A computer that takes calls and says nothing. */
const mute = altered('computer', [[['on', 'tool.call'], () => undefined]]);
const settledOnce = 'every call is settled exactly once';
const isCall = (step: Step): step is Extract<Step, { do: 'call' }> => step.do === 'call';

describe('a day', () => {
  it('is drawn from its seed alone', () => {
    for (const seed of seeds) expect(drawn(seed)).toEqual(drawn(seed));
    expect(new Set(seeds.map((seed) => JSON.stringify(drawn(seed).servers))).size).toBe(seeds.length);
  });

  it('goes the same way each time, to the last digit of a context', () => {
    for (const seed of seeds.slice(0, 1)) {
      const [one, other] = [drawn(seed), drawn(seed)].map((plan) =>
        playVirtually(plan, { isReplayed: false }),
      );
      expect(one?.trace).toEqual(other?.trace);
      expect(simulate(drawn(seed)).check).toBe(simulate(drawn(seed)).check);
    }
  });

  it('is replayed strictly from its recording', () => {
    for (const seed of seeds.slice(0, 1)) expect(playVirtually(drawn(seed)).wrong).toEqual([]);
  });

  it('has a stream of chance for each server and each call: one less changes no other', () => {
    const whole = drawn(1003);
    const busy = expand(1003, { forMs: 20_000, among: selectionOf('none') });
    expect(busy.servers.map(({ name, tools }) => ({ name, tools }))).toEqual(
      whole.servers.map(({ name, tools }) => ({ name, tools })),
    );
    expect(busy.steps.filter(isCall)).toEqual(whole.steps.filter(isCall));
  });

  it('heals after its faults, has everybody back, settles, and is judged', () => {
    for (const seed of seeds) {
      const { steps } = drawn(seed);
      const heal = steps.findIndex((step) => step.do === 'heal');
      const after = steps.slice(heal).map((step) => step.do);
      expect(after.slice(0, 2)).toEqual(['heal', 'begin']);
      expect(after.slice(-2)).toEqual(['run', 'quiet']);
      expect(steps.slice(0, heal).reduce((sum, s) => sum + (s.do === 'run' ? s.ms : 0), 0)).toBe(20_000);
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
  ])('says of %j what is wrong with it', (text, said) => {
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

  it('are lived in any order with one digest', async () => {
    const forwards = new Tally();
    const backwards = new Tally();
    for (const seed of seeds) forwards.add(dayOf(seed, drawing));
    for (const seed of seeds.toReversed()) backwards.add(dayOf(seed, drawing));
    const crew = await liveAll({ ...drawing, first: 1000, count: 6, workers: 0 });
    expect([backwards.digest, crew.digest]).toEqual([forwards.digest, forwards.digest]);
    expect(crew.days).toBe(6);
  });

  it('are no longer lived when the time is over, or somebody says stop', async () => {
    const late = await liveAll({ ...drawing, first: 1, count: 1000, workers: 0, budgetMs: 0 });
    expect(late.days).toBeLessThan(2);
    const stopped = await liveAll({
      ...drawing,
      first: 1,
      count: 1000,
      workers: 0,
      signal: AbortSignal.abort(),
    });
    expect(stopped.days).toBe(0);
  });
});

describe('a day that breaks a law', () => {
  const found = (kinds: Parameters<typeof shrink>[1]['kinds']): { plan: Plan; law: string } => {
    for (const seed of seeds) {
      const plan = drawn(seed);
      const { breaches } = simulate(plan, kinds ? { kinds } : {});
      if (breaches.some(({ law }) => law === settledOnce)) return { plan, law: settledOnce };
    }
    throw new Error('no day breaks a law');
  };

  it('is made as small as it gets: one call', async () => {
    const { plan, law } = found(mute);
    const small = await shrink(plan, { law, kinds: mute });
    expect(small.isCutShort).toBe(false);
    expect(small.plan.steps.filter((step) => step.do !== 'run').map((step) => step.do)).toEqual(['call']);
    expect(small.plan.servers).toEqual([]);
  });

  it('becomes a scenario, a plan and a trace that breaks the same law', async () => {
    const out = mkdtempSync(join(tmpdir(), 'a2c-sim-'));
    try {
      const { plan } = found(mute);
      const seed = Number(plan.title.replace('seed ', ''));
      const breach = dayOf(seed, drawing, { kinds: mute }).breaches.find(({ law }) => law === settledOnce);
      if (!breach) throw new Error('it did not fail again');
      const failure = await lookCloser(seed, breach, { ...drawing, out, isShrunk: true, kinds: mute });
      expect(failure.isDeterministic).toBe(true);
      expect(readFileSync(failure.files.scenario, 'utf8')).toContain(
        `scenario('seed ${seed}: ${settledOnce}'`,
      );
      const read = readTrace(readFileSync(failure.files.trace, 'utf8'), sha256Of);
      expect(read).toMatchObject({ ok: true });
      const kept = JSON.parse(readFileSync(failure.files.plan, 'utf8')) as Plan;
      expect(simulate(kept, { kinds: mute }).breaches.map(({ law }) => law)).toContain(settledOnce);
    } finally {
      rmSync(out, { recursive: true });
    }
  });

  it('is one where a machine lets no time go on', () => {
    const plan = planOf('an agent', (s: Scene) => {
      s.server('fs', { tools: { read: {} } });
      s.office();
      s.run(100);
    });
    // It gives up at once, and asks again at once.
    const restless = provided('view', { delays: { query: 0, refetch: 0 } });
    expect(simulate(plan, { kinds: restless }).breaches[0]?.what).toContain('livelock');
  });
});

describe('a drawn plan', () => {
  it('is itself with all its pieces, and nothing without any', () => {
    for (const seed of seeds) {
      const plan = drawn(seed);
      expect(simulate(planWith(plan, piecesOf(plan))).check).toBe(simulate(plan).check);
      expect(planWith(plan, [])).toMatchObject({ servers: [] });
    }
  });

  it('is pasted as a scenario in words that make the same day', () => {
    for (const seed of seeds) {
      const plan = drawn(seed);
      let again: Plan | undefined;
      const scenario = (title: string, build: (s: Scene) => void): void =>
        void (again = planOf(title, build));
      (runInThisContext(`(scenario) => { ${pasted(plan)} }`) as (word: typeof scenario) => void)(scenario);
      const sent = (one: Plan | undefined): unknown => one && simulate(one).records;
      expect(again?.servers).toEqual(plan.servers.map((server) => ({ faults: [], ...server })));
      expect(sent(again)).toBe(sent(plan));
    }
  });
});
