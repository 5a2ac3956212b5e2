import assert from 'node:assert/strict';
import type { ProgramChecked, Transformed, Transformer } from '../../machines/call/transform.ts';
import { casesOf, type ContractCase, type Rule } from './contract.ts';

export type Program =
  /** Adds `status: "processed"` to the event. */
  | 'good'
  /** Has a syntax error: `.a = 1`, and on a second line `.field =` without a value. */
  | 'wrong'
  /** Ends itself with the words "no such luck". */
  | 'failing'
  | 'endless';
export interface TransformWorld {
  readonly transformer: Transformer;
  readonly sources: Readonly<Record<Program, string>>;
  /** `until` then checks its condition again. */
  heard(): void;
  until(holds: () => boolean): Promise<void>;
  running(): Promise<void>;
  passTime(): void;
  dispose(): Promise<void>;
}
export interface TransformSubject {
  createWorld(): TransformWorld;
}

const event = { meta: null, content: [{ type: 'text', text: 'grün 💧' }], tool_name: 'look' };

function harnessOf({ transformer, sources, ...world }: TransformWorld) {
  const order: number[] = [];
  const open: { readonly answers: readonly unknown[]; readonly isWithdrawn: () => boolean }[] = [];
  return {
    ...world,
    transformer,
    order,
    runOutOfTime: async (): Promise<void> => {
      await world.running();
      world.passTime();
    },
    check: async (program: Program): Promise<ProgramChecked> => {
      const answers: ProgramChecked[] = [];
      void transformer.check(sources[program]).then((answer) => {
        answers.push(answer);
        world.heard();
      });
      await world.until(() => answers.length > 0);
      return answers[0] as ProgramChecked;
    },
    run: (program: Program, over: object = event) => {
      const answers: Transformed[] = [];
      const nth = open.length;
      let isWithdrawn = false;
      const withdraw = transformer.run(sources[program], over, (answer) => {
        answers.push(answer);
        order.push(nth);
        world.heard();
      });
      assert.deepEqual(answers, [], 'answered before it was asked');
      open.push({ answers, isWithdrawn: () => isWithdrawn });
      return {
        answers,
        withdraw: () => {
          isWithdrawn = true;
          withdraw();
        },
        answer: async (): Promise<Transformed> => {
          await world.until(() => answers.length > 0);
          const [answer] = answers;
          assert.ok(answer);
          return answer;
        },
      };
    },
    answeredOnce: (): void =>
      open.forEach(({ answers, isWithdrawn }) => assert.equal(answers.length, isWithdrawn() ? 0 : 1)),
  };
}
type Harness = ReturnType<typeof harnessOf>;
const rule = (title: string, holds: Rule<Harness>['holds']): Rule<Harness> => ({ title, holds });

const jsonOf = (answer: Transformed): unknown => {
  assert.ok(answer.ok, JSON.stringify(answer));
  return JSON.parse(answer.json);
};
const failureOf = (answer: Transformed | ProgramChecked) => {
  assert.ok(!answer.ok, JSON.stringify(answer));
  return answer.failure;
};

const aCheck = [
  rule('finds nothing in a program that can be run', async ({ check }) => {
    assert.deepEqual(await check('good'), { ok: true });
  }),
  rule('names line, column and mistake of one that cannot be run', async ({ check }) => {
    const failure = failureOf(await check('wrong'));
    assert.equal(failure.code, 'VrlSyntaxError');
    assert.match(failure.message, /^line 2, column 9: syntax error/);
    const { message, ...place } = failure.details ?? {};
    assert.deepEqual(place, { line: 2, column: 9 });
    assert.match(String(message), /^syntax error/);
  }),
  rule('waits for its turn, and is answered, when a program hangs', async ({ check, run, runOutOfTime }) => {
    run('endless');
    const checked = check('good');
    await runOutOfTime();
    assert.deepEqual(await checked, { ok: true });
  }),
];

