import { describe, expect, it } from 'vitest';
import { boundaryOf, recordedRun } from '../fixtures/recorded-run.ts';
import { traceOf } from '../stage/recording.ts';
import { Harness } from '../stage/harness.ts';
import { outcomesOf, recordedMoments, type Outcomes } from './outcomes.ts';
import { replayOf } from './replay.ts';
import { outcomeText } from './report/outcome.ts';

/** Calls of an agent in an office that is elsewhere: it is not in the trace. */
async function atComputer(): Promise<Outcomes> {
  const harness = new Harness({
    servers: {
      fs: {
        tools: {
          read: { answers: { content: [{ type: 'text', text: 'hello' }] }, afterMs: 20 },
          fail: { answers: { isError: true, content: [{ type: 'text', text: 'no such file' }] } },
          toss: { dies: { code: 3 }, afterMs: 40 },
          hang: { never: true },
        },
      },
    },
  });
  await harness.office();
  harness.computer({ linked: true });
  harness.agent();
  await harness.run(1_000);
  for (const tool of ['read', 'fail', 'hang', 'toss']) harness.agentCall(tool);
  await harness.run(10_000);
  const { lines, ...trace } = traceOf(harness.recorder);
  const ofComputer = lines.filter(({ record }) => !('ch' in record && /agent|office/.test(record.ch)));
  return outcomesOf(recordedMoments({ ...trace, lines: ofComputer }));
}

describe('outcomes', () => {
  it('are the same from what was recorded and from what happens again', async () => {
    const life = await recordedRun();
    const outcomes = outcomesOf(recordedMoments(life));
    expect(replayOf('life', boundaryOf(life)).outcomes).toEqual(outcomes);
    expect(outcomes.calls['r3']).toEqual({
      tool: 'hang',
      server: 'fs',
      outcome: 'unknown',
      end: 'cancelled',
      code: 'ToolCallCancelled',
      text: "Call 'r3' was cancelled: asked",
      startedMs: 1_001,
      settledMs: 1_101,
      answers: 1,
    });
    expect(outcomes.servers).toEqual({
      fs: {
        state: 'closing',
        states: ['connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready', 'closing'],
        failure: null,
      },
    });
    expect(outcomes.seats['computer:c1']).toEqual({
      state: 'closed',
      states: ['connecting', 'joined', 'closed'],
      reason: null,
    });
    expect(outcomes.processes['fs/1']).toEqual({
      pid: 101,
      code: null,
      signal: 'SIGTERM',
      startedMs: 2,
      endedMs: 5_663,
    });
  });

  it('have calls of an agent at its computer, as it is answered', async () => {
    const { calls } = await atComputer();
    const texts = Object.values(calls).map(({ tool, server, end, outcome, code, text, answers }) =>
      [tool, server, end, outcome, code, text, answers].join(' '),
    );
    expect(texts).toEqual([
      'read fs succeeded succeeded  hello 1',
      'fail fs failed failed  no such file 1',
      expect.stringMatching(/^hang fs unknown unknown 4003 .* 1$/),
      expect.stringMatching(/^toss fs unknown unknown 4003 .*exit code 3.* 1$/),
    ]);
  });

  it('are told shortly: calls that did not succeed first, and no more than ten of a kind', () => {
    const call = {
      tool: 'read',
      server: 'fs',
      end: 'succeeded',
      code: null,
      text: '',
      startedMs: 0,
      answers: 1,
    };
    const good = { ...call, outcome: 'succeeded', settledMs: 5 };
    const open = { ...call, outcome: null, end: null, settledMs: null, answers: 0 };
    const calls = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`r${n}`, n === 20 ? open : good]));
    const states = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 'ready' : 'waiting'));
    const servers = { fs: { state: 'waiting', states, failure: { code: 'ServerLost', message: 'gone' } } };
    const told = outcomeText({ calls, servers, seats: {}, processes: {} });
    expect(told).toHaveLength(12);
    expect(told[0]).toBe('call r20 (read of fs): not answered');
    expect(told[1]).toBe('call r0 (read of fs): succeeded, after 0.005 s');
    expect(told[10]).toBe('and 20 more calls');
    expect(told[11]).toMatch(/^server fs: 32 states … → ready → .* → waiting \(ServerLost: gone\)$/);
  });
});
