/** Tests of an office over TLS, and of one that requires client certificates. The keys are in scenarios/fixtures/tls. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAgent, createOffice, type Authenticate, type Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const pem = (name: string): string => readFileSync(fixtureFile(`tls/${name}`), 'utf8');
const [ca, cert, key] = [pem('ca.pem'), pem('office.pem'), pem('office.key')];
const peer = { ca, cert: pem('peer.pem'), key: pem('peer.key') };
const stranger = { ca, cert: pem('stranger.pem'), key: pem('stranger.key') };
const auth = 'the-token';

describe('an office with a certificate', () => {
  it('is reached by https by who trusts its authority, and by nobody by http', async () => {
    await using office = await createOffice({ host: '0.0.0.0', port: 0, auth, tls: { cert, key } });
    const url = `https://localhost:${office.port}`;
    expect(office.url).toBe(`https://0.0.0.0:${office.port}`);
    await using computer = await bootedComputer({ name: 'c1', config: { mcpServers: {} } });
    await computer.join({ url, auth, tls: { ca } });
    await using agent = await createAgent({ url, auth, tls: { ca } });
    expect((await agent.room()).map(({ name }) => name).toSorted()).toEqual(['agent', 'c1']);
    await expect(createAgent({ url, auth, office: 'p' })).rejects.toThrow(/certificate|self.signed|issuer/i);
    const plain = `http://localhost:${office.port}`;
    await expect(createAgent({ url: plain, auth, office: 'p' })).rejects.toMatchObject({ code: 'LinkLost' });
  });

  it.each<[what: string, tls: object, says: string]>([
    ['no key', { cert }, 'tls wants a certificate and its key'],
    ['the key of another', { cert, key: peer.key }, 'tls: '],
    ['no certificate', { cert: 'x', key }, 'tls: '],
  ])('is not opened with %s', async (_, tls, says) => {
    await expect(createOffice({ port: 0, tls })).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(says),
    });
  });
});

describe('an office that wants certificates', () => {
  /** Authentication that lets a computer use only the name in its certificate. */
  const byCertificate: Authenticate = ({ certificate }) =>
    certificate ? { grant: { names: [certificate.name], roles: ['computer'] } } : false;
  const openOffice = (): Promise<Office> =>
    createOffice({ port: 0, auth: byCertificate, tls: { cert, key, ca, requestCert: true } });

  it('lets in who has one of its authority, under the name that stands there', async () => {
    await using office = await openOffice();
    const seat = { url: office.url, tls: peer };
    await using computer = await bootedComputer({ name: 'build-1', config: { mcpServers: {} } });
    await computer.join(seat);
    expect(office.stats().seats).toBe(1);
    await using other = await bootedComputer({ name: 'build-2', config: { mcpServers: {} } });
    await expect(other.join(seat)).rejects.toMatchObject({
      code: 'NotAllowed',
      message: expect.stringContaining("but for 'build-1'"),
    });
  });

  it.each([
    ['none', { ca }, 'It shows no certificate'],
    [
      'one of another authority, with the same name',
      stranger,
      'Its certificate is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
  ])('lets nobody in with %s, and asks for no token', async (_, tls, says) => {
    await using office = await openOffice();
    const refused: unknown[] = [];
    office.on('peer.refused', (who) => refused.push(who));
    await using computer = await bootedComputer({ name: 'build-1', config: { mcpServers: {} } });
    await expect(computer.join({ url: office.url, tls })).rejects.toMatchObject({ code: 'LinkLost' });
    expect(office.stats().connections).toBe(0);
    // A peer of ours tries both of its transports.
    const told = { code: 401, kind: 'certificate', address: '127.0.0.1', reason: says };
    expect(refused).toEqual([expect.objectContaining(told), expect.objectContaining(told)]);
    expect(office.stats().refusals).toEqual({ certificate: 2 });
  });
});
