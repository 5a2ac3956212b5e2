/** The moment at which a host gets its handle: what it promises then is true, and what it does not get is closed. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createAgent,
  createComputer,
  createOffice,
  type ComputerOptions,
  type OfficeSeat,
} from '../index.ts';
import { createPresenter } from '../presenter/index.ts';
import { listening } from '../../scenarios/fixtures/local-server.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

const quiet = { record: false, stateDir: false } as const;
/** Address at which connections are accepted and never answered. */
const silent = createServer();
const silentUrl = await listening(silent);
afterAll(() => void silent.close());

const computerAt = (office: OfficeSeat, more: ComputerOptions = {}) =>
  createComputer({ ...quiet, name: 'c1', office, ...more });

describe('a computer with an office', () => {
  it('has its seat when it is there: an agent calls it at once', async () => {
    await using office = await createOffice({ port: 0, record: false });
    await using agent = await createAgent({ url: office.url, record: false });
    for (const name of ['c1', 'c2', 'c3']) {
      await using computer = await computerAt({ url: office.url }, { name });
      expect(computer.status().link?.state).toBe('joined');
      await expect(agent.config(name)).resolves.toMatchObject({ servers: {} });
    }
  });

  it('is refused like an agent: a token, a taken name, nobody there', async () => {
    await using office = await createOffice({ port: 0, auth: 'MINE-MINE-MINE-MINE', record: false });
    const seat = { url: office.url, auth: 'MINE-MINE-MINE-MINE' };
    await using _first = await computerAt(seat);
    await expect(computerAt({ ...seat, auth: 'OTHER' })).rejects.toMatchObject({ code: 'TokenRefused' });
    await expect(computerAt(seat)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('c1'),
    });
    const presenter = createPresenter({ ...quiet, name: 'c1', settings: {}, office: seat });
    await expect(presenter).rejects.toMatchObject({ code: 'Conflict' });
    await expect(computerAt({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({ code: 'LinkLost' });
    expect(office.stats()).toMatchObject({ connections: 1, seats: 1 });
  });

  it('wants no seat after it left', async () => {
    await using office = await createOffice({ port: 0, record: false });
    await using computer = await computerAt({ url: office.url });
    await computer.leave();
    await expect(computer.joined()).rejects.toMatchObject({ code: 'NotAllowed' });
  });

  it('says at once that it has left, and which computers are there', async () => {
    await using office = await createOffice({ port: 0, record: false });
    await using agent = await createAgent({ url: office.url, record: false });
    await using _there = await computerAt({ url: office.url }, { name: 'laptop' });
    const left = await computerAt({ url: office.url }, { name: 'laptob' });
    await agent.tools('laptob');
    await left.close();
    await agent.config('laptop');
    const refusal = {
      code: 'NotFound',
      wireCode: 404,
      message: "Computer 'laptob' is not in this office",
      remedy: "In this office: 'laptop'.",
    };
    const details = expect.objectContaining({ computer: 'laptob' }) as unknown;
    for (const ask of [() => agent.tools('laptob'), () => agent.finder('laptob')])
      await expect(ask()).rejects.toMatchObject({ ...refusal, details });
    expect((await agent.callTool('laptob', 'echo')).failure).toEqual({ ...refusal, details });
  });

  it('says that it left to an agent that waits for its tools', async () => {
    await using office = await createOffice({ port: 0, record: false });
    await using agent = await createAgent({ url: office.url, record: false });
    const mute = new SeatedPeer(office.url, 'mute');
    const asked = new Promise((resolve) => mute.socket.on('client:get_tools', resolve));
    await mute.join('computer', 'local');
    await asked;
    const tools = agent.tools('mute');
    mute.close();
    await expect(tools).rejects.toMatchObject({ code: 'NotFound', details: { computer: 'mute' } });
  });
});

const within = (toolsMs: number) => anyTiming({ linkBackoffMs: 50, toolsMs });
const trying = { record: false, keepTrying: true } as const;
const hosts = [
  ['computer', (url: string, ms: number) => computerAt({ url, keepTrying: true }, { timing: within(ms) })],
  ['agent', (url: string, ms: number) => createAgent({ ...trying, url, timing: within(ms) })],
] as const;
describe.each(hosts)('a %s that keeps trying', (role, create) => {
  it('is there without its seat, and tells when it has it', async () => {
    await using office = await createOffice({ port: 0, record: false });
    const { url } = office;
    const first = await (role === 'agent' ? createAgent({ url, record: false }) : computerAt({ url }));
    await using second = await create(office.url, 2_000);
    expect(second.status().link).toMatchObject({
      state: expect.not.stringMatching('joined'),
      refusal: 'seat',
    });
    const joined = second.joined();
    const why = new Error('not needed any more');
    await expect(second.joined({ signal: AbortSignal.abort(why) })).rejects.toBe(why);
    await first.close();
    await joined;
    expect(second.status().link?.state).toBe('joined');
    await second.joined();
  });

  it('ends the wait for a seat when it is closed', async () => {
    const host = await create(silentUrl, 1);
    const joined = host.joined();
    await Promise.all([expect(joined).rejects.toMatchObject({ code: 'LinkLost' }), host.close()]);
  });
});

describe('a signal that aborts a creation', () => {
  const why = new Error('the window was closed');
  const aborted = AbortSignal.abort(why);
  const settings = { ...quiet, settings: {} };

  it.each([
    ['computer', () => createComputer({ ...quiet, signal: aborted })],
    ['agent', () => createAgent({ url: silentUrl, record: false, signal: aborted })],
    ['office', () => createOffice({ port: 0, record: false, signal: aborted })],
    ['presenter', () => createPresenter({ ...settings, signal: aborted })],
  ])('rejects with its reason before a %s begins', async (_, create) => {
    await expect(create()).rejects.toBe(why);
  });

  it.each([
    ['computer', (signal: AbortSignal) => computerAt({ url: silentUrl }, { signal })],
    ['agent', (signal: AbortSignal) => createAgent({ url: silentUrl, record: false, signal })],
    [
      'presenter',
      (signal: AbortSignal) => createPresenter({ ...settings, office: { url: silentUrl }, signal }),
    ],
  ])('rejects with its reason while a %s waits for its office, and closes it', async (_, create) => {
    const aborter = new AbortController();
    const met = once(silent, 'connection');
    const creating = create(aborter.signal);
    const [socket] = await met;
    const left = once(socket.resume(), 'close');
    aborter.abort(why);
    await expect(creating).rejects.toBe(why);
    await left;
  });

  it('does nothing later', async () => {
    const aborter = new AbortController();
    await using computer = await createComputer({ ...quiet, signal: aborter.signal });
    aborter.abort(why);
    expect(computer.status().state).toBe('whole');
  });
});
