/** Tests of the limits of an office: each is exceeded by one peer while another peer is not affected. */
import { describe, expect, it } from 'vitest';
import {
  enteringPeer,
  limitOf,
  refusedFor as refused,
  type EnteringPeer,
} from '../../scenarios/fixtures/entering.ts';
import { seatedSocket } from '../../scenarios/fixtures/raw-socket.ts';
import { createOffice, type GivenLimits, type LimitName, type Office, type OfficeStats } from '../index.ts';

type Ack = readonly unknown[];
interface From {
  readonly address?: string;
  readonly transports?: readonly ('websocket' | 'polling')[];
}
async function peer(
  { url }: Office,
  { address, transports = ['websocket'] }: From = {},
): Promise<EnteringPeer> {
  const one = enteringPeer(url, undefined, {
    transports: [...transports],
    ...(address !== undefined && { extraHeaders: { 'X-Forwarded-For': address } }),
  });
  await new Promise<void>((resolve, reject) => {
    one.socket.once('connect', () => resolve());
    one.socket.once('connect_error', reject);
  });
  return one;
}
const officeWith = (limits: GivenLimits): Promise<Office> =>
  createOffice({ port: 0, limits, trustProxy: 1, record: false });
const codeIn = (ack: unknown): unknown => {
  const { error, structuredContent } = ack as {
    readonly [K in 'error' | 'structuredContent']?: { readonly error?: { readonly code?: unknown } };
  };
  return (structuredContent?.error ?? (error as { readonly code?: unknown } | undefined))?.code;
};
const room = { agent: 'a', req_id: 'r', office_id: 'o' };
const near = (stats: OfficeStats): unknown => ({ ...stats, refusals: {} });
const [one, two] = ['203.0.113.1', '203.0.113.2'];

describe('connections', () => {
  it('are refused over the limit of one address, whatever others have', async () => {
    await using office = await officeWith({ connectionsPerAddress: 2 });
    await peer(office, { address: one });
    const second = await peer(office, { address: one });
    await expect(peer(office, { address: one })).rejects.toThrow('websocket error');
    await expect(peer(office, { address: one, transports: ['polling'] })).rejects.toMatchObject({
      description: 429,
    });
    // The office ignores addresses that a peer adds in front of the address from its proxy.
    await expect(peer(office, { address: `${two}, ${one}` })).rejects.toThrow('websocket error');
    await peer(office, { address: two });
    // Loopback addresses may belong to a proxy, so the limit for one address does not apply to them.
    for (let count = 0; count < 3; count++) await peer(office, { address: '127.0.0.1' });
    const gone = new Promise((resolve) => second.socket.once('disconnect', resolve));
    second.socket.disconnect();
    await gone;
    await expect.poll(() => office.stats().connections).toBe(5);
    await peer(office, { address: one });
    expect(refused(office, 'connectionsPerAddress')).toBe(3);
  });

  it('do not end a stranger of another address to find room for those of one', async () => {
    await using office = await officeWith({ connectionsPerAddress: 1, entryMs: 0 });
    const way = `${office.url}/socket.io/?EIO=4&transport=polling`;
    const opened = await (await fetch(way, { headers: { 'X-Forwarded-For': two } })).text();
    await peer(office, { address: one });
    await expect(peer(office, { address: one })).rejects.toThrow('websocket error');
    const { sid } = JSON.parse(opened.slice(1)) as { readonly sid: string };
    const said = await fetch(`${way}&sid=${sid}`, { method: 'POST', body: '40/smcp' });
    expect(await said.text()).toBe('ok');
  });

  it('are refused over the limit of all with 429, its name and when to come back', async () => {
    await using office = await officeWith({ connections: 1 });
    await peer(office);
    const response = await fetch(`${office.url}/socket.io/?EIO=4&transport=polling`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await response.json()).toMatchObject({
      code: 429,
      details: { reason: 'limit', limit: 'connections', most: 1 },
    });
    expect(near(office.stats())).toEqual({ connections: 1, seats: 0, offices: 0, inFlight: 0, refusals: {} });
  });
});

