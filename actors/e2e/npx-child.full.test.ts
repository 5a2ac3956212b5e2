import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import {
  openRegistry,
  packageName,
  type FakeRegistry,
  type Pinged,
} from '../../scenarios/fixtures/npm-registry.ts';
import { openProxy } from '../../scenarios/fixtures/proxy.ts';
import type { Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of servers that a real `npx` fetches from a fake registry on this machine. */
let mark: string;
let folder: string;
let computer: Computer | undefined;
let registries: FakeRegistry[];
let notices: string[];
// The settings of the real machine are replaced during the tests and restored afterwards.
const { HOME: home, npm_config_registry: given } = process.env;
beforeEach(() => {
  mark = crypto.randomUUID();
  registries = [];
  notices = [];
  // This home folder has no .npmrc, so the tests do not depend on the settings of the user.
  folder = mkdtempSync(join(tmpdir(), 'a2c-npx-'));
  process.env['HOME'] = folder;
  delete process.env['npm_config_registry'];
});
afterEach(async () => {
  await computer?.close();
  computer = undefined;
  for (const registry of registries) registry.close();
  Object.assign(process.env, { HOME: home }, given !== undefined && { npm_config_registry: given });
  rmSync(folder, { recursive: true, force: true });
  expect(pidsOf(mark)).toEqual([]);
});
const open = async (...all: readonly Pinged[]): Promise<void> => {
  registries = await Promise.all(all.map(openRegistry));
};
const urls = (): string[] => registries.map(({ url }) => url);
const server = (env: object = {}, more: object = {}) => ({
  command: 'npx',
  args: ['-y', packageName],
  env: { MARK: mark, npm_config_cache: '~/cache', npm_config_update_notifier: 'false', ...env },
  ...more,
});
const start = async (a2c: object, one: object = server()): Promise<Computer> => {
  const onNotice = (text: string): void => void notices.push(text);
  computer = await bootedComputer({ config: { mcpServers: { a: one }, a2c }, stateDir: folder, onNotice });
  return computer;
};
/** Values of an environment variable in the processes of the server that npx started. */
const environment = (name: string): Set<string | undefined> =>
  new Set(
    pidsOf(mark).map((pid) =>
      readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .find((line) => line.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    ),
  );
const isFetchedFrom = (registry: FakeRegistry | undefined): boolean =>
  registry?.asked.includes('/archive.tgz') === true;

describe('a server that npx fetches', () => {
  it('comes from the registry that answers first, and its args are as they were', async () => {
    await open({ status: 503 }, { status: 200, ms: 400 }, { status: 200 }, 'hangs', { status: 302 });
    const { tools } = await (await start({ npmRegistry: 'auto', npmRegistries: urls() })).tools();
    expect(tools.length).toBeGreaterThan(0);
    expect(registries.map(isFetchedFrom)).toEqual([false, false, true, false, false]);
    expect(environment('npm_config_registry')).toEqual(new Set([urls()[2]]));
    expect(environment('npm_config_cache'), 'the home folder is in its place').toEqual(
      new Set([join(folder, 'cache')]),
    );
    expect(notices).toEqual([]);
  });
  it('comes from the first of the list when none answers, in good time, with a warning', async () => {
    await open('hangs', 'hangs');
    await start({ npmRegistry: 'auto', npmRegistries: urls() });
    expect(isFetchedFrom(registries[0])).toBe(true);
    expect(notices).toEqual([expect.stringMatching(/^no npm registry of .* within 3 s/)]);
  });
  it('comes through the proxy that is asked for, and what is on this machine does not', async () => {
    await open({ status: 200 });
    const proxy = await openProxy(Number(new URL(urls()[0] ?? '').port));
    try {
      await start({ npmRegistry: 'http://registry.a2c-test.invalid/', proxy: proxy.url });
      expect(proxy.asked).toContain(`http://registry.a2c-test.invalid/${packageName}`);
      expect(proxy.asked.filter((url) => url.includes('127.0.0.1'))).toEqual([]);
      expect(isFetchedFrom(registries[0])).toBe(true);
      expect(environment('no_proxy')).toEqual(new Set(['localhost,127.0.0.1,::1']));
    } finally {
      proxy.close();
    }
  });
});
