import { describe, expect, it } from 'vitest';
import { statelessWires, wires } from './odd-server.ts';
import { greeting, openOdd, type OddSession } from './odd.harness.ts';

const none = { tools: null, resources: null, prompts: null, completions: false, logging: false };
const tools = { listChanged: false };
const nothing = { capabilities: none };
const withTools = { capabilities: { ...none, tools } };
const logs = { capabilities: { ...none, tools, logging: true } };
const capabilities = (declared: unknown) => ({ ...greeting, capabilities: declared });
const info = (serverInfo: unknown) => ({ ...greeting, serverInfo });
const { protocolVersion } = greeting;
const { serverInfo: _, ...nameless } = greeting;
const { capabilities: __, ...unable } = greeting;
const named = { name: 'x', version: '1' };
const odd = { name: 'odd' };

const read: readonly (readonly [what: string, result: object, known: object])[] = [
  [
    'null for what it lacks',
    capabilities({ tools: {}, prompts: null, logging: null, extensions: null }),
    withTools,
  ],
  ['an empty list for an object', capabilities({ tools: [], logging: [], experimental: [] }), logs],
  ['its tools for a capability', capabilities({ tools: [{ name: 't' }] }), withTools],
  ['true for a capability', capabilities({ tools: true, tasks: true, experimental: { x: true } }), withTools],
  ['false for a capability', capabilities({ tools: {}, resources: false }), withTools],
  ['listChanged null', capabilities({ tools: { listChanged: null } }), withTools],
  ['capabilities that are an empty list', capabilities([]), nothing],
  ['capabilities null', capabilities(null), nothing],
  ['no capabilities', unable, nothing],
  ['no server info', nameless, { name: '', version: '', ...withTools }],
  ['server info null', info(null), { name: '', version: '' }],
  ['no version of its own', info({ name: 'x' }), { name: 'x', version: '' }],
  ['a number for its version', info({ name: 'x', version: 1.2 }), { name: 'x', version: '1.2' }],
  [
    'null for title, icons and website',
    info({ ...named, title: null, icons: null, websiteUrl: null }),
    named,
  ],
  [
    'icons that are none',
    info({ ...named, icons: [null, { src: 3 }, { src: 'a:b' }] }),
    { shown: { icons: 'a:b' } },
  ],
  ['instructions null', { ...greeting, instructions: null }, odd],
  ['instructions that are no text', { ...greeting, instructions: ['a'] }, odd],
  ['_meta null', { ...greeting, _meta: null }, odd],
];
const answer = (id: unknown, more: object = {}) => ({ jsonrpc: '2.0', id, result: greeting, ...more });
const framed: readonly (readonly [what: string, message: (id: unknown) => object | string])[] = [
  ['error null beside the result', (id) => answer(id, { error: null })],
  ['an empty error beside the result', (id) => answer(id, { error: {} })],
  ['no jsonrpc', (id) => answer(id, { jsonrpc: undefined })],
  ['another jsonrpc', (id) => answer(id, { jsonrpc: 2 })],
  ['method and params null', (id) => answer(id, { method: null, params: null })],
  ['an empty method', (id) => answer(id, { method: '', params: {} })],
  ['the method of its request', (id) => answer(id, { method: 'initialize' })],
  ['its id as text', (id) => answer(String(id))],
  ['its id with a point', (id) => JSON.stringify(answer('ID')).replace('"ID"', `${String(id)}.0`)],
];
const [missing, noObject] = ['protocolVersion is missing', 'its result is missing, or no object'];
const version = (protocolVersion: unknown) => ({ result: { ...greeting, protocolVersion } });
const refused: readonly (readonly [what: string, members: object, message: string])[] = [
  ['no protocol version', version(undefined), missing],
  ['an empty protocol version', version(''), missing],
  ['null for a protocol version', version(null), missing],
  ['a number for a protocol version', version(20251125), 'protocolVersion is no text'],
  ['a list for a result', { result: [] }, noObject],
  ['null for a result', { result: null }, noObject],
  ['a text for a result', { result: 'hello' }, noObject],
  ['neither result nor error', {}, noObject],
];

/** Versions, and answers as such, concern sessions only. */
describe.each(Object.keys({ ...wires, ...statelessWires }))('a server that greets oddly over %s', (wire) => {
  const isStateless = wire in statelessWires;
  const spoken = isStateless ? '2026-07-28' : protocolVersion;
  const greetedWith = (message: (id: unknown) => object | string): Promise<OddSession> =>
    openOdd(wire, ({ id, method }, say) => {
      if (method === 'initialize') say(message(id));
    });

  it.each(read)('is used, with %s', async (_what, result, known) => {
    const { first } = await greetedWith((id) => answer(id, { result }));
    expect(first).toMatchObject({ type: 'session.opened', info: { protocolVersion: spoken, ...known } });
  });
  it.each(isStateless ? framed.filter(([what]) => what !== 'its id with a point') : framed)(
    'is used, with %s',
    async (_what, message) => {
      const { first } = await greetedWith(message);
      expect(first).toMatchObject({ type: 'session.opened', info: { name: 'odd' } });
    },
  );
  it.each(isStateless ? [] : refused)(
    'is not used with %s, and the member is named',
    async (_what, members, message) => {
      const { first } = await greetedWith((id) => ({ jsonrpc: '2.0', id, ...members }));
      expect(first).toMatchObject({
        type: 'session.failed',
        failure: {
          code: 'NotStartable',
          message: expect.stringContaining(`initialize: ${message}`),
          remedy: expect.any(String),
        },
      });
      expect(JSON.stringify(first)).not.toContain('the server refused');
    },
  );
  it('is told of shapes that had to be guessed, and of null never', async () => {
    const result = capabilities({ tools: true, prompts: null });
    const { notices } = await greetedWith((id) => answer(id, { result }));
    expect(notices).toEqual(['initialize: capabilities.tools is no object']);
  });
});
