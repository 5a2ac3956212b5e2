import { once } from 'node:events';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent, createOffice } from '../index.ts';
import type { Agent, AgentOptions, Computer, Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

/** Tests of the public API against foreign peers, which are bare socket.io-client. */
const server = fixtureFile('mcp-server.mjs');
const mebibyte = 1024 * 1024;
const secret = 'hunter2';
const config = {
  mcpServers: {
    fixture: { command: process.execPath, args: [server], env: { TOKEN: secret }, autoApprove: ['all'] },
  },
};
/** Upper bound in milliseconds for a busy machine; the office answers for a late computer after 6 s, one for the call and five as margin. */
const boundMs = 15_000;

type Ack = (...args: unknown[]) => void;
interface Asked {
  readonly body: Readonly<Record<string, unknown>>;
  readonly ack: Ack;
}
interface Peer {
  readonly socket: Socket;
  ask(event: string, body: object): Promise<unknown[]>;
}

let office: Office;
const opened: AsyncDisposable[] = [];
const sockets: Socket[] = [];
beforeEach(async () => {
  office = await createOffice({ port: 0 });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.disconnect();
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  await office.close();
});
const kept = <T extends AsyncDisposable>(one: T): T => (opened.push(one), one);
const agentOf = async (options: Partial<AgentOptions> = {}): Promise<Agent> =>
  kept(await createAgent({ url: office.url, ...options }));
const computerOf = async (): Promise<Computer> =>
  kept(await bootedComputer({ name: 'ours', config, office: { url: office.url } }));

/** Our computer and an agent that knows it; `links` collects the changes of their links from then on. */
async function pairOf(): Promise<{ computer: Computer; agent: Agent; links: string[] }> {
  const [computer, agent] = [await computerOf(), await agentOf()];
  await agent.tools('ours');
  const links: string[] = [];
  for (const on of [computer.on, agent.on] as Computer['on'][])
    on('link.changed', ({ state }) => links.push(state));
  return { computer, agent, links };
}

async function peerOf(role: string, name: string): Promise<Peer> {
  const socket = io(`${office.url}/smcp`, { forceNew: true, reconnection: false, transports: ['websocket'] });
  sockets.push(socket);
  const ask = (event: string, body: object): Promise<unknown[]> =>
    new Promise((resolve) => socket.emit(event, body, (...ack: unknown[]) => resolve(ack)));
  expect(await ask('server:join_office', { role, name, office_id: 'local' })).toEqual([true, null]);
  return { socket, ask };
}
const tool = { name: 't', description: 'a tool', params_schema: { type: 'object' }, return_schema: null };
const text = (said: string): object => ({ content: [{ type: 'text', text: said }], isError: false });
const listTools = ({ body, ack }: Asked): void => ack({ tools: [tool], req_id: body['req_id'] });
async function rawComputer(onCall: (asked: Asked) => unknown, onTools = listTools): Promise<void> {
  const peer = await peerOf('computer', 'raw');
  peer.socket.onAny((event: string, body: Asked['body'], ack: unknown) => {
    if (event === 'client:get_tools') onTools({ body, ack: ack as Ack });
    if (event === 'client:tool_call') onCall({ body, ack: ack as Ack });
  });
}
/** Foreign computer that answers its calls with `onCall`, and one of our agents that knows it. */
async function rawPair(onCall: (asked: Asked) => unknown): Promise<{ agent: Agent }> {
  await rawComputer(onCall);
  const agent = await agentOf();
  await agent.tools('raw');
  return { agent };
}
/** Labels of the calls that hang in the server of our computer and of those that were cancelled. */
async function seenBy(computer: Computer): Promise<{ hanging: string[]; cancelled: string[] }> {
  const { result } = await computer.callTool('seen');
  return JSON.parse((result as unknown as { content: { text: string }[] }).content[0]?.text ?? '');
}

it('an agent ends a call in time whose computer is late: the outcome is unknown, the late answer goes nowhere', async () => {
  const asked: Asked[] = [];
  const { agent } = await rawPair((call) => asked.push(call) > 1 && call.ack(text('second')));
  const answer = await agent.callTool('raw', 't', {}, { reqId: 'r1', timeoutMs: 1_000 });
  expect(answer).toMatchObject({ outcome: 'unknown', reqId: 'r1', failure: { code: 'ToolTimeout' } });
  expect(answer.durationMs).toBeGreaterThan(1_000);
  expect(answer.durationMs).toBeLessThan(boundMs);
  expect(asked[0]?.body).toMatchObject({ timeout: 1, req_id: 'r1', tool_name: 't' });
  const next = agent.callTool('raw', 't', {}, { reqId: 'r2' });
  asked[0]?.ack(text('late'));
  expect(await next).toMatchObject({ outcome: 'succeeded', result: text('second') });
});

describe('an answer for another question', () => {
  it('is no list of tools: tools() says what came, and has them once the right answer comes', async () => {
    let isRight = false;
    await rawComputer(
      () => {},
      (asked) => (isRight ? listTools(asked) : asked.ack({ tools: [tool], req_id: 'another' })),
    );
    const agent = await agentOf({ timing: anyTiming({ refetchMs: 20 }) });
    await expect(agent.tools('raw', { timeoutMs: 500 })).rejects.toMatchObject({
      code: 'Internal',
      message: expect.stringMatching(/^The answer is for 'another', not for '/) as string,
    });
    expect(agent.status().computers).toEqual(['raw']);
    isRight = true;
    expect((await agent.tools('raw')).tools).toEqual([
      { name: 't', description: 'a tool', inputSchema: { type: 'object' }, computer: 'raw' },
    ]);
  });

  it('is no list of the room: listRoom() rejects', async () => {
    const raw = new Server(0);
    opened.push({ [Symbol.asyncDispose]: () => raw.close() });
    const sessions = [{ sid: 's', name: 'x', role: 'computer', office_id: 'local' }];
    const [late, flat] = [
      { sessions, req_id: 'another' },
      { code: 403, message: 'flat' },
    ];
    const answers: unknown[] = [late, flat, { Err: 'rusty' }];
    raw.of('/smcp').on('connection', (socket) => {
      for (const event of ['server:join_office', 'server:leave_office'])
        socket.on(event, (_: unknown, ack: Ack) => ack(true, null));
      // The first request comes from the agent itself, not from the test.
      socket.once('server:list_room', (_: unknown, ack: Ack) => {
        ack({ sessions: [], req_id: 'another' });
        socket.on('server:list_room', (_: unknown, ack: Ack) => ack(answers.shift()));
      });
    });
    if (!raw.httpServer.listening) await once(raw.httpServer, 'listening');
    const { port } = raw.httpServer.address() as { port: number };
    const agent = await agentOf({ url: `http://127.0.0.1:${port}` });
    await expect(agent.room()).rejects.toMatchObject({
      name: 'A2cError',
      code: 'Internal',
      message: expect.stringMatching(/^The answer is for 'another'/) as string,
    });
    await expect(agent.room()).rejects.toMatchObject({ code: 'NotAllowed', message: 'flat' });
    await expect(agent.room()).rejects.toMatchObject({ code: 'Internal', message: 'rusty' });
  });
});

describe('the answer to a call in every shape', () => {
  const no = { message: 'no', details: { why: 'because' } };
  const isError = { content: [], isError: true };
  const python = { ...isError, structuredContent: { error: 'no', error_type: 'ValueError' }, meta: null };
  it.each<[string, unknown[], outcome: string, failure: object | null]>([
    ['Ok of Rust', [{ Ok: text('hi') }], 'succeeded', null],
    ['Err of Rust', [{ Err: 'no' }], 'failed', { code: 'Internal', message: 'no' }],
    ['Ok of Rust that failed', [{ Ok: isError }], 'failed', { code: 'ToolFailed' }],
    ['flat', [{ code: 4001, ...no }], 'failed', { code: 'ToolNotFound', ...no }],
    ['nested', [{ error: { code: 4001, ...no } }], 'failed', { code: 'ToolNotFound', ...no }],
    ['nested, of a strange code', [{ error: { code: -1, message: 'no' } }], 'failed', { code: 'Internal' }],
    ['nested, of a time-out', [{ error: { code: 408, message: 'no' } }], 'unknown', { code: 'NoAnswer' }],
    ['empty', [], 'failed', { code: 'NotSupported' }],
    ['null', [null], 'failed', { code: 'NotSupported' }],
    ['a bare text', ['hi'], 'succeeded', null],
    [
      'as Python says it',
      [python],
      'failed',
      { code: 'ToolFailed', message: 'no', details: { reason: 'ValueError' } },
    ],
  ])('is read: %s', async (_, ack, outcome, failure) => {
    const { agent } = await rawPair((call) => call.ack(...ack));
    const answer = await agent.callTool('raw', 't');
    expect(answer).toMatchObject({ outcome, failure });
    if (outcome === 'succeeded')
      expect(answer.result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    expect(await agent.room()).toHaveLength(2);
  });
});

describe('an agent that is gone', () => {
  const call = {
    ...{ agent: 'a', req_id: 'r1', computer: 'ours', timeout: 60 },
    ...{ tool_name: 'hang', params: { label: 'mine' } },
  };
  const ways: Record<string, (peer: Peer) => unknown> = {
    leaves: (peer) => peer.ask('server:leave_office', { office_id: 'local' }),
    'drops its connection': (peer) => peer.socket.disconnect(),
  };
  it.each(Object.keys(ways))('has its calls cancelled at the server because it %s', async (way) => {
    const computer = await computerOf();
    const settled = new Promise((resolve) => {
      computer.on('call.settled', (call) => call.reqId === 'r1' && resolve(call));
    });
    const peer = await peerOf('agent', 'a');
    const answer = peer.ask('client:tool_call', call);
    while (!(await seenBy(computer)).hanging.includes('mine'));
    await ways[way]?.(peer);
    expect(await settled).toMatchObject({ end: 'cancelled', outcome: 'unknown', tool: 'hang' });
    expect(await seenBy(computer)).toEqual({ hanging: [], cancelled: ['mine'] });
    const error = { code: 404, details: { reason: 'left' } };
    if (way === 'leaves') expect(await answer).toMatchObject([{ structuredContent: { error } }]);
    const successor = await agentOf();
    await successor.tools('ours');
    const next = await successor.callTool('ours', 'echo', { text: 'next' }, { reqId: 'r1' });
    expect(next.result).toMatchObject({ content: [{ text: 'next' }] });
  });

  it('has its own promise end as unknown because it closes, and the server hears of it', async () => {
    const { computer, agent } = await pairOf();
    const call = agent.callTool('ours', 'hang', { label: 'mine' });
    while (!(await seenBy(computer)).hanging.includes('mine'));
    await agent.close();
    expect(await call).toMatchObject({ outcome: 'unknown', end: 'cancelled' });
    expect(await seenBy(computer)).toEqual({ hanging: [], cancelled: ['mine'] });
  });
});

describe('a message of 9 MiB', () => {
  const tooMuch = 'x'.repeat(9 * mebibyte);

  it('fails the call that has it as parameters with its size; it never left, and the next one runs', async () => {
    const { agent, links } = await pairOf();
    const size = /^The message has 9437\d\d\d bytes; this office carries at most 8387584$/;
    expect(await agent.callTool('ours', 'echo', { text: tooMuch })).toMatchObject({
      outcome: 'failed',
      result: null,
      failure: { code: 'TooLarge', message: expect.stringMatching(size) as string },
    });
    expect(await agent.callTool('ours', 'echo', { text: 'next' })).toMatchObject({ outcome: 'succeeded' });
    expect(links).toEqual([]);
  });

  it('is cut when it is a result, which the result says, and both links stay', async () => {
    const { agent, links } = await pairOf();
    const answer = await agent.callTool('ours', 'big', { bytes: 9 * mebibyte });
    expect(answer).toMatchObject({
      outcome: 'succeeded',
      result: { _meta: { a2c_cut: { limit_bytes: 7 * mebibyte } } },
    });
    expect(JSON.stringify(answer.result).length).toBeLessThan(7 * mebibyte);
    expect(await agent.callTool('ours', 'echo', { text: 'next' })).toMatchObject({ outcome: 'succeeded' });
    expect(links).toEqual([]);
  });

  it('ends a computer that knows no limit: the call is unknown, the agent stays', async () => {
    const { agent } = await rawPair((call) => call.ack(text(tooMuch)));
    const left = new Promise((resolve) => agent.on('computer.left', resolve));
    expect(await agent.callTool('raw', 't')).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'NotFound', details: { reason: 'too_large' } },
    });
    expect(await left).toEqual({ computer: 'raw' });
    expect(await agent.room()).toMatchObject([{ name: 'agent', role: 'agent' }]);
  });
});

