/** Skills read from folders of a computer, with the files that they share. */
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, sep } from 'node:path';
import type { BlobFacts } from '../../machines/blobs/blobs.rules.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { isObject, withoutUndefined, type Fields } from '../../machines/protocol/json.ts';
import type { SkillRef } from '../../machines/protocol/messages/collections.ts';
import type { SkillContents, SkillEntry, SkillEntryRead } from '../../machines/skills/offer.rules.ts';
import {
  entryFile,
  isSecretPath,
  isSkillFolder,
  isSkillName,
  mostPaths,
  wrongPath,
  type SkillFileRead,
  type SkillRead,
  type SkillRefusal,
  type SkillsListed,
} from '../../machines/skills/skills.rules.ts';
import { homeFolder } from '../clock.ts';
import { answeringPort } from '../lazy-port.ts';
import { watchFolders, type Watching } from './watch-folders.ts';

/** Word in a config that means the skill folder of the user, which the Python SDK reads too. */
const userWord = 'user';
/** Largest number of skills of one folder; the rest is not listed, and a sentence says so. */
const mostSkills = 500;
const textBytes = 256 * 1024;

interface SkillFolder {
  readonly path: string;
  readonly source: string;
}
const userFolder = (env: NodeJS.ProcessEnv): string => {
  const { A2C_SKILL_HOME: own = '', XDG_DATA_HOME: data = '' } = env;
  if (own !== '') return join(own, userWord);
  return data === '' ? join(homeFolder(), '.a2c', 'skills', userWord) : join(data, 'a2c', 'skills', userWord);
};
const folderOf = (given: string): SkillFolder =>
  given === userWord
    ? { path: userFolder(process.env), source: userWord }
    : { path: given.replace(/^~(?=[\\/]|$)/, () => homeFolder()), source: 'config' };

interface Parted {
  readonly front: Fields;
  readonly body: string;
}
const frame = /^---[^\S\n]*\r?\n([\s\S]*?)(?:^|\n)---[^\S\n]*(?:\r?\n|$)/;
/** Without a frontmatter all of it is text. */
export async function partedSkill(text: string): Promise<Parted> {
  const found = frame.exec(text);
  if (!found) return { front: {}, body: text };
  const front = await yamlOf(found[1] ?? '');
  return { front: isObject(front) ? front : {}, body: text.slice(found[0].length) };
}
async function yamlOf(text: string): Promise<unknown> {
  // Loads the YAML package with the first skill, because every command loads this file.
  const { parse } = await import('yaml');
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch {
    return undefined;
  }
}
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
const textsOf = (value: unknown): string[] | undefined => {
  const all = Array.isArray(value) ? value : [value];
  return value === undefined || value === null ? undefined : all.map(String);
};
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
const plain = (value: unknown): Fields | undefined =>
  isObject(value) ? (JSON.parse(JSON.stringify(value)) as Fields) : undefined;

const refOf = (
  name: string,
  { path, source }: SkillFolder,
  front: Fields,
  description: string,
): SkillRef => ({
  name,
  source,
  path,
  description,
  ...withoutUndefined({
    license: textOf(front['license']),
    compatibility: textOf(front['compatibility']),
    allowed_tools: textsOf(front['allowed-tools'] ?? front['allowed_tools']),
    tags: isTexts(front['tags']) ? front['tags'] : undefined,
    skill_metadata: plain(front['metadata']),
  }),
});

/** A sentence when the skill is invalid, and null when the folder holds none. */
async function skillIn(folder: SkillFolder, name: string): Promise<SkillRef | string | null> {
  const path = join(folder.path, name);
  const entry = join(path, entryFile);
  const facts = await stat(entry).catch(() => undefined);
  if (!facts?.isFile()) return null;
  if (!isSkillFolder(name))
    return `${path} is no skill: its name may have lower-case letters, digits and single hyphens`;
  if (facts.size > textBytes)
    return `${path} is no skill: its ${entryFile} is larger than ${textBytes} bytes`;
  const text = await readFile(entry, 'utf8').catch(() => undefined);
  if (text === undefined) return `${path} is no skill: its ${entryFile} cannot be read`;
  const { front } = await partedSkill(text);
  const description = textOf(front['description'])?.trim();
  if (!description) return `${path} is no skill: its ${entryFile} has no description in its frontmatter`;
  const whole = await realpath(path).catch(() => null);
  return whole === null ? null : refOf(name, { ...folder, path: whole }, front, description);
}

