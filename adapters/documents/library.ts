/** Documents of the served folders: found, parsed once and watched for changes. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { locate, type Folder, walk, type Walk, firstBytes, openFile, type ServedPath } from './files.ts';
import { Parsers, type ParserLimits } from './parsing/parsers.ts';
import { isReaderMissing, missingReader, missingReaders, Unreadable } from './parsing/reader.ts';
import {
  fileTypeOf,
  formatOf,
  isNameable,
  misfit,
  type ReadDocument,
  type Listed,
} from '../../machines/documents.ts';
import { watchFolders, type Watching } from '../files/watch-folders.ts';
import { limits, isSkipped, sizeText } from '../../machines/document-files.ts';

type Known = { readonly document: ReadDocument } | { readonly reason: string };

interface Kept {
  readonly known: Known;
  /** Of inode, size and time of the file. */
  readonly stamp: string;
  readonly chars: number;
}
/** The least recently used leaves first. */
class DocumentCache {
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  constructor(mostChars: number) {
    this.#most = mostChars;
  }
  get(ref: string): Kept | undefined {
    const found = this.#kept.get(ref);
    if (found) this.#kept.delete(ref);
    if (found) this.#kept.set(ref, found);
    return found;
  }
  set(ref: string, stamp: string, known: Known): void {
    this.drop(ref);
    const chars = JSON.stringify(known).length;
    this.#kept.set(ref, { known, stamp, chars });
    this.#chars += chars;
    for (const oldest of this.#kept.keys()) {
      if (this.#chars <= this.#most || oldest === ref) break;
      this.drop(oldest);
    }
  }
  drop(ref: string): void {
    this.#chars -= this.#kept.get(ref)?.chars ?? 0;
    this.#kept.delete(ref);
  }
}

interface Scan {
  readonly documents: Map<string, Listed>;
  /** Reason why documents are missing; undefined when the list is complete. */
  readonly cut?: string;
}

async function scan(folders: readonly Folder[], signal: AbortSignal): Promise<Scan> {
  const documents = new Map<string, Listed>();
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false, most: limits.libraryEntries };
  for (const folder of folders) {
    // A deleted folder counts as empty, because it may come back.
    const start = await locate([folder], folder.name === '' ? '.' : folder.name).catch(() => undefined);
    if (!start) continue;
    const batch: Promise<void>[] = [];
    for await (const { path, real, kind } of walk(start, limits.depth, cost, signal)) {
      if (kind !== 'file' || formatOf(path) === undefined || !isNameable(path)) continue;
      if (documents.size + batch.length >= limits.documents) break;
      batch.push(listedAt(path, real).then((listed) => void (listed && documents.set(path, listed))));
      if (batch.length >= 64) await Promise.all(batch.splice(0));
    }
    await Promise.all(batch);
  }
  if (cost.isCut || documents.size >= limits.documents) {
    const [most, what] = cost.isCut ? [limits.libraryEntries, 'entries'] : [limits.documents, 'documents'];
    return { documents, cut: `only the first ${most} ${what} of the folders are served` };
  }
  if (cost.unreadable === 0) return { documents };
  return { documents, cut: `${cost.unreadable} folders may not be read` };
}

async function listedAt(ref: string, real: string): Promise<Listed | undefined> {
  const facts = await lstat(real).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  return {
    ref,
    fileUri: pathToFileURL(real).href,
    fileType: fileTypeOf(ref),
    sizeBytes: facts.size,
    lastModified: facts.mtime.toISOString(),
  };
}

export interface Change {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}
/** Up to but not including `to`. */
export interface PageRange {
  readonly from: number;
  readonly to: number;
}
export interface LibraryOptions {
  readonly isWatching?: boolean;
  readonly parserLimits?: Partial<ParserLimits>;
  readonly notice?: (text: string) => void;
}

