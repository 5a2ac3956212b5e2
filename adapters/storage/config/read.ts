import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import {
  appOfConfig,
  parseConfig,
  type JsonText,
  type Mistake,
  type ParsedConfig,
} from '../../../machines/config/index.ts';
import { decoded } from './decoded.ts';
import { readFormat } from './formats.ts';

/** Nobody writes this much by hand; a wrong path to a data file should not be read to its end. */
const maxBytes = 1024 * 1024;

/**
 * Reads one config file (a regular file or a pipe, UTF-8 with or without BOM, at most 1 MiB).
 * Never rejects: whatever is wrong with the file comes back as mistakes. A server that is wrong is left out with a warning, as
 * long as another one is right.
 */
export const readConfig = async (file: string): Promise<ParsedConfig> => {
  const read = await readConfigValue(file);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  const { value, duplicates } = read;
  return parseConfig(value, { file, duplicates, app: appOfConfig(value, file), isLenient: true });
};
/** What such a file holds, whoever wrote it; by the end of its name JSON, YAML or TOML. */
export const readConfigValue = async (file: string): Promise<JsonText> => {
  const text = await readConfigText(file);
  return typeof text === 'string' ? readFormat(text, file) : { ok: false, mistake: text };
};
/** The text of such a file, not yet judged. */
export const readConfigText = async (file: string): Promise<string | Mistake> => {
  const bytes = await readBytes(file);
  if ('message' in bytes) return bytes;
  const read = decoded(bytes);
  return 'message' in read ? read : read.text;
};

const whole = (message: string, remedy?: string): Mistake =>
  remedy === undefined ? { path: '', message } : { path: '', message, remedy };

const readBytes = async (file: string): Promise<Buffer | Mistake> => {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY);
    const facts = await handle.stat();
    if (facts.isDirectory()) return whole('is a folder', 'name the file in it');
    if (!facts.isFile() && !facts.isFIFO()) return whole('is neither a file nor a pipe');
    return await readUpTo(handle, maxBytes + 1).then((bytes) =>
      bytes.length > maxBytes ? whole('is larger than 1 MiB', 'is this really a config file?') : bytes,
    );
  } catch (error) {
    return whole(reasonOf(error));
  } finally {
    await handle?.close().catch(() => undefined);
  }
};

/** By reading, not by asking for the size: a pipe has none, and a file may grow meanwhile. */
const readUpTo = async (handle: FileHandle, limit: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(limit);
  let length = 0;
  while (length < limit) {
    const { bytesRead } = await handle.read(buffer, length, limit - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  EACCES: 'may not be read (permission denied)',
  EPERM: 'may not be read (permission denied)',
  EISDIR: 'is a folder',
  ELOOP: 'is a symbolic link that leads back to itself',
  ENAMETOOLONG: 'has a name that is too long',
};
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? `cannot be read (${code === '' ? 'unknown reason' : code})`;
};
