import { createHash } from 'node:crypto';
import type {
  LandingAnswer,
  LandingFinish,
  LandingOpen,
  LandingWrite,
} from '../../../machines/uploads/upload.rules.ts';
import type { Binary, BlobPart, BlobRead } from '../../../machines/blobs/blobs.rules.ts';
import type { HandOptions } from '../../../machines/blobs/hand.ts';
import { ContentStore } from '../../../machines/blobs/shelf.ts';
import { blobSizes } from '../../../machines/protocol/messages/blobs.ts';
import type { Emit, RequestFact, RequestPort } from '../../../machines/kernel/ports.ts';
import type { Resolve, Resolved, LogIn } from '../../../machines/client/client.events.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { edited, type Edit } from '../../../machines/config/json-edits.ts';
import type { SkillContents, SkillEntry, SkillEntryRead } from '../../../machines/skills/offer.rules.ts';
import {
  entryFile,
  type SkillFileRead,
  type SkillRead,
  type SkillsListed,
} from '../../../machines/skills/skills.rules.ts';
import type { FileFound } from '../../../machines/settings/settings.rules.ts';

/** Values of a server's placeholders: a number that stands for them, none, or a question that is never answered. */
export type Values = number | 'none' | 'never';
interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
const missing = (server: string): Failure => ({
  code: 'InputNotFound',
  message: `Server '${server}' needs input word (nobody gave a value)`,
  details: { server_name: server, input_id: 'word' },
  remedy: `Answer when asked, then start it again: servers start ${server}`,
});

/** The launch spec is a number made of generation and values. */
export class ScriptedSpecs {
  readonly #clock: Clock;
  readonly #values = new Map<string, { readonly values: Values; readonly ms: number }>();
  readonly #open = new Set<() => void>();
  #areFaultsCleared = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }
  get waiting(): number {
    return this.#open.size;
  }
  /** From now on; each answer takes `ms`. */
  set(server: string, values: Values, ms = 0): void {
    this.#values.set(server, { values, ms });
  }
  clearFaults(): void {
    this.#areFaultsCleared = true;
    for (const answer of this.#open) answer();
    this.#open.clear();
  }
  request: RequestPort = (_from, { id, params }, emit) => {
    const { server, generation } = params as Resolve;
    const { values, ms } = this.#now(server);
    if (values === 'never') {
      const later = (): void => emit({ type: 'ask.answered', id, result: { spec: generation } });
      this.#open.add(later);
      return () => void this.#open.delete(later);
    }
    const answer = (): void =>
      emit(
        values === 'none'
          ? { type: 'ask.refused', id, sent: false, failure: missing(server) }
          : {
              type: 'ask.answered',
              id,
              result: { spec: generation + values * 1_000 } satisfies Resolved,
            },
      );
    if (ms === 0) {
      answer();
      return () => {};
    }
    const timer = this.#clock.setTimeout(answer, ms);
    return () => this.#clock.clearTimeout(timer);
  };
  #now(server: string): { readonly values: Values; readonly ms: number } {
    const now = this.#values.get(server) ?? { values: 0, ms: 0 };
    if (!this.#areFaultsCleared) return now;
    return { values: typeof now.values === 'number' ? now.values : 0, ms: 0 };
  }
}

export const nobodyLogsIn = (server: string): Failure => ({
  code: 'Unauthorized',
  message: `Server '${server}' wants a login (HTTP 401): a person has to log in, and this host can ask nobody`,
  details: { server_name: server, http_status: 401 },
  remedy: `Log in: a2c login ${server}`,
});

/** No person, or one whose steps a scenario gives one by one. */
export class ScriptedLogins {
  readonly #asked = new Map<string, { readonly id: string; readonly emit: Emit<RequestFact> }>();
  hasPerson = false;

  isAsked(server: string): boolean {
    return this.#asked.has(server);
  }
  show(server: string): void {
    this.#tell(server, ({ id, emit }) =>
      emit({ type: 'ask.progress', id, progress: 0, message: 'https://as.test' }),
    );
  }
  comesBack(server: string): void {
    this.#tell(server, ({ id, emit }) => emit({ type: 'ask.began', id }));
  }
  agrees(server: string): void {
    this.#tell(server, ({ id, emit }) => emit({ type: 'ask.answered', id, result: {} }));
  }
  refuses(server: string): void {
    this.#tell(server, ({ id, emit }) =>
      emit({ type: 'ask.refused', id, sent: false, failure: nobodyLogsIn(server) }),
    );
  }
  #tell(server: string, tell: (asked: { id: string; emit: Emit<RequestFact> }) => void): void {
    const asked = this.#asked.get(server);
    if (asked) tell(asked);
  }
  request: RequestPort = (_from, { id, params }, emit) => {
    const { server } = params as LogIn;
    if (!this.hasPerson) {
      emit({ type: 'ask.refused', id, sent: false, failure: nobodyLogsIn(server) });
      return () => {};
    }
    this.#asked.set(server, { id, emit });
    return () => void this.#asked.delete(server);
  };
}