/** By their last path part, with `docs-2` for a second `docs`. A single folder needs no name. */
export async function foldersOf(paths: readonly string[]): Promise<readonly Folder[]> {
  const real = await Promise.all(paths.map((path) => realpath(path)));
  const distinct = [...new Set(real)];
  if (distinct.length === 1) return distinct.map((path) => ({ path, name: '' }));
  const bases = distinct.map((path) => basename(path) || 'root');
  // Reserves the folders' real names, so that no numbered name equals one of them.
  const taken = new Set(bases);
  return distinct.map((path, at) => {
    const base = bases[at] ?? '';
    if (bases.indexOf(base) === at) return { path, name: base };
    let count = 2;
    while (taken.has(`${base}-${count}`)) count += 1;
    const name = `${base}-${count}`;
    taken.add(name);
    return { path, name };
  });
}

export async function unreadIn(paths: readonly string[]): Promise<string[]> {
  if (!isReaderMissing()) return [];
  const { documents } = await scan(await foldersOf(paths), new AbortController().signal);
  return missingReaders(documents.keys());
}

export class Library {
  readonly folders: readonly Folder[];
  readonly #parsers: Parsers;
  readonly #cache = new DocumentCache(limits.cachedChars);
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #failed = new Set<string>();
  readonly #reads = new Map<string, Promise<ReadDocument>>();
  readonly #end = new AbortController();
  readonly #notice: (text: string) => void;
  #documents = new Map<string, Listed>();
  #cut: string | undefined;
  #watching: Watching | undefined;

  constructor(folders: readonly Folder[], { parserLimits, notice = () => {} }: LibraryOptions) {
    this.folders = folders;
    this.#parsers = new Parsers(parserLimits);
    this.#notice = notice;
  }

  static async open(paths: readonly string[], options: LibraryOptions = {}): Promise<Library> {
    const library = new Library(await foldersOf(paths), options);
    const { documents, cut } = await scan(library.folders, library.#end.signal);
    library.#documents = documents;
    library.#cut = cut;
    for (const line of missingReaders(documents.keys())) library.#notice(line);
    if (cut !== undefined) library.#notice(`Not all documents are served: ${cut}`);
    if (options.isWatching === false) return library;
    // Folders that are too large to watch, such as a whole disk that is served by mistake.
    if (documents.size > limits.watched)
      library.#notice(`Changes are not watched: there are more than ${limits.watched} documents`);
    else await library.#watch();
    return library;
  }

  get cut(): string | undefined {
    return this.#cut;
  }

  get documents(): ReadonlyMap<string, Listed> {
    return this.#documents;
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Also one whose file exists and was not noticed yet. */
  async find(ref: string): Promise<Listed | undefined> {
    const known = this.#documents.get(ref);
    if (known) return known;
    const parts = ref.split('/');
    // Refuses other spellings of a path, each of which would count as another document.
    const isHidden = parts.some(
      (part, at) => part === '' || part === '..' || isSkipped(part, at < parts.length - 1),
    );
    if (formatOf(ref) === undefined || isHidden) return undefined;
    await this.#look(new Set([ref]));
    return this.#documents.get(ref);
  }

  known(ref: string): ReadDocument | undefined {
    const { known } = this.#cache.get(ref) ?? {};
    return known && 'document' in known ? known.document : undefined;
  }

  async read(ref: string, range: PageRange): Promise<ReadDocument> {
    const key = `${ref}\0${range.from}\0${range.to}`;
    const running = this.#reads.get(key) ?? this.#read(ref, range).finally(() => this.#reads.delete(key));
    this.#reads.set(key, running);
    return running;
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#listeners.clear();
    await Promise.all([this.#watching?.close(), this.#parsers.close()]);
  }

  async #read(ref: string, range: PageRange): Promise<ReadDocument> {
    const place = await locate(this.folders, ref);
    const { facts } = place;
    const stamp = `${facts.ino} ${facts.size} ${facts.mtimeMs}`;
    return this.#cached(ref, stamp, range) ?? this.#parse(ref, stamp, await this.#bytesOf(place), range);
  }

  /** Undefined unless it has all of these pages. Throws `Unreadable` for a content that failed before. */
  #cached(ref: string, stamp: string, { from, to }: PageRange): ReadDocument | undefined {
    const kept = this.#cache.get(ref);
    if (kept?.stamp !== stamp) return undefined;
    const { known } = kept;
    if ('reason' in known) throw new Unreadable(known.reason);
    const end = Math.min(to, known.document.pageCount);
    for (let index = from; index < end; index += 1) if (!known.document.pages[index]) return undefined;
    return known.document;
  }

  async #bytesOf({ facts, real, path }: ServedPath): Promise<Buffer> {
    if (facts.size > limits.documentBytes)
      throw new Unreadable(
        `it has ${sizeText(facts.size)}; at most ${sizeText(limits.documentBytes)} are read`,
      );
    const handle = await openFile(real, path);
    try {
      // Reads one byte more than expected, to notice a file that is growing.
      const bytes = await firstBytes(handle, facts.size + 1);
      if (bytes.length > facts.size) throw new Unreadable('it is being written; ask again');
      return bytes;
    } finally {
      await handle.close();
    }
  }

  async #parse(ref: string, stamp: string, bytes: Uint8Array, range: PageRange): Promise<ReadDocument> {
    const format = formatOf(ref) ?? 'txt';
    try {
      const missing = missingReader(format);
      if (missing !== undefined) throw new Unreadable(missing);
      const wrong = misfit(format, bytes);
      if (wrong !== undefined) throw new Unreadable(`${wrong} (${fileTypeOf(ref)})`);
      const name = ref.slice(ref.lastIndexOf('/') + 1);
      const read = await this.#parsers.read({ format, bytes, name, fileType: fileTypeOf(ref), ...range });
      const before = this.#cache.get(ref)?.stamp === stamp ? this.known(ref) : undefined;
      const document = { ...read, pages: { ...before?.pages, ...read.pages } };
      this.#cache.set(ref, stamp, { document });
      return document;
    } catch (error) {
      // The same content would fail again. A failure that may pass, such as a time-out, counts when it recurs.
      if (error instanceof Unreadable && !this.#end.signal.aborted) {
        const isLasting = error.isLasting || this.#failed.has(`${ref} ${stamp}`);
        if (isLasting) this.#cache.set(ref, stamp, { reason: error.message });
        this.#failed.add(`${ref} ${stamp}`);
      }
      throw error;
    }
  }

