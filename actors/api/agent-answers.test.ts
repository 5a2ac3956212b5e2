import { describe, expect, it } from 'vitest';
import { failureResult } from '../../machines/protocol/messages/answers.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { interpreted, type ToldOutcome } from './call-outcome.ts';

/** Outcome of a call whose answer came, as the machine of an agent builds it, with or without `isError`. */
const heard = (result: unknown): ToldOutcome => ({
  ...{ outcome: 'failed', end: 'failed', phase: 'running', server: 'c1', tool: 't', reqId: 'r1' },
  ...{ durationMs: 1, result, failure: null },
});
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
  it.each(['failed', 'unknown'] as const)('is %s where its computer says so, and where it was', (outcome) => {
    for (const phase of ['confirming', 'running'] as const)
      expect(said(failureResult(failure('ServerLost'), { ending: { outcome, phase } }))).toEqual({
        ...{ outcome, end: outcome, phase, code: 'ServerLost' },
      });
  });

  it('is what its computer says, also where the code alone would say otherwise', () => {
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

  it("is failed where the tool says so itself, with the tool's own result", () => {
    const result = { content: [{ type: 'text', text: 'no such thing' }], isError: true };
    expect(interpreted(heard(result))).toMatchObject({
      outcome: 'failed',
      phase: 'running',
      failure: null,
      result,
    });
  });

  it('has the remedy of its computer', () => {
    const remedy = 'Start it: servers start fs';
    const answer = interpreted(heard(failureResult({ ...failure('ServerNotActive'), remedy })));
    expect(answer.failure).toEqual({
      code: 'ServerNotActive',
      message: 'no',
      details: {},
      remedy,
    });
  });

  it('is what its own machine saw, where nobody answered', () => {
    const own = {
      ...heard(null),
      outcome: 'unknown',
      end: 'timedOut',
      failure: failure('ToolExecutionTimeout'),
    } as const;
    expect(interpreted(own)).toBe(own);
  });
});
