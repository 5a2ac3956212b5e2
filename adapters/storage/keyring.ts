import { missingPackage, optionalPackage } from '../optional-packages.ts';

/** Texts that nobody else may read, by name. */
export interface SecretStore {
  /** Undefined: there is none of this name. Rejects when the store cannot be asked. */
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** False: there was none. */
  remove(name: string): Promise<boolean>;
}

/**
 * The keyring of the system: Keychain, Credential Manager, Secret Service. Rejects with a sentence where there is none, or where
 * `@napi-rs/keyring` is not installed. Each name is an entry of `service`.
 */
export async function openKeyring(service: string): Promise<SecretStore> {
  const { AsyncEntry } = await optionalPackage(
    '@napi-rs/keyring',
    '--keyring',
    () => import('@napi-rs/keyring'),
  );
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

/** Sentence that says what to install before a keyring can be asked; undefined where nothing is missing. */
export const missingKeyring = (): string | undefined => missingPackage('@napi-rs/keyring', '--keyring');

/** A keyring that is locked asks a person, who may not be there. */
const patienceMs = 5_000;
/** Rejects when it takes too long. What was asked goes on, and is not heard any more. */
function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the keyring of this system does not answer')), patienceMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
/**
 * The keyring of the system where there is one that answers; each answer of it takes 5 s at most, or it rejects. Undefined where
 * there is none, and with `A2C_KEYRING=off` in the environment.
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
