import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from '../host-files.ts';
import { jsonIn } from '../../machines/protocol/json.ts';
import { locked, Turns } from '../storage/locked.ts';

export const dpopKeySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

const keptSchema = z.looseObject({
  client: z.looseObject({ client_id: z.string() }).optional(),
  tokens: z
    .looseObject({
      access_token: z.string(),
      token_type: z.string(),
      refresh_token: z.string().optional(),
      expires_in: z.number().optional(),
      scope: z.string().optional(),
      issuer: z.string().optional(),
    })
    .optional(),
  /** Time at which the tokens came, in ms since 1970 by the local clock. */
  obtainedAt: z.number().optional(),
  scope: z.string().optional(),
  dpop: dpopKeySchema.optional(),
  port: z.number().optional(),
});
export type StoredLogin = z.output<typeof keptSchema>;

export interface LoginStore {
  /** Returns the stored login; empty when there is none or it cannot be read. */
  read(key: string): Promise<StoredLogin>;
  /** Changes a login under a lock, so that no other process changes it meanwhile; `undefined` deletes it. */
  change(key: string, next: (kept: StoredLogin) => Promise<StoredLogin | undefined>): Promise<void>;
}

/** Longer than a process stands still in a renewal: two that renew at once may end the login. */
const staleMs = 10_000;
export const loginKey = (...parts: readonly (string | undefined)[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');

export function memoryLogins(): LoginStore {
  const kept = new Map<string, StoredLogin>();
  const turns = new Turns();
  return {
    read: (key) => Promise.resolve(kept.get(key) ?? {}),
    change: (key, next) =>
      turns.take(key, async () => {
        const now = await next(kept.get(key) ?? {});
        if (now === undefined) kept.delete(key);
        else kept.set(key, now);
      }),
  };
}

export interface Vault {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
  remove(key: string): Promise<unknown>;
}
const keptIn = (text: string): StoredLogin => keptSchema.safeParse(jsonIn(text)).data ?? {};

/** In the vault where it accepts them, else in files for this user only. A file takes precedence. */
export function sharedLogins(
  stateDir: string,
  openVault: () => Promise<Vault | undefined> = () => Promise.resolve(undefined),
): LoginStore {
  const folder = join(stateDir, 'logins');
  let opened: Promise<Vault | undefined> | undefined;
  const vault = (): Promise<Vault | undefined> => (opened ??= openVault());
  const fileOf = (key: string): string => join(folder, `${key}.json`);
  // Names in the vault include the folder, because each state folder has its own lock and its own logins.
  const nameOf = (key: string): string => loginKey(folder, key);
  const read = async (key: string): Promise<StoredLogin> => {
    const text = await readFile(fileOf(key), 'utf8').catch(async () =>
      (await vault())?.get(nameOf(key)).catch(() => undefined),
    );
    return text === undefined ? {} : keptIn(text);
  };
  const write = async (key: string, kept: StoredLogin): Promise<void> => {
    const [file, text] = [fileOf(key), `${JSON.stringify(kept)}\n`];
    const taken = (await vault())?.set(nameOf(key), text).then(
      () => true,
      // Stores the login in a file when the keyring refuses: that of Windows takes at most 2,560 bytes, and a locked one nothing.
      () => false,
    );
    if ((await taken) === true) return rm(file, { force: true });
    await writePrivate(file, text);
  };
  const forget = async (key: string): Promise<void> => {
    await rm(fileOf(key), { force: true });
    await (await vault())?.remove(nameOf(key)).catch(() => {});
  };
  return {
    read,
    change: (key, next) =>
      locked(
        fileOf(key),
        async () => {
          const now = await next(await read(key));
          await (now === undefined ? forget(key) : write(key, now));
        },
        staleMs,
      ),
  };
}
