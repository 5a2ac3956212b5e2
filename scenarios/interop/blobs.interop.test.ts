import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAgent, type AgentBlob } from '../../actors/index.ts';
import { isPypiReached, sha256Of, startPeers, versions } from '../fixtures/python-peers.ts';
import { computerName, office as officeId, ourComputer, ourOffice, pythonComputer } from './pair-peers.ts';

/** On the wire, and too large to be put back into a result; the contents of all pairs are in docs/interop.md. */
const isReached = await isPypiReached();
const all = Object.keys(versions);
const knowing = all.filter((version) => version >= '0.2');
const small = 300_000;
/** Above the limits of a result; as base64 still below that of an MCP message over stdio, 10 MiB. */
const large = 7_000_000;

interface Answer {
  readonly content: readonly {
    readonly data?: string;
    readonly resource?: { readonly blob: string };
    readonly _meta?: object;
  }[];
}

describe.runIf(isReached)('our computer', () => {
  it.each(all)('gives an agent of %s handles when that knows them, else the contents', async (version) => {
    const office = await ourOffice();
    const computer = await ourComputer(version, office.url);
    await using peers = await startPeers(version);
    const about = { name: 'a', computer: computerName };
    expect(await peers.do('agent', { name: 'a', url: office.url, office: officeId })).toEqual({
      ok: [true, null],
    });
    expect(await peers.do('see', { ...about, tool: 'file' })).toEqual({ ok: null });
    for (const tool of ['image', 'file']) {
      const question = { agent: 'a', computer: computerName, req_id: `r-${tool}`, timeout: 20 };
      const payload = { ...question, tool_name: tool, params: { bytes: small } };
      const { ok } = await peers.do('ask', { ...about, event: 'client:tool_call', payload });
      const [item] = (ok as Answer).content;
      const held = item?.data ?? item?.resource?.blob;
      const facts = { a2c_blob_handle: sha256Of(small), a2c_total_size: small, a2c_sha256: sha256Of(small) };
      if (knowing.includes(version)) expect([held, item?._meta]).toEqual(['', facts]);
      else expect(held).toHaveLength(small / 0.75);
      if (!knowing.includes(version)) continue;
      const call = { ...about, tool, params: { bytes: large }, timeout: 60 };
      expect(await peers.do('call', call)).toMatchObject({
        ok: { isError: false, content: [{ bytes: large, sha256: sha256Of(large) }] },
      });
    }
    await computer.kill();
    await office.kill();
  });
});

describe.runIf(isReached)('our agent', () => {
  it.each(knowing)('reads contents of a computer of %s as streams', async (version) => {
    const office = await ourOffice();
    const computer = await pythonComputer(version, office.url);
    await using agent = await createAgent({ url: office.url, office: officeId, name: 'a' });
    const { tools } = await agent.tools(computerName);
    const hashOf = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
      const hash = createHash('sha256');
      for await (const part of stream) hash.update(part);
      return hash.digest('hex');
    };
    for (const tool of ['image', 'file']) {
      const { name = tool } = tools.find((each) => each.name.endsWith(tool)) ?? {};
      const { outcome, blobs = [], failure } = await agent.callTool(computerName, name, { bytes: large });
      expect([outcome, failure?.message]).toEqual(['succeeded', undefined]);
      expect(blobs).toMatchObject([{ item: 0, bytes: large, sha256: sha256Of(large) }]);
      const told: number[] = [];
      const [blob] = blobs as readonly [AgentBlob];
      const stream = blob.stream({ onProgress: ({ bytes }) => told.push(bytes) });
      expect(await hashOf(stream)).toBe(sha256Of(large));
      expect([told.length > 1, told.at(-1)]).toEqual([true, large]);
    }
    const skills = await agent.skills.list(computerName);
    const { name: drawing = '' } = skills.find(({ name }) => name.endsWith('drawing')) ?? {};
    const file = await agent.skills.read(computerName, drawing, { path: 'template.bin' });
    expect(file).toMatchObject({ text: null, sha256: sha256Of(small) });
    expect(await hashOf(agent.files.get(computerName, file.blobHandle ?? ''))).toBe(sha256Of(small));
    await computer.kill();
    await office.kill();
  });
});
