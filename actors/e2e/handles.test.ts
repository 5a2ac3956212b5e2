import { on, once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, it } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { linked } from '../../scenarios/fixtures/hosted.ts';
import {
  A2cError,
  createAgent,
  createComputer,
  createOffice,
  type CallStep,
  type Computer,
  type ComputerOptions,
} from '../index.ts';

const config = { mcpServers: { s: { type: 'inmemory', autoApprove: ['all'] } } } as const;
const computerOf = async (options: ComputerOptions = {}): Promise<Computer> =>
  closedAfter(
    await createComputer({
      ...{ config, record: false, stateDir: false, reaper: false, inMemory: { s: linked().connect } },
      ...options,
    }),
  );

it('events are heard once, until off, in a loop, and by the functions of node:events', async () => {
  const computer = await computerOf();
  await computer.servers.start('s');
  const heard: string[] = [];
  const listener = ({ tool }: { readonly tool: string }): void => void heard.push(tool);
  const warned = once(process, 'warning');
  computer.on('call.settled', () => {
    throw new Error('mine');
  });
  computer.on('call.settled', listener);
  computer.once('call.settled', ({ tool }) => heard.push(`once ${tool}`));
  const next = computer.once('call.settled');
  const ofNode = once(computer as never, 'call.settled');
  const loop = computer.on('call.settled');
  const loopOfNode = on(computer as never, 'call.settled');
  await computer.callTool('echo', { text: 'a' });
  computer.off('call.settled', listener);
  await computer.callTool('echo', { text: 'b' });
  expect(heard).toEqual(['echo', 'once echo']);
  expect(String(await warned)).toContain("'call.settled' threw: Error: mine");
  expect((await next).outcome).toBe('succeeded');
  expect(await ofNode).toMatchObject([{ outcome: 'succeeded' }]);
  const seen: string[] = [];
  for await (const { reqId } of loop) if (seen.push(reqId) === 2) break;
  for await (const [{ reqId }] of loopOfNode as AsyncIterable<[{ reqId: string }]>)
    if (seen.push(reqId) === 4) break;
  expect(seen.slice(0, 2)).toEqual(seen.slice(2));
  const given = new AbortController();
  const never = computer.once('incident', { signal: given.signal });
  given.abort(new Error('enough'));
  await expect(never).rejects.toThrow('enough');
});

it('a call is a loop over its progress and its end, and throws for who wants that', async () => {
  const computer = await computerOf();
  const steps: CallStep[] = [];
  for await (const step of computer.callTool('work', {})) steps.push(step);
  expect(steps.slice(0, -1).every(({ type }) => type === 'progress')).toBe(true);
  expect(steps.length).toBeGreaterThan(1);
  expect(steps.at(-1)).toMatchObject({ type: 'ended', outcome: { outcome: 'succeeded' } });
  expect((await computer.callTool('echo', { text: 'hi' }).orThrow()).result.content).toMatchObject([
    { type: 'text' },
  ]);
  const error: unknown = await computer
    .callTool('nosuch')
    .orThrow()
    .catch((each: unknown) => each);
  expect(error).toBeInstanceOf(A2cError);
  expect(error).toMatchObject({ code: 'ToolNotFound', wireCode: 4001, cause: { outcome: 'failed' } });
});

it('a drain refuses new calls, lets running ones end, and closes: of a computer, and of an agent', async () => {
  const office = closedAfter(await createOffice({ port: 0, record: false }));
  const computer = await computerOf({ name: 'c', office: { url: office.url } });
  const agent = closedAfter(await createAgent({ url: office.url, record: false }));
  await agent.joined('c');
  const started = computer.once('call.started');
  const running = agent.callTool('c', 'pair', { text: 'a' });
  await started;
  const draining = agent.drain({ timeoutMs: 10_000 });
  expect(await agent.callTool('c', 'echo')).toMatchObject({
    outcome: 'failed',
    failure: { code: 'LinkLost' },
  });
  // The tool answers two calls together.
  expect(await computer.callTool('pair', { text: 'b' })).toMatchObject({ outcome: 'succeeded' });
  expect(await running).toMatchObject({ outcome: 'succeeded' });
  await draining;
  const begun = computer.once('call.started');
  const last = computer.callTool('pair', { text: 'a' });
  await begun;
  const ended = computer.drain({ timeoutMs: 200 });
  expect(await computer.callTool('echo')).toMatchObject({ failure: { code: 'ServerNotActive' } });
  await ended;
  expect(await last).toMatchObject({ outcome: 'unknown', end: 'cancelled' });
  expect(computer.status().state).toBe('closed');
});

it('an agent waits for a computer by its name', async () => {
  const office = closedAfter(await createOffice({ port: 0, record: false }));
  const agent = closedAfter(await createAgent({ url: office.url, record: false }));
  const there = agent.joined('late');
  await computerOf({ name: 'late', office: { url: office.url } });
  await there;
  expect(agent.status().computers).toEqual(['late']);
  const never = agent.joined('nobody');
  const signal = AbortSignal.timeout(1);
  const missing = { code: 'NotFound', message: "Computer 'nobody' has not joined in time" };
  await expect(agent.joined('nobody', { signal })).rejects.toMatchObject({
    ...missing,
    remedy: "In this office: 'late'.",
    cause: { name: 'TimeoutError' },
  });
  await agent.close();
  await expect(never).rejects.toMatchObject({ code: 'Closed' });
});

const clock = (): McpServer => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', {}, () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
};
it.each([
  ['an McpServer', clock()],
  ['a function that makes one', clock],
])('a server inside the host is %s', async (_, s) => {
  const computer = await computerOf({ inMemory: { s: s as never } });
  expect(await computer.callTool('now')).toMatchObject({ result: { content: [{ text: 'noon' }] } });
});
