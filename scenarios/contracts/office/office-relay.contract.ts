import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  callTo,
  codeIn,
  heardBy,
  type MakeTransport,
  type OfficeProbe,
  type Peer,
  toolsOf,
  World,
} from '../link/link-world.ts';

const limits = { relayMarginMs: 50, queryMs: 80 };
const answering = (peer: Peer, ...ack: unknown[]): void => {
  peer.onAsked = (heard) => heard.ack?.(...ack);
};

let world: World;
let office: OfficeProbe;

const wrongQuestions: readonly (readonly [string, object, number])[] = [
  ['client:read_resource', toolsOf('c'), 400],
  ['client:read_resource', { ...toolsOf('nobody'), uri: 'dpe://h' }, 404],
  ['client:get_resources', toolsOf('c'), 400],
  ['client:get_skill', toolsOf('c'), 400],
  ['client:get_blob', { ...toolsOf('c'), blob_handle: 'h', chunk_offset: 'x' }, 400],
  ['client:put_blob', { ...toolsOf('c'), chunk_offset: 0, eof: 'x', blob: '' }, 400],
];
function refusals(): void {
  it.each([
    ['client:tool_call', callTo('c'), 403],
    ['client:get_tools', toolsOf('c'), 403],
    ['server:list_room', { agent: 'a', req_id: 'r', office_id: 'o' }, 403],
    ['server:update_tool_list', { computer: 'c' }, 403],
    ['server:tool_call_cancel', { agent: 'a', req_id: 'r' }, 403],
    ['client:get_desktop', toolsOf('c'), 403],
    ['client:get_config', toolsOf('c'), 403],
    ['server:update_finder', { computer: 'c' }, 403],
    ['client:dance', {}, 501],
    ['notify:update_tool_list', { computer: 'c' }, 403],
  ])('answers %s of a socket that joined no office', async (event, payload, code) => {
    const stranger = await world.peer(office.url);
    expect(codeIn(await world.ask(stranger, event, payload))).toBe(code);
  });

  it.each([
    ['client:tool_call', callTo('c', { timeout: 1.5 }), 400],
    ['client:tool_call', callTo('c', { params: [] }), 400],
    ['client:tool_call', callTo('nobody'), 404],
    ['client:tool_call', callTo('elsewhere'), 404],
    ['client:tool_call', callTo('a'), 404],
    ['client:get_tools', { agent: 'a' }, 400],
    ['client:get_tools', toolsOf('nobody'), 404],
    ['client:get_tools', 'text', 400],
    ['client:get_tools', null, 400],
    ['server:list_room', { agent: 'a', req_id: 'r', office_id: 'p' }, 403],
    ['server:update_tool_list', { computer: 'c' }, 403],
    ['server:tool_call_cancel', { agent: 'c', req_id: 'r' }, 403],
    ['server:tool_call_cancel', {}, 400],
    ['client:get_finder', { ...toolsOf('c'), keywords: 'word' }, 400],
    ['client:nothing', undefined, 501],
    ...wrongQuestions,
  ] as [string, unknown, number][])(
    'answers %s %j of an agent, and asks no computer',
    async (event, payload, code) => {
      const agent = await world.seated(office.url, 'agent', 'a');
      const computer = await world.seated(office.url, 'computer', 'c');
      const other = await world.seated(office.url, 'computer', 'elsewhere', 'p');
      expect(codeIn(await world.ask(agent, event, payload))).toBe(code);
      await world.fence(computer, other);
      expect([computer.heard, other.heard]).toEqual([[], []]);
    },
  );

  it('answers a request without a payload', async () => {
    const stranger = await world.peer(office.url);
    expect(await world.ask(stranger, 'server:join_office')).toEqual([false, expect.any(String)]);
    expect(codeIn(await world.ask(stranger, 'server:list_room'))).toBe(403);
  });

  it('answers a failed tool call as a CallToolResult', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const [result] = await world.ask(agent, 'client:tool_call', callTo('nobody'));
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }], meta: { error_code: 404 } });
  });

  it('refuses what only an agent may ask to a computer', async () => {
    await world.seated(office.url, 'computer', 'c');
    const other = await world.seated(office.url, 'computer', 'd');
    for (const [event, payload] of [
      ['client:tool_call', callTo('c')] as const,
      ['client:get_tools', toolsOf('c')] as const,
      ['client:get_config', toolsOf('c')] as const,
    ])
      expect(codeIn(await world.ask(other, event, payload))).toBe(403);
  });
}

