import { afterEach, describe, expect, it } from 'vitest';
import type { Answers } from '../../../../adapters/mcp/messages/answers.ts';
import { wires } from './odd-server.ts';
import { greeted, openOdd, type OddSession } from './odd.harness.ts';

const sampled = { role: 'assistant', model: 'none', content: { type: 'text', text: 'hi' } } as const;
const answers: Answers = {
  roots: () => [{ uri: 'file:///here' }],
  sample: async () => sampled,
  elicit: async () => ({ action: 'accept', content: {} }),
};
const message = { role: 'user', content: { type: 'text', text: 'hello' } };
const sampling = { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 1 } };
const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
const roots = { roots: [{ uri: 'file:///here' }] };
const accepted = { action: 'accept', content: {} };
const of = (request: object) => ({ jsonrpc: '2.0', id: 'own', ...request });
const ping = { method: 'ping' };

const rows: readonly (readonly [what: string, request: object, id: string, answer: object])[] = [
  ['params null', of({ ...ping, params: null }), '"own"', { result: {} }],
  ['params that are a list', of({ ...ping, params: [] }), '"own"', { result: {} }],
  ['params that are a text', of({ ...ping, params: 'x' }), '"own"', { result: {} }],
  ['_meta null', of({ ...ping, params: { _meta: null } }), '"own"', { result: {} }],
  ['_meta that is a list', of({ ...ping, params: { _meta: [] } }), '"own"', { result: {} }],
  ['no jsonrpc', { id: 'own', ...ping }, '"own"', { result: {} }],
  ['result and error null', of({ ...ping, result: null, error: null }), '"own"', { result: {} }],
  ['an empty id', of({ ...ping, id: '' }), '""', { result: {} }],
  ['the id 0', of({ ...ping, id: 0 }), '0', { result: {} }],
  ['a negative id', of({ ...ping, id: -1 }), '-1', { result: {} }],
  ['an id with a fraction', of({ ...ping, id: 1.5 }), '1.5', { result: {} }],
  ['an id that looks like one of ours', of({ ...ping, id: '1' }), '"1"', { result: {} }],
  ['the id null', of({ ...ping, id: null }), 'null', { error: { code: -32600 } }],
  ['an id that is an object', of({ ...ping, id: {} }), 'null', { error: { code: -32600 } }],
  ['an id that is a flag', of({ ...ping, id: true }), 'null', { error: { code: -32600 } }],
  ['a method that is no text', of({ method: 5 }), '"own"', { error: { code: -32600 } }],
  [
    'an unknown method and params null',
    of({ method: 'foo/bar', params: null }),
    '"own"',
    { error: { code: -32601 } },
  ],
  ['roots and params null', of({ method: 'roots/list', params: null }), '"own"', { result: roots }],
  [
    'roots and a task',
    of({ method: 'roots/list', params: { task: { ttl: 1 } } }),
    '"own"',
    { result: roots },
  ],
  [
    'sampling without messages',
    of({ method: sampling.method, params: {} }),
    '"own"',
    { error: { code: -32602, message: expect.stringContaining('messages') } },
  ],
  [
    'sampling and params null',
    of({ method: sampling.method, params: null }),
    '"own"',
    { error: { code: -32602 } },
  ],
  [
    'sampling and _meta null',
    of({ ...sampling, params: { ...sampling.params, _meta: null } }),
    '"own"',
    { result: sampled },
  ],
  [
    'sampling and a task',
    of({ ...sampling, params: { ...sampling.params, task: { ttl: 1 } } }),
    '"own"',
    { result: sampled },
  ],
  [
    'a form with _meta, mode and task null',
    of({ method: 'elicitation/create', params: { ...form, _meta: null, mode: null, task: null } }),
    '"own"',
    { result: accepted },
  ],
  ['a form and no params', of({ method: 'elicitation/create' }), '"own"', { result: accepted }],
  [
    'a form in a mode that nobody knows',
    of({ method: 'elicitation/create', params: { ...form, mode: 'voice' } }),
    '"own"',
    { error: { code: -32602, message: expect.stringContaining('mode') } },
  ],
  [
    'a page that was not declared',
    of({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'm', url: 'https://a.example', elicitationId: '1' },
    }),
    '"own"',
    { error: { code: -32602 } },
  ],
  [
    'a page without a URL',
    of({ method: 'elicitation/create', params: { mode: 'url', message: 'm' } }),
    '"own"',
    { error: { code: -32602, message: expect.stringContaining('url') } },
  ],
  [
    'a page that is a program',
    of({ method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'javascript:alert(1)' } }),
    '"own"',
    { error: { code: -32602, message: expect.stringContaining('http') } },
  ],
];
describe.each(Object.keys(wires))('a request of a server over %s', (wire) => {
  let session: OddSession | undefined;
  afterEach(async () => {
    await session?.close();
    session = undefined;
  });
  it.each(rows)('is answered under its id, with %s', async (_what, request, id, answer) => {
    let call: unknown;
    session = await openOdd(
      wire,
      greeted(({ id: own, method, text }, say) => {
        if (method === 'tools/call') {
          call = own;
          say(request);
        } else if (method === undefined) say({ jsonrpc: '2.0', id: call, result: { text } });
      }),
      answers,
    );
    const fact = await session.ask('tools/call', { name: 't' });
    const { text } = (fact as unknown as { result: { text: string } }).result;
    expect(text).toContain(`"id":${id},`);
    expect(JSON.parse(text)).toMatchObject(answer);
  });

  it('is asked all the same when it was withdrawn before it was asked', async () => {
    let call: unknown;
    session = await openOdd(
      wire,
      greeted(({ id: own, method, text }, say) => {
        if (method === 'tools/call') {
          call = own;
          say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 55 } });
          say({ jsonrpc: '2.0', id: 55, method: 'elicitation/create', params: form });
        } else if (method === undefined) say({ jsonrpc: '2.0', id: call, result: { text } });
      }),
      answers,
    );
    const fact = await session.ask('tools/call', { name: 't' });
    expect(JSON.stringify(fact)).toContain('accept');
  });

  it.each([
    ['params null', { params: null }],
    ['params that are a list', { params: [] }],
    ['an id that is null', { id: null }],
    ['no jsonrpc', { jsonrpc: undefined }],
  ])('is heard when it is a notification with %s', async (_what, members) => {
    session = await openOdd(
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
