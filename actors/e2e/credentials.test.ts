/** Tests of credentials with a grant: tokens, files of tokens, and signed tokens. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createAgent,
  createComputer,
  createOffice,
  type Office,
  type OfficeAuth,
  type RefusedPeer,
} from '../index.ts';
import {
  enteringPeer,
  makeSigner,
  validClaims,
  type EnteringPeer,
  type Signer,
} from '../../scenarios/fixtures/entering.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('credentials');

const peer = (office: Office, token?: string): EnteringPeer => enteringPeer(office.url, token);
const officeWith = (auth: OfficeAuth): Promise<Office> => createOffice({ port: 0, auth });

describe('a token with a grant', () => {
  it('lets its agent ask what it says, and nothing else', async () => {
    const events = ['client:get_tools', 'client:tool_call'];
    await using office = await officeWith([{ token: 'for-calls', events }]);
    await using agent = await createAgent({ url: office.url, auth: 'for-calls', record: false });
    const refused = {
      code: 'NotAllowed',
      message: expect.stringMatching(/not for the event 'client:\w+', but for 'client:get_tools', /),
    };
    await expect(agent.files.put('c', Buffer.from('x'))).rejects.toMatchObject(refused);
    await expect(agent.skills.list('c')).rejects.toMatchObject(refused);
    await expect(agent.config('c')).rejects.toMatchObject(refused);
    expect(await agent.room()).toHaveLength(1);
    expect(await agent.callTool('c', 'echo')).toMatchObject({ failure: { code: 'NotFound' } });
  });

  it('lets its agent put files up to the size that it says', async () => {
    const landing = join(folder, 'landing');
    await using office = await officeWith([{ token: 'for-small-files', maxFileBytes: 100 }, 'for-all']);
    await using computer = await createComputer({
      ...{ name: 'c', record: false, stateDir: false, office: { url: office.url, auth: 'for-all' } },
      config: { mcpServers: {}, a2c: { landing: { folder: landing, autoApprove: true } } },
    });
    await using agent = await createAgent({ url: office.url, auth: 'for-small-files', record: false });
    await expect(agent.files.put(computer.name, Buffer.alloc(101))).rejects.toMatchObject({
      code: 'BlobNotWritten',
      details: { reason: 'too_large', limit_bytes: 100 },
      remedy: expect.stringContaining('a credential whose maxFileBytes is larger') as string,
    });
    expect(await agent.files.put(computer.name, Buffer.alloc(100))).toMatchObject({ bytes: 100 });
  });

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
      code: 'NotAllowed',
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
    // The life of the grant begins when it is checked, so its holder connects in time even on a slow machine.
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
    ['an event that is none', { token: 'a', events: ['put_blob'] }, 'events.0'],
    ['a size that is none', { token: 'a', maxFileBytes: 0 }, 'maxFileBytes'],
    ['both forms', { token: 'a', sha256: '0'.repeat(64) }, 'either token or sha256'],
    ['a misspelt field', { token: 'a', office: ['acme'] }, 'office'],
    ['a role that is none', { token: 'a', roles: ['admin'] }, 'roles.0'],
    ['an empty list', { token: 'a', offices: [] }, 'offices'],
    ['a date that is none', { token: 'a', expires: 'tomorrow' }, 'expires'],
    ['keys without an audience', { jwks: 'keys.json' }, 'audience'],
    ['a file that is not there', { tokensFile: '/nowhere/tokens.json' }, 'no such file'],
    ['keys that are not there', { jwks: '/nowhere/keys.json', audience: 'a' }, 'no such file'],
    ['keys behind a password', { jwks: 'https://u:p@keys.example', audience: 'a' }, 'a user or a password'],
    ['keys over plain HTTP', { jwks: 'http://keys.example/jwks', audience: 'a' }, 'over https'],
  ])('is refused at start with %s', async (_, auth, says) => {
    await expect(officeWith(auth as OfficeAuth)).rejects.toMatchObject({
      code: 'BadRequest',
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
  let signer: Signer;
  const claims = validClaims;
  const misfit = (claim: string): unknown => expect.stringContaining(`The claim '${claim}' does not fit: `);
  const sign = (payload: object): Promise<string> => signer.sign(payload);
  beforeAll(async () => {
    signer = await makeSigner('one');
    writeFileSync(path, JSON.stringify({ keys: [signer.jwk] }));
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

  it('names the questions of its agent in a claim that the office reads', async () => {
    const read = { office: false, role: false, name: false, event: 'may' } as const;
    await using ours = await officeWith({ jwks: path, audience: 'our-office', claims: read });
    const mayCall = await sign({ ...claims, may: 'client:tool_call' });
    await using agent = await createAgent({ url: ours.url, auth: mayCall, record: false });
    await expect(agent.config('c')).rejects.toMatchObject({ code: 'NotAllowed' });
    expect(await agent.callTool('c', 'echo')).toMatchObject({ failure: { code: 'NotFound' } });
    const wrong = peer(ours, await sign({ ...claims, may: 'put_blob' }));
    expect(await wrong.entered).toEqual([401, misfit('may')]);
  });

  it('has the largest file of its agent in a claim that the office reads', async () => {
    const read = { office: false, role: false, name: false, maxFileBytes: 'bytes' } as const;
    await using ours = await officeWith({ jwks: path, audience: 'our-office', claims: read });
    expect(await peer(ours, await sign({ ...claims, bytes: 100 })).entered).toBe(true);
    for (const bytes of [undefined, 'many', 0])
      expect(await peer(ours, await sign({ ...claims, bytes })).entered).toEqual([401, misfit('bytes')]);
  });

  const invalid = expect.stringContaining('signed by somebody else, or meant for another place');
  const without = (claim: string): object => ({ ...claims, [claim]: undefined });
  const past = Math.floor(Date.now() / 1000) - 60;
  /** Resolves with the text that the peer receives and the text that the operator of the office reads. */
  const refusalOf = async (token: string): Promise<readonly [heard: unknown, read: RefusedPeer]> => {
    const read = new Promise<RefusedPeer>((resolve) => {
      const end = office.on('peer.refused', (refused) => (end(), resolve(refused)));
    });
    return [await peer(office, token).entered, await read];
  };
  const refusal = (says: unknown, detail = says): unknown => [
    [401, says],
    expect.objectContaining({ code: 401, reason: says, detail }),
  ];
  /** Rows of: title, claims, text for the peer, and the longer text for the operator where it differs. */
  it.each<[what: string, claims: object, says: unknown, detail?: string]>([
    ['for another service', { ...claims, aud: 'another' }, invalid, 'unexpected "aud" claim value'],
    ['without an audience', without('aud'), invalid, 'missing required "aud" claim'],
    ['of another issuer', { ...claims, iss: 'https://evil.test' }, invalid, 'unexpected "iss" claim value'],
    ['without an issuer', without('iss'), invalid, 'missing required "iss" claim'],
    ['that has expired', { ...claims, exp: past }, expect.stringContaining('has expired')],
    ['that never expires', without('exp'), invalid, 'missing required "exp" claim'],
    ['that is not valid yet', { ...claims, nbf: past + 3600 }, invalid, '"nbf" claim timestamp check failed'],
    ['without an office', without('office'), "The token has no claim 'office'"],
    ['without a role', without('role'), "The token has no claim 'role'"],
    ['with an empty list', { ...claims, name: [] }, "The token has no claim 'name'"],
    ['with a claim of another form', { ...claims, office: { id: 1 } }, expect.stringContaining('text')],
    ['with a subject too long', { ...claims, sub: 's'.repeat(501) }, misfit('sub')],
    ['with a name too long', { ...claims, name: 'n'.repeat(201) }, misfit('name')],
    ['with a role that is none', { ...claims, role: 'admin' }, misfit('role')],
  ])('is refused %s', async (_, payload, says, detail) => {
    const read = detail === undefined ? says : expect.stringContaining(detail);
    expect(await refusalOf(await sign(payload))).toEqual(refusal(says, read));
  });

  it('is refused when another key, the public key or no key has signed it', async () => {
    const other = await makeSigner('two');
    const [head, , signature] = (await sign(claims)).split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, office: 'bank' })).toString('base64url');
    const shared = new TextEncoder().encode('the public key is no secret for HMAC');
    const confused = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(shared);
    for (const [token, read] of [
      [await other.sign(claims, { kid: 'one' }), 'signature verification failed'],
      [[head, forged, signature].join('.'), 'signature verification failed'],
      [await other.sign(claims), 'no applicable key found'],
      [await confused, '"alg" (Algorithm) Header Parameter value not allowed'],
      [`${new UnsecuredJWT(claims).encode()}x`, '"alg" (Algorithm) Header Parameter value not allowed'],
    ] as const)
      expect(await refusalOf(token)).toEqual(refusal(invalid, expect.stringContaining(read)));
  });
});
