/** Tests of large answers between two nodes while one of them is paused. */
import { expect, it } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { openNode, peerAt } from '../../scenarios/fixtures/office-nodes.ts';
import { startHost } from '../../scenarios/fixtures/started-host.ts';
import { createOffice } from '../index.ts';

const library = new URL('../../dist/actors/index.js', import.meta.url).href;
const computers = 14;
const largeLength = 7_900_000;

it('a node that is paused with 14 × 7.9 MB on their way to it loses none of them, and no small one', async () => {
  const redis = closedAfter(await RedisServer.start());
  // Outlasts every pause, because a node whose lease has ended gives up its seats.
  const shared = { url: redis.url, leaseMs: 120_000 };
  // The register in Redis is made to look old: a node waits for 1.5 leases where it is new.
  await (await createOffice({ port: 0, record: false, redis: { url: redis.url, leaseMs: 1_000 } })).close();
  await redis.ask('DECRBY', '{a2c:0}:since', '1000000');
  const far = await openNode(shared);
  const opened = JSON.stringify({ port: 0, record: false, redis: shared });
  const program = `import { createOffice } from '${library}'; console.log((await createOffice(${opened})).url);`;
  const near = closedAfter(await startHost(process.execPath, ['--input-type=module', '--eval', program]));
  const agent = peerAt(near, 'alice');
  expect(await agent.join('agent')).toEqual([true, null]);
  const answers: (() => void)[] = [];
  const all = computers * 3;
  for (let n = 0; n < computers; n += 1) {
    const computer = peerAt(far, `c${n}`);
    expect(await computer.join('computer')).toEqual([true, null]);
    computer.socket.on('client:tool_call', ({ tool_name: tool }: { tool_name: string }, ack) => {
      const text = tool === 'large' ? 'x'.repeat(largeLength) : tool;
      answers.push(() => (ack as (answer: object) => void)({ content: [{ type: 'text', text }] }));
    });
  }
  const call = (n: number, tool: string): Promise<number | undefined> =>
    agent.call(`c${n}`, tool, `${tool} ${n}`, 0).then(({ content }) => content?.[0]?.text?.length);
  const large = Array.from({ length: computers }, (_, n) => call(n, 'large'));
  const small = Array.from({ length: computers * 2 }, (_, n) =>
    call(n % computers, n < computers ? 'a' : 'b'),
  );
  await expect.poll(() => answers.length, { timeout: 90_000 }).toBe(all);
  process.kill(near.pid, 'SIGSTOP');
  for (const answer of answers) answer();
  // Redis holds them all for the paused node.
  const standing = async (): Promise<number> =>
    (await redis.ask('KEYS', '{a2c:0}:large:*')).split('\n').filter(Boolean).length;
  await expect.poll(standing, { timeout: 90_000 }).toBe(computers);
  process.kill(near.pid, 'SIGCONT');
  expect(await Promise.all(small)).toEqual(Array.from({ length: computers * 2 }, () => 1));
  expect(await Promise.all(large)).toEqual(Array.from({ length: computers }, () => largeLength));
  // What a slow Redis stored after its command was given up goes after a minute.
  await expect.poll(standing, { timeout: 90_000 }).toBe(0);
});
