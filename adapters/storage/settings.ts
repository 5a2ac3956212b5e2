import { createHash } from 'node:crypto';
import { chown, open, readdir, rename, rm, stat, mkdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { during } from '../clock.ts';
import { decoded, type DecodedText, readConfigText } from './config-files.ts';
import { mistakeLine, type Mistake } from '../../machines/config/mistake.ts';
import { edited, placed, readJson } from '../../machines/config/json-text.ts';
import { parseConfig } from '../../machines/config/parse.ts';
import type { Ports, RequestFact } from '../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../machines/protocol/index.ts';
import type { FileFound as Found, FileEdits as Wanted } from '../../machines/presenter/settings.rules.ts';

/** End of a name that no person gives a file: a draft that a killed writer has left is known by it. */
const ending = 'a2c-draft';
/** A draft this old was left by a process that died while it wrote. */
const oldMs = 5_000;
let written = 0;

/**
 * Writes a file whole or not at all: a new one beside it, with the same owner, takes its place. `mode` is that of the new one.
 * Rejects with what the file system says; then nothing is left behind.
 */
export async function writeWhole(
  file: string,
  text: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  const draft = `${file}.${process.pid}-${(written += 1)}.${ending}`;
  const before = await stat(file).catch(() => undefined);
  try {
    const handle = await open(draft, 'w', mode);
    try {
      await handle.writeFile(text);
      // The mask of the process takes from the mode that `open` is given.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Only root may give a file away; for everybody else the file is their own.
    if (before && before.uid !== process.getuid?.())
      await chown(draft, before.uid, before.gid).catch(() => {});
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
/** Removes what killed writers of this file have left. For the one who holds its lock. */
async function sweepDrafts(file: string): Promise<void> {
  const folder = dirname(file);
  const names = await readdir(folder).catch((): string[] => []);
  const drafts = names.filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith(`.${ending}`));
  for (const draft of drafts.map((name) => join(folder, name))) {
    const facts = await stat(draft).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > oldMs) await rm(draft, { force: true }).catch(() => {});
  }
}

/** A lock that nobody renewed for so long was left by a process that was killed. */
const staleMs = 5_000;
/** A minute in all: longer than a stale lock and any crowd of processes. */
const retries = { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };
/** Of two processes that find one stale lock at the same moment, both may get it: then one writes over the other. */
const mostTries = 5;

/** By file: in this process one after another; the lock is for other processes. */
const queues = new Map<string, Promise<unknown>>();

interface LockedFile {
  /** Writes a file whole or not at all. Default: `writeWhole`. */
  readonly write?:
    | ((file: string, text: string, options: { readonly mode: number }) => Promise<void>)
    | undefined;
  /** Keeps what was there before under this name, beside the file. */
  readonly backup?: string;
  /** What is kept there; null: nothing is. Default: the text that was there. */
  readonly kept?: (text: string | null) => string | null;
}
/** What is to be in a file: another text, or the same one; null: it is not written. A byte order mark is in neither. */
type ChangeText = (text: string | null) => string | null | Promise<string | null>;
/** A file that holds no text that could be changed. */
export class NotText extends Error {
  readonly mistake: Mistake;
  constructor(mistake: Mistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

/** The file that is meant: a symbolic link stays one, and what it points to is written. */
const targetOf = (file: string): Promise<string> => realpath(file).catch(() => file);
async function heldIn(file: string): Promise<DecodedText | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const read = decoded(bytes);
  if ('message' in read) throw new NotText(read);
  return read;
}
/** Text of a file without its byte order mark; null: there is none. */
export const textIn = async (file: string): Promise<string | null> => (await heldIn(file))?.text ?? null;
/** Mode of a file; of one that is not there yet, that nobody else may read it. */
const modeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0o600,
  );

/**
 * Reads a file, changes it and writes it as one, under a lock that all processes share: the new text is there whole or not at
 * all. A file keeps its mode and its byte order mark; a new one is for nobody else to read (0600). `change` is asked again when somebody else wrote over it, so it has to be the same
 * for its own result. Rejects with what the file system says, or when others hold the lock for a minute.
 */
export function changeFile(file: string, change: ChangeText, how: LockedFile = {}): Promise<void> {
  const before = queues.get(file) ?? Promise.resolve();
  const done = before.then(() => changed(file, change, how));
  const quiet = done.catch(() => {}).finally(() => queues.get(file) === quiet && queues.delete(file));
  queues.set(file, quiet);
  return done;
}
async function changed(
  file: string,
  change: ChangeText,
  { backup, kept = (text) => text, write = writeWhole }: LockedFile,
): Promise<void> {
  const target = await targetOf(file);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  // Only here: they listen to the signals of the whole process from the moment they are loaded.
  const { lock } = await during(import('proper-lockfile'));
  for (let tries = 0; ; tries++) {
    const release = await lock(target, { realpath: false, stale: staleMs, retries, onCompromised: () => {} });
    try {
      const held = await heldIn(target);
      const text = held?.text ?? null;
      const next = await change(text);
      if (next === null || next === text) return;
      if (tries === mostTries)
        throw new Error(`what is written to ${file} does not stay: others write over it`);
      await sweepDrafts(target);
      const [mode, mark] = [await modeOf(target), held?.mark ?? ''];
      const old = kept(text);
      if (backup !== undefined && old !== null) await write(`${target}${backup}`, mark + old, { mode });
      await write(target, mark + next, { mode });
    } finally {
      // Whoever found it stale, for this process was stopped for long, has it now.
      await release().catch(() => {});
    }
    // Written, and still there: nobody who had the lock as well wrote over it.
    const now = await textIn(target);
    if (now !== null && (await change(now)) === now) return;
  }
}

/** What the value of a file is judged as: as it stands, or as what is made of it. */
export type Judge = (value: Readonly<Record<string, unknown>>) => unknown;

const markOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
const explicit = 'write {"mcpServers": {}} where there are to be none';
const emptied = (message: string): Found => ({
  kind: 'emptied',
  mistakes: [{ path: '', message, remedy: explicit }],
});
const holdsServers = (value: object): boolean => 'mcpServers' in value || 'servers' in value;

/** `last`: the last text that was right. A beginning of it is a file that was cut off, and says nothing else. */
function judged(text: string, judge: Judge, last: string | null = null): Found {
  if (text.trim() === '') return emptied('is empty');
  const read = readJson(text);
  if (!read.ok)
    return last?.startsWith(text.trimEnd())
      ? emptied('is cut off')
      : { kind: 'wrong', mistakes: [read.mistake] };
  const { value, duplicates } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'wrong', mistakes: [{ path: '', message: 'expected an object with mcpServers' }] };
  const json = value as Readonly<Record<string, unknown>>;
  if (Object.keys(json).length === 0) return emptied('holds no servers');
  if (!holdsServers(json))
    return { kind: 'wrong', mistakes: [{ path: '', message: 'holds no servers', remedy: explicit }] };
  const parsed = parseConfig(judge(json));
  const mistakes: readonly Mistake[] = [...duplicates, ...(parsed.ok ? [] : parsed.mistakes)];
  if (mistakes.length > 0) return { kind: 'wrong', mistakes: placed(text, mistakes) };
  return { kind: 'good', value: json, mark: markOf(text) };
}
/** What is wanted would be a mistake; the file stays as it is. */
class Refused extends Error {}
class Wrong extends Error {
  readonly found: Found;
  constructor(found: Found) {
    super('the file has mistakes');
    this.found = found;
  }
}
/** One file, and the last text of it that was right. */
interface Held {
  readonly file: string;
  readonly judge: Judge;
  last: string | null;
}
const remembered = (held: Held, found: Found, text: string): Found => {
  if (found.kind === 'good') held.last = text;
  return found;
};
async function read(held: Held): Promise<Found> {
  const text = await readConfigText(held.file);
  if (typeof text === 'string') return remembered(held, judged(text, held.judge, held.last), text);
  return text.message === 'does not exist' ? { kind: 'none' } : { kind: 'wrong', mistakes: [text] };
}
/** A config without servers, as the first change of a file finds it. */
const noServers = '{\n  "mcpServers": {}\n}\n';
async function write(held: Held, { edits, restores }: Wanted, how: LockedFile): Promise<Found> {
  const { file, judge } = held;
  let found: Found = { kind: 'none' };
  let isWritten = false;
  let text = held.last;
  const change = (before: string | null): string | null => {
    // What was written is looked at once more, and then it is no entry of somebody else.
    const once = isWritten
      ? edits.map((edit) => ('unlessThere' in edit ? { path: edit.path, value: edit.value } : edit))
      : edits;
    const is: Found = before === null ? { kind: 'none' } : judged(before, judge, held.last);
    const isLost = is.kind === 'none' || is.kind === 'emptied';
    if (is.kind === 'wrong' || (isLost && !restores)) throw new Wrong(is);
    const base = isLost || before === null ? (held.last ?? noServers) : before;
    const made = edited(base, once);
    if (!made.ok) throw new Wrong({ kind: 'wrong', mistakes: made.mistakes });
    const after = judged(made.text, judge);
    if (after.kind !== 'good')
      throw new Refused(after.kind === 'none' ? '' : after.mistakes.map((m) => mistakeLine(m)).join('; '));
    found = { ...after, isTaken: made.isTaken };
    text = made.text;
    if (made.isTaken) return isLost ? base : null;
    isWritten = true;
    return made.text;
  };
  // Of a file that lost its servers the last good text is worth more than what is left of it.
  const kept = (before: string | null): string | null =>
    before === null || judged(before, judge, held.last).kind === 'emptied' ? held.last : before;
  await changeFile(file, change, { ...how, backup: '.bak', kept });
  held.last = text;
  return found;
}
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOCKED: 'another program holds it',
  EISDIR: 'it is a folder',
};
const notWritten = (file: string, error: unknown): Failure => ({
  code: wireCodes.internal,
  message: `${file} could not be written: ${reasons[codeOf(error)] ?? (codeOf(error) || String(error))}`,
  details: { file },
  remedy: 'Nothing was changed. Mend that and try again.',
});