describe('events', () => {
  it.each<[limit: LimitName, others: 'served' | 'refused']>([
    ['eventsPerSocket', 'served'],
    ['eventsPerAddress', 'served'],
    ['eventsPerOffice', 'served'],
    ['events', 'refused'],
  ])('are each answered with 429 over %s, and those of others are %s', async (limit, others) => {
    await using office = await officeWith({ [limit]: { perSecond: 0.001, burst: 5 } });
    const greedy = await peer(office, { address: one });
    expect(await greedy.join('o', 'agent', 'a')).toEqual([true, null]);
    // The office would close the socket after more requests over the limit, so the test stops after a few.
    const answers = await Promise.all(Array.from({ length: 8 }, () => greedy.ask('server:list_room', room)));
    // The join comes before the peer is in a room, so it does not count against the limit of the room.
    const taken = limit === 'eventsPerOffice' ? 5 : 4;
    expect(answers.map(limitOf)).toEqual([
      ...Array<string>(taken).fill('none'),
      ...Array<string>(8 - taken).fill(limit),
    ]);
    expect(answers.at(-1)).toMatchObject([
      { code: 429, error: { code: 429, details: { retry_after_ms: expect.any(Number) } } },
    ]);
    const other = await peer(office, { address: two });
    const joined = await other.join('p', 'agent', 'b');
    expect(joined[0]).toBe(others === 'served');
    expect(refused(office, limit)).toBe(8 - taken + (others === 'served' ? 0 : 1));
  });

  it('end the connection of who goes on although it is refused, with the reason', async () => {
    await using office = await officeWith({ eventsPerSocket: { perSecond: 0.001, burst: 10 } });
    const flood = await peer(office);
    const beside = await peer(office);
    const told = new Promise((resolve) => flood.socket.once('notify:disconnecting', resolve));
    const over = new Promise((resolve) => flood.socket.once('disconnect', resolve));
    for (let count = 0; count < 100; count++) flood.socket.emit('server:update_desktop', { computer: 'c' });
    expect(await told).toEqual({ code: 429, message: expect.stringContaining('eventsPerSocket') });
    await over;
    expect(await beside.join('o', 'agent', 'a')).toEqual([true, null]);
  });
});

describe('joins', () => {
  it.each<[limit: LimitName]>([['joinsPerSocket'], ['joinsPerAddress'], ['joinsPerOffice']])(
    'are refused over %s, and the seat that was taken stays',
    async (limit) => {
      await using office = await officeWith({ [limit]: { perSecond: 0.001, burst: 2 } });
      const moving = await peer(office, { address: one });
      expect(await moving.join('o', 'computer', 'c1')).toEqual([true, null]);
      expect(await moving.join('o', 'computer', 'c2')).toEqual([true, null]);
      expect(await moving.join('o', 'computer', 'c3')).toEqual([false, expect.stringMatching(/join/)]);
      const agent = await peer(office, { address: two });
      const expected = limit === 'joinsPerOffice' ? 'p' : 'o';
      expect(await agent.join(expected, 'agent', 'a')).toEqual([true, null]);
      expect([office.stats().seats, refused(office, limit)]).toEqual([2, 1]);
    },
  );

  it('are refused in a full office, and not in others', async () => {
    await using office = await officeWith({ seatsPerOffice: 1 });
    const [first, second] = [await peer(office), await peer(office)];
    expect(await first.join('o', 'computer', 'c1')).toEqual([true, null]);
    // A peer that already has the seat may join again.
    expect(await first.join('o', 'computer', 'c1')).toEqual([true, null]);
    expect(await second.join('o', 'computer', 'c2')).toEqual([false, expect.stringContaining('at most 1')]);
    expect(await second.join('p', 'computer', 'c2')).toEqual([true, null]);
  });
});

describe('questions in flight', () => {
  it.each<[limit: LimitName]>([['callsPerSocket'], ['callsPerOffice'], ['calls']])(
    'are refused over %s, and those that wait are answered',
    async (limit) => {
      await using office = await officeWith({ [limit]: 2 });
      const computer = await peer(office);
      const held: ((body: object) => void)[] = [];
      computer.socket.on('client:get_tools', (_: unknown, ack: (body: object) => void) => held.push(ack));
      await computer.join('o', 'computer', 'c');
      const agent = await peer(office);
      await agent.join('o', 'agent', 'a');
      const ask = (req_id: string): Promise<Ack> =>
        agent.ask('client:get_tools', { agent: 'a', req_id, computer: 'c' });
      const waiting = [ask('r1'), ask('r2')];
      expect(limitOf(await ask('r3'))).toBe(limit);
      await expect.poll(() => held.length).toBe(2);
      expect(office.stats().inFlight).toBe(2);
      held.forEach((ack) => ack({ tools: [], req_id: 'r' }));
      for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject([{ tools: [] }]);
      expect([office.stats().inFlight, refused(office, limit)]).toEqual([0, 1]);
    },
  );
});

