/** Tests of files that go through an office of two nodes, one of which is killed in the middle. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { startHost, type StartedHost } from '../../scenarios/fixtures/started-host.ts';
import { createAgent, createComputer, createOffice } from '../index.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const folder = testFolder('files-redis');
let redis: RedisServer;
beforeAll(async () => void (redis = await RedisServer.start()));
afterAll(async () => {
  await redis.kill();
});
const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
const node = (port: string): Promise<StartedHost> =>
  startHost(process.execPath, [main, 'office', '--port', port, '--open', '--redis', redis.url]);

it('a file goes on when the node of its computer is killed in the middle, and nothing is lost', async () => {
  await using office = await createOffice({ port: 0, record: false, redis: { url: redis.url } });
  let far = await node('0');
  const url = far.url;
  const landing = { folder: join(folder, 'landed'), autoApprove: true };
  await using computer = await createComputer({
    ...{ name: 'c', config: { mcpServers: {}, a2c: { landing } }, stateDir: false, record: false },
    office: { url, id: 'o' },
    timing: anyTiming({ linkBackoffMs: 500 }),
  });
  await using agent = await createAgent({ url: office.url, office: 'o', name: 'a', record: false });
  const data = randomBytes(20_000_000);
  let again: Promise<StartedHost> | undefined;
  const restart = async (): Promise<StartedHost> => {
    await far.kill();
    return (far = await node(new URL(url).port));
  };
  const landed = await agent.files.put('c', data, {
    onProgress: ({ sent }) => {
      if (sent > 10_000_000) again ??= restart();
    },
  });
  await again;
  expect(landed.sha256).toBe(sha256(data));
  expect(readFileSync(landed.path).equals(data)).toBe(true);
  const names = (path: string): string[] => readdirSync(join(folder, 'landed', path));
  expect([names('.a2c-upload'), names('.').length]).toEqual([[], 2]);
  expect(computer.status().link?.state).toBe('joined');
  await far.kill();
}, 180_000);

it.each(['computer', 'agent'] as const)(
  'a large content is read to its end when the node of its %s is killed in the middle',
  async (whose) => {
    await using office = await createOffice({ port: 0, record: false, redis: { url: redis.url } });
    const far = await node('0');
    const { url } = far;
    const data = randomBytes(20_000_000);
    const skills = join(folder, `skills of ${whose}`);
    mkdirSync(join(skills, 'big'), { recursive: true });
    writeFileSync(join(skills, 'big', 'SKILL.md'), '---\ndescription: big\n---\n');
    writeFileSync(join(skills, 'big', 'model.bin'), data);
    const timing = { linkBackoffMs: 500, refetchMs: 200 };
    await using computer = await createComputer({
      ...{ name: 'c', config: { mcpServers: {}, a2c: { skills: [skills] } }, stateDir: false, record: false },
      office: { url: whose === 'computer' ? url : office.url, id: whose },
      timing: anyTiming(timing),
    });
    const seat = { url: whose === 'agent' ? url : office.url, office: whose, name: 'a' };
    await using agent = await createAgent({ ...seat, record: false, timing: anyTiming(timing) });
    const { blobHandle } = await agent.skills.read('c', 'big', { path: 'model.bin' });
    const hash = createHash('sha256');
    let bytes = 0;
    let again: Promise<StartedHost> | undefined;
    for await (const part of agent.files.get('c', blobHandle ?? '')) {
      hash.update(part);
      bytes += part.length;
      if (bytes < 10_000_000 || again) continue;
      // The reader waits for the kill only: the parts under way are lost, and the node is back later.
      await far.kill();
      again = node(new URL(url).port);
    }
    expect([bytes, hash.digest('hex')]).toEqual([data.length, sha256(data)]);
    expect([again === undefined, computer.status().link?.state]).toEqual([false, 'joined']);
    await (await again)?.kill();
  },
  180_000,
);