async function listed(folders: readonly SkillFolder[]): Promise<SkillsListed> {
  const skills = new Map<string, SkillRef>();
  const refused: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder.path, { withFileTypes: true }).catch(() => []);
    const names = entries.flatMap((each) => (each.isDirectory() ? [each.name] : [])).toSorted();
    if (names.length > mostSkills) refused.push(`${folder.path} has more than ${mostSkills} folders`);
    for (const name of names.slice(0, mostSkills)) {
      const found = await skillIn(folder, name);
      if (typeof found === 'string') refused.push(found);
      else if (found && skills.has(name))
        refused.push(`${found.path} is left out: '${name}' is known already`);
      else if (found) skills.set(name, found);
    }
  }
  return { skills: [...skills.values()], refused };
}

const mimeTypes: Readonly<Record<string, string>> = {
  ...{ '.md': 'text/markdown', '.txt': 'text/plain', '.csv': 'text/csv', '.html': 'text/html' },
  ...{ '.css': 'text/css', '.py': 'text/x-python', '.sh': 'text/x-shellscript', '.rst': 'text/x-rst' },
  ...{ '.json': 'application/json', '.xml': 'application/xml', '.toml': 'application/toml' },
  ...{ '.yaml': 'application/yaml', '.yml': 'application/yaml', '.svg': 'image/svg+xml' },
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.pdf': 'application/pdf', '.zip': 'application/zip' },
  ...{ '.js': 'text/javascript', '.mjs': 'text/javascript', '.ts': 'text/x-typescript' },
};
const refusal = (reason: SkillRefusal, bytes?: number): SkillFileRead =>
  bytes === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, bytes };
const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way !== '' && !way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way);
};
const utf8 = new TextDecoder('utf-8', { fatal: true });
const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};
type Give<From> = (from: From, mimeType: string, reader: string) => Promise<BlobFacts | undefined>;
export type Lend = Give<string>;
export type Keep = Give<Uint8Array>;
const typeOf = (path: string): string => mimeTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
async function fileIn({ path: root, relPath, reader }: SkillRead, lend: Lend): Promise<SkillFileRead> {
  const wrong = wrongPath(relPath);
  if (wrong) return refusal(wrong);
  const real = await realpath(join(root, relPath)).catch(() => undefined);
  if (real === undefined) return refusal('not_found');
  if (!isInside(root, real)) return refusal('traversal');
  if (isSecretPath(relative(root, real).split(sep))) return refusal('forbidden');
  const facts = await stat(real).catch(() => undefined);
  if (!facts?.isFile()) return refusal('not_found');
  const raw = facts.size > textBytes ? undefined : await readFile(real).catch(() => null);
  if (raw === null) return refusal('not_found');
  const given = raw && (await givenFile(raw, relative(root, real).split(sep).join('/')));
  if (given?.kind === 'text') {
    const files = relPath === entryFile ? await othersIn(root) : undefined;
    return files ? { ...given, files } : given;
  }
  if (reader === undefined) return refusal('too_large', facts.size);
  const lent = await lend(real, typeOf(real), reader);
  return lent ? { kind: 'blob', ...lent } : refusal('not_found');
}
/** Lists the other files of a skill, without links and secrets; undefined when they are too many. */
async function othersIn(root: string): Promise<readonly string[] | undefined> {
  const files: string[] = [];
  const folders = [''];
  let length = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === entryFile || wrongPath(path) || !(entry.isFile() || entry.isDirectory())) continue;
      length += path.length;
      if (length > mostPaths) return undefined;
      (entry.isFile() ? files : folders).push(path);
    }
  }
  return files.toSorted();
}
async function givenFile(raw: Buffer, relPath: string): Promise<SkillFileRead> {
  const all = decoded(raw);
  if (raw.length > textBytes || all === undefined) return refusal('too_large', raw.length);
  const text = relPath === entryFile ? (await partedSkill(all)).body : all;
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const mimeType = mimeTypes[extname(relPath).toLowerCase()] ?? 'text/plain';
  return { kind: 'text', text, mimeType, bytes: bytes.length, sha256 };
}

