/** Texts that nobody else may read, by name. */
export interface SecretStore {
  /** Undefined: there is none of this name. Rejects when the store cannot be asked. */
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** False: there was none. */
  remove(name: string): Promise<boolean>;
}

/**
 * The keyring of the system: Keychain, Credential Manager, Secret Service. Rejects with a sentence where there is none, or where the
 * optional package `@napi-rs/keyring` is not installed. Each name is an entry of `service`.
 */
export async function openKeyring(service: string): Promise<SecretStore> {
  const { AsyncEntry } = await import('@napi-rs/keyring').catch((error: unknown) => {
    throw new Error('the optional package @napi-rs/keyring is not installed', { cause: error });
  });
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
