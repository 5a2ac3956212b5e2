import { afterEach, describe, expect, it } from 'vitest';
import { statelessWires, wires } from './odd-server.ts';
import { greeting, openOdd, type OddSession } from './odd.harness.ts';

const none = { tools: null, resources: null, prompts: null, completions: false, logging: false };
const tools = { listChanged: false };
const capabilities = (declared: unknown) => ({ ...greeting, capabilities: declared });
const info = (serverInfo: unknown) => ({ ...greeting, serverInfo });
const { protocolVersion } = greeting;

const read: readonly (readonly [what: string, result: object, known: object])[] = [
  [
    'null in place of what it lacks',
    capabilities({ tools: {}, prompts: null, logging: null, extensions: null }),
    { capabilities: { ...none, tools } },
  ],
  [
    'an empty list in place of an object',
    capabilities({ tools: [], logging: [], experimental: [] }),
    { capabilities: { ...none, tools, logging: true } },
  ],
  [
    'its tools in place of a capability',
    capabilities({ tools: [{ name: 't' }] }),
    { capabilities: { ...none, tools } },
  ],
  [
    'true in place of a capability',
    capabilities({ tools: true, tasks: true, experimental: { x: true } }),
    { capabilities: { ...none, tools } },
  ],
  [
    'false in place of a capability',
    capabilities({ tools: {}, resources: false }),
    { capabilities: { ...none, tools } },
  ],
  ['listChanged null', capabilities({ tools: { listChanged: null } }), { capabilities: { ...none, tools } }],
  ['capabilities that are an empty list', capabilities([]), { capabilities: none }],
  ['capabilities null', capabilities(null), { capabilities: none }],
  ['no capabilities', { protocolVersion, serverInfo: greeting.serverInfo }, { capabilities: none }],
  [
    'no server info',
    { protocolVersion, capabilities: { tools: {} } },
    { name: '', version: '', capabilities: { ...none, tools } },
  ],
  ['server info null', info(null), { name: '', version: '' }],
  ['no version of its own', info({ name: 'x' }), { name: 'x', version: '' }],
  ['a number for its version', info({ name: 'x', version: 1.2 }), { name: 'x', version: '1.2' }],
  [
    'null for title, icons and website',
    info({ name: 'x', version: '1', title: null, icons: null, websiteUrl: null }),
    { name: 'x', version: '1' },
  ],
  [
    'icons that are none',
    info({ name: 'x', version: '1', icons: [null, { src: 3 }, { src: 'a:b' }] }),
    { shown: { icons: 'a:b' } },
  ],
  ['instructions null', { ...greeting, instructions: null }, { name: 'odd' }],
  ['instructions that are no text', { ...greeting, instructions: ['a'] }, { name: 'odd' }],
  ['_meta null', { ...greeting, _meta: null }, { name: 'odd' }],
];
const framed: readonly (readonly [what: string, message: (id: unknown) => object | string])[] = [
  ['error null beside the result', (id) => ({ jsonrpc: '2.0', id, result: greeting, error: null })],
  ['an empty error beside the result', (id) => ({ jsonrpc: '2.0', id, result: greeting, error: {} })],
  ['no jsonrpc', (id) => ({ id, result: greeting })],
  ['another jsonrpc', (id) => ({ jsonrpc: 2, id, result: greeting })],
  ['method and params null', (id) => ({ jsonrpc: '2.0', id, method: null, params: null, result: greeting })],
  ['an empty method', (id) => ({ jsonrpc: '2.0', id, method: '', params: {}, result: greeting })],
  ['the method of its request', (id) => ({ jsonrpc: '2.0', id, method: 'initialize', result: greeting })],
  ['its id as text', (id) => ({ jsonrpc: '2.0', id: String(id), result: greeting })],
  [
    'its id with a point',
    (id) => `{"jsonrpc":"2.0","id":${String(id)}.0,"result":${JSON.stringify(greeting)}}`,
  ],
];
const refused: readonly (readonly [what: string, members: object, message: string])[] = [
  ['no protocol version', { result: { capabilities: {} } }, 'initialize: protocolVersion is missing'],
  [
    'an empty protocol version',
    { result: { ...greeting, protocolVersion: '' } },
    'initialize: protocolVersion is missing',
  ],
  [
    'null for a protocol version',
    { result: { ...greeting, protocolVersion: null } },
    'initialize: protocolVersion is missing',
  ],
  [
    'a number for a protocol version',
    { result: { ...greeting, protocolVersion: 20251125 } },
    'initialize: protocolVersion is no text',
  ],
  ['a list for a result', { result: [] }, 'initialize: its result is missing, or no object'],
  ['null for a result', { result: null }, 'initialize: its result is missing, or no object'],
  ['a text for a result', { result: 'hello' }, 'initialize: its result is missing, or no object'],
  ['neither result nor error', {}, 'initialize: its result is missing, or no object'],
];

/** Versions, and answers as such, concern sessions only. */
describe.each(Object.keys({ ...wires, ...statelessWires }))('a server that greets oddly over %s', (wire) => {
  const isStateless = wire in statelessWires;
  const version = isStateless ? '2026-07-28' : protocolVersion;
  let session: OddSession | undefined;
  afterEach(async () => {
    await session?.close();
    session = undefined;
  });
  const greetedWith = async (message: (id: unknown) => object | string): Promise<OddSession> => {
    session = await openOdd(wire, ({ id, method }, say) => {
      if (method === 'initialize') say(message(id));
    });
    return session;
  };

  it.each(read)('is used, with %s', async (_what, result, known) => {
    const { first } = await greetedWith((id) => ({ jsonrpc: '2.0', id, result }));
    expect(first).toMatchObject({ type: 'session.opened', info: { protocolVersion: version, ...known } });
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
          message: expect.stringContaining(message),
          remedy: expect.any(String),
        },
      });
      expect(JSON.stringify(first)).not.toContain('the server refused');
    },
  );
  it('is told of shapes that had to be guessed, and of null never', async () => {
    const odd = capabilities({ tools: true, prompts: null });
    const { notices } = await greetedWith((id) => ({ jsonrpc: '2.0', id, result: odd }));
    expect(notices).toEqual(['initialize: capabilities.tools is no object']);
  });
});