const aRun = [
  rule(
    'gives the event as the program leaves it, as JSON with its characters as they are',
    async ({ run }) => {
      const answer = await run('good').answer();
      assert.deepEqual(jsonOf(answer), { ...event, status: 'processed' });
      assert.ok(answer.ok && answer.json.includes('grün 💧'));
    },
  ),
  rule('leaves the event that it was given as it was', async ({ run }) => {
    const given = structuredClone(event);
    await run('good', given).answer();
    assert.deepEqual(given, event);
  }),
  rule('that ends itself is refused with its own words, and the next one runs', async ({ run }) => {
    const [failing, good] = [run('failing'), run('good')];
    assert.match(failureOf(await failing.answer()).message, /no such luck/);
    assert.equal((await good.answer()).ok, true);
  }),
  rule('of a program that cannot be run is refused as a check would refuse it', async ({ run }) => {
    const failure = failureOf(await run('wrong').answer());
    assert.match(failure.message, /syntax error/);
  }),
  rule('over what no JSON can hold is refused, and the next one runs', async ({ run }) => {
    const round: Record<string, unknown> = { call: () => {} };
    const [bad, good] = [run('good', round), run('good')];
    assert.equal(failureOf(await bad.answer()).code, 400);
    assert.equal((await good.answer()).ok, true);
  }),
  rule('takes its turn: answers come in the order of the questions', async ({ run, order }) => {
    const all = [run('good'), run('failing'), run('good'), run('failing')];
    await all.at(-1)?.answer();
    assert.deepEqual(order, [0, 1, 2, 3]);
  }),
];

const time = [
  rule('that a program may take is bounded: then it is refused with 408', async ({ run, runOutOfTime }) => {
    const endless = run('endless');
    await runOutOfTime();
    const failure = failureOf(await endless.answer());
    assert.equal(failure.code, 408);
    assert.match(failure.message, /did not end within \d+ ms/);
  }),
  rule('of one that hangs is not lost for those behind it', async ({ run, runOutOfTime }) => {
    const [endless, ...behind] = [run('endless'), run('good'), run('failing'), run('good')];
    await runOutOfTime();
    const answers = await Promise.all(behind.map(({ answer }) => answer()));
    assert.deepEqual(
      answers.map(({ ok }) => ok),
      [true, false, true],
    );
    assert.equal((await endless.answer()).ok, false);
  }),
];

const withdrawn = [
  rule('before its turn, a run is never answered, and costs those behind it nothing', async ({ run }) => {
    const [first, second, third] = [run('good'), run('endless'), run('good')];
    second.withdraw();
    assert.equal((await first.answer()).ok, true);
    assert.equal((await third.answer()).ok, true);
  }),
  rule(
    'while it runs, it is never answered, and those behind it wait no longer than its time',
    async (harness) => {
      const [running, next] = [harness.run('endless'), harness.run('good')];
      await harness.running();
      running.withdraw();
      harness.passTime();
      assert.equal((await next.answer()).ok, true);
    },
  ),
  rule('twice, or after the answer, changes nothing', async ({ run }) => {
    const one = run('good');
    await one.answer();
    const { answers } = one;
    const two = run('good');
    two.withdraw();
    two.withdraw();
    assert.equal((await run('good').answer()).ok, true);
    assert.equal(answers.length, 1);
  }),
];

const close = [
  rule('refuses what runs and what waits, once each', async ({ run, transformer, running }) => {
    const all = [run('endless'), run('good'), run('good')];
    await running();
    await transformer.close();
    for (const each of all) assert.equal(failureOf(await each.answer()).code, 'ToolCallCancelled');
  }),
  rule('refuses what was asked a moment before, too', async ({ run, transformer }) => {
    const asked = run('good');
    await transformer.close();
    assert.equal(failureOf(await asked.answer()).code, 'ToolCallCancelled');
  }),
  rule('is final: what is asked afterwards is refused, and closing again is harmless', async (harness) => {
    await harness.transformer.close();
    await harness.transformer.close();
    assert.equal(failureOf(await harness.run('good').answer()).code, 'ToolCallCancelled');
    assert.equal(failureOf(await harness.check('good')).code, 'ToolCallCancelled');
  }),
];

export const transformContract = (subject: TransformSubject): readonly ContractCase[] =>
  casesOf({ 'a check': aCheck, 'a run': aRun, 'the time': time, withdrawn, close }, async ({ holds }) => {
    const world = subject.createWorld();
    const harness = harnessOf(world);
    try {
      await holds(harness);
      harness.answeredOnce();
    } finally {
      await world.dispose();
    }
  });
