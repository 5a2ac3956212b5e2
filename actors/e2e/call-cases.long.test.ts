import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startHttpServer } from '../../scenarios/fixtures/http-server.ts';
import { createOffice } from '../index.ts';
import type { Computer, ComputerOptions, ConfirmAnswer, Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of calls: a foreign agent, a real office, and a real computer with a real server. */
const server = fixtureFile('mcp-server.mjs');
const behaviour = new URL('../../scenarios/fixtures/mcp-behaviour.mjs', import.meta.url).href;
/** Program of a server whose results have a `_meta` of their own. */
const withOwnMeta = `
  import { createInterface } from 'node:readline';
  import { createBehaviour } from ${JSON.stringify(behaviour)};
  const send = (message) => {
    if (message.result?.content) message.result._meta = { trace: 'abc', a2c_outcome: 'unknown' };
    process.stdout.write(JSON.stringify(message) + '\\n');
  };
  const { receive } = createBehaviour('echo', { send });
  createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));`;
const freely = ['fail', 'hang', 'pair', 'seen', 'slow'];
const config = {
  mcpServers: {
    fixture: {
      ...{ command: process.execPath, args: [server], autoApprove: freely },
      tool_meta: { echo: { auto_apply: true, tags: ['text'] } },
    },
    own: {
      ...{
        command: process.execPath,
        args: ['--input-type=module', '-e', withOwnMeta],
        autoApprove: ['all'],
      },
      tool_meta: { echo: { alias: 'own_echo', tags: ['text'] } },
    },
  },
};

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly error: { code: number; message: string; details: object } };
  readonly meta: Readonly<Record<string, unknown>>;
}
let office: Office;
let computer: Computer;
let socket: Socket;
let confirm: () => Promise<ConfirmAnswer> | ConfirmAnswer = () => 'deny';
const heard: string[] = [];
const opened: { close(): Promise<void> }[] = [];

const emit = (event: string, body: object): Promise<unknown[]> =>
  new Promise((resolve) => socket.emit(event, body, (...ack: unknown[]) => resolve(ack)));
let calls = 0;
/** Calls a tool as a foreign agent and resolves with the raw answer. */
const call = async (tool: string, params: object = {}, more: object = {}): Promise<Result> => {
  const asked = { agent: 'raw', req_id: `r${(calls += 1)}`, computer: 'ours', timeout: 30 };
  const [ack] = await emit('client:tool_call', { ...asked, tool_name: tool, params, ...more });
  return ack as Result;
};
const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('\n');
/** Labels of the calls that hang in the server and of those that were cancelled; the server reads its messages in order. */
const seen = async (): Promise<{ hanging: string[]; cancelled: string[] }> =>
  JSON.parse(textOf(await call('seen')));
const computerOf = async (options: ComputerOptions): Promise<Computer> => {
  const one = await bootedComputer({ office: { url: office.url }, stateDir: false, ...options });
  opened.push(one);
  return one;
};

beforeAll(async () => {
  office = await createOffice({ port: 0 });
  const options = { office: { url: office.url }, stateDir: false } as const;
  computer = await bootedComputer({ name: 'ours', config, confirm: () => confirm(), ...options });
  socket = io(`${office.url}/smcp`, { reconnection: false, transports: ['websocket'] });
  socket.onAny((event: string) => heard.push(event));
  const seat = { role: 'agent', name: 'raw', office_id: 'local' };
  expect(await emit('server:join_office', seat)).toEqual([true, null]);
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});
afterAll(async () => {
  socket.disconnect();
  await computer.close();
  await office.close();
});

describe('a call that a person may have to confirm', () => {
  it('runs unasked where its meta has auto_apply', async () => {
    confirm = () => Promise.reject(new Error('nobody is to be asked'));
    expect(await call('echo', { text: 'hi' })).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
      meta: { a2c_outcome: 'succeeded' },
    });
  });

  it('is refused where the computer has nobody to ask, with the text of the reference', async () => {
    await computerOf({ name: 'alone', config });
    const answer = await call('methods', {}, { computer: 'alone' });
    expect(answer).toMatchObject({ isError: true, meta: { error_code: 4005, a2c_phase: 'confirming' } });
    expect(textOf(answer)).toContain('没有实现二次确认回调方法');
  });

  it('runs when the person says yes', async () => {
    confirm = () => 'allow';
    const answer = await call('methods');
    expect(textOf(answer)).toContain('tools/call');
    expect(answer.meta).toMatchObject({ a2c_outcome: 'succeeded' });
  });

  it('is denied with isError, the text of the reference and error_code 4005', async () => {
    confirm = () => 'deny';
    expect(await call('methods')).toMatchObject({
      isError: true,
      content: [{ text: 'A person refused the call. 工具调用二次确认被拒绝，请稍后再试' }],
      meta: { error_code: 4005, a2c_outcome: 'failed', a2c_phase: 'confirming' },
    });
  });

  it.each([
    ['is refused when the person was asked in vain, as the callback says', 'TimeoutError', '确认超时'],
    ['is refused with its text when the callback throws', 'Error', '二次确认时发生异常'],
  ])('%s', async (_, name, text) => {
    confirm = () => Promise.reject(Object.assign(new Error('no dialog'), { name }));
    const answer = await call('methods');
    expect(answer).toMatchObject({ isError: true, meta: { error_code: 4005, a2c_outcome: 'failed' } });
    expect(textOf(answer)).toContain(text);
  });
});

