/** Tests of how nodes of an office find each other in a real Redis: databases, prefixes and credentials. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { openNode, peerAt as peer } from '../../scenarios/fixtures/office-nodes.ts';
import type { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import type { Office } from '../index.ts';

let redis: RedisServer;
beforeAll(async () => void (redis = await RedisServer.start()));
beforeEach(() => onTestFinished(() => redis.forget()));
afterAll(() => redis.kill());

const node = (where: object = {}): Promise<Office> => openNode({ url: redis.url, leaseMs: 1_000, ...where });
async function seated(office: Office, role: 'agent' | 'computer', name: string): Promise<SeatedPeer> {
  const made = peer(office, name).serve();
  expect(await made.join(role)).toEqual([true, null]);
  return made;
}
const roomOf = async (agent: SeatedPeer): Promise<readonly string[]> => {
  const body = { agent: agent.name, req_id: 'l', office_id: 'o' };
  const [{ sessions }] = (await agent.ask('server:list_room', body)) as [{ sessions: { name: string }[] }];
  return sessions.map(({ name }) => name).toSorted();
};

describe('two offices on one Redis', () => {
  it.each([
    ['two databases', { url: () => `${redis.url}/1` }],
    ['two prefixes', { prefix: 'staging' }],
  ])('never meet with %s', async (_, { url, ...more }: { url?: () => string; prefix?: string }) => {
    const [here, there] = await Promise.all([node(), node({ ...(url && { url: url() }), ...more })]);
    const agent = await seated(here, 'agent', 'alice');
    await seated(there, 'computer', 'c');
    await seated(there, 'agent', 'alice');
    expect(await roomOf(agent)).toEqual(['alice']);
    expect(await agent.call('c', 'greet', 'r1')).toMatchObject({ isError: true });
    await seated(here, 'computer', 'c');
    await agent.hears('notify:enter_office', { computer: 'c' });
    expect(agent.notices.filter(([event]) => event === 'notify:enter_office')).toHaveLength(1);
  });
});

describe('two nodes', () => {
  it('get binary values, and what looks like one, as they are within a node', async () => {
    const [a, b] = await Promise.all([node(), node()]);
    const agent = await seated(a, 'agent', 'alice');
    const looksSo = { type: 'Buffer', data: [1] };
    const heard: object[] = [];
    for (const [office, name] of [
      [a, 'near'],
      [b, 'far'],
    ] as const) {
      const computer = peer(office, name);
      await computer.join('computer');
      computer.socket.on('client:tool_call', ({ params }: { params: object }, ack: (a: object) => void) => {
        heard.push(params);
        ack({ content: [], blob: Buffer.from([1, 2, 3]), list: [Buffer.alloc(0), 'ä\n'], looksSo });
      });
    }
    const params = { bytes: Buffer.from('hi\n'), text: '{"_placeholder":true}', looksSo };
    const call = async (computer: string): Promise<unknown> => {
      const question = { agent: 'alice', computer, req_id: computer, tool_name: 't', params, timeout: 9 };
      return (await agent.ask('client:tool_call', question))[0];
    };
    const [near, far] = [await call('near'), await call('far')];
    expect(far).toEqual(near);
    expect(far).toMatchObject({ blob: Buffer.from([1, 2, 3]), looksSo });
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[1]).toEqual(params);
  });

  it('read one field of the register for each call to an absent computer, and never the whole', async () => {
    const [a, b] = await Promise.all([node(), node()]);
    const agent = await seated(a, 'agent', 'alice');
    await seated(a, 'computer', 'near');
    await seated(b, 'computer', 'far');
    const counts = async (name: string): Promise<number> =>
      Number(
        new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(await redis.ask('INFO', 'commandstats'))?.[1] ?? 0,
      );
    const [wholes, fields] = [await counts('hvals'), await counts('hget')];
    const asked = Array.from({ length: 100 }, (_, n) => agent.call(`nobody ${n % 2}`, 'greet', `r${n}`));
    const behind = await agent.call('near', 'greet', 'behind');
    expect(behind).toMatchObject({ content: [{ text: 'near greet' }] });
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 404 } } });
    expect((await counts('hget')) - fields).toBeLessThanOrEqual(asked.length + 5);
    // Each node reads the whole register now and then, so a few full reads are expected.
    expect((await counts('hvals')) - wholes).toBeLessThan(10);
  });
});

describe('a Redis that wants a password', () => {
  const open = (url: string): Promise<unknown> => openNode(url).catch((error: unknown) => error);

  it('says so, and what to do, and names no password', async () => {
    const guarded = closedAfter(await RedisServer.start(undefined, ['--requirepass', 'right']));
    const [none, wrong] = [
      await open(guarded.url),
      await open(guarded.url.replace('//', '//:a%20wrong%20one@')),
    ];
    expect(none).toMatchObject({ code: 'TokenRefused', message: 'Redis wants a password (NOAUTH)' });
    expect(wrong).toMatchObject({
      code: 'TokenRefused',
      message: 'Redis does not take this user and password (WRONGPASS)',
      remedy: expect.stringContaining('redis://USER:PASSWORD@HOST'),
    });
    expect(JSON.stringify([wrong])).not.toContain('a wrong one');
  });

  it('says so when its user may do too little', async () => {
    await redis.ask('ACL', 'SETUSER', 'weak', 'on', '>pw', '~*', '&*', '+@all', '-eval', '-evalsha');
    expect(await open(redis.url.replace('//', '//weak:pw@'))).toMatchObject({
      code: 'TokenRefused',
      message: expect.stringContaining('(NOPERM)'),
    });
  });

  it('takes the one that docs/scale.md has', async () => {
    const rules = ['on', '>pw', '+@all', '-@dangerous', '+info', '~{a2c:0}:*', '&{a2c:0}:*'];
    await redis.ask('ACL', 'SETUSER', 'office', ...rules);
    const url = redis.url.replace('//', '//office:pw@');
    const [a, b] = await Promise.all([node({ url }), node({ url })]);
    await seated(b, 'computer', 'far');
    const agent = await seated(a, 'agent', 'alice');
    expect(await agent.call('far', 'greet', 'r')).toMatchObject({ content: [{ text: 'far greet' }] });
  });
});

it('a prefix of redis that is no hash tag is refused', async () => {
  await expect(node({ prefix: 'a}b' })).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringContaining('prefix'),
  });
});
