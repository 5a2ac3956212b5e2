import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobFacts, BlobPart, BlobRead } from '../../machines/blobs/blobs.rules.ts';
import { ContentStore, storeLimits, type StoreLimits } from '../../machines/blobs/shelf.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import { blobSizes } from '../../machines/protocol/messages/blobs.ts';
import { during, systemClock, waitingTimers } from '../clock.ts';
import { defaultStateDir } from '../host-files.ts';
import { answeringPort } from '../lazy-port.ts';
import { newSha256 } from '../storage/traces.ts';

/** A file of this store is removed with its entry; a file of a skill stays as it is. */
interface Place {
  readonly path: string;
  readonly mark: string | null;
}
export interface BlobStoreOptions {
  /** `false`: the folder for temporary files. Default `$XDG_STATE_HOME/a2c`. */
  readonly stateDir?: string | false | undefined;
  readonly limits?: StoreLimits | undefined;
  readonly give: (ticket: string, bytes: Uint8Array) => void;
}

async function markOf(path: string): Promise<{ readonly mark: string; readonly bytes: number } | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  return { mark: `${facts.ino} ${facts.size} ${facts.mtimeNs}`, bytes: Number(facts.size) };
}
async function hashOf(path: string): Promise<string> {
  const hash = newSha256();
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** In ms, far above the time that a content is kept: what is older was left by a killed host. */
const staleMs = 3_600_000;
async function sweep(base: string): Promise<void> {
  for (const name of await readdir(base).catch(() => [])) {
    const path = join(base, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > staleMs)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Made with the first content and removed by `close`; one left by a killed host, with a later host's first. */
export class BlobStore {
  readonly #stateDir: BlobStoreOptions['stateDir'];
  readonly #give: BlobStoreOptions['give'];
  readonly #shelf: ContentStore<Place>;
  /** Hashes of skill files by path. `mark` tells whether the file has changed since then. */
  readonly #hashed = new Map<string, { readonly mark: string; readonly handle: string }>();
  readonly #writing = new Map<string, Promise<void>>();
  #folder: Promise<string> | undefined;
  #timer: unknown;
  #isClosed = false;

  constructor({ stateDir, limits = storeLimits, give }: BlobStoreOptions) {
    this.#stateDir = stateDir;
    this.#give = give;
    this.#shelf = new ContentStore(limits);
  }

  /** Undefined when there is no room, or the disk is full. */
  async keep(bytes: Uint8Array, mimeType: string, reader: string): Promise<BlobFacts | undefined> {
    if (this.#isClosed || !this.#shelf.fits(bytes.length)) return undefined;
    const handle = newSha256().update(bytes).digest('hex');
    const facts = { handle, mimeType, bytes: bytes.length };
    const writing = this.#writing.get(handle) ?? this.#write(facts, bytes, reader);
    try {
      await writing;
    } catch {
      return undefined;
    }
    this.#shelf.share(handle, reader, systemClock.now());
    return facts;
  }
  async lend(path: string, mimeType: string, reader: string): Promise<BlobFacts | undefined> {
    const found = await markOf(path);
    if (!found || this.#isClosed) return undefined;
    const { mark, bytes } = found;
    const known = this.#hashed.get(path);
    const handle = known?.mark === mark ? known.handle : await hashOf(path).catch(() => undefined);
    if (handle === undefined || (await markOf(path))?.mark !== mark) return undefined;
    this.#hashed.set(path, { mark, handle });
    const facts = { handle, mimeType, bytes };
    if (this.#shelf.has(handle)) this.#shelf.share(handle, reader, systemClock.now());
    else
      this.#drop(this.#shelf.keep({ ...facts, where: { path, mark }, weight: 0 }, reader, systemClock.now()));
    this.#wait();
    return facts;
  }

  readonly request: RequestPort = answeringPort(
    ({ params }) => during(this.#read(params as BlobRead)),
    (id) => ({ type: 'ask.answered', id, result: { kind: 'refused', reason: 'gone' } }),
  );

  async close(): Promise<void> {
    this.#isClosed = true;
    waitingTimers.clearTimeout(this.#timer);
    await Promise.allSettled(this.#writing.values());
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }

  async #read(wanted: BlobRead): Promise<BlobPart> {
    const found = this.#shelf.find(wanted, systemClock.now());
    if (!found.ok) return { kind: 'refused', reason: found.reason };
    const { handle, mimeType, bytes, where } = found.kept;
    const { offset, maxBytes } = wanted;
    const file = await open(where.path, 'r').catch(() => undefined);
    if (!file) return this.#gone(handle);
    try {
      if (where.mark !== null && (await markOf(where.path))?.mark !== where.mark) return this.#gone(handle);
      const buffer = Buffer.allocUnsafe(Math.min(maxBytes, blobSizes.partBytes, bytes - offset));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      if (bytesRead < buffer.length) return this.#gone(handle);
      this.#give(wanted.ticket, buffer);
      const eof = offset + bytesRead === bytes;
      return { kind: 'part', handle, mimeType, bytes, offset, partBytes: bytesRead, eof };
    } finally {
      await file.close();
    }
  }
  #gone(handle: string): BlobPart {
    this.#drop(this.#shelf.forget(handle));
    return { kind: 'refused', reason: 'gone' };
  }
  #write(facts: BlobFacts, bytes: Uint8Array, reader: string): Promise<void> {
    if (this.#shelf.has(facts.handle)) return Promise.resolve();
    const writing = this.#written(facts, bytes, reader).finally(() => this.#writing.delete(facts.handle));
    this.#writing.set(facts.handle, writing);
    return writing;
  }
  async #written(facts: BlobFacts, bytes: Uint8Array, reader: string): Promise<void> {
    this.#folder ??= this.#made();
    this.#folder.catch(() => (this.#folder = undefined));
    const folder = await this.#folder;
    // Another host may have taken it for one that was left.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, facts.handle);
    try {
      await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
    const kept = { ...facts, where: { path, mark: null }, weight: facts.bytes };
    this.#drop(this.#shelf.keep(kept, reader, systemClock.now()));
    this.#wait();
  }
  async #made(): Promise<string> {
    const stateDir = this.#stateDir;
    const base =
      stateDir === false ? join(tmpdir(), 'a2c-blobs') : join(stateDir ?? defaultStateDir(), 'blobs');
    await mkdir(base, { recursive: true, mode: 0o700 });
    await sweep(base);
    return mkdtemp(join(base, 'host-'));
  }
  #drop(places: readonly Place[]): void {
    for (const { path, mark } of places) if (mark === null) void rm(path, { force: true }).catch(() => {});
  }
  #wait(): void {
    waitingTimers.clearTimeout(this.#timer);
    const nextMs = this.#isClosed ? undefined : this.#shelf.nextMs(systemClock.now());
    if (nextMs === undefined) return;
    this.#timer = waitingTimers.setTimeout(() => {
      this.#drop(this.#shelf.expire(systemClock.now()));
      this.#wait();
    }, nextMs);
  }
}