const refusal = ({ message }: Refused): Failure => ({
  code: 'ConfigInvalid',
  message,
  remedy: 'Nothing was written.',
});
/** The port of machines/settings: one config file. Never throws; what is wrong with the file is found, not thrown. */
export const settingsFile = (
  file: string,
  judge: Judge = (value) => value,
  how: LockedFile = {},
): Ports['request'] => {
  const held: Held = { file, judge, last: null };
  return (_from, { id, method, params }, emit) => {
    let isWanted = true;
    const { edits = [], restores = false } = (params ?? {}) as Partial<Wanted>;
    const asked = method === 'write' ? write(held, { edits, restores }, how) : read(held);
    asked.then(
      (result) => isWanted && emit({ type: 'ask.answered', id, result }),
      (error: unknown) => {
        if (!isWanted) return;
        if (error instanceof Refused) emit({ type: 'ask.refused', id, sent: false, failure: refusal(error) });
        else if (error instanceof Wrong) emit({ type: 'ask.answered', id, result: error.found });
        else if (error instanceof NotText)
          emit({ type: 'ask.answered', id, result: { kind: 'wrong', mistakes: [error.mistake] } });
        else emit({ type: 'ask.refused', id, sent: true, failure: notWritten(file, error) });
      },
    );
    return () => {
      isWanted = false;
    };
  };
};

