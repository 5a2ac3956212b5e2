import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOffice, type Office } from '../../actors/index.ts';
import {
  isPypiReached,
  pythonOf,
  sha256Of,
  startPeers,
  versions,
  type PythonPeers,
  type PeerMessage,
} from '../fixtures/python-peers.ts';

const names = Object.keys(versions);
const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL('image-server.mjs', import.meta.url))],
};
const isReached = await isPypiReached();
const peers = new Map<string, PythonPeers>();
let office: Office;

/** Agents of version 0.1 send it as the header `access_token`, all others as `auth`. */
const token = 'what-everybody-here-knows';
const entry = () => ({ url: office.url, token });
const of = (version: string): PythonPeers => {
  const found = peers.get(version);
  if (!found) throw new Error(`no peers of ${version}`);
  return found;
};

describe.runIf(isReached)('an office of ours', () => {
  beforeAll(async () => {
    await Promise.all(names.map(pythonOf));
    office = await createOffice({ port: 0, auth: token });
    for (const version of names) peers.set(version, await startPeers(version));
    const joins = names.map((version) =>
      of(version).do('computer', {
        ...entry(),
        name: `k${version}`,
        office: 'o',
        servers: { files: server },
      }),
    );
    for (const joined of await Promise.all(joins)) expect(joined).toEqual({ ok: null });
  }, 300_000);
  afterAll(async () => {
    await Promise.all([...peers.values()].map((one) => one[Symbol.asyncDispose]()));
    await office?.close();
  });

  describe.each(names)('between an agent of %s and', (version) => {
    const name = `a${version}`;
    beforeAll(async () => {
      const joined = await of(version).do('agent', { ...entry(), name, office: 'o' });
      expect(joined).toEqual({ ok: [true, null] });
    });
    afterAll(async () => void (await of(version).do('leave', { name })));

    describe.each(names)('a computer of %s', (other) => {
      const computer = `k${other}`;
      const call = async (tool: string, params: object): Promise<PeerMessage> => {
        const { ok: tools } = await of(version).do('tools', { name, computer });
        const full = (tools as string[]).find((one) => one.endsWith(tool));
        return of(version).do('call', { name, computer, tool: full, params, timeout: 30 });
      };
      it('carries a call', async () => {
        expect(await call('echo', { text: 'hi' })).toMatchObject({
          ok: { isError: false, content: [{ type: 'text', text: 'hi' }] },
        });
      });
      it.each([40_000, 300_000, 1_500_000])('carries an image of %i bytes whole', async (bytes) => {
        expect(await call('image', { bytes })).toMatchObject({
          ok: { isError: false, content: [{ type: 'image', bytes, sha256: sha256Of(bytes) }] },
        });
      });
      it.runIf(version >= '0.4' && other >= '0.4')('carries a file to the computer', async () => {
        expect(await of(version).do('put', { name, computer, bytes: 600_000 })).toEqual({
          ok: { isSame: true },
        });
      });
      it.runIf(version >= '0.4' && other >= '0.4')('carries a binary file of a skill', async () => {
        const same = { bytes: 300_000, sha256: sha256Of(300_000), said: sha256Of(300_000) };
        expect(await of(version).do('skill', { name, computer })).toEqual({ ok: same });
      });
      it.runIf(other >= '0.2')('carries what later protocols ask', async () => {
        const payload = { agent: name, req_id: 'r', computer, mcp_server: 'nobody' };
        expect(await of(version).do('ask', { name, event: 'client:get_resources', payload })).toMatchObject({
          ok: { code: 4014 },
        });
      });
    });
  });

  it.each(names)('lets no peer of %s in without its token, or with another', async (version) => {
    const computer = { url: office.url, name: 'stranger', office: 'o', servers: {} };
    expect(await of(version).do('computer', computer)).toMatchObject({
      error: expect.stringMatching(/failed to connect|Connection/),
    });
    const agent = { url: office.url, name: 'stranger', office: 'o', token: 'guessed' };
    expect(await of(version).do('agent', agent)).toMatchObject({
      error: expect.stringMatching(/failed to connect|Connection/),
    });
  });

  it('lists the version of each, where it has said one', async () => {
    const agent = { ...entry(), name: 'lister', office: 'o' };
    expect(await of('0.4.2').do('agent', agent)).toEqual({ ok: [true, null] });
    const payload = { agent: 'lister', req_id: 'r', office_id: 'o' };
    const { ok } = await of('0.4.2').do('ask', { name: 'lister', event: 'server:list_room', payload });
    const { sessions } = ok as { sessions: { name: string; a2c_version?: string }[] };
    expect(Object.fromEntries(sessions.map((one) => [one.name, one.a2c_version]))).toEqual({
      'k0.1.6': undefined,
      'k0.2.2': '0.2.0',
      'k0.3.3': '0.3.1',
      'k0.4.2': '0.4.0',
      lister: '0.4.0',
    });
  });

  it('is found again by all of them after it was closed in good order', async () => {
    const seated = await Promise.all(
      names.map((one) => of(one).do('connected', { name: `k${one}`, not: '' })),
    );
    const { port } = office;
    await office.close();
    office = await createOffice({ port, auth: token });
    const again = await Promise.all(
      names.map((one, i) => of(one).do('connected', { name: `k${one}`, not: seated[i]?.ok })),
    );
    for (const one of again) expect(one).toEqual({ ok: expect.any(String) });
  });
});
