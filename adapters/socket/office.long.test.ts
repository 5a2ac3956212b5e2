import { once } from 'node:events';
import { connect } from 'node:net';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PortInstance } from '../../machines/kernel/ports.ts';
import type { OfficeCommand, OfficeFact } from '../../machines/ports/office.ts';
import { claim, type Claims, forget, noClaims } from '../../machines/office/rooms/claims.ts';
import { mostLevels } from '../../machines/protocol/json.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { createOffices } from './office.ts';

/** Tests of the office with foreign peers, which are bare socket.io-client. */
const mebibyte = 1024 * 1024;
const updates = ['config', 'tool_list', 'desktop', 'finder', 'skills'];
const requests = [
  'server:list_room',
  ...updates.map((what) => `server:update_${what}`),
  'server:tool_call_cancel',
  'client:tool_call',
  'client:get_tools',
  'client:get_config',
  'client:get_desktop',
  'client:get_finder',
  'client:read_resource',
  'client:get_resources',
  'client:get_skills',
  'client:get_skill',
  'client:get_blob',
  'client:put_blob',
];
const seats = ['server:join_office', 'server:leave_office'];
const notices = [
  'enter_office',
  'leave_office',
  'tool_call_cancel',
  ...updates.map((what) => `update_${what}`),
].map((what) => `notify:${what}`);
const unknown = ['client:dance', 'server:dance', 'message', '', '__proto__', 'constructor', 'toString'];
const all = [...requests, ...seats, ...notices, ...unknown];

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { deep: value };
  return value;
};
/** Complete payload with all fields of all events; the lists below replace fields by invalid values. */
const whole = {
  agent: 'a',
  req_id: 'r',
  computer: 'c',
  tool_name: 't',
  params: {},
  timeout: 1,
  uri: 'u',
  mcp_server: 's',
  blob_handle: 'h',
  name: 'n',
};
const wrongValues: readonly unknown[] = [null, 0, true, [], {}, [[]], { length: 1 }, 'x'.repeat(2000)];
const wrongTypes = wrongValues.map((value) => ({
  ...whole,
  agent: value,
  req_id: value,
  computer: value,
  office_id: value,
  role: value,
  name: value,
}));
/**
 * Fields of a request, each replaced alone. The requested peer does not exist, so that an accidentally valid request is
 * refused, too.
 */
const question = ['agent', 'req_id', 'computer'];
const fields = new Map<string, readonly string[]>(
  Object.entries({
    ...Object.fromEntries(updates.map((what) => [`server:update_${what}`, ['computer']])),
    'server:join_office': ['role', 'name', 'office_id'],
    'server:leave_office': ['office_id'],
    'server:list_room': ['agent', 'req_id', 'office_id'],
    'server:tool_call_cancel': ['agent', 'req_id'],
    'client:tool_call': [...question, 'tool_name', 'params', 'timeout'],
    'client:get_tools': question,
    'client:get_config': question,
    'client:get_desktop': [...question, 'desktop_size', 'window'],
    'client:get_finder': [...question, 'keywords', 'file_type', 'offset', 'limit'],
    'client:read_resource': [...question, 'uri'],
    'client:get_resources': [...question, 'mcp_server', 'cursor'],
    'client:get_skill': [...question, 'name', 'rel_path'],
    'client:get_blob': [...question, 'blob_handle', 'chunk_offset', 'max_chunk_bytes'],
    'client:put_blob': [...question, 'upload_id', 'chunk_offset', 'eof', 'blob', 'sha256'],
  }),
);
const right = { ...whole, computer: 'nobody', role: 'agent', name: 'n', office_id: 'elsewhere' };
const oneWrong = (event: string): unknown[] =>
  (fields.get(event) ?? []).flatMap((field) =>
    [undefined, ...wrongValues].map((value) => ({ ...right, [field]: value })),
  );
/** Value above the limit that JSON.stringify, by which the peer sends it, writes on every system. */
const deep = nested(mostLevels + 100);
const payloads: readonly unknown[] = [
  ...[undefined, null, '', 'text', 0, -1, 1e300, true, [], [whole], {}, { agent: 'a' }, { req_id: 'r' }],
  ...wrongTypes,
  deep,
  { ...whole, agent: deep, req_id: 'r', computer: deep, office_id: deep },
];

const offices = createOffices({ timing: { queryMs: 80, relayMarginMs: 50 } });
let instance: PortInstance<OfficeCommand>;
let url: string;

