import { describe, expect, expectTypeOf, it } from 'vitest';
import type { CallToolResult } from '../../machines/protocol/tool-result.ts';
import type { Failure, HostFailure } from '../../machines/protocol/failure.ts';
import type { CallEnded } from './computer-calls.ts';
import { PendingCalls, interpreted, outcomeOf, type CallOutcome, type ToldOutcome } from './call-outcome.ts';
import { failureResult } from '../../machines/protocol/messages/answers.ts';
import { once } from 'node:events';

const told = (more: Partial<ToldOutcome>): ToldOutcome => ({
  ...{ outcome: 'succeeded', end: 'succeeded', phase: null, server: 's', tool: 't', reqId: 'r1' },
  ...{ durationMs: 1, result: null, failure: null },
  ...more,
});
const failed = { outcome: 'failed', end: 'failed', phase: 'running' } as const;
const lost: Failure = { code: 'ServerLost', message: 'gone' };

describe('the outcome of a call', () => {
  it('has a result of MCP after a success, with one _meta', () => {
    const result = {
      content: [{ type: 'text', text: 'hi' }],
      meta: { a2c_warnings: ['w'] },
      _meta: { own: 1 },
    };
    expect(outcomeOf(told({ result }))).toEqual({
      ...{ outcome: 'succeeded', toolError: false, end: 'succeeded', phase: null, failure: null },
      ...{ server: 's', tool: 't', reqId: 'r1', durationMs: 1 },
      result: { content: result.content, _meta: { a2c_warnings: ['w'], own: 1 } },
    });
    expect(outcomeOf(told({ result: null })).result).toEqual({ content: [] });
  });

  it.each([
    ['its first text', [{ type: 'image' }, { type: 'text', text: 'no such file' }], 'no such file'],
    ['a sentence of ours', [{ type: 'image' }], 'The tool says that it failed'],
    ['a part of a long text', [{ type: 'text', text: 'x'.repeat(5_000) }], 'x'.repeat(2_000)],
  ])('has the result of a tool that failed, and a failure with %s', (_, content, message) => {
    const result = { content, isError: true };
    expect(outcomeOf(told({ ...failed, result }))).toMatchObject({
      ...{ outcome: 'failed', toolError: true, result, failure: { code: 'ToolFailed', message } },
    });
  });

  it('has a failure wherever the tool did not answer', () => {
    expect(outcomeOf(told({ ...failed, failure: lost }))).toMatchObject({ result: null, failure: lost });
    // A computer of another make may know only that nothing is known.
    const unknown = outcomeOf(
      told({ ...failed, outcome: 'unknown', result: { isError: true, content: [] } }),
    );
    expect(unknown).toMatchObject({
      toolError: false,
      failure: { code: 'ToolFailed' },
      result: { isError: true },
    });
  });

  it('is narrowed by its outcome, then by toolError', () => {
    const read = (ended: CallOutcome | CallEnded) => {
      if (ended.outcome === 'succeeded') {
        expectTypeOf(ended.result).toEqualTypeOf<CallToolResult>();
        expectTypeOf(ended.failure).toEqualTypeOf<null>();
        return ended.result.content.length;
      }
      expectTypeOf(ended.failure).toEqualTypeOf<HostFailure>();
      if (ended.toolError) expectTypeOf(ended.result).toEqualTypeOf<CallToolResult>();
      else expectTypeOf(ended.result).toEqualTypeOf<CallToolResult | null>();
      return ended.failure.message;
    };
    expect(read(outcomeOf(told({ ...failed, failure: lost })))).toBe('gone');
  });
});

/** Outcome of a call whose answer came, as the machine of an agent builds it, with or without `isError`. */
const heard = (result: unknown): ToldOutcome => told({ ...failed, server: 'c1', result });
const said = (result: unknown) => {
  const { outcome, end, phase, failure } = interpreted(heard(result));
  return { outcome, end, phase, code: failure?.code ?? null };
};
const failure = (code: Failure['code'], details?: object): Failure => ({
  code,
  message: 'no',
  ...(details && { details: { ...details } }),
});

