/** The moment at which a host gets its handle: what it promises then is true, and what it does not get is closed. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createAgent,
  createComputer,
  createOffice,
  createPresenter,
  type ComputerOptions,
  type OfficeSeat,
} from '../index.ts';

const quiet = { record: false, stateDir: false } as const;
/** Address at which connections are accepted and never answered. */
const silent = createServer().listen(0, '127.0.0.1');
await once(silent, 'listening');
const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
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
      await expect(agent.getConfig(name)).resolves.toMatchObject({ servers: {} });
    }
  });

  it('is refused like an agent: a token, a taken name, nobody there', async () => {
    await using office = await createOffice({ port: 0, auth: 'MINE-MINE-MINE-MINE', record: false });
    const seat = { url: office.url, auth: 'MINE-MINE-MINE-MINE' };
    await using _first = await computerAt(seat);
    await expect(computerAt({ ...seat, auth: 'OTHER' })).rejects.toMatchObject({ code: 401 });
    await expect(computerAt(seat)).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining('c1'),
    });
    await expect(createPresenter({ ...quiet, name: 'c1', settings: {}, office: seat })).rejects.toMatchObject(
      {
        code: 409,
      },
    );
    await expect(computerAt({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({ code: 'LinkLost' });
    expect(office.stats()).toMatchObject({ connections: 1, seats: 1 });
  });

  it('keeps trying where it is told to, and tells when it has its seat', async () => {
    await using office = await createOffice({ port: 0, record: false });
    const first = await computerAt({ url: office.url });
    await using second = await computerAt(
      { url: office.url, keepTrying: true },
      { timing: { linkBackoffMs: 50 } },
    );
    expect(second.status().link?.state).not.toBe('joined');
    const joined = second.joined();
    const why = new Error('not needed any more');
    await expect(second.joined({ signal: AbortSignal.abort(why) })).rejects.toBe(why);
    await first.close();
    await joined;
    expect(second.status().link?.state).toBe('joined');
    await second.joined();
    await second.leave();
    await expect(second.joined()).rejects.toMatchObject({ code: 403 });
  });

  it('ends the wait for a seat when it is closed', async () => {
    const computer = await computerAt({ url: silentUrl, keepTrying: true }, { timing: { toolsMs: 1 } });
    const joined = computer.joined();
    await Promise.all([expect(joined).rejects.toMatchObject({ code: 'LinkLost' }), computer.close()]);
  });
});

describe('a signal that aborts a creation', () => {
  const why = new Error('the window was closed');
  const aborted = AbortSignal.abort(why);

  it.each([
    ['computer', () => createComputer({ ...quiet, signal: aborted })],
    ['agent', () => createAgent({ url: silentUrl, record: false, signal: aborted })],
    ['office', () => createOffice({ port: 0, record: false, signal: aborted })],
    ['presenter', () => createPresenter({ ...quiet, settings: {}, signal: aborted })],
  ])('rejects with its reason before a %s begins', async (_, create) => {
    await expect(create()).rejects.toBe(why);
  });

  it.each([
    ['computer', (signal: AbortSignal) => computerAt({ url: silentUrl }, { signal })],
    ['agent', (signal: AbortSignal) => createAgent({ url: silentUrl, record: false, signal })],
    [
      'presenter',
      (signal: AbortSignal) =>
        createPresenter({ ...quiet, settings: {}, office: { url: silentUrl }, signal }),
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
