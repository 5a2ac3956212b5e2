/** Tests of an office on several nodes that share a real Redis. Nodes that are killed or stopped are processes of their own. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { openNode, peerAt as peer, textOf } from '../../scenarios/fixtures/office-nodes.ts';
import type { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { startHost, type StartedHost } from '../../scenarios/fixtures/started-host.ts';
import { createOffice, type Office, type OfficeAuth, type OfficeOptions } from '../index.ts';

const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const leaseMs = 1_500;
let redis: RedisServer;
beforeAll(async () => void (redis = await RedisServer.start()));
afterAll(() => redis.kill());

const node = (options?: OfficeOptions): Promise<Office> => openNode({ url: redis.url, leaseMs }, options);
/** Starts `a2c office` as a process of its own, with its default lease of 10 s. */
async function process(): Promise<StartedHost> {
  const args = [main, 'office', '--port', '0', '--open', '--redis', redis.url];
  return closedAfter(await startHost(globalThis.process.execPath, args));
}
let rooms = 0;
const room = (): string => `room ${(rooms += 1)}`;
const ok = [true, null];
const failed = (code: number): object => ({ isError: true, structuredContent: { error: { code } } });
const reaches = async (agent: SeatedPeer): Promise<unknown> =>
  textOf(await agent.call('far', 'greet', crypto.randomUUID()));
/** Two nodes: an agent at the first has heard of the computer `far` at the second. */
async function apart<Node extends { readonly url: string }>(second: () => Promise<Node>) {
  const [a, b] = [await node(), await second()];
  const [agent, far] = [peer(a, 'agent'), peer(b, 'far').serve()];
  const o = room();
  expect([await agent.join('agent', o), await far.join('computer', o)]).toEqual([ok, ok]);
  await agent.hears('notify:enter_office', { computer: 'far' });
  return { a, b, agent, far, o };
}