/** Answers joins and leaves as the office machine does, but announces them to no other peer. */
function doorkeeper(): (fact: OfficeFact) => void {
  let claims: Claims = noClaims;
  return (fact) => {
    if (fact.type === 'socket.closed') claims = forget(claims, fact.socket).claims;
    if (fact.type === 'socket.leaves')
      instance.tell({ type: 'office.answer', ticket: fact.ticket, ok: false, text: 'Not there' });
    if (fact.type !== 'socket.joins') return;
    const { socket, ticket, seat } = fact;
    const claimed = claim(claims, socket, seat);
    if (!claimed.ok) return instance.tell({ type: 'office.answer', ticket, ok: false, text: claimed.text });
    claims = claimed.claims;
    instance.tell({ type: 'office.seat', socket, seat });
    instance.tell({ type: 'office.answer', ticket, ok: true, text: null });
  };
}
beforeEach(async () => {
  const heard = doorkeeper();
  url = await new Promise<string>((resolve) => {
    instance = offices.open('office#1', { host: '127.0.0.1', port: 0 }, (fact) => {
      heard(fact);
      if (fact.type === 'office.opened') resolve(fact.url);
    });
  });
});
afterEach(async () => {
  instance.close();
  await offices.closed();
});

type Heard = readonly [event: string, body: unknown];
interface Peer {
  readonly socket: Socket;
  readonly heard: Heard[];
}
const ended = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once('disconnect', resolve));
const ask = (socket: Socket, event: string, ...payload: unknown[]): Promise<unknown[]> =>
  new Promise((resolve) => socket.emit(event, ...payload, (...ack: unknown[]) => resolve(ack)));
async function connected(transport = 'websocket'): Promise<Peer> {
  const socket = closedAfter(
    io(`${url}/smcp`, { forceNew: true, reconnection: false, transports: [transport] }),
  );
  const peer: Peer = { socket, heard: [] };
  socket.onAny((event: string, body: unknown, ack: unknown) => {
    if (typeof ack !== 'function') peer.heard.push([event, body]);
  });
  await new Promise((resolve) => socket.once('connect', () => resolve(undefined)));
  return peer;
}
async function seated(role: string, name: string, office: string, transport?: string): Promise<Peer> {
  const peer = await connected(transport);
  const ack = await ask(peer.socket, 'server:join_office', { role, name, office_id: office });
  expect(ack).toEqual([true, null]);
  return peer;
}
const sitting: Record<string, () => Promise<Peer>> = {
  'that sits nowhere': () => connected(),
  'that is an agent': () => seated('agent', 'ma', 'm'),
  'that is a computer': () => seated('computer', 'mc', 'm'),
};
/** Peers that must hear nothing of the mistakes of one other peer; two of them are in its office. */
const bystanders = (): Promise<Peer[]> =>
  Promise.all([
    connected(),
    seated('agent', 'a', 'o'),
    seated('computer', 'c', 'o'),
    seated('computer', 'c', 'm'),
    seated('computer', 'mc2', 'm'),
  ]);
const settled = (peers: readonly Peer[]): Promise<unknown> =>
  Promise.all(peers.map(({ socket }) => ask(socket, 'fence:here')));

type Refusal = { error?: { code: number; message: string }; structuredContent?: { error: { code: number } } };
function isRefusal(event: string, ack: readonly unknown[]): boolean {
  if (seats.includes(event)) return ack.length === 2 && ack[0] === false && typeof ack[1] === 'string';
  const body = ack[0] as Refusal | undefined;
  const code = body?.error?.code ?? body?.structuredContent?.error.code;
  return ack.length === 1 && [400, 403, 404, 413, 501].includes(Number(code));
}