describe('bytes of a peer', () => {
  it.each(['websocket', 'polling'] as const)('end the connection over payloadBytes over %s', async (how) => {
    await using office = await officeWith({ payloadBytes: 20_000 });
    const [large, beside] = [await peer(office, { transports: [how] }), await peer(office)];
    const over = new Promise((resolve) => large.socket.once('disconnect', resolve));
    large.socket.emit('server:join_office', { office_id: 'o', role: 'agent', name: 'x'.repeat(30_000) });
    await over;
    expect(await beside.join('o', 'agent', 'a')).toEqual([true, null]);
  });

  it.each([
    ['keys', 404, () => Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 0]))],
    ['text', 404, () => 'x'.repeat(7_000_000)],
    ['lists too deep to be read', 413, () => JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) as unknown],
  ])(
    'are refused unread when %s are sent without end, then their sender goes, and others go on',
    async (_, first, of) => {
      await using office = await officeWith({ eventsPerSocket: { perSecond: 0.001, burst: 1_000 } });
      const [hostile, computer, agent] = [await peer(office), await peer(office), await peer(office)];
      computer.socket.on('client:get_tools', (_asked: unknown, ack: (body: object) => void) =>
        ack({ tools: [], req_id: 'r' }),
      );
      await computer.join('o', 'computer', 'c');
      await agent.join('o', 'agent', 'a');
      await hostile.join('p', 'agent', 'h');
      const ask = (): Promise<Ack> =>
        agent.ask('client:get_tools', { agent: 'a', req_id: 'r', computer: 'c' });
      const told = new Promise((resolve) => hostile.socket.once('notify:disconnecting', resolve));
      const over = new Promise<void>((resolve) => hostile.socket.once('disconnect', () => resolve()));
      const body = { agent: 'h', req_id: 'r', computer: 'nobody', params: of() };
      const codes: unknown[] = [];
      const gone = over.then(() => false);
      let served = 0;
      for (let isThere = true; isThere; served += 1) {
        const answered = hostile.ask('client:get_tools', body).then(([ack]) => codes.push(codeIn(ack)) > 0);
        expect(await ask()).toMatchObject([{ tools: [] }]);
        isThere = await Promise.race([answered, gone]);
      }
      expect(await told).toEqual({ code: 429, message: expect.stringContaining('eventsPerSocket') });
      expect(new Set(codes)).toEqual(new Set([first, 429]));
      expect([served > 2, refused(office, 'eventsPerSocket') > 1]).toEqual([true, true]);
      expect(await ask()).toMatchObject([{ tools: [] }]);
    },
  );

  it('make an answer that the office does not read an error to who asked, and no other call fails', async () => {
    await using office = await officeWith({ eventsPerSocket: { perSecond: 0.001, burst: 1_000 } });
    const [computer, agent] = [await peer(office), await peer(office)];
    const answers = [
      { tools: [], req_id: 'r', more: Array.from({ length: 20_000 }, () => ({})) },
      { tools: [], req_id: 'r', more: Array.from({ length: 40_000 }, () => ({})) },
      JSON.parse('['.repeat(900) + ']'.repeat(900)) as object,
      { tools: [], req_id: 'r' },
    ];
    computer.socket.on('client:get_tools', (_asked: unknown, ack: (body: object) => void) =>
      ack(answers.shift() ?? {}),
    );
    await computer.join('o', 'computer', 'c');
    await agent.join('o', 'agent', 'a');
    const got: unknown[] = [];
    while (answers.length > 0) {
      const [ack] = await agent.ask('client:get_tools', { agent: 'a', req_id: 'r', computer: 'c' });
      got.push(codeIn(ack) ?? 'read');
    }
    expect(got).toEqual(['read', 429, 413, 'read']);
  });

  it('end the connection of a peer that does not read them, and not that of who sends them', async () => {
    await using office = await officeWith({ unreadBytes: 200_000, eventsPerSocket: 0, callsPerSocket: 0 });
    await slowComputer(office);
    const agent = await peer(office);
    await agent.join('o', 'agent', 'a');
    const params = { text: 'x'.repeat(100_000) };
    const call = (req_id: number): Promise<Ack> =>
      agent.ask('client:tool_call', {
        ...{ agent: 'a', req_id: `r${req_id}`, computer: 'slow', tool_name: 't', params, timeout: 0 },
      });
    const answers: Promise<Ack>[] = [];
    // The loop first fills the socket buffers of the operating system on both sides.
    for (let count = 0; refused(office, 'unreadBytes') === 0; count++) {
      expect(count).toBeLessThan(2_000);
      answers.push(call(count));
      await agent.ask('server:list_room', { ...room });
    }
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject([{ structuredContent: { error: { code: 404 } } }]);
    expect(await agent.ask('server:list_room', room)).toMatchObject([{ sessions: [{ name: 'a' }] }]);
  });

  it('do not keep a peer there that does not read them after it was told to go', async () => {
    await using office = await officeWith({ unreadBytes: 0 });
    await slowComputer(office);
    const agent = await peer(office);
    await agent.join('o', 'agent', 'a');
    const params = { text: 'x'.repeat(1_000_000) };
    const call = { agent: 'a', computer: 'slow', tool_name: 't', params, timeout: 0 };
    // These calls are larger than the socket buffers of the operating system on both sides.
    const answers = Array.from({ length: 40 }, (_, n) =>
      agent.ask('client:tool_call', { ...call, req_id: `r${n}` }),
    );
    await agent.ask('server:list_room', room);
    const { id = '' } = office.peers().find(({ seat }) => seat?.name === 'slow') ?? {};
    expect(office.disconnect(id)).toBe(true);
    expect(office.peers()).toHaveLength(2);
    // The socket is closed at once; otherwise the office would notice at the next heartbeat, after 45 s.
    await expect.poll(() => office.peers().length, { timeout: 30_000 }).toBe(1);
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject([{ structuredContent: { error: { code: 404 } } }]);
  });
});
/** Computer that joins the office and then reads nothing. */
async function slowComputer({ port }: Office): Promise<void> {
  (await seatedSocket(port, { role: 'computer', name: 'slow' })).pause();
}
