import type * as Keyring from '@napi-rs/keyring';
import { missingPackage, optionalPackage } from '../optional-packages.ts';

export interface SecretStore {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<boolean>;
}

/** Keychain, Credential Manager or Secret Service. Rejects without one, or without `@napi-rs/keyring`. */
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

export const missingKeyring = (): string | undefined => missingPackage('@napi-rs/keyring', '--keyring');

/** Time limit in ms for one operation of the keyring, because a locked keyring asks a person who may be absent. */
const patienceMs = 5_000;
/** The operation itself continues, and its result is ignored. */
function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the keyring of this system does not answer')), patienceMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
/** Each operation rejects after 5 s. Undefined also when `A2C_KEYRING` is `off`. */
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
