/** Folder of a computer into which agents put files, part by part. */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emit, RequestFact, RequestPort } from '../../machines/kernel/ports.ts';
import type { UploadRefusal } from '../../machines/protocol/messages/blobs.ts';
import type {
  LandingAnswer,
  LandingFinish,
  LandingOpen,
  LandingWrite,
} from '../../machines/uploads/upload.rules.ts';
import { homeFolder } from '../clock.ts';
import { answeringPort } from '../lazy-port.ts';
import { systemWords } from '../reading.ts';

export interface LandingSettings {
  readonly folder: string;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** Time in ms after which an upload without a further part ends. */
  readonly idleMs: number;
}
export interface LandingParts {
  readonly partOf: (ticket: string) => Uint8Array | undefined;
  readonly notice: (text: string) => void;
}

/** Name of the folder, inside of the landing folder, for files that have not landed. The Python SDK uses the same name. */
const partsFolder = '.a2c-upload';
/** Age in ms of an unfinished file after which its host counts as gone. */
const staleMs = 600_000;
const noFollow = constants.O_NOFOLLOW ?? 0;
const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

interface Place {
  readonly root: string;
  readonly parts: string;
  readonly settings: LandingSettings;
}
interface Receiving {
  readonly place: Place;
  readonly file: FileHandle;
  readonly path: string;
  readonly bytes: number;
  readonly name: string;
  readonly hash: Hash;
}

const no = (reason: UploadRefusal, message: string, details?: object): LandingAnswer => ({
  kind: 'refused',
  reason,
  message,
  ...(details && { details }),
});
/** Without the path, which the agent need not know. */
const broken = (what: string, error: unknown): LandingAnswer =>
  no('io_error', `${what}: ${systemWords(error)}`);
/** At most 64 of letters, digits and `._-`. The id comes before it, so it is never `..` or a device. */
export const safeName = (proposed: string): string =>
  proposed
    .slice(0, 1_000)
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .slice(0, 64)
    .replace(/^[._-]+/, '')
    .replace(/[._-]+$/, '');

async function sweep({ parts, settings }: Place): Promise<number> {
  let swept = 0;
  for (const name of await readdir(parts)) {
    const path = join(parts, name);
    const facts = await lstat(path).catch(() => undefined);
    if (!facts || facts.isDirectory()) continue;
    if (Date.now() - facts.mtimeMs <= Math.max(staleMs, 2 * settings.idleMs)) continue;
    await rm(path, { force: true });
    swept += 1;
  }
  return swept;
}
/** A link in the place of the inner folder is refused. */
async function placeOf(settings: LandingSettings): Promise<Place> {
  const folder = settings.folder.replace(/^~(?=[\\/]|$)/, () => homeFolder());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = await realpath(folder);
  const parts = join(root, partsFolder);
  await mkdir(parts, { recursive: true, mode: 0o700 });
  if (!(await lstat(parts)).isDirectory()) throw new Error(`${parts} is a link, and no folder`);
  return { root, parts, settings };
}
async function usedIn({ root }: Place): Promise<{ readonly files: number; readonly bytes: number }> {
  const sizes = await Promise.all(
    (await readdir(root)).map(async (name) => {
      const facts = await lstat(join(root, name)).catch(() => undefined);
      return facts?.isFile() ? facts.size : undefined;
    }),
  );
  const files = sizes.filter((size) => size !== undefined);
  return { files: files.length, bytes: files.reduce((sum, size) => sum + size, 0) };
}

/** A file gets its own name only when it is whole and its hash is right; an unfinished one is removed. */
export class LandingFolder {
  readonly #partOf: LandingParts['partOf'];
  readonly #notice: LandingParts['notice'];
  readonly #receiving = new Map<string, Receiving>();
  /** Uploads that are being opened, with their bytes, which count for the limits. */
  readonly #opening = new Map<string, number>();
  readonly #removing = new Set<Promise<void>>();
  #given = '';
  #place: Promise<Place | undefined> | undefined;

  constructor({ partOf, notice }: LandingParts) {
    this.#partOf = partOf;
    this.#notice = notice;
  }
  /** Undefined closes the present one. Unfinished files of the old folder are removed. */
  set(given: LandingSettings | undefined): void {
    const key = JSON.stringify(given ?? null);
    if (key === this.#given) return;
    this.#given = key;
    this.#place = given && this.#opened(given);
  }
  async #opened(given: LandingSettings): Promise<Place | undefined> {
    try {
      const place = await placeOf(given);
      const swept = await sweep(place);
      if (swept > 0)
        this.#notice(`removed ${swept} files in ${place.parts} that a killed host had not finished`);
      return place;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#notice(`the landing folder ${given.folder} cannot be used: ${why}`);
      return undefined;
    }
  }