  async #watch(): Promise<void> {
    this.#watching = await watchFolders(
      this.folders,
      (refs) => void this.#look(refs),
      () => void this.#compare(),
      (text) => this.#notice(text),
    );
  }

  async #compare(): Promise<void> {
    try {
      const { documents } = await scan(this.folders, this.#end.signal);
      const refs = [...new Set([...documents.keys(), ...this.#documents.keys()])];
      const isOther = (ref: string): boolean =>
        documents.get(ref)?.lastModified !== this.#documents.get(ref)?.lastModified;
      await this.#look(new Set(refs.filter(isOther)));
    } catch {
      // Ignores errors: the library is closed, or its folder is gone and the watch reports that.
    }
  }

  async #look(refs: ReadonlySet<string>): Promise<void> {
    const [added, removed, changed]: [string[], string[], string[]] = [[], [], []];
    for (const ref of refs) {
      if (formatOf(ref) === undefined) continue;
      const before = this.#documents.get(ref);
      const after = await this.#listed(ref);
      if (this.#end.signal.aborted) return;
      if (after) this.#documents.set(ref, after);
      else this.#documents.delete(ref);
      if (before && !after) removed.push(ref);
      else if (!before && after) added.push(ref);
      else if (
        before &&
        after &&
        (before.lastModified !== after.lastModified || before.sizeBytes !== after.sizeBytes)
      )
        changed.push(ref);
    }
    for (const ref of [...removed, ...changed]) this.#cache.drop(ref);
    if (added.length + removed.length + changed.length === 0) return;
    for (const listener of [...this.#listeners]) listener({ added, removed, changed });
  }

  async #listed(ref: string): Promise<Listed | undefined> {
    try {
      const place = await locate(this.folders, ref);
      const listed = await listedAt(ref, place.real);
      // A file behind a link would be listed twice, or lies outside of the folders.
      const direct = this.folders.some(({ path, name }) => {
        const below = name === '' ? ref : ref.slice(name.length + 1);
        return place.real === join(path, below);
      });
      return direct ? listed : undefined;
    } catch {
      return undefined;
    }
  }
}