const bytesIn = (contents: SkillContents['contents']): Buffer =>
  Buffer.concat(
    contents.map(({ text, blob }) =>
      typeof text === 'string' ? Buffer.from(text) : Buffer.from(blob ?? '', 'base64'),
    ),
  );
async function fileOfServer(
  { relPath, contents, reader }: SkillContents,
  keep: Keep,
): Promise<SkillFileRead> {
  const raw = bytesIn(contents);
  const given = await givenFile(raw, relPath);
  if (given.kind === 'text' || reader === undefined) return given;
  const kept = await keep(raw, typeOf(relPath), reader);
  return kept ? { kind: 'blob', ...kept } : given;
}
async function entryOfServer(entry: SkillEntry): Promise<SkillEntryRead> {
  const { server, bundle, uri, version, contents } = entry;
  const refused = (why: string): SkillEntryRead => ({
    refused: `Server '${server}': skill ${uri} is left out: ${why}`,
  });
  const bytes = bytesIn(contents);
  const text = bytes.length > textBytes ? undefined : decoded(bytes);
  if (text === undefined) return refused(`its ${entryFile} is no text of at most ${textBytes} bytes`);
  const { front } = await partedSkill(text);
  const [name, description] = [textOf(front['name']), textOf(front['description'])?.trim()];
  if (name === undefined || !description)
    return refused(`its ${entryFile} has no name and description in its frontmatter`);
  const full = `mcp:${bundle}:${name}`;
  if (!isSkillFolder(name) || !isSkillName(full)) return refused(`'${full}' is no name of a skill`);
  const ref = refOf(full, { path: '', source: `mcp:${bundle}` }, front, description);
  return { ref: { ...ref, uri, ...(version !== undefined && { version }) } };
}

/** A content is kept to be read in parts: `lend` for a file of a folder, `keep` for one of a server. */
export interface SkillFoldersHeard {
  readonly changed: () => void;
  readonly trouble: (text: string) => void;
  readonly lend: Lend;
  readonly keep: Keep;
}
/** A folder that does not exist counts as empty until it is there. */
export class SkillFolders {
  readonly #heard: SkillFoldersHeard;
  #folders: readonly SkillFolder[] = [];
  #given = '';
  /** Folders of the skills that were listed last; files of no other folder are read. */
  #roots = new Set<string>();
  #watching: Promise<Watching> | undefined;
  #isClosed = false;

  constructor(heard: SkillFoldersHeard) {
    this.#heard = heard;
  }
  /** Sets the folders of a config, whole paths or the word `user`. Reports a change when they differ from the earlier ones. */
  async set(given: readonly string[]): Promise<void> {
    const key = JSON.stringify(given);
    if (key === this.#given || (this.#given === '' && given.length === 0)) return;
    this.#given = key;
    this.#folders = given.map(folderOf);
    this.#heard.changed();
    await this.#unwatch();
    if (this.#isClosed || key !== this.#given) return;
    const { changed, trouble } = this.#heard;
    const named = this.#folders.map(({ path }, at) => ({ path, name: String(at) }));
    this.#watching = watchFolders(named, changed, changed, trouble);
    await this.#watching;
  }
  async #unwatch(): Promise<void> {
    const watching = this.#watching;
    this.#watching = undefined;
    await (await watching)?.close();
  }
  readonly request: RequestPort = answeringPort(
    ({ method, params }) => this.#answer(method, params),
    (id, error) => {
      const message = error instanceof Error ? error.message : String(error);
      return { type: 'ask.refused', id, sent: true, failure: { code: wireCodes.internal, message } };
    },
  );
  #answer(method: string, params: unknown): Promise<SkillsListed | SkillFileRead | SkillEntryRead> {
    if (method === 'list') return this.#listed();
    if (method === 'entry') return entryOfServer(params as SkillEntry);
    if (method === 'read') return this.#read(params as SkillRead);
    return fileOfServer(params as SkillContents, this.#heard.keep);
  }
  async #listed(): Promise<SkillsListed> {
    const found = await listed(this.#folders);
    this.#roots = new Set(found.skills.map(({ path }) => path));
    return found;
  }
  async #read(wanted: SkillRead): Promise<SkillFileRead> {
    return this.#roots.has(wanted.path) ? fileIn(wanted, this.#heard.lend) : refusal('not_found');
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#unwatch();
  }
}
