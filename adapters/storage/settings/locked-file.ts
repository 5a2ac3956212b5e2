import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { during } from '../../clock.ts';
import type { Mistake } from '../../../machines/config/index.ts';
import { decoded, type DecodedText } from '../config/decoded.ts';
import { sweepDrafts, writeWhole } from './whole-file.ts';

/** A lock that nobody renewed for so long was left by a process that was killed. */
const staleMs = 5_000;
/** A minute in all: longer than a stale lock and any crowd of processes. */
const retries = { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };
/** Of two processes that find one stale lock at the same moment, both may get it: then one writes over the other. */
const mostTries = 5;

/** By file: in this process one after another; the lock is for other processes. */
const queues = new Map<string, Promise<unknown>>();

export interface LockedFile {
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
export type ChangeText = (text: string | null) => string | null | Promise<string | null>;
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