const diskMs = 2;

export class ScriptedConfigFile {
  readonly #clock: Clock;
  #text: string;
  isFull = false;

  constructor(clock: Clock, text = '{}') {
    this.#clock = clock;
    this.#text = text;
  }
  request: RequestPort = (_from, { id, method, params }, emit) => {
    const { edits = [] } = (params ?? {}) as { readonly edits?: readonly Edit[] };
    const timer = this.#clock.setTimeout(() => {
      if (method === 'write' && this.isFull) {
        const failure = { code: 500, message: 'no space left on device (ENOSPC)' } as const;
        return emit({ type: 'ask.refused', id, sent: true, failure });
      }
      const made = edited(this.#text, method === 'write' ? edits : []);
      if (made.ok) this.#text = made.text;
      const value = JSON.parse(this.#text) as Readonly<Record<string, unknown>>;
      const isTaken = made.ok && made.isTaken;
      const found: FileFound = { kind: 'good', value, mark: this.#text, isTaken };
      emit({ type: 'ask.answered', id, result: found });
    }, diskMs);
    return () => this.#clock.clearTimeout(timer);
  };
}

/** Skills by name, each with the texts of its files. */
export type SkillsTruth = Readonly<Record<string, Readonly<Record<string, string>>>>;
export class ScriptedSkills {
  truth: SkillsTruth = {};
  /** Sentences about folders that are no skills. */
  refused: readonly string[] = [];
  /** `hangs` answers nothing, `fails` refuses. */
  fault: 'hangs' | 'fails' | null = null;
  lists = 0;
  readonly #clock: Clock;

  readonly #keep: HandOptions['keep'];

  constructor(clock: Clock, keep: HandOptions['keep'] = (_content, _reader, done) => done(undefined)) {
    this.#clock = clock;
    this.#keep = keep;
  }
  request: RequestPort = (_from, { id, method, params }, emit) => {
    if (method === 'list') this.lists += 1;
    if (this.fault === 'hangs') return () => {};
    const failure = { code: 500, message: 'the disk is broken' } as const;
    const timer = this.#clock.setTimeout(
      () =>
        this.fault === 'fails'
          ? emit({ type: 'ask.refused', id, sent: true, failure })
          : emit({ type: 'ask.answered', id, result: this.#result(method, params) }),
      diskMs,
    );
    return () => this.#clock.clearTimeout(timer);
  };
  #result(method: string, params: unknown): SkillsListed | SkillFileRead | SkillEntryRead {
    if (method === 'entry') return entryOf(params as SkillEntry);
    if (method === 'file') {
      return this.#fileOfServer(params as SkillContents);
    }
    if (method === 'list')
      return {
        skills: Object.keys(this.truth).map((name) => ({
          name,
          source: 'config',
          path: `/skills/${name}`,
          description: `about ${name}`,
        })),
        refused: this.refused,
      };
    const { path, relPath } = params as SkillRead;
    const files = this.truth[path.slice(path.lastIndexOf('/') + 1)] ?? {};
    const text = files[relPath];
    if (text === undefined)
      return { kind: 'refused', reason: relPath.includes('..') ? 'traversal' : 'not_found' };
    const others = Object.keys(files).filter((each) => each !== relPath);
    const read = fileOf(relPath, text);
    return relPath === entryFile && read.kind === 'text' ? { ...read, files: others.toSorted() } : read;
  }
  /** A text, or in parts to its reader where it is a blob. */
  #fileOfServer({ relPath, contents, reader }: SkillContents): SkillFileRead {
    const base64 = contents.find(({ blob }) => typeof blob === 'string')?.blob;
    if (base64 === undefined) return fileOf(relPath, textIn(contents));
    let read: SkillFileRead = { kind: 'refused', reason: 'too_large' };
    if (reader !== undefined)
      this.#keep({ base64, mimeType: 'application/octet-stream', at: 0 } as Binary, reader, (facts) => {
        if (facts) read = { kind: 'blob', ...facts };
      });
    return read;
  }
}

