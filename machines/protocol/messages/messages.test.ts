import { describe, expect, it } from 'vitest';
import { getToolsReply } from './collections.ts';
import { callToolResult, getTools, joinOffice, seatNotice, toolCall } from './messages.ts';

const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 3 };

describe('client:tool_call', () => {
  it.each([
    [3, 3],
    ['2', 2],
    [0, 0],
    [2.0, 2],
  ])('reads the timeout %j as %j seconds', (timeout, seconds) => {
    expect(toolCall.parse({ ...call, timeout }).timeout).toBe(seconds);
  });
  it.each([1.5, '1.5', '', 'soon', -1, '-1', null, undefined, true, Infinity])(
    'refuses the timeout %j',
    (timeout) => {
      expect(toolCall.safeParse({ ...call, timeout }).success).toBe(false);
    },
  );
  it('lets unknown keys pass', () => {
    expect(toolCall.parse({ ...call, extra: 1 })).toEqual({ ...call, extra: 1 });
  });
  it.each([[[]], [null], ['x'], [undefined]])('refuses params that are no object: %j', (params) => {
    expect(toolCall.safeParse({ ...call, params }).success).toBe(false);
  });
});

describe('joins and notices', () => {
  it.each([{ role: 'admin' }, { role: undefined }, { name: '' }, { office_id: 3 }])('refuse %j', (wrong) => {
    expect(joinOffice.safeParse({ role: 'agent', name: 'a', office_id: 'o', ...wrong }).success).toBe(false);
  });
  it('tolerate null for the name that is not meant', () => {
    expect(seatNotice.safeParse({ office_id: 'o', computer: 'c', agent: null }).success).toBe(true);
  });
});

describe('tools', () => {
  const tool = { name: 't', description: 'd', params_schema: { type: 'object' } };
  it('may lack return_schema and meta, and keep what we do not know', () => {
    const reply = {
      tools: [tool, { ...tool, return_schema: null, meta: { a: 1 }, bundle_id: 'b' }],
      req_id: 'r',
    };
    expect(getToolsReply.parse(reply)).toEqual(reply);
  });
});

describe('a result', () => {
  it('loses the nulls of Python and says _meta', () => {
    const python = {
      meta: null,
      content: [
        { type: 'text', text: 'hi', annotations: null, meta: null },
        {
          type: 'resource',
          resource: { uri: 'u', text: 't', mimeType: null, meta: { k: 1 } },
          annotations: null,
        },
      ],
      structuredContent: null,
      isError: false,
    };
    expect(callToolResult.parse(python)).toEqual({
      content: [
        { type: 'text', text: 'hi' },
        { type: 'resource', resource: { uri: 'u', text: 't', _meta: { k: 1 } } },
      ],
      isError: false,
    });
  });
  it('may say meta or _meta, at both levels', () => {
    const item = { type: 'text', text: '' };
    for (const key of ['meta', '_meta'])
      expect(callToolResult.parse({ [key]: { a: 1 }, content: [{ ...item, [key]: { b: 2 } }] })).toEqual({
        _meta: { a: 1 },
        content: [{ ...item, _meta: { b: 2 } }],
      });
  });
  it('keeps nulls inside structured content', () => {
    const result = { content: [], structuredContent: { a: null } };
    expect(callToolResult.parse(result)).toEqual(result);
  });
});

describe('what strangers call themselves', () => {
  const long = 'x'.repeat(257);
  it('has a longest length, because it is kept and repeated to others', () => {
    const join = { role: 'agent', name: 'a', office_id: 'o' };
    for (const wrong of [{ name: long }, { office_id: long }])
      expect(joinOffice.safeParse({ ...join, ...wrong }).success).toBe(false);
    for (const wrong of [{ agent: long }, { computer: long }, { req_id: long.repeat(4) }])
      expect(getTools.safeParse({ agent: 'a', req_id: 'r', computer: 'c', ...wrong }).success).toBe(false);
  });
});
