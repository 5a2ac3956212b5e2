import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, createComputer, createOffice, type Computer, type Office } from '../../actors/index.ts';
import { isPypiReached, startPeers, type PythonPeers } from '../fixtures/python-peers.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const isReached = await isPypiReached();
const folder = testFolder('interop-files');
const bytes = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));

describe.runIf(isReached)('files', () => {
  let office: Office;
  let peers: PythonPeers;
  let computer: Computer;
  beforeAll(async () => {
    office = await createOffice({ port: 0 });
    peers = await startPeers('0.4.2');
    const landing = { folder, autoApprove: true, maxFileBytes: 1_000_000 };
    const seat = { url: office.url, id: 'o' };
    const config = { mcpServers: {}, a2c: { landing } };
    computer = await createComputer({ name: 'ours', config, office: seat, stateDir: false });
    const theirs = { name: 'theirs', url: office.url, office: 'o', servers: {} };
    expect(await peers.do('computer', theirs)).toEqual({ ok: null });
  }, 300_000);
  afterAll(async () => {
    await peers?.[Symbol.asyncDispose]();
    await computer?.close();
    await office?.close();
  });

  it('land from a Python agent on our computer, in one part and in many, up to its limit', async () => {
    const agent = { name: 'python', url: office.url, office: 'o' };
    expect(await peers.do('agent', agent)).toEqual({ ok: [true, null] });
    const put = (size: number) => peers.do('put', { name: 'python', computer: 'ours', bytes: size });
    expect(await put(1)).toEqual({ ok: { isSame: true } });
    expect(await put(600_000)).toEqual({ ok: { isSame: true } });
    expect(await put(1_000_001)).toMatchObject({ error: expect.stringContaining('BlobUploadError') });
    await peers.do('leave', { name: 'python' });
  });

  it('land from our agent on a Python computer', async () => {
    await using agent = await createAgent({ url: office.url, office: 'o', name: 'a' });
    for (const size of [1, 600_000]) {
      const { path } = await agent.files.put('theirs', bytes(size), { name: 'x.bin' });
      expect(readFileSync(path).equals(bytes(size))).toBe(true);
    }
    await expect(agent.files.put('theirs', new Uint8Array(0))).rejects.toMatchObject({
      code: 'BlobNotWritten',
      details: { reason: 'invalid_declaration' },
    });
  });
});