describe.each(Object.keys(sitting))('a raw peer %s', (where) => {
  let peer: Peer;
  let others: Peer[];
  beforeEach(async () => {
    others = await bystanders();
    peer = await (sitting[where] ?? connected)();
  });

  it('gets a no to every event with every payload, in the form of that event, and nobody hears of it', async () => {
    const answers = new Map<string, unknown[]>();
    const cases = all.flatMap((event) =>
      [...payloads, ...oneWrong(event)].map((payload, i) => ({ event, payload, key: `${event} ${i}` })),
    );
    for (const { event, payload, key } of cases)
      peer.socket.emit(event, ...(payload === undefined ? [] : [payload]), (...ack: unknown[]) =>
        answers.set(key, ack),
      );
    // The office answers one socket in order, so all requests are answered when this one is.
    await settled([peer, ...others]);
    const wrong = cases.filter(({ event, key }) => !isRefusal(event, answers.get(key) ?? []));
    expect(wrong.map(({ key }) => [key, answers.get(key)])).toEqual([]);
    expect(cases.length).toBeGreaterThan(900);
    expect([peer, ...others].flatMap(({ heard }) => heard)).toEqual([]);
  });

  it('gets no ack when it wants none, and nobody hears of it', async () => {
    for (const event of all) for (const payload of payloads) peer.socket.emit(event, payload);
    await settled([peer, ...others]);
    expect([peer, ...others].flatMap(({ heard }) => heard)).toEqual([]);
  });

  it('gets a short answer to a long text that just fits', async () => {
    const text = 'x'.repeat(mebibyte);
    for (const event of ['server:join_office', 'server:update_config', 'client:tool_call', text]) {
      const ack = await ask(peer.socket, event, { ...whole, computer: text, name: text, agent: text });
      expect(JSON.stringify(ack).length, event.slice(0, 40)).toBeLessThan(2000);
    }
  });

  it.each([
    'garbage',
    '2/smcp,["client:get_tools"',
    '2/smcp,1{"no":"array"}',
    '2/smcp,1["disconnect"]',
    '51-/smcp,1["client:get_tools",{"_placeholder":true,"num":7}]',
    '2/elsewhere,1["client:get_tools",{}]',
    '3/smcp,99["nobody asked"]',
    '3/smcp,99999999999999999999[null]',
    '59999999-/smcp,4["x",{"_placeholder":true,"num":9999999}]',
    '9/smcp,',
  ])('harms nobody with the packet %s', async (packet) => {
    const end = ended(peer.socket);
    peer.socket.io.engine.write(packet);
    // An invalid packet ends the connection; a valid one that nothing waits for is ignored.
    await Promise.race([end, ask(peer.socket, 'fence:here')]);
    await settled(others);
    expect(others.flatMap(({ heard }) => heard)).toEqual([]);
  });
  it.each([
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'POST /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n40/smcp,{}',
    '\u0000\u0081 \u0000\r\n\r\n',
  ])('harms nobody with the bytes %j', async (bytes) => {
    const raw = connect(Number(new URL(url).port), '127.0.0.1', () => raw.end(bytes, 'latin1'));
    await once(raw.on('error', () => {}).resume(), 'close');
    await settled(others);
    expect(others.flatMap(({ heard }) => heard)).toEqual([]);
  });
});

const call = { ...whole, timeout: 0 };
type Ack = (...args: unknown[]) => void;
const asked = (computer: Peer): Promise<Ack> =>
  new Promise((resolve) => {
    computer.socket.onAny((_event: string, _body: unknown, ack: unknown) => {
      if (typeof ack === 'function') resolve(ack as Ack);
    });
  });
describe('an ack of a raw computer', () => {
  it.each([{ ack: [1, 2] }, { ack: [] }, { ack: [null] }, { ack: [Buffer.from('bytes')] }])(
    'reaches the agent as it is: $ack',
    async ({ ack }) => {
      const [agent, computer] = [await seated('agent', 'a', 'o'), await seated('computer', 'c', 'o')];
      const answer = asked(computer);
      const answered = ask(agent.socket, 'client:tool_call', call);
      (await answer)(...ack);
      expect(await answered).toEqual(ack);
    },
  );
});

const part = { chunk_offset: 0, eof: true, blob: '' };
describe('an exchange that is all right', () => {
  it('is heard in its own office only', async () => {
    const strangers = [
      await connected(),
      await seated('agent', 'b', 'p'),
      await seated('computer', 'c', 'p'),
    ];
    const [agent, computer] = [await seated('agent', 'a', 'o'), await seated('computer', 'c', 'o')];
    computer.socket.onAny((_event: string, _body: unknown, ack: unknown) => {
      if (typeof ack === 'function') (ack as Ack)('answer');
    });
    for (const event of requests.filter((name) => name.startsWith('client:')))
      expect(await ask(agent.socket, event, { ...call, ...part }), event).toEqual(['answer']);
    for (const what of updates)
      expect(await ask(computer.socket, `server:update_${what}`, { computer: 'c' })).toEqual([]);
    expect(await ask(agent.socket, 'server:tool_call_cancel', { agent: 'a', req_id: 'r' })).toEqual([]);
    await settled([agent, computer, ...strangers]);
    // An agent without a version counts as 0.1, which asks for tools only after a change of the config.
    const told = updates.toSpliced(1, 0, 'config').map((what) => `notify:update_${what}`);
    expect(agent.heard.map(([event]) => event)).toEqual(told);
    expect(computer.heard.map(([event]) => event)).toEqual(['notify:tool_call_cancel']);
    expect(strangers.flatMap(({ heard }) => heard)).toEqual([]);
  });
});
