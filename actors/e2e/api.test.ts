import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { A2cError, createAgent, createComputer, createOffice, type ComputerOptions } from '../index.ts';
import { listening } from '../../scenarios/fixtures/local-server.ts';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

const mark = crypto.randomUUID();
const server = (behaviour = 'echo'): object => launched(mark, behaviour);
const computerOf = (mcpServers: object, options: ComputerOptions = {}) =>
  bootedComputer({ name: 'c1', config: foreign({ mcpServers }), ...options });

const refusal = async (promise: Promise<AsyncDisposable>): Promise<A2cError> => {
  const error = await promise.then(
    async (handle) => {
      await handle[Symbol.asyncDispose]();
      return new Error('it was not refused');
    },
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(A2cError);
  return error as A2cError;
};

afterAll(() => expect(pidsOf(mark)).toEqual([]));

describe('an office', () => {
  it('has one agent: the second one is told who sits there, and the first one stays', async () => {
    await using office = await createOffice({ port: 0 });
    await using first = await createAgent({ url: office.url, name: 'ada' });
    const error = await refusal(createAgent({ url: office.url, name: 'bob' }));
    expect(error).toMatchObject({ code: 'Conflict', remedy: expect.stringContaining('close the other one') });
    expect(error.message).toContain("'ada'");
    await using _elsewhere = await createAgent({ url: office.url, name: 'bob', office: 'other' });
    await using computer = await computerOf({ s: server() }, { office: { url: office.url } });
    // A booted computer may join its office a moment later; the agent waits for its tools.
    await first.tools(computer.name);
    expect(await first.callTool(computer.name, 'echo')).toMatchObject({ outcome: 'succeeded' });
  });

  it('needs a port of its own', async () => {
    await using office = await createOffice({ port: 0 });
    const error = await refusal(createOffice({ port: office.port }));
    expect(error).toMatchObject({ code: 'Conflict', message: expect.stringContaining('is already in use') });
    expect(error.remedy).toContain('0 is any free one');
  });
});

describe('a closed handle', () => {
  it('closes again without a word, and settles calls as failed', async () => {
    await using office = await createOffice({ port: 0 });
    const computer = await computerOf({ s: server() }, { office: { url: office.url } });
    const agent = await createAgent({ url: office.url });
    await agent.tools('c1');
    for (const handle of [agent, computer]) {
      await Promise.all([handle.close(), handle.close()]);
      await handle.close();
    }
    const failed = (message: string) => ({ outcome: 'failed', failure: { message } });
    expect(await agent.callTool('c1', 'echo')).toMatchObject(failed('The agent is closed'));
    const closed = 'The computer is closed';
    expect(await computer.callTool('echo')).toMatchObject(failed(closed));
    expect(computer.status().state).toBe('closed');
    for (const asked of [computer.tools(), computer.resources(), computer.prompts.list()])
      await expect(asked).rejects.toMatchObject({ code: 'Closed', message: closed });
    for (const order of ['start', 'stop'] as const)
      await expect(computer.servers[order]('s')).rejects.toThrow(closed);
  });

  it('has no tools when its agent is closed: who waits for those of a computer is told at once', async () => {
    await using office = await createOffice({ port: 0 });
    const mute = new SeatedPeer(office.url, 'mute');
    await mute.join('computer', 'local');
    const agent = await createAgent({ url: office.url });
    const waiting = agent.tools('mute');
    // The rejection comes before it is awaited below, so it must count as handled.
    waiting.catch(() => {});
    await agent.close();
    mute.close();
    await expect(waiting).rejects.toThrow('The agent is closed');
    await expect(agent.tools('mute')).rejects.toThrow('The agent is closed');
  });
});

describe('a computer that is told to give up', () => {
  it('is closed when it comes back while it waits for its office, and leaves nothing', async () => {
    const aborter = new AbortController();
    const silent = createServer();
    const url = await listening(silent);
    const creating = createComputer({
      config: { mcpServers: { mute: server('mute'), good: server() } },
      office: { url },
      signal: aborter.signal,
      onEvent: (name, value) => {
        if (name === 'server.changed' && 'state' in value && value.state === 'ready') aborter.abort('enough');
      },
    });
    await expect(creating).rejects.toBe('enough');
    expect(pidsOf(mark)).toEqual([]);
    silent.close();
  });
});
