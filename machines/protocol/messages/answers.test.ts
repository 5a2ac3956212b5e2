import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  badPayload,
  callPhases,
  endingIn,
  endingMeta,
  errorAck,
  failureResult,
  outcomes,
  refusal,
  type Ending,
} from './answers.ts';
import type { Failure } from '../failure.ts';
import { events } from '../protocol.ts';
import { toolCall } from './messages.ts';
import { failureIn, readAnswer, readToolResult } from '../reading.ts';

describe('a failure on the wire', () => {
  it('is a result with the same object inside for a tool call', () => {
    const failure = { code: 'ServerNotActive', message: 'down', details: { state: 'waiting' } } as const;
    const { error } = errorAck(failure);
    expect(failureResult(failure, { text: 'told', meta: { extra: 1 } })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'told' }],
      structuredContent: { error },
      meta: { error_code: error.code, a2c_outcome: 'failed', a2c_phase: 'resolving', extra: 1 },
    });
  });
  it('marks time-outs and cancels', () => {
    const metaOf = (code: Failure['code']) => failureResult({ code, message: '' }).meta;
    expect(metaOf(408)).toMatchObject({ error_code: 408, a2c_timeout: true });
    expect(metaOf('ToolExecutionTimeout')).toMatchObject({ a2c_timeout: true });
    expect(metaOf('ToolCallCancelled')).toMatchObject({ a2c_cancelled: true });
  });
  it('has its remedy beside its details', () => {
    const failure = { code: 404, message: 'gone', remedy: 'Start it: servers start fs' } as const;
    expect(errorAck(failure)).toEqual({ ...failure, error: failure });
    expect(readAnswer(errorAck(failure))).toEqual({ ok: false, failure });
  });
  it('answers a join with two arguments', () => {
    expect(refusal(events.joinOffice, { code: 400, message: 'no' })).toEqual([false, 'no']);
  });
  it('tells which field of a payload is wrong', () => {
    const wrong = { agent: 'a', req_id: 'r', computer: 'c', params: [], timeout: 1.5 };
    const { error } = toolCall.safeParse(wrong);
    const failure = error && badPayload(error, events.toolCall);
    expect(failure?.code).toBe(400);
    expect(failure?.message).toMatch(
      /^Wrong payload of client:tool_call: tool_name: .+; params: .+; timeout: expected whole/,
    );
  });
});

describe('an ack of a stranger', () => {
  it.each([
    [
      'nested',
      { error: { code: 404, message: 'm', details: { reason: 'left' } } },
      { code: 404, details: { reason: 'left' } },
    ],
    ['flat', { code: 403, message: 'm' }, { code: 403 }],
    [
      'flat with a code that we do not know',
      { code: 4101, message: 'm' },
      { code: 500, details: { code: 4101 } },
    ],
    ['of Rust', { Err: 'm' }, { code: 500 }],
    ['text only', { error: 'm' }, { code: 500 }],
  ])('is read as an error: %s', (_, ack, failure) => {
    expect(readAnswer(ack)).toEqual({ ok: false, failure: { message: 'm', ...failure } });
  });
  it.each([undefined, null])('means that the event is not known there when it is empty', (ack) => {
    expect(readAnswer(ack)).toMatchObject({ ok: false, failure: { code: 501 } });
  });
  it('is unwrapped when Rust wrapped it', () => {
    expect(readAnswer({ Ok: { tools: [] } })).toEqual({ ok: true, body: { tools: [] } });
    expect(readAnswer({ Ok: 1, more: 2 })).toEqual({ ok: true, body: { Ok: 1, more: 2 } });
  });
  it('is a body otherwise', () => {
    for (const body of [{ tools: [], req_id: 'r' }, 'text', [1], 0])
      expect(readAnswer(body)).toEqual({ ok: true, body });
  });
});

describe('an answer to a tool call', () => {
  it('is a result, also when the result is an error that we wrote', () => {
    const failure = { code: 404, message: 'gone', details: { reason: 'left' } } as const;
    const read = readToolResult(JSON.parse(JSON.stringify(failureResult(failure))));
    expect(read).toMatchObject({ ok: true, result: { isError: true, _meta: { error_code: 404 } } });
    expect(read.ok && failureIn(read.result)).toEqual(failure);
  });
  it.each([undefined, null, { code: 403, message: 'm' }, { Err: 'm' }])('is a failure: %j', (ack) => {
    expect(readToolResult(ack).ok).toBe(false);
  });
  it.each([{ Ok: null }, 'text', { content: 'text' }])('is a result in whatever form: %j', (ack) => {
    expect(readToolResult(ack).ok).toBe(true);
  });
});

const ending: fc.Arbitrary<Ending> = fc.record({
  outcome: fc.constantFrom('failed', 'unknown'),
  phase: fc.constantFrom(...callPhases),
});

describe('the end of a call in the meta of its result', () => {
  it('is read as it was written, whatever else stands there', () => {
    fc.assert(
      fc.property(ending, fc.dictionary(fc.string(), fc.jsonValue()), (one, more) => {
        expect(endingIn({ ...more, ...endingMeta(one) })).toEqual(one);
      }),
    );
  });

  it('is nothing where a stranger says nothing, or what is no word of ours', () => {
    for (const meta of [undefined, {}, { a2c_outcome: 'lost', a2c_phase: 7 }, { a2c_outcome: 'succeeded' }])
      expect(endingIn(meta)).toEqual({});
    expect(outcomes).toContain('succeeded');
  });
});