describe('the result of a call', () => {
  it('says so when it takes too long, also to programs, and its server is told', async () => {
    const answer = await call('hang', { label: 'E07' }, { timeout: 1 });
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 4004, details: { timeout: 1_000, which: 'caller' } } },
      meta: { a2c_timeout: true, a2c_outcome: 'unknown', a2c_phase: 'running' },
    });
    expect(textOf(answer)).toContain("Tool 'hang' execution timed out");
    expect((await seen()).cancelled).toContain('E07');
  });

  it('is an error with 4001 that names an unknown tool', async () => {
    const answer = await call('no_such_tool');
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 4001, remedy: expect.any(String) } },
      meta: { error_code: 4001, a2c_outcome: 'failed', a2c_phase: 'resolving' },
    });
    expect(textOf(answer)).toContain('no_such_tool');
  });

  it('has the meta of its tool as an object, beside what its server put there', async () => {
    expect(await call('own_echo', { text: 'hi' })).toEqual({
      content: [{ type: 'text', text: 'hi' }],
      meta: {
        trace: 'abc',
        a2c_tool_meta: { alias: 'own_echo', tags: ['text'] },
        a2c_outcome: 'succeeded',
        a2c_server: 'own',
      },
    });
  });

  it.each([
    [401, 4006, 'Unauthorized', 'queued'],
    [403, 4007, 'AccessDenied', 'queued'],
    [503, 4003, undefined, 'running'],
  ])(
    'is for a server that answers HTTP %i the error %i, with what to do about a login, long before the time-out',
    async (status, code, reason, a2c_phase) => {
      const upstream = await startHttpServer({
        kind: 'streamable',
        instead: ({ body }, response) => {
          if (body?.['method'] !== 'tools/call') return false;
          response.writeHead(status).end();
          return true;
        },
      });
      opened.push({ close: () => upstream.stop() });
      const far = { r: { type: 'http', url: `${upstream.url}/pages`, autoApprove: ['all'] } };
      await computerOf({ name: 'far', config: { mcpServers: far } });
      const began = Date.now();
      expect(await call('first', {}, { computer: 'far', timeout: 60 })).toMatchObject({
        isError: true,
        structuredContent: {
          error: { code, details: { ...(reason && { reason }), http_status: status } },
        },
        meta: {
          error_code: code,
          a2c_outcome: 'failed',
          a2c_phase,
          ...(reason && { auth_hint: { action: 'login', message: expect.any(String) } }),
        },
      });
      expect(Date.now() - began).toBeLessThan(30_000);
    },
  );
});

describe('the history of a computer', () => {
  it('has the last ten of twelve calls in order, with what was asked and how it ended', async () => {
    for (let n = 1; n <= 12; n += 1)
      await call(
        n === 12 ? 'fail' : 'echo',
        { text: `${n}` },
        { req_id: `E14-${n}`, timeout: n === 11 ? 0 : 5 },
      );
    const past = computer.calls().toReversed();
    expect(past.map(({ reqId }) => reqId)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `E14-${n}`));
    expect(past.toSorted((a, b) => a.at.localeCompare(b.at))).toEqual(past);
    expect(past.slice(-2)).toMatchObject([
      {
        ...{ at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), reqId: 'E14-11', server: 'fixture' },
        ...{ tool: 'echo', arguments: { text: '11' }, timeoutMs: null, outcome: 'succeeded', reason: null },
      },
      {
        ...{ endedAt: expect.any(String), reqId: 'E14-12', server: 'fixture', tool: 'fail' },
        ...{ arguments: { text: '12' }, timeoutMs: 5_000, outcome: 'failed', reason: 'no such thing' },
      },
    ]);
  });

  it('has a call of a tool that nobody knows, with its reason and without a server', async () => {
    await call('no_such_tool', {}, { req_id: 'E15' });
    expect(computer.calls().filter(({ reqId }) => reqId === 'E15')).toMatchObject([
      {
        ...{ tool: 'no_such_tool', server: '', state: 'ended', outcome: 'failed', waitsFor: null },
        reason: expect.stringContaining('no_such_tool'),
      },
    ]);
  });
});

describe('a cancel', () => {
  const cancel = (reqId: string): void =>
    void socket.emit('server:tool_call_cancel', { agent: 'raw', req_id: reqId });

  it('ends the call under its req_id with a2c_cancelled, and its server hears of it', async () => {
    const answer = call('hang', { label: 'E16' }, { req_id: 'E16' });
    expect((await seen()).hanging).toContain('E16');
    cancel('E16');
    expect(await answer).toMatchObject({
      ...{ isError: true, content: [{ text: 'Tool call cancelled' }] },
      meta: { a2c_cancelled: true, a2c_cancel_reason: 'agent_requested', a2c_outcome: 'unknown' },
    });
    expect((await seen()).cancelled.filter((label) => label === 'E16')).toEqual(['E16']);
  });

  it('does nothing for a req_id that is unknown or over', async () => {
    expect(textOf(await call('echo', { text: 'over' }, { req_id: 'E17' }))).toBe('over');
    const before = [await seen(), heard.length];
    for (const reqId of ['E17', 'nobody asked this']) cancel(reqId);
    expect([await seen(), heard.length]).toEqual(before);
  });
});

describe('calls at the same time', () => {
  it('overlap at one server: the first is answered only after the second has come', async () => {
    const answers = await Promise.all([call('pair', { text: 'first' }), call('pair', { text: 'second' })]);
    expect(answers.map(textOf)).toEqual(['first', 'second']);
  });
});
