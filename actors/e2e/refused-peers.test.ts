/** Tests that an office tells, counts and measures once each way in which it refuses a peer or a seat. */
import { once } from 'node:events';
import { io, type ManagerOptions, type SocketOptions } from 'socket.io-client';
import { expect, it } from 'vitest';
import {
  createOffice,
  type Office,
  type OfficeAuth,
  type OfficeOptions,
  type RefusedPeer,
} from '../index.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';

const auth: OfficeAuth = [
  { token: 't-a', offices: ['red'], roles: ['computer'], names: ['a'], label: 'the team a' },
  'all',
];

/** Connection that is refused, with these options. */
const turnedAway = async (
  office: Office,
  options: Partial<ManagerOptions & SocketOptions>,
  namespace = '/smcp',
): Promise<void> => {
  const socket = io(`${office.url}${namespace}`, { forceNew: true, reconnection: false, ...options });
  await new Promise((resolve) => {
    socket.once('connect_error', resolve);
    socket.io.once('close', resolve);
  });
  socket.disconnect();
};
type Role = 'agent' | 'computer';
const joins =
  (...tries: readonly (readonly [role: Role, name: string, token?: string, room?: string])[]) =>
  async (office: Office): Promise<void> => {
    for (const [role, name, token = 'all', room = 'red'] of tries)
      await new SeatedPeer(office.url, name, token).join(role, room);
  };
const seat = (role: Role, name: string, office = 'red') => ({ office, role, name });
const down = () => Promise.reject(new Error('x'));
const [shown, webSocket] = [{ auth: { token: 'all' } }, { transports: ['websocket'] }];
const [wrong, elsewhere] = [seat('computer', 'b'), seat('computer', 'a', 'blue')];
const x = ['computer', 'x'] as const;
const oneSeat = { limits: { seatsPerOffice: 1 } };

it.each<[kind: string, told: object, act: (office: Office) => unknown, options?: OfficeOptions]>([
  ['credential', { code: 401 }, (office) => turnedAway(office, { auth: { token: 'wrong' } })],
  ['unchecked', { code: 503 }, (office) => turnedAway(office, {}), { auth: down }],
  ['wrongName', { code: 403, seat: wrong, subject: 'the team a' }, joins(['computer', 'b', 't-a'])],
  ['wrongOffice', { code: 403, seat: elsewhere }, joins(['computer', 'a', 't-a', 'blue'])],
  ['wrongRole', { code: 403, seat: seat('agent', 'a') }, joins(['agent', 'a', 't-a'])],
  ['nameTaken', { code: 409, seat: seat('computer', 'x') }, joins(x, x)],
  ['agentTaken', { code: 409, seat: seat('agent', 'g2') }, joins(['agent', 'g1'], ['agent', 'g2'])],
  [
    'outOfTurn',
    { code: 409, seat: seat('agent', 'x') },
    async ({ url }) => {
      const peer = new SeatedPeer(url, 'x', 'all');
      for (const role of ['computer', 'agent'] as const) await peer.join(role, 'red');
    },
  ],
  ['malformed', { code: 400 }, joins(['computer', 'an\u202Eame'])],
  ['malformed', { code: 400, reason: 'Use the namespace /smcp' }, (o) => turnedAway(o, shown, '/')],
  ['version', { code: 4008 }, (office) => turnedAway(office, { query: { a2c_version: '9.0.0' } })],
  ['version', { code: 400 }, (office) => turnedAway(office, {}), { requireVersion: true }],
  ['version', { code: 400 }, ({ url }) => fetch(`${url}/socket.io/?EIO=3&transport=polling`)],
  ['otherSite', { code: 403 }, (o) => turnedAway(o, { extraHeaders: { Origin: 'https://evil.example' } })],
  ['seatsPerOffice', { code: 429, seat: seat('computer', 'y') }, joins(x, ['computer', 'y']), oneSeat],
  [
    'connections',
    { code: 429 },
    async (office) => {
      await joins(x)(office);
      await turnedAway(office, webSocket);
    },
    { limits: { connections: 1 } },
  ],
  ['entryBytes', { code: 429 }, (o) => turnedAway(o, { auth: { token: 'x'.repeat(200_000) }, ...webSocket })],
])('a peer that is refused for %s is told and counted once, with %o', async (kind, told, act, options) => {
  await using office = await createOffice({ port: 0, record: false, metrics: { port: 0 }, auth, ...options });
  const heard: RefusedPeer[] = [];
  office.on('peer.refused', (one) => heard.push(one));
  await act(office);
  expect(heard).toEqual([
    expect.objectContaining({ kind, address: '127.0.0.1', reason: expect.any(String), ...told }),
  ]);
  expect(office.stats().refusals).toEqual({ [kind]: 1 });
  const measured = await (await fetch(`${office.metricsUrl}/metrics`)).text();
  expect(measured).toMatch(
    new RegExp(`^a2c_office_(refused_peers|limited)_total\\{\\w+="${kind}"\\} 1$`, 'm'),
  );
});

it('a join that comes while an office closes is told as refused', async () => {
  const office = await createOffice({ port: 0, record: false });
  const heard: RefusedPeer[] = [];
  office.on('peer.refused', (one) => heard.push(one));
  const [agent, computer] = [new SeatedPeer(office.url, 'agent'), new SeatedPeer(office.url, 'c').serve()];
  await agent.join('agent');
  await computer.join('computer');
  const came = once(computer.socket as never, 'client:tool_call');
  const call = agent.call('c', 'hang', 'r1');
  await came;
  const over = office.drain({ timeoutMs: 60_000 });
  expect(await computer.join('computer')).toEqual([false, 'The office is closing: connect again']);
  expect(heard).toEqual([expect.objectContaining({ kind: 'closing', code: 503, address: '127.0.0.1' })]);
  await office.close();
  await Promise.all([over, call]);
});