const relayedBlobs: readonly (readonly [string, object, object])[] = [
  [
    'client:get_blob',
    { ...toolsOf('c'), blob_handle: 'h', chunk_offset: 4 },
    { code: 4018, message: 'gone' },
  ],
  [
    'client:put_blob',
    { ...toolsOf('c'), chunk_offset: 0, eof: true, blob: 'eA==', total_size: 1 },
    { code: 4019, message: 'full' },
  ],
];
function relays(): void {
  it('relays a call as it came and its answer unchanged', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const result = { meta: null, content: [{ type: 'text', text: 'hi', annotations: null }], isError: false };
    answering(computer, result, 'second');
    const call = callTo('c', { params: { deep: { n: [1] } }, unknown: true });
    expect(await world.ask(agent, 'client:tool_call', call)).toEqual([result, 'second']);
    expect(computer.heard.at(-1)?.body).toEqual(call);
  });

  it('routes by office and name, and says who asks by the registered name', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const [here, there] = [
      await world.seated(office.url, 'computer', 'c'),
      await world.seated(office.url, 'computer', 'c', 'p'),
    ];
    answering(here, 'here');
    answering(there, 'there');
    expect(await world.ask(agent, 'client:tool_call', callTo('c', { agent: 'boss', timeout: '2' }))).toEqual([
      'here',
    ]);
    expect(here.heard.at(-1)?.body).toMatchObject({ agent: 'a', timeout: 2 });
  });

  it.each([
    ['client:get_config', toolsOf('c'), { servers: {}, inputs: null, more: 1 }],
    ['client:get_desktop', { ...toolsOf('c'), desktop_size: 0 }, { desktops: ['win://1'], req_id: 'r' }],
    ['client:get_finder', { ...toolsOf('c'), keywords: ['k'], limit: 500 }, { documents: 'whatever' }],
    [
      'client:get_resources',
      { ...toolsOf('c'), mcp_server: 's', cursor: 'x' },
      { resources: [], req_id: 'r' },
    ],
    ['client:get_skills', toolsOf('c'), { skills: [], req_id: 'r' }],
    ['client:get_skill', { ...toolsOf('c'), name: 'pdf', rel_path: 'a.md' }, { body: 'x', req_id: 'r' }],
    ['client:read_resource', { ...toolsOf('c'), uri: 'dpe://h' }, { code: 4201, message: 'no such host' }],
    ...relayedBlobs,
  ] as [string, object, object][])(
    'relays %s as it came and its answer unchanged',
    async (event, question, answer) => {
      const agent = await world.seated(office.url, 'agent', 'a');
      const computer = await world.seated(office.url, 'computer', 'c');
      answering(computer, answer);
      expect(await world.ask(agent, event, question)).toEqual([answer]);
      expect(heardBy(computer)).toEqual([[event, question]]);
    },
  );

  it.each([{ ack: [1, 2] }, { ack: [] }, { ack: [null] }])(
    'hands over an ack of the wrong shape as it is: $ack',
    async ({ ack }) => {
      const agent = await world.seated(office.url, 'agent', 'a');
      answering(await world.seated(office.url, 'computer', 'c'), ...ack);
      for (const [event, question] of [
        ['client:tool_call', callTo('c')] as const,
        ['client:get_tools', toolsOf('c')] as const,
      ])
        expect(await world.ask(agent, event, question)).toEqual(ack);
    },
  );

  it('carries a result of 3 MB', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    answering(await world.seated(office.url, 'computer', 'c'), { content: 'x'.repeat(3_000_000) });
    const [result] = await world.ask(agent, 'client:tool_call', callTo('c'));
    expect((result as { content: string }).content).toHaveLength(3_000_000);
  });
}

