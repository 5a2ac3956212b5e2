import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disagreements, type Summary } from './agreement.ts';
import { playReally } from './real/play-real.ts';
import { playVirtually } from './virtual/play-virtual.ts';
import { isData, type Plan } from './plan.ts';
import { registered } from './builder.ts';

/** `npm test` plays all, `.ci/run` replays `some` (`*.alone.test.ts`), `.ci/full` the `rest`; always the same. */
type Part = 'some' | 'rest';
const isIn = (part: Part, n: number): boolean => (n % 6 === 0) === (part === 'some');

/** A replay proves that the machines are deterministic; it costs four times the play. */
export function testVirtually(part?: Part): void {
  for (const [n, plan] of registered.entries()) {
    if (part && !isIn(part, n)) continue;
    test(plan.title, async () => {
      // Scenarios without code are plain data, so they are played after a round trip through JSON.
      const read = isData(plan) ? (JSON.parse(JSON.stringify(plan)) as Plan) : plan;
      expect(read).toEqual(plan);
      const played = await playVirtually(read, {
        // A second play is the same, because the fakes are deterministic.
        isTwice: part === 'some' && n % 24 === 0,
        isReplayed: part !== undefined,
      });
      expect(played.wrong).toEqual([]);
    });
  }
}

/** Those that end without a signal in virtual time have unlimited time, because a busy machine may be slow. */
function patient(plan: Plan, { signals }: Summary): Plan {
  const isGentle = Object.values(signals).every((sent) =>
    (sent as readonly string[]).every((s) => s === 'stdin'),
  );
  return isGentle ? { ...plan, timing: { ...plan.timing, stdinGraceMs: 10_000 } } : plan;
}
/** A busy machine causes delays that no scenario is about. All but the first play run alone. */
const playsAllowed = 5;
async function differences(plan: Plan): Promise<readonly string[]> {
  // Replays are tested by the virtual suite, so they are skipped here.
  const virtual = await playVirtually(plan, { isReplayed: false });
  const real = await playReally(patient(plan, virtual.summary));
  return [...real.wrong, ...disagreements(plan, virtual.summary, real.summary)];
}
/** The result has to agree with the virtual play. First plays run side by side. */
export function testReally(part: Part): void {
  const plays = new PQueue({ concurrency: 5 });
  const plans = registered
    .filter(({ virtualOnly }) => virtualOnly === undefined)
    .filter((_, n) => isIn(part, n));
  const firstPlays = new Map<Plan, Promise<readonly string[]>>();
  // oxlint-disable-next-line no-empty-pattern -- vitest takes no other form
  beforeAll(({}, { tasks }) => {
    // Titles may be chosen with `vitest -t`.
    const chosen = new Set(tasks.filter(({ mode }) => mode === 'run').map(({ name }) => name));
    for (const plan of plans.filter(({ title }) => chosen.has(title))) {
      const played = plays.add(() => differences(plan));
      played.catch(() => undefined); // its own test rejects with it
      firstPlays.set(plan, played);
    }
  });
  afterAll(() => plays.clear());
  for (const plan of plans)
    test(plan.title, async () => {
      let found = await firstPlays.get(plan);
      for (let play = 2; found?.length !== 0 && play <= playsAllowed; play += 1) {
        process.stdout.write(
          `differed, play ${play} of ${playsAllowed}: ${plan.title}\n  ${found?.join('\n  ')}\n`,
        );
        await plays.onIdle();
        found = await differences(plan);
      }
      expect(found).toEqual([]);
    });
}
