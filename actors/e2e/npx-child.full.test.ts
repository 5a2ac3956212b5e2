import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import {
  openRegistry,
  packageName,
  type FakeRegistry,
  type Pinged,
} from '../../scenarios/fixtures/npm-registry.ts';
import { openProxy } from '../../scenarios/fixtures/proxy.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of servers that a real `npx` fetches from a fake registry on this machine. */
let mark: string;
let folder: string;
let registries: FakeRegistry[];
let notices: string[];
beforeEach(() => {
  mark = crypto.randomUUID();
  notices = [];
  // This home folder has no .npmrc, so the tests do not depend on the settings of the user.
  folder = testFolder('npx');
  vi.stubEnv('HOME', folder);
  vi.stubEnv('npm_config_registry', undefined);
});
afterEach(() => void vi.unstubAllEnvs());
const open = async (...all: readonly Pinged[]): Promise<void> => {
  registries = (await Promise.all(all.map(openRegistry))).map(closedAfter);
};
const urls = (): string[] => registries.map(({ url }) => url);
const start = async (a2c: object) => {
  const onNotice = (text: string): void => void notices.push(text);
  const env = { MARK: mark, npm_config_cache: '~/cache', npm_config_update_notifier: 'false' };
  const mcpServers = { a: { command: 'npx', args: ['-y', packageName], env } };
  return endingComputer(mark, { config: { mcpServers, a2c }, stateDir: folder, onNotice });
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
    const { computer } = await start({ npmRegistry: 'auto', npmRegistries: urls() });
    const { tools } = await computer.tools();
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
    const proxy = closedAfter(await openProxy(Number(new URL(urls()[0] ?? '').port)));
    await start({ npmRegistry: 'http://registry.a2c-test.invalid/', proxy: proxy.url });
    expect(proxy.asked).toContain(`http://registry.a2c-test.invalid/${packageName}`);
    expect(proxy.asked.filter((url) => url.includes('127.0.0.1'))).toEqual([]);
    expect(isFetchedFrom(registries[0])).toBe(true);
    expect(environment('no_proxy')).toEqual(new Set(['localhost,127.0.0.1,::1']));
  });
});
