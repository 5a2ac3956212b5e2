import type * as Keyring from '@napi-rs/keyring';
import { missingPackage, optionalPackage } from '../optional-packages.ts';

/** Store of secret texts by name, which only this user can read. */
export interface SecretStore {
  /** Returns the secret with this name; undefined when there is none. Rejects when the store does not work. */
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** Removes the secret with this name; resolves to false when there was none. */
  remove(name: string): Promise<boolean>;
}

/**
 * Opens the keyring of the system: Keychain, Credential Manager or Secret Service. Each secret is an entry of `service`. Rejects
 * with a sentence when there is no keyring, or when `@napi-rs/keyring` is not installed.
 */
export async function openKeyring(service: string): Promise<SecretStore> {
  const { AsyncEntry } = await optionalPackage<typeof Keyring>('@napi-rs/keyring', '--keyring');
  const entryOf = (name: string) => new AsyncEntry(service, name);
  const get = async (name: string): Promise<string | undefined> =>
    (await entryOf(name).getPassword()) ?? undefined;
  try {
    await get('is there a keyring');
  } catch (error) {
    throw new Error(`this system has no keyring that can be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    get,
    set: (name, value) => entryOf(name).setPassword(value),
    remove: (name) => entryOf(name).deletePassword(),
  };
}

/** Returns a sentence that says what to install for the keyring; undefined when nothing is missing. */
export const missingKeyring = (): string | undefined => missingPackage('@napi-rs/keyring', '--keyring');

/** Time limit in ms for one operation of the keyring, because a locked keyring asks a person who may be absent. */
const patienceMs = 5_000;
/** Rejects when a keyring operation takes too long. The operation itself continues, and its result is ignored. */
function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the keyring of this system does not answer')), patienceMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
/**
 * Opens the keyring of the system when there is one that answers; each operation rejects after 5 s. Undefined when there is none,
 * and when the environment variable `A2C_KEYRING` is `off`.
 */
export async function keyringIfAny(service: string): Promise<SecretStore | undefined> {
  if (process.env['A2C_KEYRING'] === 'off') return undefined;
  try {
    const keyring = await inTime(openKeyring(service));
    return {
      get: (name) => inTime(keyring.get(name)),
      set: (name, value) => inTime(keyring.set(name, value)),
      remove: (name) => inTime(keyring.remove(name)),
    };
  } catch {
    return undefined;
  }
}
