import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent, createOffice } from '../index.ts';
import type { Agent, Computer, ComputerEvents, Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

/** Tests how calls end for callers and observers, with our own peers and with a foreign computer. */
const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('endings');
const config = (autoApprove: readonly string[] = ['all']): object => ({
  mcpServers: { fixture: { command: process.execPath, args: [server], autoApprove } },
});
const mebibyte = 1024 * 1024;

let office: Office;
let socket: Socket | undefined;
const opened: AsyncDisposable[] = [];
beforeEach(async () => {
  office = await createOffice({ port: 0 });
});
afterEach(async () => {
  socket?.disconnect();
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
  await office.close();
});
const kept = <T extends AsyncDisposable>(one: T): T => (opened.push(one), one);
const pairOf = async (autoApprove?: readonly string[]): Promise<{ computer: Computer; agent: Agent }> => {
  const seat = { name: 'ours', office: { url: office.url }, stateDir: false } as const;
  const computer = kept(
    await bootedComputer({ ...seat, config: foreign(config(autoApprove)), confirm: () => 'deny' }),
  );
  const agent = kept(await createAgent({ url: office.url }));
  await agent.tools('ours');
  return { computer, agent };
};

type Ack = (body: unknown) => void;
/** Foreign computer with one tool that keeps the acks of its calls and records the cancels that it receives. */
async function rawComputer(onCall: (ack: Ack) => void) {
  const raw = io(`${office.url}/smcp`, { reconnection: false, transports: ['websocket'] });
  socket = raw;
  const cancels: unknown[] = [];
  const tool = { name: 't', description: 'a tool', params_schema: { type: 'object' }, return_schema: null };
  raw.onAny((event: string, body: { readonly req_id: string }, ack: Ack) => {
    if (event === 'client:get_tools') ack({ tools: [tool], req_id: body.req_id });
    if (event === 'client:get_config') ack({ servers: {}, inputs: [] });
    if (event === 'client:tool_call') onCall(ack);
    if (event === 'notify:tool_call_cancel') cancels.push(body);
  });
  const seat = { role: 'computer', name: 'raw', office_id: 'local' };
  await new Promise((resolve) => raw.emit('server:join_office', seat, resolve));
  return cancels;
}

describe('an agent', () => {
  it('says with its req_id that a call has no answer in time, and has sent exactly one cancel', async () => {
    const acks: Ack[] = [];
    const cancels = await rawComputer((ack) => acks.push(ack));
    const agent = kept(await createAgent({ url: office.url, timing: anyTiming({ agentMarginMs: 0 }) }));
    await agent.tools('raw');
    const answer = await agent.callTool('raw', 't', {}, { reqId: 'E20', timeoutMs: 1_000 });
    expect(answer).toMatchObject({
      ...{ outcome: 'unknown', end: 'timedOut', phase: 'running' },
      failure: { code: 'ToolTimeout', message: expect.stringContaining("(call 'E20')") as string },
    });
    agent.cancel('E20');
    acks[0]?.({ content: [] });
    // The computer answers this request only after it has received the cancels.
    await agent.config('raw');
    expect(cancels).toEqual([{ agent: 'agent', req_id: 'E20' }]);
  });

  it('sends no cancel for a call that has its answer', async () => {
    const cancels = await rawComputer((ack) => ack({ content: [] }));
    const agent = kept(await createAgent({ url: office.url }));
    await agent.tools('raw');
    const call = agent.callTool('raw', 't', {}, { reqId: 'over' });
    expect(await call).toMatchObject({ outcome: 'succeeded', phase: null });
    call.cancel();
    agent.cancel('over');
    await agent.config('raw');
    expect(cancels).toEqual([]);
  });

  it.each([
    [
      'die',
      'unknown',
      'running',
      { message: expect.stringContaining('exit code 3') as string, remedy: expect.any(String) as string },
    ],
    ['methods', 'failed', 'confirming', { code: 'NotConfirmed' }],
    ['no_such_tool', 'failed', 'resolving', { code: 'ToolNotFound', remedy: expect.any(String) as string }],
    ['fail', 'failed', 'running', { code: 'ToolFailed', message: 'no such thing' }],
  ])('knows of %s what its computer knows: %s, %s', async (tool, outcome, phase, failure) => {
    const { agent } = await pairOf(['die', 'fail']);
    expect(await agent.callTool('ours', tool)).toMatchObject({ outcome, phase, failure });
  });
});

describe('a computer', () => {
  it('does not know what came of a call whose result has 40 MiB, says that size, and serves on', async () => {
    const { agent, computer } = await pairOf();
    expect(await agent.callTool('ours', 'big', { bytes: 40 * mebibyte })).toMatchObject({
      ...{ outcome: 'unknown', phase: 'running' },
      failure: {
        code: 'TooLarge',
        message: expect.stringContaining('has 40.0 MiB, the limit is 10.0 MiB') as string,
      },
    });
    expect(await agent.callTool('ours', 'echo', { text: 'next' })).toMatchObject({ outcome: 'succeeded' });
    expect(computer.status()).toMatchObject({ servers: [{ state: 'ready' }], link: { state: 'joined' } });
  });

  it('tells of each call once that it began and once how it ended, no matter who asked and however it ended', async () => {
    const { agent, computer } = await pairOf(['die', 'echo', 'fail', 'hang']);
    const told: (readonly [string, string, string?])[] = [];
    computer.on('call.started', ({ reqId }) => told.push(['started', reqId]));
    computer.on('call.settled', ({ reqId, outcome }: ComputerEvents['call.settled']) =>
      told.push(['settled', reqId, outcome]),
    );
    const ends = {
      echo: 'succeeded',
      fail: 'failed',
      methods: 'failed',
      hang: 'unknown',
      die: 'unknown',
    } as const;
    for (const [tool, outcome] of Object.entries(ends)) {
      const how = { reqId: tool, timeoutMs: 1_000 };
      const answer =
        tool === 'echo'
          ? await computer.callTool(tool, {}, how)
          : await agent.callTool('ours', tool, {}, how);
      expect([tool, answer.outcome]).toEqual([tool, outcome]);
      expect(told.filter(([, reqId]) => reqId === tool)).toEqual([
        ['started', tool],
        ['settled', tool, outcome],
      ]);
    }
  });

  it('writes a trace where an agent calls, and where the call runs, when its server dies in it', async () => {
    const notices: string[] = [];
    const stateDir = mkdtempSync(join(folder, 'state-'));
    const dir = join(stateDir, 'agent');
    const onNotice = (text: string): void => void notices.push(text);
    const seat = { name: 'ours', office: { url: office.url }, config: foreign(config()) };
    kept(await bootedComputer({ ...seat, stateDir, onNotice }));
    const agent = kept(await createAgent({ url: office.url, record: { dir } }));
    await agent.tools('ours');
    expect(await agent.callTool('ours', 'die', {})).toMatchObject({ outcome: 'unknown' });
    await expect.poll(() => notices.filter((text) => text.includes('see a2c replay'))).toHaveLength(1);
    expect(readdirSync(join(stateDir, 'traces'))).toEqual([expect.stringMatching(/-callUnknown\.trace/)]);
    const growing = (): string => readFileSync(join(dir, readdirSync(dir)[0] ?? ''), 'utf8');
    await expect.poll(growing).toContain('"text":"callUnknown die"');
  });

  it('drops the answer to a call that was cancelled, and counts it', async () => {
    const { computer } = await pairOf();
    const call = computer.callTool('hang', { label: 'late', late: true });
    await computer.callTool('seen');
    call.cancel();
    expect(await call).toMatchObject({ end: 'cancelled', outcome: 'unknown', result: null });
    await computer.callTool('seen');
    expect(computer.status().servers).toMatchObject([{ noise: { lateAnswer: 1, unknownId: 0 } }]);
  });
});
