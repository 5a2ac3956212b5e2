import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Confirmation } from '../../machines/call/policy/policy.ts';
import type { RequestFact, Emit } from '../../machines/kernel/ports.ts';
import { violations } from './invariants.ts';
import type { ScriptedCall } from '../stage/scripted/script.ts';
import { Harness } from '../stage/harness.ts';

type Act =
  | { readonly do: 'host calls' | 'agent calls'; readonly tool: string; readonly timeoutMs: number }
  | { readonly do: 'cancel'; readonly n: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'kill' | 'stop' | 'start' | 'break' }
  | { readonly do: 'close'; readonly who: 'computer' | 'agent' | 'office' };
interface Run {
  readonly acts: readonly Act[];
  readonly words: readonly (Confirmation['decision'] | 'never' | 'nobody')[];
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
const acts: fc.Arbitrary<Run> = fc.record({
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

function harnessOf({ words, looks, isFree }: Run): Harness {
  const said = [...words];
  const looked = [...looks];
  const transform = (_: string, { id }: { id: string }, emit: Emit<RequestFact>): (() => void) => {
    const [how, ms] = looked.shift() ?? (['answered', 1] as const);
    if (how === 'never') return () => {};
    const failure = { code: 500, message: 'no program' } as const;
    const timer = harness.clock.setTimeout(
      () =>
        emit(
          how === 'answered'
            ? { type: 'ask.answered', id, result: { json: '1' } }
            : { type: 'ask.refused', id, sent: false, failure },
        ),
      ms,
    );
    return () => harness.clock.clearTimeout(timer);
  };
  const harness: Harness = new Harness({
    servers: { fs: { tools } },
    options: { fs: { hasProgram: true, limits: { concurrency: 2, queue: 2 } } },
    timing: { callIdleMs: 150, confirmMs: 100, lookMs: 60, backoffMs: 50, longestBackoffMs: 50, drainMs: 40 },
    transform,
    ...(!isFree && { person: () => said.shift() ?? 'allow' }),
  });
  return harness;
}
async function perform(harness: Harness, one: Act): Promise<void> {
  const { directory, servers } = harness;
  const order = (type: string): void => {
    if (directory.find('computer')) harness.order('computer', { type, server: 'fs' });
  };
  if (one.do === 'wait') await harness.run(one.ms);
  else if (one.do === 'cancel') {
    const call = harness.calls[one.n % Math.max(1, harness.calls.length)];
    const who = call?.ticket.startsWith('host.') === true ? 'computer' : 'agent';
    if (directory.find(who)) call?.cancel();
  } else if (one.do === 'host calls') {
    if (directory.find('computer')) harness.call(one.tool, one);
  } else if (one.do === 'agent calls') {
    if (directory.find('agent')) harness.agentCall(one.tool, one);
  } else if (one.do === 'kill') servers.kill('fs', { signal: 'SIGKILL' });
  else if (one.do === 'break') servers.breakStream('fs');
  else if (one.do === 'close') {
    if (directory.find(one.who)) harness.close(one.who);
  } else order(`server.${one.do}`);
}

async function settlesOnce(run: Run): Promise<void> {
  const harness = harnessOf(run);
  await harness.office();
  harness.computer({ linked: true });
  harness.agent();
  await harness.run(100);
  for (const one of run.acts) await perform(harness, one);
  await harness.run(20_000);
  // Checked before anything is closed, so the calls ended by themselves.
  expect(harness.calls.map(({ settled }) => settled.length)).toEqual(harness.calls.map(() => 1));
  for (const { settled } of harness.calls)
    for (const { end, outcome, phase } of settled) {
      expect([outcome === 'succeeded', phase === null]).toEqual([end === 'succeeded', end === 'succeeded']);
      if (outcome === 'unknown') expect(phase).toBe('running');
    }
  harness.close();
  await harness.run(30_000);
  expect(harness.calls.map(({ settled }) => settled.length)).toEqual(harness.calls.map(() => 1));
  expect(violations(harness)).toEqual([]);
}

// oxlint-disable-next-line vitest/expect-expect -- the property expects
it('every accepted call settles once, under any order of answer, error, progress, cancel, time-out, death and close', async () => {
  await fc.assert(fc.asyncProperty(acts, settlesOnce), { numRuns: 30 });
});
