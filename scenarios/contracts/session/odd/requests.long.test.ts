import { describe, expect, it } from 'vitest';
import type { Answers } from '../../../../adapters/mcp/messages/answers.ts';
import { wires } from './odd-server.ts';
import { greeted, openOdd } from './odd.harness.ts';

const sampled = { role: 'assistant', model: 'none', content: { type: 'text', text: 'hi' } } as const;
const answers: Answers = {
  roots: () => [{ uri: 'file:///here' }],
  sample: async () => sampled,
  elicit: async () => ({ action: 'accept', content: {} }),
};
const message = { role: 'user', content: { type: 'text', text: 'hello' } };
const sampling = { messages: [message], maxTokens: 1 };
const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
const roots = { result: { roots: [{ uri: 'file:///here' }] } };
const accepted = { result: { action: 'accept', content: {} } };
const done = { result: {} };
const model = { result: sampled };
const refused = (code: number, word = '') => ({
  error: { code, message: expect.stringContaining(word) as string },
});
const of = (method: unknown, params?: unknown) => ({ jsonrpc: '2.0', id: 'own', method, params });
const ping = (more: object) => ({ ...of('ping'), ...more });
const sample = (params: unknown) => of('sampling/createMessage', params);
const elicit = (params: unknown) => of('elicitation/create', params);
const page = (more: object) => elicit({ mode: 'url', message: 'm', ...more });

const rows: [what: string, request: object, answer: object, id?: string][] = [
  ['params null', ping({ params: null }), done],
  ['params that are a list', ping({ params: [] }), done],
  ['params that are a text', ping({ params: 'x' }), done],
  ['_meta null', ping({ params: { _meta: null } }), done],
  ['_meta that is a list', ping({ params: { _meta: [] } }), done],
  ['no jsonrpc', ping({ jsonrpc: undefined }), done],
  ['result and error null', ping({ result: null, error: null }), done],
  ['an empty id', ping({ id: '' }), done, '""'],
  ['the id 0', ping({ id: 0 }), done, '0'],
  ['a negative id', ping({ id: -1 }), done, '-1'],
  ['an id with a fraction', ping({ id: 1.5 }), done, '1.5'],
  ['an id that looks like one of ours', ping({ id: '1' }), done, '"1"'],
  ['the id null', ping({ id: null }), refused(-32600), 'null'],
  ['an id that is an object', ping({ id: {} }), refused(-32600), 'null'],
  ['an id that is a flag', ping({ id: true }), refused(-32600), 'null'],
  ['a method that is no text', of(5), refused(-32600)],
  ['an unknown method and params null', of('foo/bar', null), refused(-32601)],
  ['roots and params null', of('roots/list', null), roots],
  ['roots and a task', of('roots/list', { task: { ttl: 1 } }), roots],
  ['sampling without messages', sample({}), refused(-32602, 'messages')],
  ['sampling and params null', sample(null), refused(-32602)],
  ['sampling and _meta null', sample({ ...sampling, _meta: null }), model],
  ['sampling and a task', sample({ ...sampling, task: { ttl: 1 } }), model],
  [
    'a form with _meta, mode and task null',
    elicit({ ...form, _meta: null, mode: null, task: null }),
    accepted,
  ],
  ['a form and no params', elicit(undefined), accepted],
  ['a form in a mode that nobody knows', elicit({ ...form, mode: 'voice' }), refused(-32602, 'mode')],
  ['a page that was not declared', page({ url: 'https://a.example', elicitationId: '1' }), refused(-32602)],
  ['a page without a URL', page({}), refused(-32602, 'url')],
  ['a page that is a program', page({ url: 'javascript:alert(1)' }), refused(-32602, 'http')],
];
describe.each(Object.keys(wires))('a request of a server over %s', (wire) => {
  /** Answer to a server that says these messages during a call. */
  const answeredTo = async (...said: readonly object[]): Promise<string> => {
    let call: unknown;
    const session = await openOdd(
      wire,
      greeted(({ id: own, method, text }, say) => {
        if (method === 'tools/call') {
          call = own;
          for (const one of said) say(one);
        } else if (method === undefined) say({ jsonrpc: '2.0', id: call, result: { text } });
      }),
      answers,
    );
    const fact = await session.ask('tools/call', { name: 't' });
    return (fact as unknown as { result: { text: string } }).result.text;
  };
  it.each(rows)('is answered under its id, with %s', async (_what, request, answer, id = '"own"') => {
    const text = await answeredTo(request);
    expect(text).toContain(`"id":${id},`);
    expect(JSON.parse(text)).toMatchObject(answer);
  });

  it('is asked all the same when it was withdrawn before it was asked', async () => {
    const text = await answeredTo(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'own' } },
      elicit(form),
    );
    expect(text).toContain('accept');
  });

  it.each([
    ['params null', { params: null }],
    ['params that are a list', { params: [] }],
    ['an id that is null', { id: null }],
    ['no jsonrpc', { jsonrpc: undefined }],
  ])('is heard when it is a notification with %s', async (_what, members) => {
    const session = await openOdd(
      wire,
      greeted(({ id, method }, say) => {
        if (method !== 'tools/call') return;
        say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', ...members });
        say({ jsonrpc: '2.0', id, result: {} });
      }),
    );
    await session.ask('tools/call', { name: 't' });
    expect(session.facts).toContainEqual({ type: 'list.changed', list: 'tools' });
  });
});
