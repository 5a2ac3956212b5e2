/** Tests of the context that a host gives with a call, and of permissions that hold for one caller. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { linked } from '../../scenarios/fixtures/hosted.ts';
import {
  createAgent,
  createComputer,
  createOffice,
  type ServerQuestion,
  type Computer,
  type ComputerOptions,
  type ConfirmQuestion,
} from '../index.ts';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { createPresenter } from '../presenter/index.ts';
import { foreign } from '../../machines/config/config-input.ts';

const folder = testFolder('callers');
const config = { servers: [{ name: 's', type: 'inmemory', server_parameters: {} }] };
const computerOf = (options: ComputerOptions = {}): Promise<Computer> =>
  createComputer({ config: foreign(config), stateDir: false, inMemory: { s: linked().connect }, ...options });

it('a context comes back as it is, everywhere, and stands in no trace', async () => {
  const seen: [string, unknown][] = [];
  const note = (where: string, context: unknown): number => seen.push([where, context]);
  const socket = { send: () => 'SECRET-OF-THE-SOCKET', user: 'SECRET-USER' };
  const computer = await computerOf({
    record: { dir: folder, profile: 'full' },
    permission: ({ context, agent, reqId }) => {
      note(`permission of ${String(agent)} ${reqId}`, context);
      return 'ask';
    },
    confirm: ({ context }) => {
      note('confirm', context);
      return 'allow';
    },
    answers: {
      elicit: async ({ context, calls }) => {
        note('elicit', context);
        note('calls', calls[0]?.context);
        return { action: 'decline' };
      },
    },
  });
  computer.on('call.started', ({ context }) => note('started', context));
  computer.on('call.settled', ({ context }) => note('settled', context));
  computer.on('call.progress', ({ context }) => note('progress', context));
  await computer.tools();
  const params = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };
  const asked = { method: 'elicitation/create', params };
  const call = computer.callTool('askHost', asked, { context: socket, reqId: 'r1' });
  note('calls()', computer.calls()[0]?.context);
  note('outcome', (await call).context);
  note('worked', (await computer.callTool('work', {}, { context: socket, reqId: 'r2' })).context);
  note('history', computer.calls()[0]?.context);
  await computer.callTool('echo', { text: 'x' }, { reqId: 'r3' });
  const path = await computer.debug.writeTrace();
  await computer.close();
  expect(seen.slice(0, -4).filter(([, context]) => context !== socket)).toEqual([]);
  expect(new Set(seen.slice(0, -4).map(([where]) => where))).toEqual(
    new Set([
      ...['permission of null r1', 'calls()', 'confirm', 'started', 'elicit', 'calls', 'settled', 'outcome'],
      ...['permission of null r2', 'progress', 'worked', 'history'],
    ]),
  );
  expect(seen.slice(-4)).toEqual([
    ['started', undefined],
    ['permission of null r3', undefined],
    ['confirm', undefined],
    ['settled', undefined],
  ]);
  expect(await readFile(path, 'utf8')).not.toContain('SECRET');
});

it('a permission for the session holds for a caller: a key, or an equal context', async () => {
  const asked: unknown[] = [];
  await using computer = await computerOf({
    record: false,
    confirm: ({ context }: ConfirmQuestion) => {
      asked.push(context);
      return 'allowForSession';
    },
  });
  const call = async (options: object): Promise<number> => {
    const before = asked.length;
    expect(await computer.callTool('echo', { text: 'hi' }, options)).toMatchObject({ outcome: 'succeeded' });
    return asked.length - before;
  };
  const [one, other] = [new Map(), new Map()];
  const options = [
    {},
    {},
    { context: { user: 'ada', roles: ['x', 1] } },
    { context: { roles: ['x', 1], user: 'ada', more: undefined } },
    { context: { user: 'bob', roles: ['x', 1] } },
    { context: one },
    { context: other },
    { context: { socket: one } },
    { context: { socket: other } },
    { context: { socket: one } },
    { context: { user: 'bob' }, sessionKey: 'k1' },
    { context: { user: 'ada' }, sessionKey: 'k1' },
    { sessionKey: 'k2' },
  ];
  const times: number[] = [];
  for (const each of options) times.push(await call(each));
  expect(times).toEqual([1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1]);
});

it('a question of a server names all calls that it may be about, and a context only when all have it', async () => {
  const asked: ServerQuestion[] = [];
  await using computer = await computerOf({
    record: false,
    confirm: 'allow',
    answers: {
      elicit: async (asking) => {
        asked.push(asking);
        return { action: 'decline' };
      },
    },
  });
  const params = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };
  const question = { method: 'elicitation/create', params };
  const first = computer.callTool('pair', { text: 'a' }, { context: { user: 'ada' } });
  await computer.callTool('askHost', question, { context: { user: 'ada' } });
  await computer.callTool('askHost', question, { context: { user: 'bob' } });
  await computer.callTool('pair', { text: 'b' });
  await first;
  expect(asked.map(({ context, calls }) => [context, calls.map((call) => call.context)])).toEqual([
    [{ user: 'ada' }, [{ user: 'ada' }, { user: 'ada' }]],
    [undefined, [{ user: 'ada' }, { user: 'bob' }]],
  ]);
});

it('a presenter and an agent give a context back, and an agent keeps it from its computer', async () => {
  const asked: ConfirmQuestion[] = [];
  const confirm = (question: ConfirmQuestion): 'allow' => {
    asked.push(question);
    return 'allow';
  };
  const inMemory = { s: linked().connect };
  await using presenter = await createPresenter({
    ...{ record: false, stateDir: false, inMemory, confirm },
    settings: { mcpServers: { s: { type: 'inmemory', enabled: true } } },
  });
  await presenter.initialize();
  const call = { id: 'x', function: { name: 'echo', arguments: '{"text":"hi"}' } } as never;
  await presenter.conversation('c1').callTool(call, { context: 'ada' });
  expect(asked.map(({ context }) => context)).toEqual(['ada']);

  const { agent } = closedAfter(await bootedHosts({ config: foreign(config), inMemory, confirm }));
  const outcome = await agent.callTool('c1', 'meta', {}, { context: { user: 'ada' } });
  expect(outcome).toMatchObject({ outcome: 'succeeded', context: { user: 'ada' } });
  expect(JSON.stringify(outcome.result)).not.toContain('ada');
  expect(asked[1]).not.toHaveProperty('context');
});

it('the reason of a person who said no reaches host and model', async () => {
  await using office = await createOffice({ port: 0, record: false });
  const reason = 'not before Monday';
  const computerWith = (options: ComputerOptions): Promise<Computer> =>
    computerOf({ record: false, confirm: () => ({ decision: 'deny', reason }), ...options });
  const english = `A person refused the call: ${reason}`;
  await using alone = await computerWith({});
  const told = (await alone.callTool('echo', { text: 'hi' })).failure;
  expect(alone.calls()[0]).toMatchObject({ reason: english });
  expect(told).toMatchObject({ code: 'NotConfirmed', message: english });
  expect(told?.details).toMatchObject({ reason_given: reason, server_name: 's' });

  await using _computer = await computerWith({ name: 'c1', office: { url: office.url } });
  await using agent = await createAgent({ url: office.url, record: false });
  const { failure, result } = await agent.callTool('c1', 'echo', { text: 'hi' });
  expect(failure).toMatchObject({ code: 'NotConfirmed', message: english });
  await using other = await computerOf({ record: false, name: 'c2', office: { url: office.url } });
  await other.servers.start('s');
  const nobodyThere = await agent.callTool('c2', 'echo');
  expect(nobodyThere.failure?.remedy).toMatch(/^On computer 'c2': Give `confirm`/);
  expect(JSON.stringify(nobodyThere.result)).toContain('没有实现二次确认回调方法');
  const broken = (): Promise<never> => Promise.reject(new Error('no dialog'));
  await using _third = await computerWith({ name: 'c3', office: { url: office.url }, confirm: broken });
  expect(JSON.stringify((await agent.callTool('c3', 'echo')).result)).toContain('二次确认时发生异常');
  expect(result).toMatchObject({ content: [{ text: `${english}. 工具调用二次确认被拒绝，请稍后再试` }] });
});
