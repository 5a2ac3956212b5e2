import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { linked } from '../../scenarios/fixtures/hosted.ts';
import { deferred } from '../kernel/listeners.ts';
import {
  createAgent,
  createOffice,
  type Agent,
  type CallEnded,
  type Computer,
  type ConfirmAnswer,
  type ConfirmQuestion,
} from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Answer of the Python SDK to a confirmation that timed out; our computer sends it after an English sentence. */
const late = '当前工具需要用户二次确认是否可以调用，当前确认超时。';
const english = 'Nobody said in time whether the call may run';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});
/** Opens an office, an agent, and a computer that asks its person about every call. */
async function createHarness() {
  const asked = deferred<ConfirmQuestion>();
  const word = deferred<ConfirmAnswer>();
  const server = linked();
  const office = await createOffice({ port: 0, record: false });
  open.push(office);
  const computer: Computer = await bootedComputer({
    ...{ name: 'c1', office: { url: office.url }, stateDir: false, reaper: false },
    config: { mcpServers: { A: { type: 'inmemory', args: ['A'] } } },
    inMemory: { A: server.connect },
    confirm: (question) => {
      asked.resolve(question);
      return word.promise;
    },
  });
  open.push(computer);
  const agent: Agent = await createAgent({ url: office.url, name: 'bob' });
  open.push(agent);
  await agent.tools('c1');
  const calls = (): number => server.methods.filter((method) => method === 'tools/call').length;
  return { agent, computer, asked: asked.promise, word, calls };
}

describe('a question to a person', () => {
  it('is withdrawn when the time of its agent is over, which hears where the call stood; a late yes runs nothing', async () => {
    const { agent, computer, asked, word, calls } = await createHarness();
    const settled = deferred<CallEnded>();
    computer.on('call.settled', (call) => settled.resolve(call));
    const call = agent.callTool('c1', 'echo', { text: 'hi' }, { timeoutMs: 1_000 });
    const { signal, agent: name } = await asked;
    const outcome = await call;
    expect([name, signal.aborted]).toEqual(['bob', true]);
    expect(signal.reason).toMatchObject({
      name: 'AbortError',
      message: 'The question is no longer open: its time, 1 s, is over',
    });
    expect(outcome).toMatchObject({
      ...{ outcome: 'failed', phase: 'confirming', failure: { code: 4005, message: english } },
      result: { isError: true, content: [{ text: `${english}. ${late}` }] },
    });
    expect(await settled.promise).toMatchObject({ outcome: 'failed', phase: 'confirming', result: null });
    word.resolve('allow');
    // The next call is answered after everything that the late permission could start.
    const next = await computer.callTool('echo', { text: 'hi' }, { confirmed: true });
    expect([next.outcome, calls()]).toEqual(['succeeded', 1]);
  });

  it('is withdrawn when its agent is gone, and when its computer closes, and says so', async () => {
    const first = await createHarness();
    void first.agent.callTool('c1', 'echo', { text: 'hi' });
    const { signal } = await first.asked;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await first.agent.close();
    await aborted;
    expect(String(signal.reason)).toContain('it was cancelled');
    const second = await createHarness();
    const call = second.agent.callTool('c1', 'echo', { text: 'hi' });
    const question = await second.asked;
    await second.computer.close();
    expect(await call).toMatchObject({
      ...{ outcome: 'failed', phase: 'confirming', failure: { code: 'ToolCallCancelled' } },
    });
    expect(question.signal.aborted).toBe(true);
    expect([first.calls(), second.calls()]).toEqual([0, 0]);
  });

  it('names nobody when the host itself calls, and its end is told with its result', async () => {
    const { computer, asked, word } = await createHarness();
    const settled = deferred<CallEnded>();
    computer.on('call.settled', (call) => settled.resolve(call));
    const call = computer.callTool('echo', { text: 'hi' });
    expect((await asked).agent).toBeNull();
    word.resolve('allow');
    const { result } = await call;
    expect(await settled.promise).toMatchObject({ outcome: 'succeeded', failure: null, phase: null, result });
    expect(result).toMatchObject({ content: [{ type: 'text' }] });
    expectTypeOf<keyof CallEnded>().toEqualTypeOf<
      | ('reqId' | 'context' | 'server' | 'tool' | 'end' | 'outcome' | 'phase')
      | ('result' | 'failure' | 'toolError')
    >();
  });
});