describe('an office on two nodes', () => {
  it('carries calls, cancels, questions and notices between them', async () => {
    const { a, agent, far, o } = await apart(node);
    expect(await peer(a, 'near').serve().join('computer', o)).toEqual(ok);
    expect(textOf(await agent.call('far', 'greet', 'r1'))).toBe('far greet');
    expect(textOf(await agent.call('near', 'greet', 'r2'))).toBe('near greet');
    const asked = { agent: 'far', req_id: 'l', office_id: o };
    const [{ sessions }] = (await far.ask('server:list_room', asked)) as [{ sessions: { name: string }[] }];
    expect(sessions.map(({ name }) => name).toSorted()).toEqual(['agent', 'far', 'near']);
    void agent.call('far', 'hang', 'r3', 0);
    await agent.ask('server:tool_call_cancel', { agent: 'agent', req_id: 'r3' });
    await far.hears('notify:tool_call_cancel', { req_id: 'r3' });
    await far.ask('server:update_tool_list', { computer: 'far' });
    await agent.hears('notify:update_tool_list', { computer: 'far' });
    far.close();
    await agent.hears('notify:leave_office', { computer: 'far' });
    expect(await agent.call('far', 'greet', 'r4')).toMatchObject(failed(404));
  });

  it('tells and counts a refused seat at the node that refused it', async () => {
    const [a, b] = [await node(), await node()];
    const heard: unknown[] = [];
    for (const office of [a, b]) office.on('peer.refused', ({ kind, seat }) => heard.push([kind, seat]));
    const o = room();
    await peer(a, 'x').join('computer', o);
    await peer(a, 'g1').join('agent', o);
    const taken = expect.stringContaining('already exists');
    expect(await peer(b, 'x').join('computer', o)).toEqual([false, taken]);
    expect((await peer(b, 'g2').join('agent', o))[0]).toBe(false);
    expect(heard).toEqual([
      ['nameTaken', { office: o, role: 'computer', name: 'x' }],
      ['agentTaken', { office: o, role: 'agent', name: 'g2' }],
    ]);
    expect([a.stats().refusals, b.stats().refusals]).toEqual([{}, { nameTaken: 1, agentTaken: 1 }]);
  });

  it('carries each kind of update, and what follows a peer that its operator disconnects', async () => {
    const { a, b, agent, far, o } = await apart(node);
    const kinds = ['tool_list', 'config', 'desktop', 'finder', 'skills'];
    for (const kind of kinds)
      expect(await far.ask(`server:update_${kind}`, { computer: 'far' })).toBeDefined();
    for (const kind of kinds) await agent.hears(`notify:update_${kind}`, { computer: 'far' });
    // Each node shows and can disconnect only its own peers.
    const call = agent.call('far', 'hang', 'r1', 0);
    const id = b.peers().find(({ seat }) => seat?.name === 'far')?.id ?? '';
    expect(a.peers().map(({ seat }) => seat?.name)).toEqual(['agent']);
    expect([a.disconnect(id), b.disconnect(id)]).toEqual([false, true]);
    await far.hears('notify:disconnecting', { code: 401 });
    await agent.hears('notify:leave_office', { computer: 'far' });
    expect(await call).toMatchObject(failed(404));
    expect(await peer(a, 'far').join('computer', o)).toEqual(ok);
  });

  it('takes a credential back at each node that is told so, and tells it once', async () => {
    let known = ['red', 'blue'];
    const auth: OfficeAuth = ({ token }) =>
      token !== null && known.includes(token) ? { grant: { subject: token } } : { reason: 'Go' };
    const [a, b] = [await node({ auth }), await node({ auth })];
    const [agent, stays] = [peer(a, 'agent', 'blue'), peer(b, 'stays', 'blue').serve()];
    const far = peer(b, 'far', 'red').serve();
    const o = room();
    await agent.join('agent', o);
    for (const one of [far, stays]) expect(await one.join('computer', o)).toEqual(ok);
    for (const { name } of [far, stays]) await agent.hears('notify:enter_office', { computer: name });
    const call = agent.call('far', 'hang', 'far', 0);
    known = ['blue'];
    // Each node checks its own peers at every reload, also while another reload runs.
    const parted = await Promise.all([a, b, b, a].map((one) => one.reload()));
    expect(parted.flat().map(({ seat }) => seat?.name)).toEqual(['far']);
    expect(await call).toMatchObject(failed(404));
    await far.gone();
    expect(far.notices.filter(([event]) => event === 'notify:disconnecting')).toHaveLength(1);
    await agent.hears('notify:leave_office', { computer: 'far' });
    expect(await peer(b, 'far', 'blue').join('computer', o)).toEqual(ok);
    // Notices arrive in order, so all earlier ones have come when this update arrives.
    await stays.ask('server:update_desktop', { computer: 'stays' });
    await agent.hears('notify:update_desktop', { computer: 'stays' });
    expect(agent.notices.filter(([event]) => event === 'notify:leave_office')).toHaveLength(1);
  });

  it('gives each seat to one of those who want it at the same moment', async () => {
    const nodes = [await node(), await node(), await node()];
    for (let n = 0; n < 10; n += 1) {
      const o = room();
      const peers = Array.from({ length: 6 }, (_, i) =>
        peer(nodes[i % 3] as Office, i < 3 ? `agent ${i}` : 'c'),
      );
      const acks = await Promise.all(peers.map((one, i) => one.join(i < 3 ? 'agent' : 'computer', o)));
      expect(
        [acks.slice(0, 3), acks.slice(3)].map((some) => some.filter(([is]) => is === true).length),
      ).toEqual([1, 1]);
      for (const [is, text] of acks) if (is !== true) expect(text).toMatch(/already (in room|exists)/);
      for (const one of peers) one.close();
    }
  });

  it('frees the seats of a node that closes, at once', async () => {
    const { a, b, agent, o } = await apart(node);
    const call = agent.call('far', 'hang', 'r1', 0);
    await b.close();
    expect(await call).toMatchObject(failed(404));
    await agent.hears('notify:leave_office', { computer: 'far' });
    expect(await peer(a, 'far').join('computer', o)).toEqual(ok);
  });
});

