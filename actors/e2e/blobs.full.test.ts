/** Tests of large contents between real hosts: streams of an agent, their hash, their end, and restarts on the way. */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { blobSizes } from '../../machines/protocol/messages/blobs.ts';
import { createAgent, createComputer, createOffice, type RecordOptions } from '../index.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

const folder = join(testFolder('blobs'), 'one');
beforeEach(() => onTestFinished(() => rmSync(folder, { recursive: true, force: true })));
const bytes = Buffer.from(Uint8Array.from({ length: 6_000_000 }, (_, n) => (n * 31) % 253));
const sha256 = createHash('sha256').update(bytes).digest('hex');
const blobs = join(folder, 'state', 'blobs');

async function camera(): Promise<InMemoryTransport> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: 'camera', version: '1' });
  const image = { type: 'image', mimeType: 'image/png', data: bytes.toString('base64') } as const;
  server.registerTool('photo', {}, () => ({ content: [image] }));
  await server.connect(far);
  return near;
}
async function meet(record: RecordOptions = {}) {
  mkdirSync(join(folder, 'skills', 'big'), { recursive: true });
  writeFileSync(join(folder, 'skills', 'big', 'SKILL.md'), '---\ndescription: big\n---\n');
  writeFileSync(join(folder, 'skills', 'big', 'model.bin'), bytes);
  const office = closedAfter(await createOffice({ port: 0 }));
  const timing = anyTiming({ linkBackoffMs: 20, refetchMs: 50 });
  const computer = closedAfter(
    await createComputer({
      name: 'c1',
      stateDir: join(folder, 'state'),
      config: {
        servers: [{ name: 's', type: 'inmemory', server_parameters: {} }],
        a2c: { skills: [join(folder, 'skills')] },
      },
      inMemory: { s: camera },
      office: { url: office.url },
      confirm: 'allow',
      timing,
      record,
    }),
  );
  const agent = closedAfter(await createAgent({ url: office.url, timing, record }));
  await agent.tools('c1');
  return { computer, agent };
}
const hashOf = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
};

it('a result that is too large is a stream, whose file ends with its computer', async () => {
  const { agent, computer } = await meet();
  const outcome = await agent.callTool('c1', 'photo');
  expect(outcome.result?.content).toMatchObject([{ type: 'image', data: '' }]);
  const { blobs: [blob] = [] } = outcome;
  if (!blob) return expect.unreachable();
  expect(blob).toMatchObject({ item: 0, mimeType: 'image/png', bytes: 6_000_000, sha256 });
  const told: number[] = [];
  expect(await hashOf(blob.stream({ onProgress: (p) => told.push(p.bytes) }))).toBe(sha256);
  expect([told[0], told.at(-1)]).toEqual([blobSizes.askedBytes, 6_000_000]);
  const wrong = blob.stream({ sha256: 'f'.repeat(64) });
  await expect(hashOf(wrong)).rejects.toMatchObject({ code: 'Internal', details: { found: sha256 } });
  expect(readdirSync(blobs)).toHaveLength(1);
  await computer.close();
  expect(readdirSync(blobs)).toEqual([]);
});

it('a large file of a skill is a stream, which a signal or its reader ends', async () => {
  const { agent, computer } = await meet();
  const file = await agent.skills.read('c1', 'big', { path: 'model.bin' });
  expect(file).toMatchObject({ text: null, bytes: 6_000_000, sha256, blobHandle: sha256 });
  expect(existsSync(blobs)).toBe(false);
  await expect(computer.skills.read('big', { path: 'model.bin' })).rejects.toMatchObject({
    code: 'SkillFileNotAccessible',
  });
  const aborter = new AbortController();
  const aborted = agent.files.get('c1', sha256, { signal: aborter.signal }).getReader();
  await aborted.read();
  aborter.abort(new Error('enough'));
  await expect(aborted.closed).rejects.toThrow('enough');
  for await (const _ of agent.files.get('c1', sha256)) break;
  await expect(hashOf(agent.files.get('c1', 'f'.repeat(64)))).rejects.toMatchObject({
    code: 'BlobNotAccessible',
    details: { reason: 'gone' },
  });
  const left = agent.files.get('c1', sha256).getReader();
  await left.read();
  await agent.close();
  await expect(left.closed).rejects.toMatchObject({ code: 'Closed' });
});

it('the recordings of both ends do not hold a content that was read', async () => {
  const { agent, computer } = await meet({ ringBytes: 1_000_000 });
  const { blobHandle } = await agent.skills.read('c1', 'big', { path: 'model.bin' });
  expect(await hashOf(agent.files.get('c1', blobHandle ?? ''))).toBe(sha256);
  const anyPart = bytes.subarray(0, 300).toString('base64');
  for (const host of [agent, computer])
    expect(readFileSync(await host.debug.writeTrace(folder), 'utf8')).not.toContain(anyPart);
});

// ── a full disk ───────────────────────────────────────────────────────────────────────────────────────
const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
/** Arguments of `unshare` that mount a disk of 2 MB at a folder, which only this program and its children see. */
const onSmallDisk = (at: string, script: string): readonly string[] => [
  ...['-Urm', 'sh', '-c', `mount -t tmpfs -o size=2m none "$0" && ${script}`, at],
];
const canMount = spawnSync('unshare', [...onSmallDisk(tmpdir(), 'true')]).status === 0;
const a2cOn = (
  at: string,
  script: string,
  ...argv: readonly string[]
): ChildProcessByStdio<null, Readable, Readable> =>
  spawn('unshare', [...onSmallDisk(at, script), process.execPath, main, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });

describe.skipIf(!canMount)('a full disk', () => {
  it('makes a computer take no file, say why, and take the next one that fits', async () => {
    const landing = join(folder, 'small');
    mkdirSync(landing, { recursive: true });
    const config = join(folder, 'small.json');
    const opened = { folder: join(landing, 'in'), autoApprove: true };
    writeFileSync(config, JSON.stringify({ mcpServers: {}, a2c: { landing: opened } }));
    const office = closedAfter(await createOffice({ port: 0 }));
    const agent = closedAfter(await createAgent({ url: office.url, record: false }));
    const joined = new Promise((resolve) => agent.on('computer.joined', resolve));
    const argv = ['computer', '--url', office.url, '--name', 'small', '--no-reaper', '-c', config];
    const child = a2cOn(landing, 'exec "$@"', ...argv);
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    });
    await joined;
    await expect(agent.files.put('small', bytes)).rejects.toMatchObject({
      code: 'BlobNotWritten',
      message: expect.stringContaining('ENOSPC') as string,
      details: { reason: 'io_error' },
    });
    const path = expect.stringContaining(opened.folder) as string;
    expect(await agent.files.put('small', bytes.subarray(0, 1_500_000))).toMatchObject({ path });
  });
});
