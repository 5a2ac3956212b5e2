import { describe, expect, it } from 'vitest';
import type { CallSettled } from '../call/call.rules.ts';
import { callAck } from '../link/acks.ts';
import { failureIn, readToolResult } from './reading.ts';
import { toolResult } from './tool-result.ts';

const text = (said: string) => ({ type: 'text', text: said });
const hello = { content: [text('hello')] };

const rows: readonly (readonly [what: string, raw: unknown, read: object])[] = [
  ['that is right', hello, hello],
  ['with a text for contents', { content: 'a' }, { content: [text('a')] }],
  ['with one content outside of a list', { content: text('a') }, hello.content && { content: [text('a')] }],
  ['with an object for contents', { content: { a: 1 } }, { content: [text('{"a":1}')] }],
  ['with a number for contents', { content: 5 }, { content: [text('5')] }],
  ['with null for contents', { content: null }, { content: [] }],
  ['without contents', { structuredContent: { a: 1 } }, { content: [], structuredContent: { a: 1 } }],
  ['that is empty', {}, { content: [] }],
  ['that is a list', [text('a'), 'b'], { content: [text('a'), text('b')] }],
  ['that is a text', 'a', { content: [text('a')] }],
  ['that is a number', 7, { content: [text('7')] }],
  ['that is null', null, { content: [] }],
  ['with words elsewhere', { output: 'x' }, { content: [text('{"output":"x"}')], output: 'x' }],
  ['with texts for contents', { content: ['a', 'b'] }, { content: [text('a'), text('b')] }],
  ['with null among its contents', { content: [null] }, { content: [text('')] }],
  ['with a content of its own', { content: [{ a: 1 }] }, { content: [text('{"a":1}')] }],
  ['with a list in the list', { content: [['a']] }, { content: [text('["a"]')] }],
  ['with a number for a text', { content: [{ type: 'text', text: 5 }] }, { content: [text('5')] }],
  ['with null for a text', { content: [{ type: 'text', text: null }] }, { content: [text('')] }],
  [
    'with an object for a text',
    { content: [{ type: 'text', text: { a: 1 } }] },
    { content: [text('{"a":1}')] },
  ],
  [
    'with an unknown type',
    { content: [{ type: 'error', text: 'x' }] },
    { content: [{ type: 'error', text: 'x' }] },
  ],
  [
    'with nulls for what is absent',
    {
      content: [{ ...text('a'), annotations: null, _meta: null }],
      _meta: null,
      structuredContent: null,
      isError: null,
    },
    { content: [text('a')] },
  ],
  ...[[1, 2], 'x', 3, false, []].map((value) => {
    const one = { content: [], structuredContent: value };
    return [`with ${JSON.stringify(value)} for structured content`, one, one] as const;
  }),
  ...[true].map(
    (isError) =>
      [
        `with isError ${JSON.stringify(isError)}`,
        { ...hello, isError },
        { ...hello, isError: true },
      ] as const,
  ),
  ...[false, 'true', 0, '', {}, [true]].map(
    (isError) =>
      [
        `with isError ${JSON.stringify(isError)}`,
        { ...hello, isError },
        { ...hello, isError: false },
      ] as const,
  ),
  ['with is_error', { ...hello, is_error: true }, { ...hello, isError: true }],
  ['with both', { ...hello, is_error: true, isError: false }, { ...hello, isError: false }],
  ['with a text for meta', { ...hello, _meta: 'x' }, hello],
  ['that says meta', { ...hello, meta: { a: 1 } }, { ...hello, _meta: { a: 1 } }],
  [
    'with a failure of its own beside it',
    { ...hello, code: 5, message: 'x' },
    { ...hello, code: 5, message: 'x' },
  ],
  ['with an error of its own beside it', { ...hello, error: 'x' }, { ...hello, error: 'x' }],
];
const settled = (result: unknown): CallSettled => {
  const hasFailed = toolResult(result).isError === true;
  const [end, phase] = hasFailed ? (['failed', 'running'] as const) : (['succeeded', null] as const);
  const about = { type: 'call.settled', ticket: 't', reqId: 'r', server: 's', tool: 'x' } as const;
  return { ...about, end, outcome: end, phase, result: toolResult(result), failure: null };
};
function atTheAgent(result: unknown) {
  const read = readToolResult(JSON.parse(JSON.stringify(callAck(settled(result)))));
  if (!read.ok) return read;
  const { _meta: { a2c_outcome: outcome, a2c_phase: _, a2c_server: __, ...meta } = {}, ...rest } =
    read.result;
  const said = { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  return { said, outcome, failure: failureIn(read.result) };
}

describe('a result', () => {
  it.each(rows)('is read when it is one %s, and its words are kept', (_, raw, read) => {
    expect(toolResult(raw)).toEqual(read);
    expect(toolResult(toolResult(raw))).toEqual(read);
  });
  it.each(rows)('is the same at the computer and behind an office when it is one %s', (_, raw) => {
    const read = toolResult(raw);
    const outcome = read.isError === true ? 'failed' : 'succeeded';
    expect(atTheAgent(raw)).toEqual({ said: read, outcome, failure: undefined });
  });
  it.each(rows)(
    'has an object, or nothing, for structured content on the wire when it is one %s',
    (_, raw) => {
      const { structuredContent: value } = callAck(settled(raw)) as { readonly structuredContent?: unknown };
      expect(value === undefined || (typeof value === 'object' && !Array.isArray(value))).toBe(true);
    },
  );
  it.each([
    { ...hello, isError: true, structuredContent: { error: { code: 404, message: 'not there' } } },
    { ...hello, isError: true, structuredContent: { error: 'Tool execution failed: Connection closed' } },
    { content: [text('Tool execution failed: Connection closed')], isError: true },
    { ...hello, isError: true, _meta: { error_code: 4001, a2c_outcome: 'unknown' } },
  ])('is what the tool itself has said when it looks like a failure of ours: %j', (raw) => {
    expect(atTheAgent(raw)).toMatchObject({ outcome: 'failed', failure: undefined });
  });
  it('cannot pretend that its structured content was wrapped for the wire', () => {
    const raw = { ...hello, structuredContent: { result: 5 }, _meta: { a2c_structured_wrapped: true } };
    expect(atTheAgent(raw)).toMatchObject({ said: { structuredContent: { result: 5 } } });
  });
  it('is taken with contents that are nested without end', () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n += 1) deep = [deep];
    expect(toolResult({ content: [deep] }).content).toEqual([text('[nested too deep to be shown]')]);
  });
});
