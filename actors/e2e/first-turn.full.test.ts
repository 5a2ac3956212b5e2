import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linked } from '../../scenarios/fixtures/hosted.ts';
import { createAgent, createComputer, createOffice, type Agent, type Office } from '../index.ts';

/** Tests of the computers and tools that an agent knows right after it was created. */
let office: Office;
const opened: AsyncDisposable[] = [];
const kept = <T extends AsyncDisposable>(one: T): T => (opened.push(one), one);
const computerOf = async (name: string): Promise<void> => {
  const config = { servers: [{ name: 's', type: 'inmemory' as const, server_parameters: {} }] };
  kept(
    await createComputer({
      ...{ name, config, office: { url: office.url }, inMemory: { s: linked().connect } },
    }),
  );
};
const agentOf = async (url = office.url): Promise<Agent> => kept(await createAgent({ url }));
/** Foreign computer that joins the office and never answers a request. */
async function mute(name: string): Promise<Socket> {
  const socket = io(`${office.url}/smcp`, { forceNew: true, reconnection: false, transports: ['websocket'] });
  opened.push({ [Symbol.asyncDispose]: async () => void socket.disconnect() });
  await socket.emitWithAck('server:join_office', { role: 'computer', name, office_id: 'local' });
  return socket;
}
beforeEach(async () => {
  office = await createOffice({ port: 0 });
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  await office.close();
});

it('an agent names all computers that sit in its office as soon as it is there, and waits for their tools, twenty times', async () => {
  await computerOf('one');
  await computerOf('two');
  for (let time = 0; time < 20; time++) {
    const agent = await createAgent({ url: office.url });
    const names = agent.status().computers.toSorted();
    const tools = await Promise.all(names.map((name) => agent.tools(name)));
    await agent.close();
    expect([names, tools.every((some) => some.tools.length > 0)]).toEqual([['one', 'two'], true]);
  }
});

it('a computer that tells no tools is named, and takes those of no other', async () => {
  await computerOf('one');
  await mute('mute');
  const agent = await agentOf();
  expect(agent.status().computers.toSorted()).toEqual(['mute', 'one']);
  expect((await agent.room()).map(({ name }) => name).toSorted()).toEqual(['agent', 'mute', 'one']);
  await expect(agent.tools('mute', { timeoutMs: 50 })).rejects.toMatchObject({ code: 'NoAnswer' });
  expect((await agent.tools('one')).tools).not.toEqual([]);
});

it('a computer that comes later is named, one that leaves is not, and each is told once', async () => {
  await computerOf('one');
  const agent = await agentOf();
  const told: string[] = [];
  agent.on('computer.joined', ({ computer }) => told.push(`${computer} joined`));
  const left = new Promise<void>((resolve) => {
    agent.on('computer.left', ({ computer }) => {
      told.push(`${computer} left`);
      resolve();
    });
  });
  await agent.tools('one');
  const joined = new Promise<void>((resolve) => agent.on('computer.joined', () => resolve()));
  const late = await mute('late');
  await joined;
  expect(agent.status().computers).toEqual(['one', 'late']);
  late.disconnect();
  await left;
  expect(agent.status().computers).toEqual(['one']);
  expect(told).toEqual(['one joined', 'late joined', 'late left']);
});

it('an office that does not tell who is there makes no agent wait for long', async () => {
  const raw = new Server(0);
  opened.push({ [Symbol.asyncDispose]: () => raw.close() });
  raw.of('/smcp').on('connection', (socket) => {
    socket.on('server:join_office', (_: unknown, ack: (...answer: unknown[]) => void) => ack(true, null));
    socket.on('server:list_room', () => {});
  });
  const { port } = (raw as unknown as { httpServer: { address(): { port: number } } }).httpServer.address();
  const agent = await agentOf(`http://127.0.0.1:${port}`);
  expect(agent.status().computers).toEqual([]);
});
