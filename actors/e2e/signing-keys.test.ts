/** Tests of the keys that verify signed tokens, in a file or at a URL, when they change or cannot be loaded. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOffice, type Office, type OfficeAuth, type RefusedPeer } from '../index.ts';
import {
  enteringPeer,
  makeSigner,
  validClaims as claims,
  type EnteringPeer,
  type Signer,
} from '../../scenarios/fixtures/entering.ts';
import { ended, listening } from '../../scenarios/fixtures/local-server.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('keys');
const path = join(folder, 'keys.json');
const peer = (office: Office, token: string): EnteringPeer => enteringPeer(office.url, token);
const officeWith = (auth: OfficeAuth): Promise<Office> => createOffice({ port: 0, auth });
let signer: Signer;
beforeAll(async () => {
  signer = await makeSigner('one');
  writeFileSync(path, JSON.stringify({ keys: [signer.jwk] }));
});

describe('a signed token', () => {
  it('is checked by keys that are read again when they change', async () => {
    const two = await makeSigner('rotated');
    const token = await two.sign(claims);
    const own = join(folder, 'rotated.json');
    writeFileSync(own, JSON.stringify({ keys: [(await makeSigner('other')).jwk] }));
    await using rotating = await officeWith({ jwks: own, audience: 'our-office' });
    expect(await peer(rotating, token).entered).toEqual([
      401,
      expect.stringContaining('signed by somebody else'),
    ]);
    writeFileSync(own, JSON.stringify({ keys: [two.jwk, two.jwk].slice(1) }));
    expect(await peer(rotating, token).entered).toBe(true);
  });

  it('is checked by the keys of a URL; while they cannot be had, nobody is let in, and the operator reads why once', async () => {
    const { sign: signFar, jwk } = await makeSigner('web');
    let answers: [status: number, body: string] = [500, ''];
    const server = createServer((_, response) => {
      response.writeHead(answers[0], { 'content-type': 'application/json' });
      response.end(answers[1]);
    });
    const place = `${await listening(server)}/jwks`;
    const claimNames = { office: 'tenant', role: false, name: 'sub' } as const;
    const web = { audience: 'our-office', claims: claimNames };
    const other = { jwks: path, audience: 'our-office', issuer: 'https://id.example' };
    await using far = await officeWith(['plain', { ...web, jwks: `${place}?key=secret` }, other]);
    const [refused, warnings]: [RefusedPeer[], string[]] = [[], []];
    far.on('peer.refused', (one) => void refused.push(one));
    far.on('auth.failed', ({ message }) => void warnings.push(message));
    const token = await signFar({ ...claims, tenant: 't1' });
    const fails = async (says: string): Promise<void> => {
      for (const _ of [1, 2])
        expect(await peer(far, token).entered).toEqual([503, expect.stringContaining('try again later')]);
      const text = `the keys of ${place} cannot be had: ${says}`;
      expect(warnings.splice(0)).toEqual([expect.stringContaining(text)]);
      const detail = expect.stringContaining(`nobody could say whether it may: ${text}`);
      expect(refused.splice(0)).toMatchObject([1, 2].map(() => ({ code: 503, detail })));
    };
    await fails('Expected 200 OK');
    answers = [200, 'no JSON'];
    await fails('Failed to parse');
    answers = [200, '{"keys": 1}'];
    await fails('JSON Web Key Set malformed');
    expect(await peer(far, 'plain').entered).toBe(true);
    // Keys of another issuer are still valid while this issuer has an error.
    expect(await peer(far, await signer.sign(claims)).entered).toBe(true);
    answers = [200, JSON.stringify({ keys: [jwk] })];
    const one = peer(far, token);
    expect(await one.entered).toBe(true);
    expect(await one.join('t1', 'agent', 'machine-1')).toEqual([true, null]);
    await ended(server);
    far.admit({ ...web, jwks: place });
    await fails('fetch failed: connect ECONNREFUSED');
  });

  it('lets nobody in while the file of keys is broken, and the operator reads why once', async () => {
    const own = join(folder, 'broken.json');
    writeFileSync(own, readFileSync(path));
    await using broken = await officeWith({ jwks: own, audience: 'our-office' });
    const warnings: string[] = [];
    broken.on('auth.failed', ({ message }) => void warnings.push(message));
    for (const content of ['{"keys": [', '{}']) {
      writeFileSync(own, content);
      utimesSync(own, 0, content.length);
      for (const _ of [1, 2])
        expect(await peer(broken, await signer.sign(claims)).entered).toMatchObject([
          503,
          expect.any(String),
        ]);
    }
    rmSync(own);
    expect(await peer(broken, await signer.sign(claims)).entered).toMatchObject([503, expect.any(String)]);
    expect(warnings).toEqual(
      ['it is no JSON', 'no JWKS', 'no such file'].map((why) =>
        expect.stringMatching(`the keys.*broken.json.*${why}`),
      ),
    );
  });
});
