/** Credentials that say what their holder may do: tokens with a grant, files of them, and tokens that somebody signs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, createOffice, type Office, type OfficeAuth } from '../index.ts';

const folder = mkdtempSync(join(tmpdir(), 'a2c-credentials-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Peer {
  readonly socket: Socket;
  /** Connected, or the code and text of the refusal. */
  readonly entered: Promise<true | readonly [code: unknown, message: string]>;
  join(office: string, role: string, name: string): Promise<readonly unknown[]>;
}
const peers: Socket[] = [];
afterAll(() => peers.forEach((socket) => socket.disconnect()));
function peer(office: Office, token?: string): Peer {
  const socket: Socket = io(`${office.url}/smcp`, {
    ...{ forceNew: true, reconnection: false, transports: ['websocket'] },
    ...(token !== undefined && { auth: { token } }),
  });
  peers.push(socket);
  return {
    socket,
    entered: new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('connect_error', (error: Error & { data?: { code?: unknown } }) =>
        resolve([error.data?.code, error.message]),
      );
    }),
    join: (office_id, role, name) =>
      new Promise((resolve) =>
        socket.emit('server:join_office', { office_id, role, name }, (...ack: unknown[]) => resolve(ack)),
      ),
  };
}
const officeWith = (auth: OfficeAuth): Promise<Office> => createOffice({ port: 0, auth });

describe('a token with a grant', () => {
  it('lets its holder sit where it says, and nowhere else', async () => {
    const grant = { offices: ['acme'], roles: ['computer'], names: ['build-1', 'build-2'] } as const;
    await using office = await officeWith([{ token: 'for-the-builders', ...grant }, 'for-all']);
    const builder = peer(office, 'for-the-builders');
    expect(await builder.entered).toBe(true);
    const refused = async (...seat: readonly [string, string, string]): Promise<unknown> => {
      const [ok, text] = await builder.join(...seat);
      expect(ok).toBe(false);
      return text;
    };
    expect(await refused('other', 'computer', 'build-1')).toBe(
      "Your credential is not for the office 'other', but for 'acme'",
    );
    expect(await refused('acme', 'agent', 'build-1')).toContain("not for the role 'agent'");
    expect(await refused('acme', 'computer', 'build-3')).toContain("but for 'build-1', 'build-2'");
    expect(await builder.join('acme', 'computer', 'build-2')).toEqual([true, null]);
    await expect(createAgent({ url: office.url, auth: 'for-the-builders' })).rejects.toMatchObject({
      code: 403,
      remedy: expect.stringContaining('or another credential'),
    });
    const anybody = peer(office, 'for-all');
    expect(await anybody.join('other', 'agent', 'a')).toEqual([true, null]);
  });

  it('may be known by its SHA-256 alone', async () => {
    const sha256 = createHash('sha256').update('secret').digest('hex');
    await using office = await officeWith({ sha256, offices: ['acme'] });
    expect(await peer(office, 'secret').entered).toBe(true);
    expect(await peer(office, sha256).entered).toEqual([401, 'This office does not know that token']);
  });

  it('closes the connection of its holder when it ends, and says why', async () => {
    // From when it is checked: however slow the machine is, its holder is connected before.
    const lasting = (ms: number): OfficeAuth =>
      (() => ({ grant: { expiresAt: Date.now() + ms } })) satisfies OfficeAuth;
    await using office = await officeWith(lasting(100));
    const one = peer(office, 'short');
    const heard = new Promise((resolve) => one.socket.once('notify:disconnecting', resolve));
    const over = new Promise((resolve) => one.socket.once('disconnect', resolve));
    const expired = 'This token has expired: connect again with a new one';
    expect(await heard).toEqual({ code: 401, message: expired });
    expect(await over).toBe('transport close');
    office.admit(lasting(-1));
    expect(await peer(office, 'short').entered).toEqual([401, expired]);
    office.admit({ token: 'short', expires: '2020-01-01T00:00:00Z' });
    expect(await peer(office, 'short').entered).toEqual([401, expired]);
  });

  it.each<[what: string, auth: unknown, says: string]>([
    ['both forms', { token: 'a', sha256: '0'.repeat(64) }, 'either token or sha256'],
    ['a misspelt field', { token: 'a', office: ['acme'] }, 'office'],
    ['a role that is none', { token: 'a', roles: ['admin'] }, 'roles: 0'],
    ['an empty list', { token: 'a', offices: [] }, 'offices'],
    ['a date that is none', { token: 'a', expires: 'tomorrow' }, 'expires'],
    ['keys without an audience', { jwks: 'keys.json' }, 'audience'],
    ['a file that is not there', { tokensFile: '/nowhere/tokens.json' }, 'no such file'],
    ['keys that are not there', { jwks: '/nowhere/keys.json', audience: 'a' }, 'no such file'],
    ['keys over plain HTTP', { jwks: 'http://keys.example/jwks', audience: 'a' }, 'over https'],
  ])('is refused at start with %s', async (_, auth, says) => {
    await expect(officeWith(auth as OfficeAuth)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(says),
    });
  });
});

