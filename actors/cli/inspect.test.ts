import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hostPath } from '../../machines/inspection.ts';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { commandLine, inspected } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Starts an office whose page is at `url`. */
const openOffice = (...options: string[]) => inspected(['office', '--port', '0', ...options], 'inspector ');
interface Listed {
  readonly hosts: readonly { readonly kind: string; readonly name: string; readonly url: string }[];
}
const listed = async (): Promise<Listed['hosts']> =>
  (JSON.parse((await commandLine(['inspect', '--json'])).out) as Listed).hosts;

describe('a2c … --inspect', () => {
  it('prints an address, by which a page sees the host until Ctrl-C', async () => {
    const office = await openOffice('--inspect');
    const page = await attachTo(office.url);
    expect(await page.welcome()).toMatchObject({ host: { kind: 'office' }, mode: 'live', control: false });
    const told = office.end();
    expect(await page.closed).toBe(1000);
    expect((await told).code).toBe(0);
  });

  it('takes the port that it is given, and ends with why when that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, err } = await commandLine(['office', '--port', '0', '--inspect', String(port)]);
    expect(code).toBe(1);
    expect(err).toContain(`cannot listen on 127.0.0.1:${port}`);
    other.close();
    await once(other, 'close');
  });

  it('refuses what is no port', async () => {
    const { code, err } = await commandLine(['office', '--inspect', 'all']);
    expect(code).toBe(64);
    expect(err).toContain('a port is a number from 0 to 65535');
  });
});

describe('a2c inspect', () => {
  it('lists what runs now, and gives the address of one', async () => {
    const [one, two] = [await openOffice('--inspect'), await openOffice('--inspect', '0')];
    const hosts = await listed();
    expect(hosts.map(({ url }) => url)).toEqual(expect.arrayContaining([one.url, two.url]));
    const { name = '' } = hosts.find(({ url }) => url === two.url) ?? {};
    expect((await commandLine(['inspect', name])).out).toBe(`${two.url}\n`);
    const { out } = await commandLine(['inspect']);
    for (const { url } of [one, two]) expect(out).toMatch(new RegExp(`^office .*${url}$`, 'm'));
    await Promise.all([one.end(), two.end()]);
    expect((await listed()).map(({ url }) => url)).not.toEqual(expect.arrayContaining([one.url]));
  });

  it('joins all of them on one page, which passes questions on to each', async () => {
    const office = await openOffice('--inspect');
    const { name: named } = (await listed()).find(({ url: own }) => own === office.url) ?? {};
    const { url, end } = await inspected(['inspect', '--all']);
    const all = await attachTo(url);
    const fleet = await all.until(({ messages }) => messages.find((each) => each.type === 'fleet'));
    const at = fleet.hosts.findIndex(({ kind, name }) => kind === 'office' && name === named);
    const page = await attachTo(url, {}, hostPath(at));
    expect(await page.welcome()).toMatchObject({ host: { kind: 'office' }, mode: 'live', control: false });
    expect(await page.say({ type: 'ask', id: 1, what: 'messages', after: 0 })).toMatchObject({ ok: true });
    const left = office.end();
    await page.until(({ messages }) => messages.find((each) => each.type === 'closed'));
    expect((await left).code).toBe(0);
    const told = end();
    await Promise.all([all.closed, page.closed]);
    expect((await told).code).toBe(0);
    expect(await commandLine(['inspect', 'desk', '--all'])).toMatchObject({ code: 1 });
  });

  it('says so of a host that does not run, and how one is started', async () => {
    const { code, err } = await commandLine(['inspect', 'nobody']);
    expect(code).toBe(1);
    expect(err).toContain("No host 'nobody' can be looked at");
  });
});

describe.skipIf(process.platform !== 'linux')('a browser', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('is opened at a terminal, by a file of this user: its command line holds no token', async () => {
    const folder = testFolder('browser');
    const as = { isInteractive: true };
    const asked = join(folder, 'asked');
    const opener = join(folder, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\necho "$*" > ${asked}.new && mv ${asked}.new ${asked}\n`);
    chmodSync(opener, 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
    vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
    const office = await openOffice('--inspect');
    const written = new Promise<void>((resolve) => {
      const watcher = watch(folder, () => {
        if (!existsSync(asked)) return;
        watcher.close();
        resolve();
      });
    });
    await commandLine(['inspect', '--no-browser'], { as });
    await commandLine(['inspect']);
    expect(existsSync(asked)).toBe(false);
    expect((await commandLine(['inspect'], { as })).code).toBe(0);
    await written;
    const file = readFileSync(asked, 'utf8').trim();
    const token = /#token=\w+/.exec(office.url)?.[0] ?? 'none';
    expect(file).not.toContain(token);
    expect(readFileSync(file, 'utf8')).toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await office.end();
  });
});
