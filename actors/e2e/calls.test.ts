import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent, CallOutcome, Computer } from '../index.ts';
import { bootedComputer, bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../machines/config/config-input.ts';

const server = fixtureFile('mcp-server.mjs');
const config = (autoApprove: readonly string[]): object => ({
  mcpServers: { fixture: { command: process.execPath, args: [server], autoApprove } },
});

/** Caller of the tools: the host of the computer itself, or an agent in its office. */
interface Caller {
  call(tool: string, params?: object, options?: Parameters<Computer['callTool']>[2]): Promise<CallOutcome>;
  cancel(reqId: string): void;
}
let hosts: Awaited<ReturnType<typeof bootedHosts>>;
let computer: Computer;
let agent: Agent;
beforeAll(async () => {
  hosts = await bootedHosts({ config: foreign(config(['all'])) });
  ({ computer, agent } = hosts);
  await agent.tools('c1');
});
afterAll(() => hosts.close());
const host: Caller = {
  call: (tool, params, options) => computer.callTool(tool, { ...params }, options),
  cancel: (reqId) => computer.cancel(reqId),
};
const member: Caller = {
  call: (tool, params, options) => agent.callTool('c1', tool, { ...params }, options),
  cancel: (reqId) => agent.cancel(reqId),
};
const callers = [
  ['the host of a computer', host],
  ['an agent', member],
] as const;
const throwing = {
  get it() {
    throw new Error('not to be read');
  },
};
const textsOf = (result: unknown): string[] =>
  (result as { readonly content: readonly { readonly text: string }[] }).content.map(({ text }) => text);
const mebibyte = 1024 * 1024;
type Cut = Readonly<Record<'bytes' | 'limit_bytes', number>> & { readonly handle: string };

describe.each(callers)('a call of %s', (who, { call, cancel }) => {
  /** Adds the kind of caller to a label, so that no other test uses the same label. */
  const labelled = (name: string): string => `${who}: ${name}`;
  /** Labels of the calls that hang in the server and of those that were cancelled; the server reads its messages in order. */
  async function seen(): Promise<{ hanging: string[]; cancelled: string[] }> {
    return JSON.parse(textsOf((await call('seen')).result)[0] ?? '');
  }

  it('is answered with the result as the server gave it', async () => {
    expect(await call('echo', { text: 'hi' }, { reqId: labelled('echo') })).toMatchObject({
      outcome: 'succeeded',
      end: 'succeeded',
      reqId: labelled('echo'),
      server: 'fixture',
      ...(who === 'an agent' && { computer: 'c1' }),
      tool: 'echo',
      result: { content: [{ type: 'text', text: 'hi' }] },
      failure: null,
    });
  });

  it.each(['signal', 'reqId'])('is cancelled by its %s, and the server hears of it', async (by) => {
    const label = labelled(by);
    const aborter = new AbortController();
    const answer = call('hang', { label }, { reqId: label, signal: aborter.signal });
    expect((await seen()).hanging).toContain(label);
    if (by === 'signal') aborter.abort();
    else cancel(label);
    expect(await answer).toMatchObject({
      outcome: 'unknown',
      end: 'cancelled',
      reqId: label,
      failure: { code: 'ToolCallCancelled' },
    });
    expect(await seen()).toMatchObject({
      hanging: expect.not.arrayContaining([label]),
      cancelled: expect.arrayContaining([label]),
    });
  });

  it('is not sent when its signal is aborted already, and settles as cancelled', async () => {
    const label = labelled('aborted');
    const answer = await call('hang', { label }, { reqId: label, signal: AbortSignal.abort() });
    expect(answer).toMatchObject({
      ...{ outcome: 'failed', end: 'cancelled', phase: 'resolving', reqId: label, tool: 'hang' },
      ...{ result: null, failure: { code: 'ToolCallCancelled' } },
    });
    const { hanging, cancelled } = await seen();
    expect([...hanging, ...cancelled]).not.toContain(label);
  });

  it('is refused with 409 when it has the id of one in flight, and the first one lives', async () => {
    const reqId = labelled('twice');
    const first = call('hang', { label: reqId }, { reqId });
    expect(await call('echo', { text: 'second' }, { reqId })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'Conflict', details: { req_id: reqId } },
    });
    expect((await seen()).hanging).toContain(reqId);
    cancel(reqId);
    expect((await first).end).toBe('cancelled');
    // An agent forgets a cancelled call at once, but its office only after the computer has received the cancel.
    expect((await seen()).cancelled).toContain(reqId);
    expect(await call('echo', { text: 'third' }, { reqId })).toMatchObject({ outcome: 'succeeded' });
  });

  it('ends as unknown without an answer in time, and the server is told', async () => {
    const label = labelled('slow');
    const answer = await call('hang', { label }, { timeoutMs: 1_000 });
    expect(answer).toMatchObject({ outcome: 'unknown', failure: { details: { timeout: 1_000 } } });
    expect((await seen()).cancelled).toContain(label);
  });

  it('fails for an unknown tool and says so', async () => {
    const answer = await call('no_such_tool');
    expect(answer).toMatchObject({ outcome: 'failed', failure: { code: 'ToolNotFound' } });
    expect(answer.failure?.message).toContain('no_such_tool');
  });

  it('gets the beginning of a result over the budget, says so, and the host keeps the whole', async () => {
    const answer = await call('big', { bytes: 9 * mebibyte });
    expect(answer.outcome).toBe('succeeded');
    const { a2c_cut: cut } = (answer.result as unknown as { _meta: { a2c_cut: Cut } })._meta;
    const content = textsOf(answer.result);
    expect(cut).toMatchObject({ limit_bytes: 7 * mebibyte, handle: `fixture/${answer.reqId}` });
    expect(cut.bytes).toBeGreaterThan(9 * mebibyte);
    expect(content[0]).toContain(`The host of the computer keeps the whole as 'fixture/${answer.reqId}'`);
    const [beginning, rest] = (content[1] ?? '').split('…');
    expect(new Set(beginning)).toEqual(new Set('x'));
    expect(rest).toMatch(/^ \[\d+ characters cut\]$/);
    expect(textsOf(computer.debug.cachedResult(cut.handle))[0]).toHaveLength(9 * mebibyte);
  });

  it('gets a result within the budget whole, and knows of one that no message carries the size alone', async () => {
    const whole = await call('big', { bytes: 6 * mebibyte });
    expect(textsOf(whole.result)[0]).toHaveLength(6 * mebibyte);
    expect(await call('big', { bytes: 12 * mebibyte })).toMatchObject({
      outcome: 'unknown',
      failure: {
        message: 'the answer to tools/call has 12.0 MiB, the limit is 10.0 MiB',
        details: { limit: 10 * mebibyte },
      },
    });
    expect(await call('echo', { text: 'still here' })).toMatchObject({ outcome: 'succeeded' });
    expect(computer.status().link).toEqual({ state: 'joined', reason: null, refusal: null });
  });

  it.each([
    ['a big integer', 1n],
    ['what throws when it is read', throwing],
  ])(
    'fails with parameters and with meta that no JSON can hold (%s), and the next one runs',
    async (_what, text) => {
      for (const given of [call('echo', { text }), call('echo', { text: 'hi' }, { meta: { text } })])
        expect(await given).toMatchObject({ outcome: 'failed', failure: { code: 'BadRequest' } });
      expect(await call('echo', { text: 'next' })).toMatchObject({ outcome: 'succeeded' });
    },
  );
});

describe('the limits of a config', () => {
  it('bound the calls of that server, no matter who asks and however long that would wait', async () => {
    const at = (timeouts: object): object => ({
      ...{ command: process.execPath, args: [server], autoApprove: ['all'], a2c: { timeouts } },
    });
    await using limited = await bootedComputer({
      config: {
        mcpServers: {
          short: { ...at({ callTotalMs: 100 }), tool_meta: { hang: { alias: 'short' } } },
          silent: { ...at({ callIdleMs: 90 }), tool_meta: { hang: { alias: 'silent' } } },
        },
        a2c: { timeouts: { callTotalMs: 200 } },
      },
    });
    const limit = async (tool: string): Promise<unknown> =>
      (await limited.callTool(tool, { label: tool }, { timeoutMs: 60_000 })).failure?.details;
    expect(await Promise.all([limit('short'), limit('silent')])).toMatchObject([
      { which: 'total', timeout: 100 },
      { which: 'idle', timeout: 90 },
    ]);
  });
});