/** `closed`: the folder cannot be used; `breaks`: the port itself breaks. */
export type LandingFault = 'full' | 'hangs' | 'closed' | 'breaks';
export class ScriptedLanding {
  faults: Readonly<Partial<Record<string, LandingFault>>> = {};
  readonly landed = new Map<string, Buffer>();
  readonly parts = new Map<string, Buffer[]>();
  partOf: (ticket: string) => Uint8Array | undefined = () => undefined;
  readonly #names = new Map<string, string>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }
  request: RequestPort = (_from, { id, method, params }, emit) => {
    const { upload } = params as { readonly upload: string };
    const answer = (result: LandingAnswer): void => emit({ type: 'ask.answered', id, result });
    const timer = this.#clock.setTimeout(() => {
      const fault = this.faults[method];
      if (fault === 'hangs') return;
      const failure = { code: 500, message: 'the port is broken' } as const;
      if (fault === 'breaks') return emit({ type: 'ask.refused', id, sent: true, failure });
      const result = this.#result(method, params);
      if (result === null) emit({ type: 'ask.began', id });
      else answer(result);
    }, diskMs);
    return () => {
      this.#clock.clearTimeout(timer);
      if (method !== 'open') return;
      this.parts.delete(upload);
    };
  };
  #result(method: string, params: unknown): LandingAnswer | null {
    if (method === 'open') {
      const { upload, name } = params as LandingOpen;
      if (this.faults[method] === 'closed')
        return { kind: 'refused', reason: 'forbidden', message: 'no folder' };
      this.parts.set(upload, []);
      this.#names.set(upload, name);
      return null;
    }
    if (method === 'write') {
      const { upload, ticket } = params as LandingWrite;
      const part = this.partOf(ticket);
      if (part === undefined) return { kind: 'gone' };
      if (this.faults[method] === 'full')
        return { kind: 'refused', reason: 'io_error', message: 'no space left on device (ENOSPC)' };
      this.parts.get(upload)?.push(Buffer.from(part));
      return { kind: 'written' };
    }
    const { upload, sha256 } = params as LandingFinish;
    const bytes = Buffer.concat(this.parts.get(upload) ?? []);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      return { kind: 'refused', reason: 'integrity', message: 'the hash is another' };
    const path = `/landing/${upload}_${this.#names.get(upload)}`;
    this.landed.set(path, bytes);
    this.parts.delete(upload);
    return { kind: 'landed', path };
  }
}
const fileOf = (relPath: string, text: string): SkillFileRead => ({
  kind: 'text',
  text: relPath === 'SKILL.md' ? bodyOf(text) : text,
  mimeType: 'text/markdown',
  bytes: text.length,
  sha256: `of ${text}`,
});
const textIn = (contents: SkillContents['contents']): string =>
  contents.map(({ text }) => text ?? '').join('');
const front = /^---\nname: (.*)\ndescription: (.*)\n---\n/;
const bodyOf = (text: string): string => text.replace(front, '');
function entryOf({ server, bundle, uri, version, contents }: SkillEntry): SkillEntryRead {
  const [, name, description] = front.exec(textIn(contents)) ?? [];
  if (name === undefined || description === undefined)
    return { refused: `Server '${server}': skill ${uri} is left out: it has no name and description` };
  const source = `mcp:${bundle}`;
  const ref = { name: `${source}:${name}`, source, path: '', description, uri };
  return { ref: version === undefined ? ref : { ...ref, version } };
}

export class ScriptedBlobs {
  /** `hangs` answers nothing, `fails` refuses, `full` keeps nothing more, `lies` gives other bytes. */
  fault: 'hangs' | 'fails' | 'full' | 'lies' | null = null;
  partBytes: number = blobSizes.partBytes;
  readonly shelf = new ContentStore<Buffer>();
  give: (ticket: string, bytes: Uint8Array) => void = () => {};
  readonly #clock: Clock & { now(): number };

  constructor(clock: Clock & { now(): number }) {
    this.#clock = clock;
  }
  readonly keep: HandOptions['keep'] = ({ base64, mimeType }, reader, done) => {
    if (this.fault === 'full') return done(undefined);
    const where = Buffer.from(base64, 'base64');
    const facts = { handle: createHash('sha256').update(where).digest('hex'), mimeType, bytes: where.length };
    const [now, place] = [this.#clock.now(), { ...facts, where, weight: where.length }];
    if (this.shelf.has(facts.handle)) this.shelf.share(facts.handle, reader, now);
    else this.shelf.keep(place, reader, now);
    done(facts);
  };
  readonly request: RequestPort = (_from, { id, params }, emit) => {
    if (this.fault === 'hangs') return () => {};
    const failure = { code: 500, message: 'the disk is broken' } as const;
    const timer = this.#clock.setTimeout(
      () =>
        this.fault === 'fails'
          ? emit({ type: 'ask.refused', id, sent: true, failure })
          : emit({ type: 'ask.answered', id, result: this.#part(params as BlobRead) }),
      diskMs,
    );
    return () => this.#clock.clearTimeout(timer);
  };
  #part(wanted: BlobRead): BlobPart {
    this.shelf.expire(this.#clock.now());
    const found = this.shelf.find(wanted, this.#clock.now());
    if (!found.ok) return { kind: 'refused', reason: found.reason };
    const { where, handle, mimeType, bytes } = found.kept;
    const { offset } = wanted;
    const end = offset + Math.min(this.partBytes, wanted.maxBytes);
    const part = where.subarray(offset, end);
    this.give(wanted.ticket, this.fault === 'lies' ? Buffer.from(part.map((byte) => 255 - byte)) : part);
    return { kind: 'part', handle, mimeType, bytes, offset, partBytes: part.length, eof: end >= bytes };
  }
}
