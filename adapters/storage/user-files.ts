import { readBase64 } from '../../machines/text.ts';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, writeFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultStateDir, replaceFileSync, writePrivateSync } from '../host-files.ts';
import { jsonIn } from '../../machines/protocol/json.ts';
import { changeFile, textIn } from './settings.ts';

export interface Bytes {
  readonly base64: string;
  readonly stream?: () => AsyncIterable<Uint8Array>;
  readonly mimeType: string | undefined;
}
const short: Readonly<Record<string, string>> = { jpeg: 'jpg', 'svg+xml': 'svg', mpeg: 'mp3', plain: 'txt' };
/** Only lower-case letters and digits of the server's text are used, else `bin`. */
function endingOf(mimeType: string | undefined): string {
  const [, kind = ''] = (mimeType ?? '').split(/[/;]/);
  return short[kind] ?? (/^[a-z0-9]{1,8}$/.test(kind) ? kind : 'bin');
}
const named = (name: string): string => name.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'content';

/** `name-1.png`, `name-2.wav` …, skipping numbers whose file exists. */
export async function saveBytes(folder: string, name: string, all: readonly Bytes[]): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  let n = 1;
  for (const { base64, mimeType, stream } of all)
    for (let isWritten = false; !isWritten; n += 1) {
      const path = join(folder, `${named(name).slice(0, 60)}-${n}.${endingOf(mimeType)}`);
      isWritten = await isNew(
        path,
        stream ? opened(stream) : Buffer.from(readBase64(base64)?.data ?? base64, 'base64'),
      );
      if (isWritten) paths.push(path);
    }
  return paths;
}
/** Opens a stream when its first part is wanted, so that the file it is written to exists by then. */
async function* opened(stream: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* stream();
}
const isNew = (path: string, bytes: Buffer | AsyncIterable<Uint8Array>): Promise<boolean> =>
  writeFile(path, bytes, { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      // Removes a file whose stream failed, because a part of a content is of no use.
      if (!Buffer.isBuffer(bytes)) rmSync(path, { force: true });
      throw error;
    },
  );

interface LineHistory {
  readonly lines: readonly string[];
  keep(lines: readonly string[]): void;
}
export function lineHistory(stateDir: string): LineHistory {
  const file = join(stateDir, 'history');
  return {
    lines: linesIn(file),
    keep: (lines) => {
      try {
        writePrivateSync(file, lines.map((line) => `${line}\n`).join(''));
      } catch {
        // Ignores a failed write, for example on a full disk or in a folder of another user.
      }
    },
  };
}
function linesIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Only the config of a trusted folder may start programs, so that an unknown checkout runs nothing. */
export const trustFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(defaultStateDir({ platform: process.platform, env, home: homedir }), 'trusted.json');

/** Parses the list of trusted folders; empty when the file is missing or invalid, so that nothing is trusted then. */
function foldersIn(text: string | null): string[] {
  const list = jsonIn(text ?? '[]');
  return Array.isArray(list) ? list.filter((f): f is string => typeof f === 'string') : [];
}
const trusted = async (file: string): Promise<string[]> => foldersIn(await textIn(file).catch(() => null));

export const isTrusted = async (folder: string, file = trustFile()): Promise<boolean> =>
  (await trusted(file)).includes(await realpath(folder));

export async function trust(folder: string, file = trustFile()): Promise<void> {
  await changeFile(file, async (text) => {
    const real = await realpath(folder);
    const folders = foldersIn(text);
    return folders.includes(real) ? text : `${JSON.stringify([...new Set([...folders, real])], null, 2)}\n`;
  });
}

/** Size in bytes from which a log begins anew; the old one is kept beside it. */
const largestLog = 1024 * 1024;
/** For commands whose stderr nobody may see. A line that cannot be written is lost. */
export function openLog(stateDir: string, name: string): (line: string) => void {
  const file = join(stateDir, 'logs', `${name}.log`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largestLog)
      replaceFileSync(file, `${file}.old`);
  } catch {
    // Leaves it to each line whether the file can be written.
  }
  return (line) => {
    try {
      appendFileSync(file, `${new Date().toISOString()} ${process.pid} ${line}\n`, { mode: 0o600 });
    } catch {
      // Ignores a full disk or a folder that cannot be written: the same line goes to stderr.
    }
  };
}