describe('what an agent makes of an answer', () => {
  it.each(['failed', 'unknown'] as const)(
    'a call of an agent is %s where its computer says so, and where the call was',
    (outcome) => {
      for (const phase of ['confirming', 'running'] as const)
        expect(said(failureResult(failure('ServerLost'), { ending: { outcome, phase } }))).toEqual({
          ...{ outcome, end: outcome, phase, code: 'ServerLost' },
        });
    },
  );

  it('the outcome of a call is what its computer says, also where the code alone would say otherwise', () => {
    const never = failureResult(failure(4004), { ending: { outcome: 'failed', phase: 'queued' } });
    expect(said(never)).toMatchObject({ outcome: 'failed', phase: 'queued' });
    const sent = failureResult(failure(500), { ending: { outcome: 'unknown', phase: 'running' } });
    expect(said(sent)).toMatchObject({ outcome: 'unknown', phase: 'running' });
  });

  it.each([
    [failure(408), 'unknown'],
    [failure(4004), 'unknown'],
    [failure(404, { reason: 'left' }), 'unknown', 'ComputerLost' as const],
    [failure(404, { reason: 'left', left: 'agent' }), 'unknown'],
    [failure(404, { reason: 'unknown' }), 'failed'],
    [failure(4003), 'failed'],
  ])(
    'is told by the code for a peer that does not say it: %j is %s',
    (error, outcome, code: Failure['code'] = error.code) => {
      const { message, details } = error;
      const ack = {
        content: [],
        isError: true,
        structuredContent: { error: { code: error.code, message, details } },
      };
      expect(said(ack)).toEqual({ outcome, end: outcome, phase: 'running', code });
    },
  );

  it('a call is unknown for a computer that sat there, where an office only says that it is not there', () => {
    const ack = { code: 404, message: "Computer with name 'c1' not found" };
    expect(interpreted(heard(ack), true)).toMatchObject({ outcome: 'unknown', failure: { code: 404 } });
    expect(interpreted(heard(ack), false)).toMatchObject({ outcome: 'failed', failure: { code: 404 } });
    const never = failureResult(failure(404, { reason: 'unknown' }));
    expect(interpreted(heard(never), true)).toMatchObject({ outcome: 'failed' });
  });

  it.each([
    ["调用异常: Tool 'x' execution timed out", {}],
    ['cancelled', { a2c_cancelled: true }],
    ['调用异常: Tool execution failed: Connection closed', {}],
  ])('is unknown where a Python computer says %s', (text, meta) => {
    const ack = { content: [{ type: 'text', text }], isError: true, meta };
    expect(said(ack)).toMatchObject({ outcome: 'unknown', phase: 'running' });
  });

  it("a call is failed where the tool says so itself, with the tool's own result", () => {
    const result = { content: [{ type: 'text', text: 'no such thing' }], isError: true };
    expect(interpreted(heard(result))).toMatchObject({
      outcome: 'failed',
      phase: 'running',
      failure: null,
      result,
    });
  });

  it('the outcome of a call is what its own machine saw, where nobody answered', () => {
    const own = {
      ...heard(null),
      outcome: 'unknown',
      end: 'timedOut',
      failure: failure('ToolExecutionTimeout'),
    } as const;
    expect(interpreted(own)).toBe(own);
  });
});

function running() {
  const calls = new PendingCalls();
  const call = calls.start(
    'work',
    { reqId: 'r1' },
    () => {},
    () => {},
  );
  const tell = (progress: number): void =>
    calls.progressed({ type: 'call.progressed', ticket: 'host.r1', progress });
  return { call, tell };
}

const mine = new Error('mine');
describe('a listener of the progress of a call', () => {
  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw mine;
      },
      'mine',
    ],
    ['rejects', () => Promise.reject(mine), 'mine'],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
      'no text',
    ],
  ])(
    'is a warning of the process and hears no more when it %s, and the others hear all',
    async (_, bad, words) => {
      const { call, tell } = running();
      const warned = once(process, 'warning');
      let times = 0;
      const heard: number[] = [];
      call.on('progress', () => {
        times += 1;
        return bad() as void;
      });
      call.on('progress', ({ progress }) => void heard.push(progress));
      tell(1);
      const [warning] = (await warned) as [Error];
      tell(2);
      expect(warning).toMatchObject({ name: 'A2cListenerWarning', message: expect.stringContaining(words) });
      expect([times, heard]).toEqual([1, [1, 2]]);
    },
  );
});
