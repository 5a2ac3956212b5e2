import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A key pair, as it is kept with the tokens that are bound to it (JWK). */
export const dpopKeySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

/** Login to one server, as it is kept. */
const keptSchema = z.looseObject({
  /** Who we are at the authorization server, as the SDK stamps it. */
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
  /** When the tokens came, in ms since 1970 by our own clock. */
  obtainedAt: z.number().optional(),
  /** What was asked for when they did. */
  scope: z.string().optional(),
  /** What tokens of the type `DPoP` are bound to. */
  dpop: dpopKeySchema.optional(),
  /** The port of the redirect that the client was registered with. */
  port: z.number().optional(),
});
export type Kept = z.output<typeof keptSchema>;

/** Logins by server: shared by all processes of one user, or in memory alone. */
export interface LoginStore {
  /** Empty where nothing is kept, or nothing that can be read. */
  read(key: string): Promise<Kept>;
  /** Nobody else changes this login meanwhile, in this process or another. `undefined` forgets it. */
  change(key: string, next: (kept: Kept) => Promise<Kept | undefined>): Promise<void>;
}

/** A login belongs to a URL and to who we are there. */
export const loginKey = (...parts: readonly (string | undefined)[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');

/** In this process one after another. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  take<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(run, run);
    const over = turn.catch(() => {});
    this.#last.set(key, over);
    void over.then(() => {
      if (this.#last.get(key) === over) this.#last.delete(key);
    });
    return turn;
  }
}

export function memoryLogins(): LoginStore {
  const kept = new Map<string, Kept>();
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

/** A lock that nobody renewed for so long was left by a process that was killed. */
const staleMs = 10_000;
/** A minute in all: longer than a stale lock, and than a token endpoint that does not answer. */
const retries = { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };

/** Where texts are kept that nobody else may read, by name. Each question may be refused. */
export interface Vault {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
  remove(key: string): Promise<unknown>;
}
const keptIn = (text: string): Kept => {
  try {
    return keptSchema.parse(JSON.parse(text));
  } catch {
    return {};
  }
};

/**
 * Logins in the vault (the keyring of the system) where there is one and it takes them, else in a file for each under `logins` in the
 * state folder, which only its user may read. A file counts before the vault: what goes into the vault ends its file. Its lock lies in
 * that folder in either case.
 */
export function sharedLogins(
  stateDir: string,
  openVault: () => Promise<Vault | undefined> = () => Promise.resolve(undefined),
): LoginStore {
  const folder = join(stateDir, 'logins');
  const turns = new Turns();
  let opened: Promise<Vault | undefined> | undefined;
  const vault = (): Promise<Vault | undefined> => (opened ??= openVault());
  const fileOf = (key: string): string => join(folder, `${key}.json`);
  // The lock guards one state folder: another one has logins of its own.
  const nameOf = (key: string): string => loginKey(folder, key);
  const read = async (key: string): Promise<Kept> => {
    const text = await readFile(fileOf(key), 'utf8').catch(async () =>
      (await vault())?.get(nameOf(key)).catch(() => undefined),
    );
    return text === undefined ? {} : keptIn(text);
  };
  const write = async (key: string, kept: Kept): Promise<void> => {
    const [file, text] = [fileOf(key), `${JSON.stringify(kept)}\n`];
    const taken = (await vault())?.set(nameOf(key), text).then(
      () => true,
      // Windows takes 2,560 bytes; and one that was locked meanwhile nothing.
      () => false,
    );
    if ((await taken) === true) return rm(file, { force: true });
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, file);
  };
  const forget = async (key: string): Promise<void> => {
    await rm(fileOf(key), { force: true });
    await (await vault())?.remove(nameOf(key)).catch(() => {});
  };
  const change = async (key: string, next: (kept: Kept) => Promise<Kept | undefined>): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Only here: it listens to the signals of the whole process from the moment it is loaded.
    const { lock } = await import('proper-lockfile');
    const how = { realpath: false, stale: staleMs, retries, onCompromised: () => {} };
    const release = await lock(fileOf(key), how);
    try {
      const now = await next(await read(key));
      await (now === undefined ? forget(key) : write(key, now));
    } finally {
      await release().catch(() => {});
    }
  };
  return { read, change: (key, next) => turns.take(key, () => change(key, next)) };
}
