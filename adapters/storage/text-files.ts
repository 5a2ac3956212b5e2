/** Texts that a config names: read with a limit, and told in words where they cannot be. */
import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Mistake } from '../../machines/config/mistake.ts';
import { codeOf, systemWords } from '../reading.ts';

/** Largest config file in bytes. Nobody writes more by hand, and a wrong path to a data file should not be read to its end. */
const maxBytes = 1024 * 1024;
/** The byte order mark is not part of the text, and is written back with it. */
export interface DecodedText {
  readonly text: string;
  readonly mark: string;
}
const savedAs = 'save it as UTF-8';

export function decoded(bytes: Uint8Array): DecodedText | Mistake {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Recognizes UTF-16 by a single zero in the first two bytes, because every config file begins with an ASCII character.
  if (isMarked || (bytes.length > 1 && (first === 0) !== (second === 0)))
    return { path: '', message: 'is UTF-16', remedy: savedAs };
  try {
    // Decodes with `fatal`, so that an invalid byte is reported instead of becoming part of a command.
    const whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const [mark = ''] = /^\uFEFF*/.exec(whole) ?? [];
    return { text: whole.slice(mark.length), mark };
  } catch {
    return { path: '', message: 'is not UTF-8 text', remedy: savedAs };
  }
}

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

/** Reads at most `limit` bytes. The size of the file is not used, because a pipe has none and a file may grow meanwhile. */
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

const reasonOf = (error: unknown): string =>
  codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${systemWords(error)}`;

/** Format of Node's `--env-file`, without placeholders. Never rejects; the reason never names a value. */
export async function readEnvFile(
  path: string,
  folder = process.cwd(),
): Promise<{ readonly variables: Readonly<Record<string, string>> } | { readonly reason: string }> {
  const file = resolve(folder, path);
  const text = await readConfigText(file);
  if (typeof text !== 'string') return { reason: `envFile: ${file} ${text.message}` };
  if (text.includes('\0')) return { reason: `envFile: ${file} holds a NUL character` };
  const variables = Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { variables: Object.fromEntries(variables) };
}

export async function readCertificates(
  path: string,
  folder = process.cwd(),
): Promise<{ readonly pem: string } | { readonly reason: string }> {
  const file = resolve(folder, path);
  const pem = await readConfigText(file);
  if (typeof pem !== 'string') return { reason: `ca: ${file} ${pem.message}` };
  // Checks for a certificate here, because TLS accepts a text without any and then silently trusts no server.
  return isCertificate(pem) ? { pem } : { reason: `ca: ${file} holds no certificate (PEM)` };
}
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