describe('a node that fails', () => {
  it('ends its calls when it is killed: others hear that its seats are free, and they can be taken', async () => {
    const { a, b, agent, o } = await apart(process);
    const said: string[] = [];
    a.on('register.changed', ({ message }) => said.push(message));
    const call = agent.call('far', 'hang', 'r1', 0);
    await b.kill();
    expect(await call).toMatchObject(failed(404));
    await agent.hears('notify:leave_office', { computer: 'far' });
    expect(said).toEqual([expect.stringMatching(/^node .* is lost: /)]);
    expect(await peer(a, 'far').join('computer', o)).toEqual(ok);
  });

  it('slows nobody else when it hangs, and gives up the seats that were taken meanwhile', async () => {
    const { a, b, agent, far, o } = await apart(process);
    await peer(a, 'near').serve().join('computer', o);
    globalThis.process.kill(b.pid, 'SIGSTOP');
    try {
      // These requests must not need the stopped node, which would make them wait.
      expect(textOf(await agent.call('near', 'greet', 'r1'))).toBe('near greet');
      expect(await peer(a, 'third').join('computer', o)).toEqual(ok);
      const asked = { agent: 'agent', req_id: 'l', office_id: o };
      expect(await agent.ask('server:list_room', asked)).toHaveLength(1);
      await agent.hears('notify:leave_office', { computer: 'far' });
      expect(await peer(a, 'far').serve().join('computer', o)).toEqual(ok);
    } finally {
      globalThis.process.kill(b.pid, 'SIGCONT');
    }
    await far.gone();
    expect(textOf(await agent.call('far', 'greet', 'r2'))).toBe('far greet');
  });
});

describe('a Redis that fails', () => {
  it('lets who is there go on when it dies; who wants to join hears why not, and all heals when it is back', async () => {
    const { a, b, agent, far, o } = await apart(node);
    const said: string[] = [];
    a.on('register.changed', ({ message }) => said.push(message));
    const near = peer(a, 'near').serve();
    await near.join('computer', o);
    await redis.kill();
    expect(textOf(await agent.call('near', 'greet', 'r1'))).toBe('near greet');
    const late = peer(a, 'late');
    const unreached = expect.stringContaining('cannot reach its register');
    expect(await late.join('computer', o)).toEqual([false, unreached]);
    expect(await agent.call('far', 'greet', 'r2')).toMatchObject(failed(503));
    await redis.start();
    await expect.poll(() => late.join('computer', o), { timeout: 30_000 }).toEqual(ok);
    await expect.poll(() => reaches(agent), { timeout: 30_000 }).toBe('far greet');
    // Seats that were taken before the outage are still taken.
    expect((await peer(b, 'near').join('computer', o))[0]).toBe(false);
    expect([agent, near, far].map(({ socket }) => socket.connected)).toEqual([true, true, true]);
    expect(said.slice(0, 2)).toEqual([expect.stringContaining('lost'), expect.stringContaining('is back')]);
  });

  it('ends no node when it resets connections again and again: they carry calls afterwards', async () => {
    const { agent, far } = await apart(node);
    for (let n = 0; n < 100; n += 1)
      for (const type of ['pubsub', 'normal']) await redis.ask('CLIENT', 'KILL', 'TYPE', type);
    await expect.poll(() => reaches(agent), { timeout: 30_000 }).toBe('far greet');
    expect(far.socket.connected).toBe(true);
  });

  it('is told before the office opens when it is not there', async () => {
    const opened = createOffice({ port: 0, record: false, redis: 'redis://127.0.0.1:1' });
    await expect(opened).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'Redis cannot be reached: ECONNREFUSED',
    });
  });

  it('has no connection of an office that did not open, such as for its port of metrics', async () => {
    const own = closedAfter(await RedisServer.start());
    const { port } = await node();
    const opened = createOffice({ port: 0, record: false, redis: own.url, metrics: { port } });
    await expect(opened).rejects.toMatchObject({ code: 'Conflict' });
    await expect.poll(() => own.ask('CLIENT', 'LIST')).not.toMatch(/cmd=(?!client)/);
  });
});
