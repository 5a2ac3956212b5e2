import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isOver, parseFault, vocabulary } from '../../fault-server/words/fault.ts';
import { readConfig } from '../../fault-server/config.mjs';
import { callOf, starting, textOf, type Peer } from './fault-server-harness.ts';

const server = describe.concurrent;
const timeout = 20_000;
const answered = async (peer: Peer, ids: readonly number[]): Promise<unknown[]> => {
  peer.send(...ids.map((id) => callOf(id)));
  await peer.ping();
  return ids.map((id) => textOf(peer.answersTo(id)[0]));
};

server('the fault server without faults', { timeout }, () => {
  it('is an MCP server: it greets, lists, calls, refuses, and ends with its input', async (t) => {
    const answers = { content: [{ type: 'text', text: 'as told' }] };
    const config = { name: 'files', tools: { read: { answers, changes: true }, echo: {} } };
    const peer = starting(t.onTestFinished)(config);
    expect((await peer.initialize()).result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: 'files', version: '1.0.0' },
    });
    peer.send({ id: 1, method: 'tools/list' }, callOf(2), callOf(3, 'reed'), { id: 4, method: 'no/such' });
    peer.child.stdin?.write('no json\n');
    await peer.ping();
    expect((await peer.answer(1)).result?.['tools']).toMatchObject([{ name: 'read' }, { name: 'echo' }]);
    expect(textOf(peer.answersTo(2)[0])).toBe('text 2');
    expect([3, 4, null].map((id) => peer.answersTo(id)[0]?.error?.code)).toEqual([-32602, -32601, -32700]);
    peer.call(5, 'read');
    expect((await peer.answer(5)).result).toEqual(answers);
    expect(peer.messages.at(-2)).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect(await peer.leave()).toEqual({ code: 0, signal: null });
    expect(peer.stderr).toBe('');
  });

  it('never answers a cancelled call, and ends by SIGTERM', async (t) => {
    const peer = starting(t.onTestFinished)({ tools: { slow: { takes: 20 }, slower: { takes: 40 } } });
    peer.send(callOf(1, 'slow'), callOf(2, 'slower'));
    peer.cancel(1);
    await peer.answer(2);
    peer.child.kill('SIGTERM');
    expect(await peer.ended()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(peer.messages).toHaveLength(1);
  });

  it('writes down what it got and did', async (t) => {
    const peer = starting(t.onTestFinished)({ faults: [{ fault: 'rpc.never' }] });
    peer.call(7);
    peer.cancel(7);
    await peer.leave();
    expect(peer.facts).toMatchObject([
      { did: 'start', start: 1, pid: peer.pid },
      { got: 'tools/call', id: 7, tool: 'echo' },
      { did: 'rpc.never', id: 7 },
      { got: 'notifications/cancelled', id: 7 },
      { got: 'stdin.end' },
    ]);
    expect(peer.facts.every(({ t: at }) => Number.isInteger(at) && at >= 0)).toBe(true);
  });
});

server('the clauses of a fault', { timeout }, () => {
  it('say of which tool, from when on, how often and how likely', async (t) => {
    const start = starting(t.onTestFinished);
    const often = start({ faults: [{ fault: 'rpc.never', times: 2 }] });
    expect(await answered(often, [1, 2, 3])).toEqual([undefined, undefined, 'text 3']);
    const late = start({ faults: [{ fault: 'rpc.never', from: 2, times: 1 }] });
    expect(await answered(late, [1, 2, 3])).toEqual(['text 1', undefined, 'text 3']);
    const other = { tools: { echo: {}, read: {} }, faults: [{ fault: 'rpc.never', tool: 'read' }] };
    const bound = start(other);
    bound.call(9, 'read');
    expect(await answered(bound, [1])).toEqual(['text 1']);
    expect(bound.answersTo(9)).toEqual([]);
  });

  it('draw from the seed: the same chance for the same seed', async (t) => {
    const start = starting(t.onTestFinished);
    const ids = Array.from({ length: 32 }, (_, index) => index + 1);
    const drawn = (seed: number): Promise<unknown[]> =>
      answered(start({ seed, faults: [{ fault: 'rpc.never', p: 0.5 }] }), ids);
    const [first, again, another] = await Promise.all([drawn(7), drawn(7), drawn(8)]);
    expect(first).toEqual(again);
    expect(first).not.toEqual(another);
    expect(new Set([undefined, 'text'])).toEqual(
      new Set(first.map((text) => (typeof text === 'string' ? text.slice(0, 4) : text))),
    );
  });

  it('say so long after its moment: a call is answered and the server dies then', async (t) => {
    const peer = starting(t.onTestFinished)({ faults: [{ fault: 'proc.exit', afterMs: 50 }] });
    peer.call(1);
    await peer.answer(1);
    expect(await peer.ended()).toEqual({ code: 1, signal: null });
    const [called, exited] = ['tools/call', 'proc.exit'].map(
      (what) => peer.facts.find(({ got, did }) => (got ?? did) === what)?.t ?? NaN,
    );
    // Whole milliseconds: each may be rounded.
    expect((exited ?? 0) - (called ?? 0)).toBeGreaterThanOrEqual(49);
  });
});