describe('a file of tokens', () => {
  it('is read again when it has changed, and holds on when it cannot be read', async () => {
    const path = join(folder, 'tokens.json');
    const write = (content: unknown): void =>
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    write({ tokens: ['first', { token: 'limited', offices: ['acme'], label: 'the builders' }] });
    await using office = await officeWith({ tokensFile: path });
    const warnings: string[] = [];
    office.on('auth.failed', ({ message }) => warnings.push(message));
    expect(await peer(office, 'first').entered).toBe(true);
    expect((await peer(office, 'limited').join('other', 'computer', 'c'))[0]).toBe(false);
    write({ tokens: ['second-token'] });
    expect(await peer(office, 'first').entered).toMatchObject([401, expect.any(String)]);
    expect(await peer(office, 'second-token').entered).toBe(true);
    write('{"tokens": ["half-written-secret');
    expect(await peer(office, 'second-token').entered).toBe(true);
    rmSync(path);
    expect(await peer(office, 'second-token').entered).toBe(true);
    expect(warnings.map((text) => text.replace(path, 'FILE'))).toEqual([
      expect.stringMatching(/^the tokens in FILE cannot be read: it is no JSON; those .* still in force$/),
      expect.stringContaining('no such file'),
    ]);
    expect(warnings.join()).not.toContain('secret');
  });
});

