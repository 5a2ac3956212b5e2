import { Agent, get, type IncomingMessage } from 'node:http';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PortInstance } from '../../machines/kernel/ports.ts';
import type { OfficeCommand, OfficeFact } from '../../machines/ports/office.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { createOffices } from './office.ts';

const offices = createOffices();
let facts: OfficeFact[];
let instance: PortInstance<OfficeCommand>;
let url: string;

/** Answers every join with a grant, because these tests are below the rules of the office. */
const grant = (fact: OfficeFact): void => {
  if (fact.type !== 'socket.joins') return;
  instance.tell({ type: 'office.seat', socket: fact.socket, seat: fact.seat });
  instance.tell({ type: 'office.answer', ticket: fact.ticket, ok: true, text: null });
};
beforeEach(async () => {
  facts = [];
  url = await new Promise<string>((resolve) => {
    instance = offices.open('office#1', { host: '127.0.0.1', port: 0 }, (fact) => {
      facts.push(fact);
      grant(fact);
      if (fact.type === 'office.opened') resolve(fact.url);
    });
  });
});
afterEach(async () => {
  instance.close();
  await offices.closed();
});

const opened = (namespace: string, options: object = {}): Socket =>
  closedAfter(io(`${url}${namespace}`, { forceNew: true, reconnection: false, ...options }));
const event = (socket: Socket, name: string): Promise<unknown> =>
  new Promise((resolve) => socket.once(name, resolve));
const ask = (socket: Socket, name: string, payload: unknown): Promise<unknown[]> =>
  new Promise((resolve) => socket.emit(name, payload, (...ack: unknown[]) => resolve(ack)));
const seated = async (role: string, name: string, transport = 'websocket'): Promise<Socket> => {
  const socket = opened('/smcp', { transports: [transport] });
  await event(socket, 'connect');
  await ask(socket, 'server:join_office', { role, name, office_id: 'o' });
  return socket;
};
const page = (path: string, headers: Record<string, string>, agent?: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers, ...(agent && { agent }) }, (response) => {
      response.resume();
      response.on('end', () => resolve(response));
    }).on('error', reject);
  });
const polling = '/socket.io/?EIO=4&transport=polling';

describe('an office over Socket.IO', () => {
  it('lets no page of another web site in, nor a name that was rebound to this machine', async () => {
    expect((await page(polling, {})).statusCode).toBe(200);
    for (const headers of [{ origin: 'https://evil.example' }, { host: 'evil.example' }])
      expect((await page(polling, headers)).statusCode).toBe(403);
    const socket = opened('/smcp', {
      transports: ['websocket'],
      extraHeaders: { origin: 'https://evil.example' },
    });
    await event(socket, 'connect_error');
  });
  it('keeps an office that is named like a socket apart from that socket', async () => {
    const [victim, spy, mate] = [opened('/smcp'), opened('/smcp'), opened('/smcp')];
    await Promise.all([victim, spy, mate].map((socket) => event(socket, 'connect')));
    const heard: unknown[] = [];
    victim.onAny((...args) => void heard.push(args));
    for (const [i, socket] of [spy, mate].entries())
      await ask(socket, 'server:join_office', { role: 'computer', name: `c${i}`, office_id: victim.id });
    await ask(spy, 'server:update_tool_list', { computer: 'c0' });
    await ask(victim, 'client:nonsense', {});
    expect(heard).toEqual([]);
  });
  it('refuses a question that is nested too deep, and answers the next one', async () => {
    const agent = await seated('agent', 'a');
    await seated('computer', 'c');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const call = `{"agent":"a","req_id":"r","computer":"c","tool_name":"t","params":{"deep":${deep}},"timeout":1}`;
    const answered = new Promise<unknown[]>((resolve) => {
      const raw = agent as unknown as { acks: Record<number, (...ack: unknown[]) => void> };
      raw.acks[777] = (...ack) => resolve(ack);
    });
    // The packet is written by hand, because the client could not encode it.
    agent.io.engine.write(`2/smcp,777["client:tool_call",${call}]`);
    expect(await answered).toMatchObject([{ isError: true, meta: { error_code: 413 } }]);
    expect(await ask(agent, 'server:list_room', { agent: 'a', req_id: 'r', office_id: 'o' })).toMatchObject([
      { req_id: 'r' },
    ]);
  });
  it.each(['polling', 'websocket'])('relays long texts of any signs, and bytes: %s', async (transport) => {
    const agent = await seated('agent', 'a', transport);
    const computer = await seated('computer', 'c', 'polling');
    const params = { text: 'née 茶 🍵 \u0000'.repeat(10_000), bytes: Buffer.alloc(5_000, 1) };
    computer.on('client:tool_call', (call: { readonly params: object }, ack: (said: object) => void) =>
      ack({ content: [], structuredContent: call.params }),
    );
    const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params, timeout: 5 };
    expect(await ask(agent, 'client:tool_call', call)).toMatchObject([{ structuredContent: params }]);
  });
  it.each(['polling', 'websocket'])('refuses a version that nobody here speaks: %s', async (transport) => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const headers =
      transport === 'polling' ? {} : { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    const path = `/socket.io/?EIO=4&transport=${transport}&a2c_version=9.0.0`;
    const response = await page(path, headers);
    expect([response.statusCode, response.headers['x-a2c-error-code']]).toEqual([400, '4008']);
  });
  it('lists the version that a connection was opened with', async () => {
    const socket = opened('/smcp', { query: { a2c_version: '0.4.0' } });
    await event(socket, 'connect');
    await ask(socket, 'server:join_office', { role: 'agent', name: 'a', office_id: 'o' });
    expect(await ask(socket, 'server:list_room', { agent: 'a', req_id: 'r', office_id: 'o' })).toMatchObject([
      { sessions: [{ name: 'a', a2c_version: '0.4.0' }] },
    ]);
  });
  it.each(['polling', 'websocket'])(
    'says goodbye by closing the connection, so that peers open it again: %s',
    async (transport) => {
      const socket = opened('/smcp', { transports: [transport] });
      await event(socket, 'connect');
      const ended = event(socket, 'disconnect');
      instance.close();
      // After 'io server disconnect' neither socket.io nor python-socketio reconnects, so the office must not send it.
      expect(['transport close', 'transport error']).toContain(await ended);
    },
  );
  it('closes although connections are kept alive and peers poll', async () => {
    const agent = new Agent({ keepAlive: true });
    expect((await page('/', {}, agent)).statusCode).toBe(404);
    await event(opened('/smcp', { transports: ['polling'] }), 'connect');
    instance.close();
    await offices.closed();
    await expect(page('/', {})).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });
});
