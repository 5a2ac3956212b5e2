import { afterEach, describe, expect, it } from 'vitest';
import { createEar, launched, pidsOf, stubborn } from '../../scenarios/fixtures/hosted.ts';
import { createAgent, createOffice, type Computer, type ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of simultaneous orders to one computer (config changes, stops, close) and of the events that they cause. */
const mark = crypto.randomUUID();
const markOf = (name: string): string => `${mark}-${name}.`;
const one = (name: string, behaviour = 'echo', more: object = {}): object => ({
  mcpServers: { [name]: launched(markOf(name), behaviour, more) },
});

let computer: Computer;
let ear: ReturnType<typeof createEar>;
const start = async (config: object, options: ComputerOptions = {}): Promise<void> => {
  ear = createEar();
  computer = await bootedComputer({ name: 'c1', config: foreign(config), onEvent: ear.onEvent, ...options });
};
const stateOf = (name: string): string | undefined =>
  computer.status().servers.find((each) => each.name === name)?.state;
afterEach(async () => {
  await computer.close();
  expect(pidsOf(mark)).toEqual([]);
});

describe('a computer without auto-reconnect', () => {
  it('keeps the launch config of an active server until it is stopped, however often somebody tries', async () => {
    await start(one('a'), { autoReconnect: false });
    const [pid] = pidsOf(markOf('a'));
    for (const behaviour of ['pages', 'full', 'noTools'])
      await expect(computer.servers.add(foreign(one('a', behaviour)))).rejects.toMatchObject({
        code: 'Conflict',
        message: 'Server a is active. Stop it before updating config',
      });
    // Settings that do not belong to the launch config may change while the server runs.
    await computer.servers.add(foreign(one('a', 'echo', { forbidden_tools: ['fail'] })));
    expect(pidsOf(markOf('a'))).toEqual([pid]);
    await computer.servers.restart('a');
    expect(stateOf('a')).toBe('ready');
    await computer.servers.stop('a');
    await computer.servers.add(foreign(one('a', 'pages')));
    await computer.servers.start('a');
    expect((await computer.tools()).tools.map(({ name }) => name)).toEqual(['first', 'second']);
  });
});

describe('orders that meet', () => {
  it('changes of one config happen one after another, and the last one holds', async () => {
    await start(one('a'));
    const changes = ['pages', 'full', 'echo', 'pages'].map((behaviour) =>
      computer.servers.add(foreign(one('a', behaviour))),
    );
    await Promise.allSettled([...changes, computer.servers.add(foreign(one('b')))]);
    await ear.until(() => stateOf('a') === 'ready' && stateOf('b') === 'ready');
    const { tools } = await computer.tools();
    expect(tools.filter((t) => t.server === 'a').map(({ name }) => name)).toEqual(['first', 'second']);
    expect(pidsOf(mark)).toHaveLength(2);
  });

  it('a second stop hurries a server that has calls and does not want to end', async () => {
    const graces = { a2c: { timeouts: { drainMs: 3_600_000, stdinGraceMs: 50, termGraceMs: 50 } } };
    await start({ mcpServers: { s: stubborn(markOf('s')) }, ...graces });
    const call = computer.callTool('hang', { label: 'x' });
    await computer.callTool('seen');
    const first = computer.servers.stop('s');
    await ear.until(() => stateOf('s') === 'closing');
    const late = await computer.callTool('echo', { text: 'too late' });
    expect(late).toMatchObject({ outcome: 'failed', failure: { code: 'ServerNotActive' } });
    await Promise.all([first, computer.servers.stop('s')]);
    expect(await call).toMatchObject({ outcome: 'unknown', end: 'cancelled' });
    expect(pidsOf(markOf('s'))).toEqual([]);
  });

  it('a computer that is closed in the midst of a change ends, and so does the change', async () => {
    await start(one('a'));
    const changes = [
      computer.servers.add(foreign(one('a', 'pages'))),
      computer.servers.add(foreign(one('b'))),
      computer.servers.remove('a'),
      computer.servers.set(foreign(one('c'))),
    ];
    await computer.close();
    const ends = await Promise.allSettled(changes);
    expect(ends).toHaveLength(4);
    expect(pidsOf(mark)).toEqual([]);
    await expect(computer.servers.add(foreign(one('a')))).rejects.toThrow('The computer is closed');
  });
});

describe('an agent', () => {
  it('hears once that the config has changed, and is answered with the new one', async () => {
    await using office = await createOffice({ port: 0 });
    await start(one('a'), { office: { url: office.url } });
    await using agent = await createAgent({ url: office.url });
    await agent.tools('c1');
    const heard: string[] = [];
    agent.on('config.changed', (event) => {
      heard.push(event.computer);
      ear.look();
    });
    expect(Object.keys((await agent.config('c1')).servers)).toEqual(['a']);
    await computer.servers.add(foreign(one('b')));
    await ear.until(() => heard.length > 0);
    const config = await agent.config('c1');
    expect(Object.keys(config.servers)).toEqual(['a', 'b']);
    // Adding the same config again is no change, so the removal is the next change that the agent hears of.
    await computer.servers.add(foreign(one('b')));
    await computer.servers.remove('b');
    await ear.until(() => heard.length > 1);
    expect(Object.keys((await agent.config('c1')).servers)).toEqual(['a']);
    expect(heard).toEqual(['c1', 'c1']);
  });
});
