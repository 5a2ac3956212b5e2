import { describe, expect, expectTypeOf, it } from 'vitest';
import { linked } from '../../scenarios/fixtures/hosted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { deferred } from '../kernel/listeners.ts';
import {
  createAgent,
  createOffice,
  type CallEnded,
  type ComputerOptions,
  type Confirm,
  type ConfirmAnswer,
  type ConfirmQuestion,
} from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

async function asking(confirm: Confirm | undefined, more: ComputerOptions = {}) {
  const server = linked();
  const computer = await bootedComputer({
    ...{ stateDir: false, reaper: false, confirm, ...more },
    config: { mcpServers: { A: { type: 'inmemory', args: ['A'] } } },
    inMemory: { A: server.connect },
  });
  return { computer: closedAfter(computer), server };
}
async function createHarness() {
  const asked = deferred<ConfirmQuestion>();
  const word = deferred<ConfirmAnswer>();
  const office = closedAfter(await createOffice({ port: 0, record: false }));
  const confirm: Confirm = (question) => {
    asked.resolve(question);
    return word.promise;
  };
  const { computer, server } = await asking(confirm, { name: 'c1', office: { url: office.url } });
  const agent = closedAfter(await createAgent({ url: office.url, name: 'bob' }));
  await agent.tools('c1');
  const calls = (): number => server.methods.filter((method) => method === 'tools/call').length;
  return { agent, computer, asked: asked.promise, word, calls };
}

describe('a question to a person', () => {
  it('a question to a person is withdrawn when the whole time of its agent is over; a late yes runs nothing', async () => {
    const { agent, computer, asked, word, calls } = await createHarness();
    const call = agent.callTool('c1', 'echo', { text: 'hi' }, { totalMs: 1_000 });
    const { signal, agent: name } = await asked;
    expect(await call).toMatchObject({
      ...{ outcome: 'failed', end: 'timedOut', phase: 'confirming' },
      failure: { code: 'ToolTimeout', wireCode: 4004, details: { timeout: 1_000, which: 'total' } },
    });
    expect([name, signal.aborted]).toEqual(['bob', true]);
    expect(signal.reason).toMatchObject({ name: 'AbortError' });
    word.resolve('allow');
    // The next call is answered after everything that the late permission could start.
    const next = await computer.callTool('echo', { text: 'hi' }, { confirmed: true });
    expect([next.outcome, calls()]).toEqual(['succeeded', 1]);
  });

  it('a question to a person has time of its own: the limit of the call stands still meanwhile, for an agent, too', async () => {
    const { agent, computer, asked, word } = await createHarness();
    const calls = [
      computer.callTool('echo', { text: 'hi' }, { timeoutMs: 200 }),
      agent.callTool('c1', 'echo', { text: 'hi' }, { timeoutMs: 200 }),
    ];
    await asked;
    // A clock: this call ends when the limits of the others would be long over.
    const later = await agent.callTool('c1', 'echo', {}, { totalMs: 1_500 });
    expect(later).toMatchObject({ end: 'timedOut' });
    word.resolve('allow');
    expect(await Promise.all(calls)).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'succeeded' }]);
  });

  it('a question to a person is asked once for equal calls: an answer for the session is for all that wait', async () => {
    let questions = 0;
    const { computer } = await asking(async ({ context }) => {
      questions += 1;
      await new Promise((resolve) => void setImmediate(resolve));
      return context === 'ada' ? 'allowForSession' : 'allow';
    });
    const callsOf = (context: string) =>
      Array.from({ length: 50 }, () => computer.callTool('echo', { text: 'hi' }, { context }));
    const ended = await Promise.all(callsOf('ada'));
    expect([questions, new Set(ended.map(({ outcome }) => outcome))]).toEqual([1, new Set(['succeeded'])]);
    await Promise.all(callsOf('bob'));
    expect(questions).toBe(51);
  });

  it.each<[why: string, confirm: Confirm | undefined, told: string, remedy?: string]>([
    ['missing', undefined, 'There is nobody who could be asked', '`confirm`'],
    ['denied', 'deny', 'A person refused the call'],
    ['denied', () => ({ decision: 'deny', reason: 'not today' }), 'A person refused the call: not today'],
    [
      'late',
      () => {
        throw Object.assign(new Error('x'), { name: 'TimeoutError' });
      },
      'Nobody said in time',
    ],
    ['failed', () => Promise.reject(new Error('no dialog')), 'no dialog'],
    ['failed', () => Promise.reject(Object.create(null)), 'The question whether the call may run failed'],
    [
      'failed',
      () => ({
        get decision(): never {
          throw new Error('mine');
        },
      }),
      'The question whether the call may run failed',
    ],
    ['failed', () => 'yes' as never, 'The question whether the call may run failed', "Return 'allow'"],
  ])('tells a program why a call was not confirmed: %s', async (why, confirm, told, remedy = '') => {
    const { computer, server } = await asking(confirm);
    const answer = await computer.callTool('echo', { text: 'hi' });
    expect(answer.failure?.remedy ?? '').toContain(remedy);
    expect(answer).toMatchObject({
      ...{ outcome: 'failed', end: 'refused', result: null },
      failure: {
        ...{ code: 'NotConfirmed', wireCode: 4005, details: { why } },
        message: expect.stringContaining(told),
      },
    });
    expect(server.methods).not.toContain('tools/call');
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
    const call = computer.callTool('echo', { text: 'hi' }, { reqId: 'r1' });
    expect(await asked).toMatchObject({
      ...{ agent: null, reqId: 'r1', server: 'A', tool: 'echo', title: 'echo', arguments: { text: 'hi' } },
    });
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