  readonly #work = answeringPort(
    ({ method, params }) =>
      method === 'write' ? this.#write(params as LandingWrite) : this.#finish(params as LandingFinish),
    (id, error) => ({ type: 'ask.answered', id, result: broken('The file cannot be written', error) }),
  );
  readonly request: RequestPort = (from, asked, emit) =>
    asked.method === 'open'
      ? this.#hold(asked.id, asked.params as LandingOpen, emit)
      : this.#work(from, asked, emit);
  /** The end of the question removes an unfinished file. */
  #hold(id: string, wanted: LandingOpen, emit: Emit<RequestFact>): () => void {
    let isWanted = true;
    const end = (): void => {
      isWanted = false;
      const removing = this.#discard(wanted.upload).finally(() => this.#removing.delete(removing));
      this.#removing.add(removing);
    };
    void this.#open(wanted).then((refused) => {
      if (!isWanted) return end();
      if (refused) emit({ type: 'ask.answered', id, result: refused });
      else emit({ type: 'ask.began', id });
    });
    return end;
  }
  async #open({ upload, bytes, name }: LandingOpen): Promise<LandingAnswer | undefined> {
    const place = await this.#place;
    if (!place) return no('forbidden', 'The landing folder of this computer cannot be used');
    this.#opening.set(upload, bytes);
    try {
      const full = await this.#full(place, upload, bytes);
      if (full) return full;
      const path = join(place.parts, `${process.pid}-${upload}.part`);
      const file = await open(path, fresh, 0o600);
      this.#receiving.set(upload, { place, file, path, bytes, name, hash: createHash('sha256') });
      return undefined;
    } catch (error) {
      return broken('The file cannot be made', error);
    } finally {
      this.#opening.delete(upload);
    }
  }
  /** Unfinished files count as if they had landed. */
  async #full(place: Place, upload: string, bytes: number): Promise<LandingAnswer | undefined> {
    const { maxFileBytes, maxBytes, maxFiles } = place.settings;
    const limit = { total_size: bytes, limit_bytes: maxFileBytes };
    if (bytes > maxFileBytes)
      return no(
        'too_large',
        `The file has ${bytes} bytes; this computer takes at most ${maxFileBytes}`,
        limit,
      );
    const used = await usedIn(place);
    const others = [
      ...[...this.#receiving.values()].map((each) => each.bytes),
      ...[...this.#opening].flatMap(([other, size]) => (other === upload ? [] : [size])),
    ];
    const sum = others.reduce((all, size) => all + size, used.bytes);
    const files = used.files + others.length;
    if (sum + bytes > maxBytes)
      return no('too_large', `The landing folder has ${sum} of ${maxBytes} bytes; the file has ${bytes}`, {
        ...limit,
        limit_bytes: maxBytes,
        used_bytes: sum,
      });
    return files >= maxFiles
      ? no('too_large', `The landing folder has ${files} files, as many as it may`, { limit_files: maxFiles })
      : undefined;
  }
  async #write({ upload, ticket }: LandingWrite): Promise<LandingAnswer> {
    const receiving = this.#receiving.get(upload);
    if (!receiving) return no('io_error', 'The file is gone');
    const bytes = this.#partOf(ticket);
    if (bytes === undefined) return { kind: 'gone' };
    try {
      await receiving.file.writeFile(bytes);
    } catch (error) {
      return broken('The file cannot be written', error);
    }
    receiving.hash.update(bytes);
    return { kind: 'written' };
  }
  async #finish({ upload, sha256 }: LandingFinish): Promise<LandingAnswer> {
    const receiving = this.#receiving.get(upload);
    if (!receiving) return no('io_error', 'The file is gone');
    const { place, file, path, name, hash } = receiving;
    const found = hash.digest('hex');
    if (found !== sha256)
      return no('integrity', 'What came is not what its sha256 says; it was removed', { sha256: found });
    try {
      await file.sync();
      await file.close();
      const shown = safeName(name);
      const landed = join(place.root, shown === '' ? upload : `${upload}_${shown}`);
      await rename(path, landed);
      this.#receiving.delete(upload);
      return { kind: 'landed', path: landed };
    } catch (error) {
      return broken('The file cannot be finished', error);
    }
  }
  async #discard(upload: string): Promise<void> {
    const receiving = this.#receiving.get(upload);
    if (!receiving) return;
    this.#receiving.delete(upload);
    await receiving.file.close().catch(() => {});
    await rm(receiving.path, { force: true }).catch(() => {});
  }
  async close(): Promise<void> {
    await this.#place;
    await Promise.all([...this.#receiving.keys()].map((upload) => this.#discard(upload)));
    await Promise.all(this.#removing);
  }
}