function giveUps(): void {
  it.each(['drops', 'leaves', 'moves to another office'])(
    'answers at once when the computer %s',
    async (how) => {
      const agent = await world.seated(office.url, 'agent', 'a');
      const computer = await world.seated(office.url, 'computer', 'c');
      const calls = ['r1', 'r2'].map((req_id) =>
        world.asking(agent, 'client:tool_call', callTo('c', { req_id, timeout: 0 })),
      );
      const tools = world.asking(agent, 'client:get_tools', toolsOf('c'));
      await world.until(() => computer.heard.length > 2);
      if (how === 'drops') computer.close();
      else if (how === 'leaves') computer.emit('server:leave_office', [{ office_id: 'o' }]);
      else computer.emit('server:join_office', [{ role: 'computer', name: 'c', office_id: 'p' }]);
      const asked = [...calls, tools];
      await world.until(() => asked.every(({ ack }) => ack));
      expect(asked.map(({ ack }) => codeIn(ack ?? []))).toEqual([404, 404, 404]);
      expect(tools.ack?.[0]).toMatchObject({ error: { details: { reason: 'left' } } });
    },
  );

  it('gives up after the time-out of the call and a margin, and drops the late answer', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    expect(codeIn(await world.ask(agent, 'client:get_tools', toolsOf('c')))).toBe(408);
    const [result] = await world.ask(agent, 'client:tool_call', callTo('c', { timeout: 1 }));
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 408 } },
      meta: { a2c_timeout: true },
    });
    for (const { ack } of computer.heard) ack?.('late');
    await world.fence(computer, agent);
    const cancel = { agent: 'a', req_id: 'r', reason: 'timeout' };
    expect(heardBy(computer).slice(2)).toEqual([['notify:tool_call_cancel', cancel]]);
    expect(agent.heard.map(({ event }) => event)).toEqual(['notify:enter_office']);
  });

  it('answers at once when the computer sent more than an office carries, and says so', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const [computer, other] = [
      await world.seated(office.url, 'computer', 'c'),
      await world.seated(office.url, 'computer', 'd'),
    ];
    answering(other, 'fine');
    const call = world.asking(agent, 'client:tool_call', callTo('c', { timeout: 0 }));
    await world.until(() => computer.heard.some(({ ack }) => ack));
    computer.heard.at(-1)?.ack?.({ content: 'x'.repeat(9 * 1024 * 1024) });
    await world.until(() => call.ack !== undefined);
    const details = { reason: 'too_large', limit_bytes: 8_388_608 };
    const message = expect.stringContaining('more than 8388608 bytes') as string;
    expect(call.ack).toMatchObject([
      { isError: true, structuredContent: { error: { code: 404, message, details } } },
    ]);
    await world.until(() => computer.isClosed());
    expect(await world.ask(agent, 'client:tool_call', callTo('d'))).toEqual(['fine']);
  });
}

function eachCall(): void {
  it('refuses a req_id that is in flight, and takes it again afterwards', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const first = world.asking(agent, 'client:tool_call', callTo('c'));
    expect(codeIn(await world.ask(agent, 'client:tool_call', callTo('c')))).toBe(409);
    computer.heard[0]?.ack?.('first');
    await world.until(() => first.ack !== undefined);
    answering(computer, 'again');
    expect([first.ack, await world.ask(agent, 'client:tool_call', callTo('c'))]).toEqual([
      ['first'],
      ['again'],
    ]);
  });

  it.each(['leaves', 'is gone'] as const)(
    'ends the calls of an agent that %s, and what it asked besides is asked of nobody again',
    async (how) => {
      const agent = await world.seated(office.url, 'agent', 'a');
      const [computer, other] = [
        await world.seated(office.url, 'computer', 'c'),
        await world.seated(office.url, 'computer', 'd'),
      ];
      world.asking(agent, 'client:tool_call', callTo('c', { timeout: 0 }));
      world.asking(agent, 'client:get_tools', { ...toolsOf('c'), req_id: 'r2' });
      await world.until(() => computer.heard.length > 1);
      if (how === 'leaves') agent.emit('server:leave_office', [{ office_id: 'o' }]);
      else agent.close();
      await world.until(() => heardBy(other).length > 0);
      await world.fence(computer, other);
      const left = ['notify:leave_office', { office_id: 'o', agent: 'a' }];
      const cancel = { agent: 'a', req_id: 'r', reason: 'left' };
      expect(heardBy(computer).slice(-2)).toEqual([['notify:tool_call_cancel', cancel], left]);
      expect(heardBy(other)).toEqual([left]);
    },
  );
}

export function officeRelayContract(make: MakeTransport): void {
  beforeEach(async () => {
    world = new World(make(limits));
    office = await world.office();
  });
  afterEach(() => world.close());
  describe('with refusals', refusals);
  describe('with relayed calls', relays);
  describe('with time-outs', giveUps);
  describe('with calls in flight', eachCall);
}
