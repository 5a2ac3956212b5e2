/** Moments before a call is sent and after its answer, which only the harness shows. */
import { expect } from 'vitest';
import type { RequestFact, Emit } from '../../../machines/kernel/ports.ts';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, HarnessOptions } from '../../stage/harness.ts';
import type { StagePorts } from '../../stage/ports.ts';

const ends = (calls: readonly AskedCall[]): (string | undefined)[] =>
  calls.map((call) => call.settled.map(({ end }) => end).join());
const long = { content: [{ type: 'text', text: 'x'.repeat(3_000) }] };
const looking = (say?: (id: string, emit: Emit<RequestFact>) => void): HarnessOptions => ({
  servers: { fs: { tools: { good: { answers: long }, bad: { answers: { ...long, isError: true } } } } },
  options: { fs: { isRemote: true, resultBytes: 2_000 } },
  mend: (ports: StagePorts) => ({
    ...ports,
    request: (from, question, emit) => {
      if (question.target !== 'finish') return ports.request(from, question, emit);
      say?.(question.id, emit);
      return () => {};
    },
  }),
  timing: { lookMs: 1_000, drainMs: 100 },
});
const given = ['succeeded', 'failed'];
const warned = (calls: readonly AskedCall[], why: string): void => {
  expect(ends(calls)).toEqual(given);
  for (const { settled } of calls) {
    const [{ result, failure } = {}] = settled;
    expect(failure).toBeNull();
    expect(JSON.stringify(result)).toContain(`The result was not post-processed: ${why}`);
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(2_000);
  }
};

const refusing = looking((id, emit) =>
  emit({ type: 'ask.refused', id, sent: false, failure: { code: 500, message: 'not today' } }),
);
scenario('a result that cannot be post-processed is given as it came, failed or not', refusing, async (s) => {
  await s.up(100);
  const calls = [s.call('good'), s.call('bad')];
  await s.run(100);
  warned(calls, 'that failed');
});
