import envPaths from 'env-paths';
import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { during } from '../clock.ts';
import { readJson, type JsonText } from '../../machines/config/json-text.ts';
import { isObject } from '../../machines/protocol/json.ts';
import { readConfigText } from '../storage/text-files.ts';
import { parseConfig, type AppServers, type ParsedConfig } from '../../machines/config/parse.ts';

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
async function readYaml(text: string): Promise<JsonText> {
  const { LineCounter, parseDocument } = await during(import('yaml'));
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [first] = document.errors;
  if (first) {
    const { line, col: column } = lines.linePos(first.pos[0]);
    return broken('YAML', { line, column }, first.code.toLowerCase().replaceAll('_', ' '));
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
    return broken('TOML', error instanceof TomlError ? error : undefined, 'this cannot be read');
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

/**
 * Reads one config file (a regular file or a pipe, UTF-8 with or without BOM, at most 1 MiB). Never rejects: all problems are
 * returned as mistakes. An invalid server is left out with a warning, as long as another one is valid.
 */
export const readConfig = async (file: string): Promise<ParsedConfig> => {
  const read = await readConfigValue(file);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  const { value, duplicates } = read;
  return parseConfig(value, { file, duplicates, ofApp: await ofAppIn(value, file), isLenient: true });
};
/** The list of applications is not loaded for a file of ours. */
async function ofAppIn(value: unknown, file: string): Promise<AppServers | undefined> {
  const isOurs =
    /(?:^|[/\\])(?:a2c|\.mcp)\.json$/.test(file) && isObject(value) && isObject(value['mcpServers']);
  return isOurs
    ? undefined
    : (await during(import('../../machines/applications/apps.ts'))).serversOfConfig(value, file);
}
/** One server alone needs no name. */
export async function readConfigJson(text: string): Promise<ParsedConfig> {
  const read = readJson(text);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  const { value: given, duplicates } = read;
  const isServer = isObject(given) && !('mcpServers' in given) && ('command' in given || 'url' in given);
  const value = isServer ? { mcpServers: { server: given } } : given;
  return parseConfig(value, { duplicates, ofApp: await ofAppIn(value, ''), isLenient: true });
}
export const readConfigValue = async (file: string): Promise<JsonText> => {
  const text = await readConfigText(file);
  return typeof text === 'string' ? readFormat(text, file) : { ok: false, mistake: text };
};
/** Config file in use. The first one that exists is taken, and nothing is merged (docs/config.md). */
export interface FoundConfig {
  readonly file: string;
  /** `folder`: here or above; its author may be unknown, so its servers start only once its folder is trusted. */
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

/** `folder`, and those around it up to the root of its repository; a folder of no repository is alone. */
function foldersUp(folder: string): readonly string[] {
  const all: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    all.push(at);
    if (existsSync(join(at, '.git'))) return all;
    if (at === dirname(at)) return [folder];
  }
}
/** Undefined: the built-in default applies. A file requested by name is not checked for existence. */
export async function findConfig(
  asked: string | undefined,
  folder: string,
  userFile = userConfigFile(),
): Promise<FoundConfig | undefined> {
  if (asked !== undefined) return { file: resolve(folder, asked), from: 'option' };
  for (const file of foldersUp(folder).flatMap((at) => folderNames.map((name) => join(at, name))))
    if (await exists(file)) return { file, from: 'folder' };
  return (await exists(userFile)) ? { file: userFile, from: 'user' } : undefined;
}
