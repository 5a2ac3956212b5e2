import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAgent } from '../api/agent.ts';
import { createOffice } from '../api/office.ts';
import type { Computer, ComputerOptions, Office } from '../index.ts';
import { serversPart } from '../api/servers-part.ts';
import { Runtime } from '../api/runtime.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Program of a server with one tool that writes to stderr, logs, and answers. */
const program = `
import { serveOverStdio, tell, textResult } from '${pathToFileURL(fixtureFile('stdio-server.mjs')).href}';
const name = process.argv[1];
const object = { type: 'object' };
serveOverStdio(name, { tools: {}, logging: {} }, {
  'tools/list': () => ({ tools: [{ name, inputSchema: object, outputSchema: object }] }),
  'tools/call': () => {
    process.stderr.write('working\\n');
    tell({ method: 'notifications/message', params: { level: 'info', data: 'working' } });
    return { ...textResult(name), structuredContent: {} };
  },
  'logging/setLevel': () => ({}),
});`;
const server = (tool: string) => ({
  command: process.execPath,
  args: ['--input-type=module', '-e', program, tool],
});
const config = {
  mcpServers: { bad: server('use_bad'), good: server('use_good') },
  a2c: { restartBudget: 20 },
};

/** Rule and question of the host, so that every part of it is asked about each call. */
const asking = {
  permission: () => Promise.resolve('ask' as const),
  confirm: () => Promise.resolve('allow' as const),
};

/** Throws once: out of the callback that reports the first fact of a kind, or where a port is `asked`. */
interface Planted {
  at: string;
  isOver: boolean;
}
let runtime: Runtime;
afterEach(() => runtime.close());

/** Wraps all ports of a runtime: what the plan names throws in the callback that reports it, once. */
function plant(planted: Planted): void {
  runtime = new Runtime({ record: false, stateDir: false });
  const { platform } = runtime.directory;
  const ports = platform.ports as unknown as Record<'open' | 'request', (...given: never[]) => unknown>;
  const throwing =
    (where: string, emit: (fact: { readonly type: string }) => void) =>
    (fact: { readonly type: string }): void => {
      if (!planted.isOver && planted.at === `${where} ${fact.type}`) {
        planted.isOver = true;
        throw new Error('planted');
      }
      emit(fact);
    };
  const wrap =
    (name: string, open: (...given: never[]) => unknown) =>
    (
      at: string,
      input: { readonly server?: string; readonly target?: string; readonly method?: string },
      emit: never,
    ): unknown => {
      // A request goes to an actor, as those of MCP and of the office do, or to a part of the host.
      const isOfHost = name === 'request' && !input.target?.includes('/');
      const where = name === 'request' ? `request ${isOfHost ? input.target : input.method}` : name;
      const isMeant = name === 'request' ? !at.includes('good') : input.server !== 'good';
      if (isMeant) throwing(where, () => {})({ type: 'asked' });
      return (open as (...given: unknown[]) => unknown)(at, input, isMeant ? throwing(where, emit) : emit);
    };
  const { open, request } = ports;
  ports.request = wrap('request', request);
  ports.open = (port: never, ...opening: never[]) =>
    wrap(port, (...given) => open(port, ...given))(
      ...(opening as unknown as Parameters<ReturnType<typeof wrap>>),
    );
}

/** Facts of each port out of whose callbacks errors are thrown; a new port needs its row. */
const facts: Readonly<Record<'process' | 'session' | 'link' | 'office' | 'request', readonly string[]>> = {
  process: ['child.started', 'child.exited'],
  session: ['session.opened', 'session.lost'],
  link: ['link.up', 'join.accepted', 'agent.called'],
  office: ['socket.opened', 'socket.joins', 'socket.closed'],
  request: [
    ...['tools/list', 'tools/call', 'spec', 'policy', 'confirm', 'finish'].flatMap((what) => [
      `${what} asked`,
      `${what} ask.answered`,
    ]),
  ],
};

async function opened(at: string, more: ComputerOptions = {}) {
  const planted = { at, isOver: at === '' };
  plant(planted);
  const given = { name: 'c', config, stateDir: false as const, ...asking, ...more };
  const computer = await bootedComputer(given, { runtime });
  onTestFinished(() => computer.close());
  return { planted, computer };
}
/** After the fault both servers work. */
async function works(computer: Computer): Promise<void> {
  const outcomeOf = async (tool: string): Promise<string> => (await computer.callTool(tool, {})).outcome;
  await expect.poll(() => outcomeOf('use_bad'), { timeout: 60_000 }).toBe('succeeded');
  expect(await outcomeOf('use_good')).toBe('succeeded');
  expect(computer.status().servers.find(({ name }) => name === 'good')).toMatchObject({ state: 'ready' });
}
async function openedOffice(): Promise<Office> {
  const office = await createOffice({ port: 0 }, runtime);
  onTestFinished(() => office.close());
  return office;
}

