import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Chromium, type Page } from '../../scenarios/fixtures/browser.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { startOidc, type OidcServer } from '../../scenarios/fixtures/oidc-server.ts';
import type { AuthorizeRequest, Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of logins at `oidc-provider`, whose pages are filled in by Chromium. */
const folder = testFolder('oidc');
let chromium: Chromium;
let notes: OidcServer;
beforeAll(async () => void (chromium = await Chromium.start()));
afterAll(async () => {
  await chromium.close();
});

/** Simulated person at a browser who signs in, agrees where the page asks, and waits for the final page. */
class Person {
  readonly said: string[] = [];
  /** Scopes of each login page that was shown. */
  readonly asked: string[] = [];
  #page: Page | undefined;

  readonly agree = async (url: string): Promise<void> => {
    this.asked.push(new URL(url).searchParams.get('scope') ?? '');
    this.#page ??= (await chromium.look('about:blank')).page;
    const page = this.#page;
    await page.goto(url);
    const signIn = page.getByRole('button', { name: 'Sign-in' });
    const agree = page.getByRole('button', { name: 'Continue' });
    const end = page.getByText('You can close this page');
    while (
      await signIn
        .or(agree)
        .or(end)
        .first()
        .waitFor()
        .then(() => end.isHidden())
    ) {
      if (await signIn.isVisible()) {
        await page.locator('[name=login]').fill('somebody');
        await page.locator('[name=password]').fill('a password');
        await signIn.click();
        await agree.or(end).first().waitFor();
      } else {
        await agree.click();
        await end.waitFor();
      }
    }
    this.said.push(await page.locator('p').innerText());
  };
  readonly authorize = ({ url }: AuthorizeRequest): Promise<void> => this.agree(url);
}
const secrets = new Set<string>();
async function guarded(options: Parameters<typeof startOidc>[0] = {}): Promise<void> {
  notes = await startOidc(options);
  onTestFinished(async () => {
    for (const secret of notes.secrets) secrets.add(secret);
    await notes.close();
  });
}
const record = { dir: join(folder, 'traces'), profile: 'steps' } as const;
async function computerOf({ authorize }: Person): Promise<Computer> {
  const mcpServers = { notes: { type: 'http', url: notes.url, autoApprove: ['all'] } };
  const computer = await bootedComputer({ name: 'c1', record, authorize, config: { mcpServers } });
  onTestFinished(() => computer.close());
  return computer;
}
const comesTo = (computer: Computer, wanted: string): Promise<void> =>
  new Promise((resolve) => {
    if (computer.status().servers[0]?.state === wanted) return resolve();
    computer.on('server.changed', ({ state }) => state === wanted && resolve());
  });

describe('a login in a browser', () => {
  it('is made by a2c login, used by other hosts, and ended by a2c logout', async () => {
    await guarded();
    const file = join(folder, 'a2c.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { notes: { type: 'http', url: notes.url } } }));
    const person = new Person();
    const pages: Promise<void>[] = [];
    const onError = (line: string): void => {
      const [url] = /http\S+/.exec(line) ?? [];
      if (url !== undefined) pages.push(person.agree(url));
    };
    const loggedIn = await commandLine(['login', 'notes', '-c', file], { onError });
    await Promise.all(pages);
    expect(loggedIn).toMatchObject({ code: 0, out: 'logged in to notes: 2 tools\n' });
    expect(person.said).toEqual(['a2c has what it needs. You can close this page.']);
    const stranger = new Person();
    const computer = await computerOf(stranger);
    await comesTo(computer, 'ready');
    expect(await computer.callTool('read', {})).toMatchObject({ outcome: 'succeeded' });
    const [token = ''] = notes.taken;
    expect(await notes.isActive(token)).toBe(true);
    expect(await commandLine(['logout', 'notes', '-c', file])).toMatchObject({
      out: 'logged out of notes\n',
    });
    expect(await notes.isActive(token)).toBe(false);
    expect(await commandLine(['call', 'notes.read', '-c', file])).toMatchObject({ code: 2 });
    expect([stranger.asked, notes.grants]).toEqual([[], ['authorization_code']]);
  });

  it('is renewed before its token ends, and when the server refuses it, and nobody is asked again', async () => {
    await guarded({ lifeSeconds: 2 });
    const person = new Person();
    const computer = await computerOf(person);
    await comesTo(computer, 'ready');
    // Calls succeed although tokens expire, because the host renews them; the loop ends once the server has seen a renewed one.
    while (notes.taken.length < 3) expect((await computer.callTool('read', {})).outcome).toBe('succeeded');
    await notes.revokeAccess();
    expect(await computer.callTool('read', {})).toMatchObject({ outcome: 'succeeded' });
    expect(person.asked).toHaveLength(1);
    expect(new Set(notes.grants.slice(1))).toEqual(new Set(['refresh_token']));
  });

  it('is asked of the person again when it is revoked', async () => {
    await guarded();
    const person = new Person();
    const computer = await computerOf(person);
    await comesTo(computer, 'ready');
    await notes.revokeAll();
    const refused = await computer.callTool('read', {});
    expect(refused).toMatchObject({ outcome: 'failed', failure: { code: 'LoginRequired' } });
    await comesTo(computer, 'unauthorized');
    // The host must not ask the person again so soon after a login.
    expect(person.asked).toHaveLength(1);
    await computer.servers.start('notes').catch(() => {});
    await comesTo(computer, 'ready');
    expect(await computer.callTool('read', {})).toMatchObject({ outcome: 'succeeded' });
    expect(person.asked).toHaveLength(2);
    expect(notes.grants).toEqual(['authorization_code', 'refresh_token', 'authorization_code']);
  });

  it('is asked for more scopes when a tool needs them, and the call goes on', async () => {
    await guarded();
    const person = new Person();
    const computer = await computerOf(person);
    await comesTo(computer, 'ready');
    expect(await computer.callTool('write', {}, { timeoutMs: 100_000 })).toMatchObject({
      outcome: 'succeeded',
    });
    expect(person.asked.map((scope) => scope.includes('notes:write'))).toEqual([false, true]);
    await comesTo(computer, 'ready');
  });

  it('leaves recordings that replay, and that hold no code, token or secret', async () => {
    const files = readdirSync(record.dir).map((name) => join(record.dir, name));
    expect(files).toHaveLength(4);
    // The number of secrets shows that codes, verifiers and tokens of all logins were collected.
    expect(secrets.size).toBeGreaterThan(20);
    for (const file of files) {
      expect(await commandLine(['replay', file])).toMatchObject({ code: 0 });
      const trace = readFileSync(file, 'utf8');
      expect([...secrets].filter((secret) => trace.includes(secret))).toEqual([]);
    }
  });
});
