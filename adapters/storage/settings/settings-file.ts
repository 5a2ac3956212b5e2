import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { during } from '../../clock.ts';
import { edited, mistakeLine, parseConfig, placed, type Mistake } from '../../../machines/config/index.ts';
import { readJson } from '../../../machines/config/index.ts';
import type { Ports, RequestFact } from '../../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';
import type { Found, Wanted } from '../../../machines/settings/settings.rules.ts';
import { readConfigText } from '../config/read.ts';
import { changeFile, NotText, type LockedFile } from './locked-file.ts';

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
