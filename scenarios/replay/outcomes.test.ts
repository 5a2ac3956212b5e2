import { describe, expect, it } from 'vitest';
import { boundaryOf, recordedRun } from '../fixtures/recorded-run.ts';
import { traceOf } from '../stage/recording.ts';
import { Harness } from '../stage/harness.ts';
import { outcomesOf, recordedMoments, type Outcomes } from './outcomes.ts';
import { replayOf } from './replay.ts';
import { outcomeText, reasonsOf, reasonText } from './report/outcome.ts';

async function callsIn(others: RegExp): Promise<Outcomes> {
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
  const kept = lines.filter(({ record }) => !('ch' in record && others.test(record.ch)));
  return outcomesOf(recordedMoments({ ...trace, lines: kept }));
}

/** Call that has ended, of which a test tells the rest. */
const call = { server: 'fs', code: null, text: '', startedMs: 0, settledMs: 5, answers: 1 };

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
    const { calls } = await callsIn(/agent|office/);
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

  it('have the calls of an agent as its handle reads the answers of a computer that is elsewhere', async () => {
    const { calls } = await callsIn(/^(?!host:agent)/);
    expect(
      Object.values(calls).map(({ tool, server, end, code }) => [tool, server, end, code].join(' ')),
    ).toEqual([
      'read fs succeeded ',
      'fail fs failed ',
      'hang fs unknown ServerLost',
      'toss fs unknown ServerLost',
    ]);
  });

  it('are told shortly: calls that did not succeed first, and no more than ten of a kind', () => {
    const good = { ...call, tool: 'read', end: 'succeeded', outcome: 'succeeded' };
    const open = { ...good, outcome: null, end: null, settledMs: null, answers: 0 };
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

  it('tell first the calls and servers that the file was written for, of calls the last one', () => {
    const failed = { ...call, tool: 'stat', end: 'failed', outcome: 'failed' };
    const lost = { ...failed, tool: 'read, then write', outcome: 'unknown' };
    const calls = {
      ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, failed])),
      other: { ...lost, tool: 'hang' },
      early: lost,
      late: { ...lost, settledMs: 9 },
    };
    const server = { state: 'ready', states: ['ready'], failure: null };
    const servers = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`s${n}`, server]));
    const tail = { k: 'tail', reason: 'callUnknown read, then write, serverGaveUp s11' };
    const mark = { s: 1, t: 0, text: '', record: { k: 'mark', text: 'checkout' } };
    const reasons = reasonsOf({ tail, lines: [mark] } as never);
    expect(reasons.map(reasonText)).toEqual(['call read, then write ended unknown', 'server s11 gave up']);
    const told = outcomeText({ calls, servers, seats: {}, processes: {} }, reasons);
    expect(told.map((line) => line.split(' (')[0])).toMatchObject({
      0: 'call late',
      1: 'call early',
      2: 'call other',
      3: 'call f0',
      10: 'and 53 more calls',
      11: 'server s11: ready',
    });
  });
});
