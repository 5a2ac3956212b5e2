import { describe, expect, it } from 'vitest';
import { callAck } from './acks.ts';
import { repeated, settledBy, type CallSettled } from '../call/call.rules.ts';
import { readToolResult, failureIn, reportIn } from '../protocol/reading.ts';

const call = { ticket: 't', reqId: 'r1', server: 'fs', tool: 'read' };
const text = [{ type: 'text', text: 'hi' }];
const answered = (result: unknown, more: Partial<CallSettled> = {}): CallSettled => ({
  ...{ type: 'call.settled', ...call, end: 'succeeded', outcome: 'succeeded', phase: null },
  ...{ result, failure: null, ...more },
});
const failed = { end: 'failed', outcome: 'failed', phase: 'running' } as const;
const lost = {
  code: 'ServerLost',
  message: "Server 'fs' ended with exit code 3",
  details: { server_name: 'fs', exit_code: 3, stderr: 'out of paper' },
  remedy: 'Run its command by hand.',
} as const;

describe('the answer to the call of an agent', () => {
  it('says that a call that succeeded did, with what its server gave', () => {
    expect(callAck(answered({ content: text, structuredContent: { n: 1 } }))).toEqual({
      content: text,
      structuredContent: { n: 1 },
      meta: { a2c_server: 'fs', a2c_outcome: 'succeeded' },
    });
  });

  it('has what its server says in meta, but not what that says of the call', () => {
    const _meta = { trace: 'abc', a2c_outcome: 'unknown', a2c_phase: 'queued', a2c_server: 'mine' };
    expect(callAck(answered({ content: [], _meta }))).toMatchObject({
      meta: { trace: 'abc', a2c_outcome: 'succeeded' },
    });
    expect(callAck(answered({ content: [], isError: true, _meta }, failed))).toEqual({
      content: [],
      isError: true,
      meta: { trace: 'abc', a2c_outcome: 'failed', a2c_phase: 'running', a2c_server: 'fs' },
    });
  });

  it('says of a call of which nothing more will be heard that it is so, where it was, why, the end of stderr, and what can be done', () => {
    expect(callAck(settledBy(call, 'unknown', lost, 'unknown'))).toEqual({
      isError: true,
      content: [{ type: 'text', text: lost.message }],
      structuredContent: {
        error: {
          code: 4003,
          message: lost.message,
          details: { reason: 'ServerLost', ...lost.details },
          remedy: lost.remedy,
        },
      },
      meta: { error_code: 4003, a2c_outcome: 'unknown', a2c_phase: 'running', a2c_server: 'fs' },
    });
  });

  it.each([
    ['cancelled', 'confirming', { a2c_cancelled: true, a2c_cancel_reason: 'agent_requested' }],
    ['timedOut', 'queued', { a2c_timeout: true }],
    ['refused', 'judging', { error_code: 4005 }],
  ] as const)(
    'says of a call that was %s by whom it ended, and that nothing was sent',
    (end, phase, marks) => {
      const code =
        end === 'timedOut' ? 'ToolExecutionTimeout' : end === 'cancelled' ? 'ToolCallCancelled' : 4005;
      expect(callAck(settledBy(call, end, { code, message: 'no' }, 'failed', phase))).toMatchObject({
        isError: true,
        meta: { ...marks, a2c_outcome: 'failed', a2c_phase: phase },
      });
    },
  );

  it.each([
    ['ArgumentsInvalid', 400],
    ['NotPermitted', 4005],
    ['Busy', 429],
  ] as const)(
    'has one code for a call that was refused as %s, in its meta and in its error: %i',
    (code, number) => {
      expect(callAck(settledBy(call, 'refused', { code, message: 'no' }, 'failed', 'judging'))).toMatchObject(
        {
          structuredContent: { error: { code: number, details: { reason: code } } },
          meta: { error_code: number },
        },
      );
    },
  );

  it('says that a call with the id of one in flight was not sent', () => {
    expect(callAck(settledBy(call, 'refused', repeated('r1')))).toMatchObject({
      meta: { error_code: 409, a2c_outcome: 'failed', a2c_phase: 'resolving' },
    });
  });

  it('is read by an agent as the failure that it was, its remedy beside its details', () => {
    const ack: unknown = JSON.parse(JSON.stringify(callAck(settledBy(call, 'unknown', lost, 'unknown'))));
    const read = readToolResult(ack);
    expect(read.ok && failureIn(read.result)).toEqual({
      ...lost,
      code: 4003,
      details: { reason: 'ServerLost', ...lost.details },
    });
    expect(read.ok && reportIn(read.result)).toEqual({ outcome: 'unknown', phase: 'running' });
  });
});