server('the fault server for a judge', { timeout }, () => {
  it('counts a fault over all starts, and lets one wait for another', async (t) => {
    const start = starting(t.onTestFinished);
    const starts = start({}).file('starts');
    const faults = [
      { fault: 'proc.exit', when: 'start', code: 3, times: 1, inAll: true },
      { fault: 'rpc.isError', after: 'proc.exit', from: 2, text: 'later' },
    ];
    expect(await start({ starts, faults }).ended()).toEqual({ code: 3, signal: null });
    expect(await answered(start({ starts, faults }), [1, 2])).toEqual(['text 1', 'later']);
    const early = {
      starts: start({}).file('others'),
      faults: [faults[1], { fault: 'proc.exit', when: 'read' }],
    };
    expect(await answered(start(early), [1, 2])).toEqual(['text 1', 'text 2']);
  });

  it('asks its client during a call, and logs params, answers and the time', async (t) => {
    const tools = { read: { asks: { method: 'roots/list' } } };
    const peer = starting(t.onTestFinished)({ tools });
    peer.call(1, 'read');
    await peer.answer(1);
    const asked = peer.messages.find(({ method }) => method === 'roots/list');
    peer.send({ id: asked?.id, result: { roots: [] } });
    await peer.ping();
    expect(peer.facts).toMatchObject([
      { did: 'start' },
      { got: 'tools/call', params: { name: 'read', arguments: { text: 'text 1' } } },
      { sent: 'answer', id: 1, text: expect.stringContaining('"text 1"') },
      { got: 'answer', id: asked?.id, result: { roots: [] } },
      { got: 'ping' },
      { sent: 'answer', id: 'ping' },
    ]);
    expect(peer.facts.every(({ at }) => Math.abs(Date.now() - (at ?? 0)) < 600_000)).toBe(true);
  });

  it('tells progress to those alone who gave a token', async (t) => {
    const peer = starting(t.onTestFinished)({ tools: { read: { takes: 60, progressEveryMs: 10 } } });
    peer.send({ id: 1, method: 'tools/call', params: { name: 'read' } });
    await peer.answer(1);
    expect(peer.messages).toHaveLength(1);
    peer.call(2, 'read');
    await peer.answer(2);
    expect(peer.messages.length).toBeGreaterThan(2);
  });

  it('says last words on stderr when it exits by itself', async (t) => {
    const peer = starting(t.onTestFinished)({ lastWords: 'no disk left', faults: [{ fault: 'proc.exit' }] });
    peer.call(1);
    await peer.ended();
    expect(peer.stderr).toBe('no disk left\n');
  });
});

server('a later config', { timeout }, () => {
  it('holds from its n-th start on, over the base', async (t) => {
    const start = starting(t.onTestFinished);
    const starts = start({}).file('starts');
    const config = {
      starts,
      name: 'base',
      faults: [{ fault: 'proc.exit', when: 'start', code: 3 }],
      later: { 2: { faults: [] }, 4: { name: 'fourth' } },
    };
    expect(await start(config).ended()).toEqual({ code: 3, signal: null });
    const said = async (peer: Peer): Promise<unknown> => (await peer.initialize()).result?.['serverInfo'];
    expect(await said(start(config))).toMatchObject({ name: 'base' });
    expect(await said(start(config))).toMatchObject({ name: 'base' });
    // Merged over the base, not over the step before.
    expect(await start(config).ended()).toEqual({ code: 3, signal: null });
    expect(readFileSync(starts, 'utf8').split('\n')).toHaveLength(5);
  });
});

server('the safety net', { timeout }, () => {
  it('ends what ignores everything, and its grandchildren', async (t) => {
    const faults = [
      { fault: 'proc.ignoreStdinClose' },
      { fault: 'proc.ignoreSigterm' },
      { fault: 'proc.zombieGrandchild', holdsPipes: true, ignoresSigterm: true },
    ];
    const peer = starting(t.onTestFinished)({ faults, lifeMs: 800 });
    await peer.ping();
    peer.child.kill('SIGTERM');
    // Output ends late, because a grandchild holds the pipes.
    expect(await peer.leave()).toEqual({ code: 70, signal: null });
  });
});

