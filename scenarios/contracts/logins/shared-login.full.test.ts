import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { metadataOf } from '../../fixtures/guarded-server.ts';
import { loginKey, sharedLogins } from '../../../adapters/oauth/login-store.ts';
import { testFolder } from '../../fixtures/test-folder.ts';
import { servedUrl } from '../../fixtures/local-server.ts';

/** A refresh token is good once, as OAuth 2.1 wants it. */
const host = fileURLToPath(new URL('./renewing-host.ts', import.meta.url));

/** `hold`: so many questions for a token are never answered. */
async function authority(hold = 0) {
  const seen = { asked: 0, reused: 0, good: 'refresh-0' };
  let heard = (): void => {};
  const held = new Promise<void>((resolve) => (heard = resolve));
  const url = await servedUrl((request, response) => {
    void text(request).then((body) => {
      const say = (status: number, answer: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      };
      if (request.url === '/.well-known/oauth-authorization-server') return say(200, metadataOf(url));
      if (request.url !== '/token') return say(404, {});
      seen.asked += 1;
      if (seen.asked <= hold) return heard();
      if (new URLSearchParams(body).get('refresh_token') !== seen.good) {
        seen.reused += 1;
        return say(400, { error: 'invalid_grant' });
      }
      seen.good = `refresh-${seen.asked}`;
      const tokens = { access_token: `access-${seen.asked}`, refresh_token: seen.good, expires_in: 3_600 };
      say(200, { ...tokens, token_type: 'Bearer' });
    });
  });
  return { url: `${url}/mcp`, seen, held };
}
async function loginsOf(url: string): Promise<string> {
  const folder = testFolder('shared');
  const tokens = {
    access_token: 'access-0',
    refresh_token: 'refresh-0',
    token_type: 'Bearer',
    expires_in: 60,
  };
  const kept = { client: { client_id: 'c1' }, tokens, obtainedAt: 0, scope: '' };
  await sharedLogins(folder).change(loginKey(url, undefined, undefined), () => Promise.resolve(kept));
  return folder;
}
async function hostOf(url: string, folder: string) {
  const args = ['--import', 'tsx', host, url, folder, '10000000'];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('it has no streams');
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe('up');
  const ask = (): void => void stdin.write('\n');
  return { child, ask, next };
}

it('five processes that renew one token at once ask for one, and all go on with it', async () => {
  const { url, seen } = await authority();
  const folder = await loginsOf(url);
  const hosts = await Promise.all(Array.from({ length: 5 }, () => hostOf(url, folder)));
  for (const { ask } of hosts) ask();
  expect(await Promise.all(hosts.map(({ next }) => next()))).toEqual(Array(5).fill('access-1'));
  expect(seen).toMatchObject({ asked: 1, reused: 0 });
});

it('a process that is killed while it renews a token holds nobody else up for good', async () => {
  const { url, seen, held } = await authority(1);
  const folder = await loginsOf(url);
  const [first, second] = [await hostOf(url, folder), await hostOf(url, folder)];
  first.ask();
  await held;
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  second.ask();
  expect(await second.next()).toBe('access-2');
  expect(seen).toMatchObject({ asked: 2, reused: 0 });
});
