/** Test of a file that goes through an office of two nodes, one of which is killed in the middle. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { startHost, type StartedHost } from '../../scenarios/fixtures/started-host.ts';
import { createAgent, createComputer, createOffice } from '../index.ts';

const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2c-files-redis-'));
let redis: RedisServer;
beforeAll(async () => void (redis = await RedisServer.start()));
afterAll(async () => {
  await redis.kill();
  rmSync(folder, { recursive: true, force: true });
});
const node = (port: string): Promise<StartedHost> =>
  startHost(process.execPath, [main, 'office', '--port', port, '--open', '--redis', redis.url]);

it('a file goes on when the node of its computer is killed in the middle, and nothing is lost', async () => {
  await using office = await createOffice({ port: 0, record: false, redis: { url: redis.url } });
  let far = await node('0');
  const url = far.url;
  const landing = { folder, autoApprove: true };
  await using computer = await createComputer({
    ...{ name: 'c', config: { mcpServers: {}, a2c: { landing } }, stateDir: false, record: false },
    office: { url, id: 'o' },
    timing: { linkBackoffMs: 500 },
  });
  await using agent = await createAgent({ url: office.url, office: 'o', name: 'a', record: false });
  const data = randomBytes(20_000_000);
  let again: Promise<StartedHost> | undefined;
  const restart = async (): Promise<StartedHost> => {
    await far.kill();
    return (far = await node(new URL(url).port));
  };
  const landed = await agent.putFile('c', data, {
    onProgress: ({ sent }) => {
      if (sent > 10_000_000) again ??= restart();
    },
  });
  await again;
  expect(landed.sha256).toBe(createHash('sha256').update(data).digest('hex'));
  expect(readFileSync(landed.path).equals(data)).toBe(true);
  expect([readdirSync(join(folder, '.a2c-upload')), readdirSync(folder).length]).toEqual([[], 2]);
  expect(computer.status().link?.state).toBe('joined');
  await far.kill();
}, 180_000);
