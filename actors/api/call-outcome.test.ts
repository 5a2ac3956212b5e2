import { describe, expect, expectTypeOf, it } from 'vitest';
import type { CallToolResult } from '../../machines/protocol/tool-result.ts';
import type { Failure, HostFailure } from '../../machines/protocol/failure.ts';
import type { CallEnded } from './computer-calls.ts';
import { outcomeOf, type CallOutcome, type ToldOutcome } from './call-outcome.ts';

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
