import { describe, expect, it } from 'vitest';
import { failureIn, readToolResult } from './reading.ts';

/** Failed result in the form in which computers of the Python SDK write it. */
const said = (text: string, meta: object | null = null): unknown => ({
  meta,
  content: [{ type: 'text', text, annotations: null, meta: null }],
  structuredContent: null,
  isError: true,
});
const raised = (error: string, error_type: string): unknown => ({
  meta: null,
  content: [],
  structuredContent: { error, error_type },
  isError: true,
});
const read = (ack: unknown): ReturnType<typeof failureIn> => {
  const answer = readToolResult(ack);
  return answer.ok ? failureIn(answer.result) : answer.failure;
};

describe('what a Python computer says of a call that failed', () => {
  it.each([
    [
      'a time-out of 0.1',
      said("调用异常: Tool 'x' execution timed out"),
      { code: 4004, message: "Tool 'x' execution timed out" },
    ],
    [
      'a time-out of 0.3',
      said("工具调用超时 / Tool call timeout: Tool 'x' execution timed out", { a2c_timeout: true }),
      { code: 4004, message: "Tool call timeout: Tool 'x' execution timed out" },
    ],
    [
      'a cancel of 0.3',
      said('工具调用已被取消 / Tool call cancelled', {
        a2c_cancelled: true,
        a2c_cancel_reason: 'agent_requested',
      }),
      {
        code: 'ToolCallCancelled',
        message: 'Tool call cancelled',
        details: { cancel_reason: 'agent_requested' },
      },
    ],
    [
      'a server that died',
      said('调用异常: Tool execution failed: Connection closed'),
      { code: 4003, details: { reason: 'connection_closed' } },
    ],
    [
      'a server that died, whose exception has no text',
      said('调用异常: Tool execution failed: '),
      { code: 4003, details: { reason: 'connection_closed' } },
    ],
    [
      'no such tool',
      raised("Tool 'x' not found in ExposedToolMapping", 'ValueError'),
      { code: 4001, details: { reason: 'ValueError' } },
    ],
    ['a wrong argument', raised('x is no number', 'ValueError'), { code: 4003 }],
    [
      'a forbidden tool',
      raised("Tool 'x' is disabled by configuration", 'PermissionError'),
      { code: 4002, details: { reason: 'PermissionError' } },
    ],
    [
      'a login that is missing',
      said('authorization required', {
        error_code: 4006,
        mcp_server: 'files',
        auth_hint: { action: 'login', message: 'm' },
      }),
      { code: 4006, details: { mcp_server: 'files', auth_hint: { action: 'login', message: 'm' } } },
    ],
    ['a login that is refused', said('authorization failed', { error_code: 4007 }), { code: 4007 }],
  ])('is read: %s', (_, ack, failure) => {
    expect(read(ack)).toMatchObject(failure);
  });

  it.each([
    ['the error of the tool', said('no such file')],
    ['a JSON-RPC error of its server', said('调用异常: Tool execution failed: Unknown tool: x')],
    ['a tool that quotes another', said("it said: Tool 'x' execution timed out")],
    ['a code that is none', said('x', { error_code: 12 })],
  ])("is the tool's own failure otherwise: %s", (_, ack) => {
    expect(read(ack)).toBe(undefined);
  });
  it('is nothing where the call succeeded', () => {
    expect(read({ content: [], isError: false, meta: { a2c_timeout: true } })).toBe(undefined);
  });
});

it.each([4006, 4007, 4014, 4015, 4016, 4017, 4018, 4019])('code %i of a flat error is kept', (code) => {
  const details = { reason: 'r' };
  expect(read({ code, message: 'm', details })).toEqual({ code, message: 'm', details });
});