describe('an error that is thrown in a callback of a port', () => {
  it.each([
    ...facts.process.map((fact) => `process ${fact}`),
    ...facts.session.map((fact) => `session ${fact}`),
    ...facts.request.map((fact) => `request ${fact}`),
  ])('ends at most its server: %s', async (at) => {
    const { computer, planted } = await opened(at);
    expect(await computer.callTool('use_good', {})).toMatchObject({ outcome: 'succeeded' });
    // Settles, whatever comes of it, also when the server ends meanwhile.
    expect((await computer.callTool('use_bad', {})).outcome).toBeTypeOf('string');
    const pid = computer.status().servers.find(({ name }) => name === 'bad')?.pid;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    // A server whose launch the host could not make out is started again by an order.
    if (at.startsWith('request spec')) await computer.servers.restart('bad');
    await works(computer);
    expect(planted.isOver).toBe(true);
  });

  it.each(['output', 'log'])(
    'ends its server alone where it reads what the server wrote: %s',
    async (where) => {
      const { computer } = await opened('');
      let isOver = false;
      const once = (isMeant: boolean): void => {
        if (isOver || !isMeant) return;
        isOver = true;
        throw new RangeError('planted');
      };
      const { output } = runtime.use(serversPart);
      const [wrote, logged] = [output.wrote.bind(output), output.logged.bind(output)];
      if (where === 'output') output.wrote = (name, chunk) => (once(name === 'bad'), wrote(name, chunk));
      else output.logged = (name, entry) => (once(name === 'bad'), logged(name, entry));
      const called = computer.callTool('use_bad', {});
      expect((await called).outcome).toMatch(/^(succeeded|unknown)$/);
      await works(computer);
      expect(isOver).toBe(true);
    },
  );

  it.each([...facts.link.map((fact) => `link ${fact}`), ...facts.office.map((fact) => `office ${fact}`)])(
    'costs at most the connection of its peer: %s',
    async (at) => {
      const { computer, planted } = await opened(at);
      const { url } = await openedOffice();
      // Enters again where the error cost the first try.
      await computer.join({ url }).catch(() => computer.join({ url }));
      const agent = await createAgent({ url }).catch(() => createAgent({ url }));
      onTestFinished(() => agent.close());
      const usable = async (): Promise<string> => (await agent.callTool('c', 'use_good', {})).outcome;
      await expect.poll(usable, { timeout: 60_000 }).toBe('succeeded');
      if (at === 'office socket.closed') await agent.close();
      await expect.poll(() => planted.isOver, { timeout: 20_000 }).toBe(true);
      expect(await computer.callTool('use_good', {})).toMatchObject({ outcome: 'succeeded' });
    },
  );

  it.each(
    [
      'client:get_tools',
      'client:tool_call',
      'client:get_skills',
      'client:put_blob',
      'skillFolders',
      'landing',
      'blobs',
    ].flatMap((what) => [`request ${what} asked`, `request ${what} ask.answered`]),
  )('costs at most the question that was asked: %s', async (at) => {
    const folder = testFolder('faults');
    mkdirSync(join(folder, 'skills', 'mending'), { recursive: true });
    writeFileSync(join(folder, 'skills', 'mending', 'SKILL.md'), '---\nname: mending\ndescription: d\n---\n');
    writeFileSync(join(folder, 'skills', 'mending', 'picture.png'), Buffer.alloc(2_000_000));
    const own = { landing: { folder, autoApprove: true }, skills: [join(folder, 'skills')] };
    const { computer, planted } = await opened(at, { config: { ...config, a2c: { ...config.a2c, ...own } } });
    const { url } = await openedOffice();
    await computer.join({ url });
    const agent = await createAgent({ url }, runtime);
    onTestFinished(() => agent.close());
    const all = [
      () => agent.tools('c'),
      () =>
        agent
          .callTool('c', 'use_good', {})
          .then((done) => expect(done).toMatchObject({ outcome: 'succeeded' })),
      () => agent.skills.list('c'),
      async () => {
        const { blobHandle } = await agent.skills.read('c', 'mending', { path: 'picture.png' });
        for await (const part of agent.files.get('c', blobHandle ?? ''))
          expect(part.length).toBeGreaterThan(0);
      },
      () => agent.files.put('c', Buffer.alloc(10), { name: 'a' }),
    ];
    // The error may cost the connection, which is made anew.
    const isAnswered = (ask: () => Promise<unknown>): Promise<boolean> =>
      ask().then(
        () => true,
        () => false,
      );
    for (const ask of all) await expect.poll(() => isAnswered(ask), { timeout: 60_000 }).toBe(true);
    // Asks again until the fault has come, since a first answer may come from a cache.
    const isOver = async (): Promise<boolean> => {
      for (const ask of all) await isAnswered(ask);
      return planted.isOver;
    };
    await expect.poll(isOver, { timeout: 60_000 }).toBe(true);
    for (const ask of all) await expect.poll(() => isAnswered(ask), { timeout: 60_000 }).toBe(true);
    expect(computer.status().servers.map(({ state }) => state)).toEqual(['ready', 'ready']);
  });
});