/**
 * Who writes a file may empty it first, and chokidar tells of no second change within 50 ms: it is looked at when nothing
 * has been told for so long.
 */
const quietMs = 100;
/**
 * Tells when a file may be another: written, replaced, deleted, there again. Also of our own writes, which whoever looks
 * finds to be nothing new. `ready` resolves when it watches; `close` when it does not any more.
 */
export function watchFile(
  file: string,
  changed: () => void,
  failed: (error: unknown) => void,
): { readonly ready: Promise<void>; close(): Promise<void> } {
  const whole = resolve(file);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const touched = (): void => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(changed, quietMs);
  };
  const opened = (async () => {
    const { watch } = await import('chokidar');
    // The folder, for whoever replaces a file has another one in its place.
    const watcher = watch(dirname(whole), {
      depth: 0,
      ignoreInitial: true,
      ignored: (path) => path !== dirname(whole) && path !== whole,
    });
    watcher.on('all', touched);
    watcher.on('error', failed);
    await new Promise<void>((done) => watcher.once('ready', () => done()));
    return watcher;
  })();
  during(opened).catch(failed);
  return {
    ready: opened.then(
      () => {},
      () => {},
    ),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      const watcher = await opened.catch(() => undefined);
      await watcher?.close();
    },
  };
}

/** The same without a file: kept in memory for as long as the host lives. */
export function settingsInMemory(settings: object, judge: Judge = (value) => value): Ports['request'] {
  let text = JSON.stringify(holdsServers(settings) ? settings : { mcpServers: {}, ...settings }, null, 2);
  return (_from, { id, method, params }, emit) => {
    let isWanted = true;
    const withdraw = (): void => {
      isWanted = false;
    };
    const say = (fact: RequestFact): void => queueMicrotask(() => isWanted && emit(fact));
    const { edits = [] } = (params ?? {}) as Partial<Wanted>;
    const made = edited(text, method === 'write' ? edits : []);
    const result: Found = made.ok ? judged(made.text, judge) : { kind: 'wrong', mistakes: made.mistakes };
    if (method === 'write' && result.kind === 'wrong') {
      const why = new Refused(result.mistakes.map((m) => mistakeLine(m)).join('; '));
      say({ type: 'ask.refused', id, sent: false, failure: refusal(why) });
      return withdraw;
    }
    if (made.ok) text = made.text;
    const isTaken = made.ok && made.isTaken;
    say({ type: 'ask.answered', id, result: { ...result, isTaken } });
    return withdraw;
  };
}