describe('a computer of ours that is asked through the office', () => {
  it('takes a cancelled req_id again after one round trip', async () => {
    const { agent } = await pairOf();
    const reqId = 'again';
    for (const round of [1, 2, 3]) {
      const call = agent.callTool('ours', 'hang', { label: `${round}` }, { reqId });
      await agent.room();
      agent.cancel(reqId);
      expect(await call).toMatchObject({ end: 'cancelled', outcome: 'unknown' });
      // The computer answers this request only after it has received the cancel.
      await agent.config('ours');
    }
    const next = await agent.callTool('ours', 'echo', { text: 'new' }, { reqId });
    expect(next.result).toMatchObject({ content: [{ text: 'new' }] });
  });

  it('shows its config without its secrets', async () => {
    const { agent } = await pairOf();
    const shown = await agent.config('ours');
    expect(shown).toMatchObject({
      servers: { fixture: { type: 'stdio', server_parameters: { args: [server], env: { TOKEN: '***' } } } },
      inputs: [],
    });
    expect(JSON.stringify(shown)).not.toContain(secret);
    await expect(agent.config('nobody')).rejects.toMatchObject({ code: 'NotFound', name: 'A2cError' });
  });

  it.each([
    ['client:get_desktop', {}, { desktops: [] }],
    ['client:get_finder', {}, { documents: [], total_count: 0 }],
    ['client:read_resource', { uri: 'dpe://documents/' }, { error: { code: 4201 } }],
  ])(
    'answers %s where no server shows anything, with the id of the question',
    async (event, more, answer) => {
      await computerOf();
      const peer = await peerOf('agent', 'a');
      const [ack] = await peer.ask(event, { agent: 'a', req_id: 'r', computer: 'ours', ...more });
      expect(ack).toMatchObject({ ...answer, req_id: 'r' });
    },
  );
});
