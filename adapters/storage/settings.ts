/** Files of settings changed by several processes: locked, replaced as a whole, judged when read. */
import { createHash } from 'node:crypto';
import { chown, open, rm, stat, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { replaceFile } from '../host-files.ts';
import { during } from '../clock.ts';
import { answeringPort } from '../lazy-port.ts';
import { codeOf, systemWords } from '../reading.ts';
import { locked } from './locked.ts';
import { decoded, type DecodedText, readConfigText } from './text-files.ts';
import { mistakeLine, type Mistake } from '../../machines/config/mistake.ts';
import { edited, withLines } from '../../machines/config/json-edits.ts';
import { readJson } from '../../machines/config/json-text.ts';
import { parseConfig } from '../../machines/config/parse.ts';
import type { RequestFact, RequestPort } from '../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { FileFound as Found, FileEdits as Wanted } from '../../machines/settings/settings.rules.ts';

let written = 0;

/** A new file beside it, with the same owner, replaces it; after an error nothing is left behind. */
export async function writeWhole(
  file: string,
  text: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  const draft = `${file}.${process.pid}-${(written += 1)}.a2c-draft`;
  const before = await stat(file).catch(() => undefined);
  try {
    const handle = await open(draft, 'w', mode);
    try {
      await handle.writeFile(text);
      // Sets the mode again, because the umask of the process is applied to the mode that `open` gets.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Gives the new file to the old file's owner. Only root can do that; for other users the file is their own.
    if (before && before.uid !== process.getuid?.())
      await chown(draft, before.uid, before.gid).catch(() => {});
    await replaceFile(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
interface LockedFile {
  /** Function that writes the file completely or not at all; `writeWhole` by default. */
  readonly write?:
    | ((file: string, text: string, options: { readonly mode: number }) => Promise<void>)
    | undefined;
  readonly backup?: string;
  /** Text for the backup file, by default the previous text; null writes no backup. */
  readonly kept?: (text: string | null) => string | null;
}
/** The same text, or null, leaves the file as it is; the old text is null when there is no file. */
type ChangeText = (text: string | null) => string | null | Promise<string | null>;
export class NotText extends Error {
  readonly mistake: Mistake;
  constructor(mistake: Mistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

async function heldIn(file: string): Promise<DecodedText | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const read = decoded(bytes);
  if ('message' in read) throw new NotText(read);
  return read;
}
export const textIn = async (file: string): Promise<string | null> => (await heldIn(file))?.text ?? null;
const modeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0o600,
  );

export const changeFile = (
  file: string,
  change: ChangeText,
  { backup, kept = (text) => text, write = writeWhole }: LockedFile = {},
): Promise<void> =>
  locked(file, async (target) => {
    const held = await heldIn(target);
    const text = held?.text ?? null;
    const next = await change(text);
    if (next === null || next === text) return;
    const [mode, mark] = [await modeOf(target), held?.mark ?? ''];
    const old = kept(text);
    if (backup !== undefined && old !== null) await write(`${target}${backup}`, mark + old, { mode });
    await write(target, mark + next, { mode });
  });

export type Judge = (value: Readonly<Record<string, unknown>>) => {
  readonly config: unknown;
  readonly mistakes?: readonly Mistake[];
};

const markOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
const explicit = 'write {"mcpServers": {}} where there are to be none';
const emptied = (message: string): Found => ({
  kind: 'emptied',
  mistakes: [{ path: '', message, remedy: explicit }],
});
const holdsServers = (value: object): boolean => 'mcpServers' in value || 'servers' in value;

/** A text that is only the beginning of `last` counts as cut off by an unfinished write. */
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
  if (Object.keys(json).length === 0) return emptied('has no servers');
  if (!holdsServers(json))
    return { kind: 'wrong', mistakes: [{ path: '', message: 'has no servers', remedy: explicit }] };
  const { config, mistakes: ofHost = [] } = judge(json);
  const parsed = parseConfig(config);
  const mistakes = [...duplicates, ...ofHost, ...(parsed.ok ? [] : parsed.mistakes)];
  if (mistakes.length > 0) return { kind: 'wrong', mistakes: withLines(text, mistakes) };
  return { kind: 'good', value: json, mark: markOf(text) };
}
class Refused extends Error {}
class Wrong extends Error {
  readonly found: Found;
  constructor(found: Found) {
    super('the file has mistakes');
    this.found = found;
  }
}
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
const noServers = '{\n  "mcpServers": {}\n}\n';
async function write(held: Held, { edits, restores }: Wanted, how: LockedFile): Promise<Found> {
  const { file, judge } = held;
  let found: Found = { kind: 'none' };
  let text = held.last;
  const change = (before: string | null): string | null => {
    const is: Found = before === null ? { kind: 'none' } : judged(before, judge, held.last);
    const isLost = is.kind === 'none' || is.kind === 'emptied';
    if (is.kind === 'wrong' || (isLost && !restores)) throw new Wrong(is);
    const base = isLost || before === null ? (held.last ?? noServers) : before;
    const made = edited(base, edits);
    if (!made.ok) throw new Wrong({ kind: 'wrong', mistakes: made.mistakes });
    const after = judged(made.text, judge);
    if (after.kind !== 'good')
      throw new Refused(after.kind === 'none' ? '' : after.mistakes.map((m) => mistakeLine(m)).join('; '));
    found = { ...after, isTaken: made.isTaken };
    text = made.text;
    return made.isTaken ? (isLost ? base : null) : made.text;
  };
  // Backs up the last correct text instead of a file that lost its servers.
  const kept = (before: string | null): string | null =>
    before === null || judged(before, judge, held.last).kind === 'emptied' ? held.last : before;
  await changeFile(file, change, { ...how, backup: '.bak', kept });
  held.last = text;
  return found;
}
const notWritten = (file: string, error: unknown): Failure => ({
  code: wireCodes.internal,
  message: `${file} could not be written: ${codeOf(error) === 'ELOCKED' ? 'another program holds it' : systemWords(error)}`,
  details: { file },
  remedy: 'Nothing was changed. Fix that and try again.',
});

const refusal = ({ message }: Refused): Failure => ({
  code: 'ConfigInvalid',
  message,
  remedy: 'Nothing was written.',
});
/** Never throws; mistakes in the file are part of the result. */
export const settingsFile = (
  file: string,
  judge: Judge = (config) => ({ config }),
  how: LockedFile = {},
): RequestPort => {
  const held: Held = { file, judge, last: null };
  return answeringPort(
    ({ method, params }) => {
      const { edits = [], restores = false } = (params ?? {}) as Partial<Wanted>;
      return method === 'write' ? write(held, { edits, restores }, how) : read(held);
    },
    (id, error) => {
      if (error instanceof Refused) return { type: 'ask.refused', id, sent: false, failure: refusal(error) };
      if (error instanceof Wrong) return { type: 'ask.answered', id, result: error.found };
      if (error instanceof NotText)
        return { type: 'ask.answered', id, result: { kind: 'wrong', mistakes: [error.mistake] } };
      return { type: 'ask.refused', id, sent: true, failure: notWritten(file, error) };
    },
  );
};

/** A program may empty a file first, and chokidar does not report a second change within 50 ms. */
const quietMs = 100;
/** Also after writes of this process. `ready` resolves when the watch has begun, `close` when it has ended. */
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
    // Watches the folder, because a program that replaces a file puts another file in its place.
    const watcher = watch(dirname(whole), {
      depth: 0,
      ignoreInitial: true,
      // Compares resolved paths, because chokidar gives them with `/` on Windows.
      ignored: (path) => ![dirname(whole), whole].includes(resolve(path)),
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

export function settingsInMemory(settings: object, judge: Judge = (config) => ({ config })): RequestPort {
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
