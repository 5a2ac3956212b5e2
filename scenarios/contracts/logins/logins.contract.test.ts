import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loginKey, memoryLogins, sharedLogins, type Vault } from '../../../adapters/oauth/login-store.ts';
import { testFolder } from '../../fixtures/test-folder.ts';
import { inKeyringSession } from './keyring-session.ts';
import { loginsContract, type LoginsWorld } from './logins.contract.ts';

interface Vaults {
  readonly texts: Map<string, string>;
  readonly open: () => Promise<Vault | undefined>;
}
function vaultOf(most = Infinity): Vaults {
  const texts = new Map<string, string>();
  const vault: Vault = {
    get: (key) => Promise.resolve(texts.get(key)),
    set: (key, text) =>
      text.length > most ? Promise.reject(new Error('too long')) : Promise.resolve(void texts.set(key, text)),
    remove: (key) => Promise.resolve(texts.delete(key)),
  };
  return { texts, open: () => Promise.resolve(vault) };
}
const nothingLeft = { [Symbol.asyncDispose]: () => Promise.resolve() };
const inFolder = (vaults?: Vaults) => (): Promise<LoginsWorld & AsyncDisposable> => {
  const folder = testFolder('logins');
  const store = () => sharedLogins(folder, vaults?.open);
  return Promise.resolve({ store: store(), other: store(), ...nothingLeft });
};
const worlds = {
  'in memory': () => {
    const store = memoryLogins();
    return Promise.resolve({ store, other: store, ...nothingLeft });
  },
  'in files': inFolder(),
  'in a vault': inFolder(vaultOf()),
  'in a vault that takes 2,560 bytes': inFolder(vaultOf(2_560)),
};
describe.each(Object.entries(worlds))('logins %s', (_, open) => {
  it.each(loginsContract(open).map((one) => [one.title, one] as const))('%s', (_title, { run }) =>
    expect(run()).resolves.toBeUndefined(),
  );
});

const key = loginKey('https://far.test/mcp');
const kept = { tokens: { access_token: 'a', token_type: 'Bearer' } };
const files = (folder: string): string[] => readdirSync(join(folder, 'logins'));

describe('logins in a vault', () => {
  it('leave no file, and take over the one that was there before', async () => {
    const folder = testFolder('logins');
    await sharedLogins(folder).change(key, () => Promise.resolve(kept));
    expect(files(folder)).toHaveLength(1);
    const { open, texts } = vaultOf();
    const store = sharedLogins(folder, open);
    expect(await store.read(key)).toEqual(kept);
    await store.change(key, (now) => Promise.resolve({ ...now, port: 1 }));
    expect([files(folder), texts.size]).toEqual([[], 1]);
    expect(await store.read(key)).toEqual({ ...kept, port: 1 });
    await store.change(key, () => Promise.resolve(undefined));
    expect(texts.size).toBe(0);
  });

  it('are in a file while the vault refuses', async () => {
    const folder = testFolder('logins');
    const no = (): Promise<never> => Promise.reject(new Error('locked'));
    const store = sharedLogins(folder, () => Promise.resolve({ get: no, set: no, remove: no }));
    expect(await store.read(key)).toEqual({});
    await store.change(key, () => Promise.resolve(kept));
    expect([await store.read(key), files(folder).length]).toEqual([kept, 1]);
    await store.change(key, () => Promise.resolve(undefined));
    expect(files(folder)).toEqual([]);
  });

  it('are those of one state folder only', async () => {
    const { open } = vaultOf();
    const [first, second] = ['one', 'other'].map((name) => sharedLogins(testFolder(name), open));
    await first?.change(key, () => Promise.resolve(kept));
    expect(await second?.read(key)).toEqual({});
  });
});

const player = fileURLToPath(new URL('logins-in-keyring.ts', import.meta.url));
it.skipIf(!inKeyringSession.isThere)('logins in the keyring of this system leave no file', () => {
  expect(existsSync(player)).toBe(true);
  const [command, ...args] = inKeyringSession.wrap([process.execPath, '--import', 'tsx', player]);
  const told = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const { said, files: left } = JSON.parse(told) as {
    said: { title: string; why?: string }[];
    files: number;
  };
  expect(said.filter(({ why }) => why !== undefined)).toEqual([]);
  expect([said.length, left]).toEqual([loginsContract(inFolder()).length, 0]);
});
