import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGuarded } from '../../scenarios/fixtures/guarded-server.ts';
import { createAgent, createOffice, type Computer, type ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { jwtWith, servedUrl } from '../../scenarios/fixtures/local-server.ts';

/** Tests of logins with a proof of identity: an ID token, or a token of the platform. */
const folder = testFolder('idp');
const idToken = jwtWith({ sub: 'me', aud: 'idp-client' });
const grant = jwtWith({ sub: 'me', client_id: 'c1' });
const idpSecret = 'p4ss-of-the-idp';

/** Starts the token endpoint of an identity provider, which gives the grant. */
async function startIdp(): Promise<string> {
  const answer = {
    ...{ access_token: grant, token_type: 'N_A' },
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
  };
  const url = await servedUrl((request, response) => {
    const type = { 'content-type': 'application/json' };
    request.resume().on('end', () => response.writeHead(200, type).end(JSON.stringify(answer)));
  });
  return `${url}/token`;
}
async function computerOf(url: string, oauth: object, more: ComputerOptions = {}): Promise<Computer> {
  const computer = await bootedComputer({
    stateDir: false,
    record: { profile: 'full' },
    config: { mcpServers: { far: { type: 'http', url, oauth, autoApprove: ['all'] } } },
    ...more,
  });
  onTestFinished(() => computer.close());
  return computer;
}
const through = (idpTokenEndpoint: string): object => ({
  ...{ grant: 'jwt_bearer', clientId: 'c1', assertion: idToken },
  ...{ idpTokenEndpoint, idpClientId: 'idp-client', idpClientSecret: idpSecret },
});
describe('a login through an identity provider', () => {
  it('asks nobody, and its tokens are in no trace, status, config of an agent, log or answer', async () => {
    const server = await startGuarded({ assertion: grant });
    const office = await createOffice({ port: 0 });
    onTestFinished(() => office.close());
    const told: unknown[] = [];
    const computer = await computerOf(server.url, through(await startIdp()), {
      ...{ name: 'c', office: { url: office.url } },
      onEvent: (name, value) => told.push(name, value),
      onNotice: (text) => told.push(text),
      log: (entry) => told.push(entry),
    });
    const agent = await createAgent({ url: office.url });
    onTestFinished(() => agent.close());
    const answer = await agent.callTool('c', 'greet');
    expect(answer.outcome).toBe('succeeded');
    expect(server.asked).toEqual(['/token urn:ietf:params:oauth:grant-type:jwt-bearer']);
    told.push(
      answer,
      await agent.config('c'),
      computer.status().servers,
      computer.status(),
      computer.calls(),
    );
    const traces = [computer, agent, office].map(async (host) =>
      readFileSync(await host.debug.writeTrace(folder), 'utf8'),
    );
    const all = [JSON.stringify(told), ...(await Promise.all(traces))];
    const [token = ''] = [...server.valid];
    expect(token).toMatch(/^access-/);
    const secrets = [idToken, grant, idpSecret, token];
    for (const text of all) expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});

describe('the identity of a workload', () => {
  it('is given up where the server takes none of its tokens', async () => {
    const workload = jwtWith({ aud: 'the-server' });
    const server = await startGuarded({
      assertion: workload,
      instead: ({ pathname }, response) => {
        if (pathname !== '/mcp') return false;
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
        return true;
      },
    });
    const oauth = { grant: 'jwt_bearer', issuer: new URL(server.url).origin, assertion: workload };
    const computer = await computerOf(server.url, oauth);
    await expect
      .poll(() => computer.status().servers[0])
      .toMatchObject({
        state: 'unauthorized',
        reason: expect.stringContaining('does not take the token'),
      });
    expect(server.asked.length).toBeLessThan(5);
  });
});