server('a server with bad input', { timeout }, () => {
  it('ends with 64 and a remedy, and not a byte on stdout', async (t) => {
    const start = starting(t.onTestFinished);
    for (const args of [['{"faults":[{"fault":"proc.exti"}]}'], ['--file', 'no-such-file'], ['--lst']]) {
      const peer = start({}, { args });
      expect(await peer.ended()).toEqual({ code: 64, signal: null });
      expect(peer.bytes).toHaveLength(0);
      expect(peer.stderr).toMatch(/^fault-server: .+\n {2}.+\n$/);
    }
  });

  it.each([
    ['{', 'the config is not JSON'],
    ['[]', 'the config is not an object'],
    ['{"fault":[]}', 'config: unknown key fault'],
    ['{"tools":{"read":{"take":1}}}', 'tools.read: unknown key take'],
    ['{"tools":{"read":{"takes":-1}}}', 'tools.read.takes: -1 is too little'],
    ['{"lifeMs":0}', 'lifeMs: 0 is too little'],
    ['{"starts":1}', 'starts: not a string'],
    ['{"later":{"2":{}}}', 'later: it cannot count its starts'],
    ['{"starts":"f","later":{"0":{}}}', 'later: 0 is not the number of a start'],
    ['{"starts":"f","later":{"2":{"faults":[{"fault":"x"}]}}}', 'later.2.faults[0]: unknown fault x'],
    ['{"faults":[{"fault":"proc.crashLoop"}]}', 'proc.crashLoop: it cannot count its starts'],
    ['{"faults":[{"fault":"rpc.never","tool":"eco"}]}', 'rpc.never: there is no tool eco'],
    ['{"faults":[{"fault":"proc.spawnError"}]}', 'faults[0]: proc.spawnError cannot be done by a server'],
    ['{"faults":[{"fault":"host.stop"}]}', 'faults[0]: host.stop cannot be done by a server'],
  ])('%s is refused', (text, message) => {
    expect(() => readConfig(text)).toThrow(message);
  });

  it.each([
    {},
    { fault: 'proc.exti' },
    { fault: 'proc.exit', cod: 1 },
    { fault: 'proc.exit', code: 'one' },
    { fault: 'proc.exit', code: 256 },
    { fault: 'proc.exit', when: 'never' },
    { fault: 'proc.exit', p: 2 },
    { fault: 'proc.exit', times: 0 },
    { fault: 'proc.exit', from: 0 },
    { fault: 'proc.exit', when: 'start', tool: 'echo' },
    { fault: 'proc.kill', signal: 'SIGFOO' },
    { fault: 'rpc.late', afterMs: 1.5 },
    { fault: 'life.discoverSilent' },
  ])('a fault is bad for the server and for a scenario alike: %j', (fault) => {
    expect(() => readConfig(JSON.stringify({ faults: [fault] }))).toThrow(Error);
    expect(() => parseFault(fault)).toThrow(Error);
  });
});

describe('good input', () => {
  it('is read alike by the server and by a scenario, word by word', () => {
    const all = vocabulary.filter(({ where, later }) => where === 'server' && later === undefined);
    for (const way of ['stdio', 'http'] as const) {
      const words = all.filter((word) => isOver(word, way));
      const faults = words.map(({ fault }) => ({ fault, from: 2, times: 2, p: 0.5, afterMs: 3 }));
      const text = JSON.stringify({ starts: 'f', faults, ...(way === 'http' && { http: {} }) });
      expect(readConfig(text).base.faults).toEqual(faults.map((fault) => parseFault(fault)));
    }
  });
});

server('the help of the server', { timeout }, () => {
  it('has its words, and its words as data', async (t) => {
    const start = starting(t.onTestFinished);
    const [help, list, data] = [['--help'], ['--list'], ['--list', '--json']].map((args) =>
      start({}, { args }),
    );
    for (const peer of [help, list, data]) expect(await peer?.ended()).toEqual({ code: 0, signal: null });
    expect(help?.lines[0]).toContain('misbehaves');
    const words = JSON.parse(data?.bytes.toString() ?? '') as { fault: string }[];
    expect(words.map(({ fault }) => fault)).toContain('proc.exit');
    for (const { fault } of words) expect(list?.bytes.toString()).toContain(`${fault}  `);
  });

  it('may be told in a file', async (t) => {
    const start = starting(t.onTestFinished);
    const file = start({}).file('config.json');
    writeFileSync(file, JSON.stringify({ name: 'filed' }));
    expect((await start({}, { args: ['--file', file] }).initialize()).result).toMatchObject({
      serverInfo: { name: 'filed' },
    });
  });
});
