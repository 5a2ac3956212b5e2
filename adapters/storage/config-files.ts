import envPaths from 'env-paths';
import { X509Certificate } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { open, type FileHandle, access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { during } from '../clock.ts';
import type { Mistake } from '../../machines/config/mistake.ts';
import { readJson, type JsonText } from '../../machines/config/json-text.ts';
import { isObject } from '../../machines/protocol/json.ts';
import { appOfConfig } from '../../machines/config/apps.ts';
import { parseConfig, type ParsedConfig } from '../../machines/config/parse.ts';

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

const broken = (
  name: string,
  at: { line: number; column: number } | undefined,
  message: string,
): JsonText => {
  const place = at && { line: at.line, column: at.column };
  return { ok: false, mistake: { path: '', message: `is not valid ${name}: ${message}`, ...place } };
};
/** Converts a value to what JSON can express, without dates and shared objects. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null') as unknown;

/** The messages of the parsers are not shown, because they quote the file, which may hold secrets. */
const unreadable = 'this cannot be read';
const twice = 'a key stands twice';
async function readYaml(text: string): Promise<JsonText> {
  const { LineCounter, parseDocument } = await during(import('yaml'));
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [first] = document.errors;
  if (first) {
    const { line, col: column } = lines.linePos(first.pos[0]);
    return broken('YAML', { line, column }, first.code === 'DUPLICATE_KEY' ? twice : unreadable);
  }
  try {
    return { ok: true, value: plain(document.toJS({ maxAliasCount: 100 })), duplicates: [] };
  } catch {
    return broken('YAML', undefined, 'its aliases have no end');
  }
}
async function readToml(text: string): Promise<JsonText> {
  const { parse, TomlError } = await during(import('smol-toml'));
  try {
    return { ok: true, value: plain(parse(text)), duplicates: [] };
  } catch (error) {
    if (!(error instanceof TomlError)) return broken('TOML', undefined, unreadable);
    const isTwice = /redefine|already defined|duplicate/i.test(error.message);
    return broken('TOML', error, isTwice ? twice : unreadable);
  }
}

/** Each parser is loaded with its first file. */
async function readFormat(text: string, file: string): Promise<JsonText> {
  if (/\.ya?ml$/i.test(file)) return readYaml(text);
  if (/\.toml$/i.test(file)) return readToml(text);
  return readJson(text);
}

export async function writtenAs(format: 'json' | 'yaml' | 'toml', value: unknown): Promise<string> {
  if (format === 'yaml') return (await during(import('yaml'))).stringify(value, { lineWidth: 0 });
  if (format === 'toml') return `${(await during(import('smol-toml'))).stringify(value)}\n`;
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Largest config file in bytes. Nobody writes more by hand, and a wrong path to a data file should not be read to its end. */
const maxBytes = 1024 * 1024;

/**
 * Reads one config file (a regular file or a pipe, UTF-8 with or without BOM, at most 1 MiB). Never rejects: all problems are
 * returned as mistakes. An invalid server is left out with a warning, as long as another one is valid.
 */
export const readConfig = async (file: string): Promise<ParsedConfig> => {
  const read = await readConfigValue(file);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  const { value, duplicates } = read;
  return parseConfig(value, { file, duplicates, app: appOfConfig(value, file), isLenient: true });
};
/** One server alone needs no name. */
export function readConfigJson(text: string): ParsedConfig {
  const read = readJson(text);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  const { value: given, duplicates } = read;
  const isServer = isObject(given) && !('mcpServers' in given) && ('command' in given || 'url' in given);
  const value = isServer ? { mcpServers: { server: given } } : given;
  return parseConfig(value, { duplicates, app: appOfConfig(value, ''), isLenient: true });
}
export const readConfigValue = async (file: string): Promise<JsonText> => {
  const text = await readConfigText(file);
  return typeof text === 'string' ? readFormat(text, file) : { ok: false, mistake: text };
};
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

/** Config file in use. The first one that exists is taken, and nothing is merged (docs/config.md). */
export interface FoundConfig {
  readonly file: string;
  /** `folder`: its author may be unknown, so its servers start only once the folder is trusted. */
  readonly from: 'option' | 'folder' | 'user';
}
export const folderNames = ['a2c.json', '.mcp.json', 'mcp.json'] as const;

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
/** `a2c/a2c.json` in `$XDG_CONFIG_HOME` or `~/.config` when it exists, else in the platform's config folder. */
export const userConfigFile = (env: NodeJS.ProcessEnv = process.env): string => {
  const known = join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'a2c', 'a2c.json');
  if (env.XDG_CONFIG_HOME || process.platform === 'linux' || existsSync(known)) return known;
  return join(envPaths('a2c', { suffix: '' }).config, 'a2c.json');
};

export async function configToWrite(
  asked: string | undefined,
  folder: string,
): Promise<{ readonly file: string; readonly isThere: boolean }> {
  const file = asked === undefined ? userConfigFile() : resolve(folder, asked);
  return { file, isThere: await exists(file) };
}

/** Undefined: the built-in default applies. A file requested by name is not checked for existence. */
export async function findConfig(
  asked: string | undefined,
  folder: string,
  userFile = userConfigFile(),
): Promise<FoundConfig | undefined> {
  if (asked !== undefined) return { file: resolve(folder, asked), from: 'option' };
  for (const name of folderNames) {
    const file = join(folder, name);
    if (await exists(file)) return { file, from: 'folder' };
  }
  return (await exists(userFile)) ? { file: userFile, from: 'user' } : undefined;
}

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
