import fc from 'fast-check';
import { expect } from 'vitest';
import type { Confirmation } from '../../../machines/call/policy/index.ts';
import type { AskFact, Give } from '../../../machines/kernel/ports.ts';
import { breaches } from '../invariants.ts';
import type { ScriptedCall } from '../../stage/scripted/script.ts';
import { Stage } from '../../stage/stage.ts';

/** One thing that somebody does; `n` chooses among those to whom it can be done. */
type Act =
  | { readonly do: 'host calls' | 'agent calls'; readonly tool: string; readonly timeoutMs: number }
  | { readonly do: 'cancel'; readonly n: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'kill' | 'stop' | 'start' | 'break' }
  | { readonly do: 'close'; readonly who: 'computer' | 'agent' | 'office' };
interface Life {
  readonly acts: readonly Act[];
  /** What the person says, one question after the other. */
  readonly words: readonly (Confirmation['decision'] | 'never' | 'nobody')[];
  /** What becomes of looking at a result, and after how long. */
  readonly looks: readonly (readonly ['answered' | 'refused' | 'never', ms: number])[];
  readonly isFree: boolean;
}
const few = fc.integer({ min: 1, max: 120 });
const tool = fc.constantFrom(
  'quick',
  'slow',
  'fails',
  'refuses',
  'hangs',
  'tells',
  'dies',
  'unreadable',
  'nothing',
);
const timeoutMs = fc.constantFrom(30, 200, 2_000);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('host calls', 'agent calls'), tool, timeoutMs }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait'), ms: few }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel'), n: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('kill', 'stop', 'start', 'break') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('close'), who: fc.constantFrom('computer', 'agent', 'office') }),
  },
);
const life: fc.Arbitrary<Life> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 25 }),
  words: fc.array(fc.constantFrom('allow', 'allowForSession', 'deny', 'never', 'nobody'), { maxLength: 6 }),
  looks: fc.array(fc.tuple(fc.constantFrom('answered', 'refused', 'never'), few), { maxLength: 6 }),
  isFree: fc.boolean(),
});

const hello = { content: [{ type: 'text', text: 'hello' }] };
const tools = {
  quick: { answers: hello },
  slow: { answers: hello, afterMs: 80 },
  fails: { answers: { ...hello, isError: true } },
  refuses: { errors: 'not today' },
  hangs: { never: true, cancelled: () => hello },
  tells: { never: true, progresses: { everyMs: 20 } },
  dies: (_: ScriptedCall) => ({ dies: { code: 3 }, afterMs: 10 }),
  unreadable: { answers: { content: 'no list' } },
} as const;

function stageOf({ words, looks, isFree }: Life): Stage {
  const said = [...words];
  const looked = [...looks];
  const transform = (_: string, { id }: { id: string }, give: Give<AskFact>): (() => void) => {
    const [how, ms] = looked.shift() ?? (['answered', 1] as const);
    if (how === 'never') return () => {};
    const failure = { code: 500, message: 'no program' } as const;
    const timer = stage.clock.setTimeout(
      () =>
        give(
          how === 'answered'
            ? { type: 'ask.answered', id, result: { json: '1' } }
            : { type: 'ask.refused', id, sent: false, failure },
        ),
      ms,
    );
    return () => stage.clock.clearTimeout(timer);
  };
  const stage: Stage = new Stage({
    servers: { fs: { tools } },
    options: { fs: { hasProgram: true, limits: { concurrency: 2, queue: 2 } } },
    timing: { callIdleMs: 150, confirmMs: 100, lookMs: 60, backoffMs: 50, longestBackoffMs: 50, drainMs: 40 },
    transform,
    ...(!isFree && { person: () => said.shift() ?? 'allow' }),
  });
  return stage;
}
function perform(stage: Stage, one: Act): void {
  const { directory, servers } = stage;
  const order = (type: string): void => {
    if (directory.find('computer')) stage.order('computer', { type, server: 'fs' });
  };
  if (one.do === 'wait') stage.run(one.ms);
  else if (one.do === 'cancel') {
    const call = stage.calls[one.n % Math.max(1, stage.calls.length)];
    const who = call?.ticket.startsWith('host.') === true ? 'computer' : 'agent';
    if (directory.find(who)) call?.cancel();
  } else if (one.do === 'host calls') {
    if (directory.find('computer')) stage.call(one.tool, one);
  } else if (one.do === 'agent calls') {
    if (directory.find('agent')) stage.agentCall(one.tool, one);
  } else if (one.do === 'kill') servers.kill('fs', { signal: 'SIGKILL' });
  else if (one.do === 'break') servers.breakStream('fs');
  else if (one.do === 'close') {
    if (directory.find(one.who)) stage.close(one.who);
  } else order(`server.${one.do}`);
}

/** Whatever comes in whatever order: each call has one answer, whose words fit together, and nothing is left. */
function settlesOnce(lived: Life): void {
  const stage = stageOf(lived);
  stage.office();
  stage.computer({ linked: true });
  stage.agent();
  stage.run(100);
  for (const one of lived.acts) perform(stage, one);
  stage.run(20_000);
  // Before anything is closed: nobody had to be told to end.
  expect(stage.calls.map(({ settled }) => settled.length)).toEqual(stage.calls.map(() => 1));
  for (const { settled } of stage.calls)
    for (const { end, outcome, phase } of settled) {
      expect([outcome === 'succeeded', phase === null]).toEqual([end === 'succeeded', end === 'succeeded']);
      if (outcome === 'unknown') expect(phase).toBe('running');
    }
  stage.close();
  stage.run(30_000);
  expect(stage.calls.map(({ settled }) => settled.length)).toEqual(stage.calls.map(() => 1));
  expect(breaches(stage)).toEqual([]);
}

/** `runs` lives, drawn anew each time; one that fails is told by fast-check, as small as it gets. */
export const everyCallSettlesOnce = (runs: number): void =>
  fc.assert(fc.property(life, settlesOnce), { numRuns: runs });
