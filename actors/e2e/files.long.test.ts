import type { AskComputer } from '../api/agent-lists.ts';
import { questionError } from '../api/call-outcome.ts';
import type { Read } from '../../machines/protocol/messages/lists.ts';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAgent, createComputer, createOffice } from '../index.ts';
import { blobSizes } from '../../machines/protocol/messages/blobs.ts';
import { putFile } from '../api/agent-files.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Files that an agent puts on a computer, over sockets. */
const root = testFolder('files');
const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
const timing = anyTiming({ linkBackoffMs: 20 });
async function world(given: object | null = {}) {
  const landing = join(root, crypto.randomUUID());
  const office = closedAfter(await createOffice({ port: 0 }));
  const a2c = given && { landing: { folder: landing, autoApprove: true, ...given } };
  const how = { record: false, timing } as const;
  const config = { mcpServers: {}, ...(a2c && { a2c }) };
  const seat = { name: 'c', office: { url: office.url }, stateDir: false } as const;
  const computer = closedAfter(await createComputer({ ...how, ...seat, config }));
  const agent = closedAfter(await createAgent({ ...how, url: office.url }));
  return { computer, agent, landing };
}

function bodyIn<Body>(read: Read<Body>): Body {
  if (read.ok) return read.body;
  throw questionError(read.failure, 'r');
}

describe('an agent', () => {
  it.each([1, 256 * 1024, 600_000])('puts a file of %i bytes, with its progress', async (size) => {
    const { agent, landing } = await world();
    const path = join(root, `of ${size}.bin`);
    writeFileSync(path, bytes(size));
    const sent: number[] = [];
    const landed = await agent.files.put('c', path, { onProgress: (p) => sent.push(p.sent) });
    expect(landed).toMatchObject({ bytes: size, sha256: sha256(bytes(size)) });
    expect([dirname(landed.path), readFileSync(landed.path).equals(bytes(size))]).toEqual([landing, true]);
    expect([landed.path.endsWith(`_of_${size}.bin`), sent.at(-1)]).toEqual([true, size]);
  });

  it('puts bytes in memory under a name', async () => {
    const { agent } = await world();
    const { path } = await agent.files.put('c', bytes(10), { name: '../up.bin' });
    expect([path.endsWith('_up.bin'), readFileSync(path).equals(bytes(10))]).toEqual([true, true]);
  });

  it('gives a file up when its signal aborts, and the computer that closes leaves nothing', async () => {
    const { agent, computer, landing } = await world();
    const aborter = new AbortController();
    const putting = agent.files.put('c', bytes(2_000_000), {
      signal: aborter.signal,
      onProgress: () => aborter.abort(new Error('enough')),
    });
    await expect(putting).rejects.toThrow('enough');
    await computer.close();
    expect(readdirSync(landing, { recursive: true })).toEqual(['.a2c-upload']);
  });

  it.each([
    ['has no landing folder', null, { details: { reason: 'forbidden' } }],
    ['takes smaller files only', { maxFileBytes: 5 }, { details: { reason: 'too_large' } }],
    [
      'has nobody to ask',
      { autoApprove: false },
      {
        details: { reason: 'forbidden', why: 'missing' },
        message: 'The upload is not allowed: There is nobody who could be asked whether it may run',
        remedy: expect.stringContaining('a2c.landing.autoApprove') as string,
      },
    ],
  ])('is told that its computer %s', async (_, landing, error) => {
    const { agent } = await world(landing);
    const told = { code: 'BlobNotWritten', ...error };
    await expect(agent.files.put('c', bytes(10))).rejects.toMatchObject(told);
  });

  it('gives a file up in time when its computer refuses each part that follows', async () => {
    const asked: unknown[] = [];
    const ask: AskComputer = async (_, request, __, read) => {
      const { chunk_offset: offset, resume } = request as { chunk_offset: number; resume?: boolean };
      asked.push(resume === true ? 'where' : offset);
      const at = { req_id: 'r', upload_id: 'u', chunk_offset: 0, eof: false, received: blobSizes.putBytes };
      const refused = { code: 4019, message: 'not now', details: { reason: 'range' } };
      return bodyIn(read(resume === true || offset === 0 ? at : refused, 'r'));
    };
    const agent = { ask, isOpen: () => true, parts: new Map() };
    const putting = putFile(agent, 'c', bytes(3 * blobSizes.putBytes), { timeoutMs: 1_000 });
    await expect(putting).rejects.toMatchObject({ code: 'BlobNotWritten', details: { reason: 'range' } });
    const part = blobSizes.putBytes;
    expect(asked.slice(0, 4)).toEqual([0, part, 2 * part, 'where']);
  });

  it('goes on with a file after an office asked it to join first, as while it joins again', async () => {
    const refused = { code: 403, message: 'Join an office first', details: { reason: 'no_seat' } };
    const at = { req_id: 'r', upload_id: 'u', chunk_offset: 0, eof: false, received: 0 };
    const landed = { ...at, eof: true, received: 10, landing_path: '/landed' };
    const acks = [refused, at, landed];
    const ask: AskComputer = async (_, __, ___, read) => bodyIn(read(acks.shift(), 'r'));
    const agent = { ask, isOpen: () => true, parts: new Map() };
    expect(await putFile(agent, 'c', bytes(10), {})).toMatchObject({ path: '/landed' });
    expect(acks).toEqual([]);
  });

  it('is told at once of a computer or a file that is not there', async () => {
    const { agent } = await world();
    await expect(agent.files.put('nobody', bytes(10))).rejects.toMatchObject({ code: 'NotFound' });
    await expect(agent.files.put('c', join(root, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