describe('a signed token', () => {
  const path = join(folder, 'keys.json');
  let office: Office;
  let sign: (claims: object, how?: Signing) => Promise<string>;
  interface Signing {
    readonly key?: CryptoKey;
    readonly alg?: string;
    readonly kid?: string;
  }
  const claims = {
    ...{ iss: 'https://id.example', aud: 'our-office', exp: Math.floor(Date.now() / 1000) + 3600 },
    ...{ office: 'acme', role: 'computer', name: 'c1', sub: 'machine-1' },
  };
  const makeKey = async (kid: string): Promise<{ privateKey: CryptoKey; jwk: JWK }> => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
  };
  beforeAll(async () => {
    const { privateKey, jwk } = await makeKey('one');
    writeFileSync(path, JSON.stringify({ keys: [jwk] }));
    sign = (payload, { key = privateKey, alg = 'ES256', kid = 'one' } = {}) =>
      new SignJWT({ ...payload }).setProtectedHeader({ alg, kid }).sign(key);
    office = await officeWith({ jwks: path, audience: 'our-office', issuer: 'https://id.example' });
  });
  afterAll(() => office.close());

  it('lets its holder take the seat that its claims name', async () => {
    const one = peer(office, await sign(claims));
    expect(await one.entered).toBe(true);
    expect(await one.join('acme', 'computer', 'c2')).toEqual([false, expect.stringContaining("'c1'")]);
    expect(await one.join('acme', 'computer', 'c1')).toEqual([true, null]);
  });

  it('may name several seats, or all', async () => {
    const wide = { ...claims, office: ['acme', 'second'], role: ['agent', 'computer'], name: '*' };
    const one = peer(office, await sign(wide));
    expect(await one.join('second', 'agent', 'anybody')).toEqual([true, null]);
    expect((await peer(office, await sign(wide)).join('third', 'agent', 'a'))[0]).toBe(false);
  });

  const invalid = expect.stringContaining('signed by somebody else, or meant for another place');
  const without = (claim: string): object => ({ ...claims, [claim]: undefined });
  const past = Math.floor(Date.now() / 1000) - 60;
  it.each<[what: string, claims: object, says: unknown]>([
    ['for another service', { ...claims, aud: 'another' }, invalid],
    ['without an audience', without('aud'), invalid],
    ['of another issuer', { ...claims, iss: 'https://evil.example' }, invalid],
    ['that has expired', { ...claims, exp: past }, expect.stringContaining('has expired')],
    ['that never expires', without('exp'), invalid],
    ['that is not valid yet', { ...claims, nbf: past + 3600 }, invalid],
    ['without an office', without('office'), "The token has no claim 'office'"],
    ['without a role', without('role'), "The token has no claim 'role'"],
    ['with an empty list', { ...claims, name: [] }, "The token has no claim 'name'"],
    ['with a claim of another form', { ...claims, office: { id: 1 } }, expect.stringContaining('text')],
    [
      'with a subject too long',
      { ...claims, sub: 's'.repeat(501) },
      "The claim 'sub' is longer than 500 characters",
    ],
    [
      'with a name too long',
      { ...claims, name: 'n'.repeat(201) },
      expect.stringContaining("claim 'name' has"),
    ],
    ['with a role that is none', { ...claims, role: 'admin' }, expect.stringContaining('neither')],
  ])('is refused %s', async (_, payload, says) => {
    expect(await peer(office, await sign(payload)).entered).toEqual([401, says]);
  });

  it('is refused when another key, the public key or no key has signed it', async () => {
    const { privateKey } = await makeKey('two');
    expect(await peer(office, await sign(claims, { key: privateKey })).entered).toEqual([401, invalid]);
    expect(await peer(office, await sign(claims, { key: privateKey, kid: 'two' })).entered).toEqual([
      401,
      invalid,
    ]);
    const shared = new TextEncoder().encode('the public key is no secret for HMAC');
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(shared);
    expect(await peer(office, confused).entered).toEqual([401, invalid]);
    expect(await peer(office, `${new UnsecuredJWT(claims).encode()}x`).entered).toEqual([401, invalid]);
    const [head, , signature] = (await sign(claims)).split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, office: 'bank' })).toString('base64url');
    expect(await peer(office, [head, forged, signature].join('.')).entered).toEqual([401, invalid]);
  });

  it('is checked by keys that are read again when they change', async () => {
    const two = await makeKey('rotated');
    const token = await sign(claims, { key: two.privateKey, kid: 'rotated' });
    const own = join(folder, 'rotated.json');
    writeFileSync(own, JSON.stringify({ keys: [(await makeKey('other')).jwk] }));
    await using rotating = await officeWith({ jwks: own, audience: 'our-office' });
    expect(await peer(rotating, token).entered).toEqual([401, invalid]);
    writeFileSync(own, JSON.stringify({ keys: [two.jwk, two.jwk].slice(1) }));
    expect(await peer(rotating, token).entered).toBe(true);
  });

  it('is checked by the keys of a URL; while they cannot be had, nobody is let in', async () => {
    const { privateKey, jwk } = await makeKey('web');
    let isUp = false;
    const server = createServer((_, response) => {
      response.writeHead(isUp ? 200 : 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
    const claimNames = { office: 'tenant', role: false, name: 'sub' } as const;
    await using far = await officeWith(['plain', { jwks, audience: 'our-office', claims: claimNames }]);
    const token = await sign({ ...claims, tenant: 't1' }, { key: privateKey, kid: 'web' });
    expect(await peer(far, token).entered).toEqual([503, expect.stringContaining('try again later')]);
    expect(await peer(far, 'plain').entered).toBe(true);
    isUp = true;
    const one = peer(far, token);
    expect(await one.entered).toBe(true);
    expect(await one.join('t1', 'agent', 'machine-1')).toEqual([true, null]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
