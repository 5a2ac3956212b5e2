import { createReadStream, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { joinedSkill, saveBytes, saveFile, saveFolder, type NamedFile } from '../../adapters/index.ts';
import { wireCodes } from '../../machines/protocol/index.ts';
import { withoutUndefined } from '../../machines/protocol/json.ts';
import { entryFile, invalidName, isSkillName, wrongPath } from '../../machines/skills/skills.rules.ts';
import type { Agent, LandedFile } from '../api/agent-handle.ts';
import type { Computer, Skill, SkillFile } from '../api/computer-handle.ts';
import type { AgentBlob, BlobProgress } from '../api/downloads.ts';
import { A2cError, failureOf, badRequest } from '../kernel/errors.ts';
import type { Argument } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { progressLine } from './printing/call-progress.ts';
import { bytesOf, inOneLine, type AnswerText } from './printing/contents.ts';

export function mustBeFiles(words: readonly Argument[]): void {
  for (const word of words) {
    if (word.kind !== 'file') continue;
    const found = statSync(word.path, { throwIfNoEntry: false });
    const problem = !found
      ? `there is no file ${word.path}`
      : found.isDirectory()
        ? `${word.path} is a folder`
        : found.size === 0
          ? `${word.path} is empty, and a file that is put has 1 byte or more`
          : undefined;
    if (problem !== undefined)
      throw badRequest(problem, `${word.key}@=FILE puts a file; a text is written ${word.key}=text.`);
  }
}

export type Put = (path: string, name?: string) => Promise<LandedFile>;
export const putOn =
  ({ terminal, signal }: CommandContext, agent: Pick<Agent, 'putFile'>, computer: string): Put =>
  async (path, name) => {
    const shown = inOneLine(name ?? basename(path), 80);
    const onProgress = ({ sent, total }: { readonly sent: number; readonly total: number }): void =>
      terminal.meter(progressLine({ tool: `put ${shown}`, progress: sent, total }));
    terminal.meter(`put ${shown}`);
    try {
      const landed = await agent.putFile(computer, path, { name, signal, onProgress });
      terminal.meter(null);
      terminal.err(`put ${shown} on ${computer}: ${landed.path}`);
      return landed;
    } finally {
      terminal.meter(null);
    }
  };
export async function withPutFiles(words: readonly Argument[], put: Put): Promise<readonly Argument[]> {
  const landed: Argument[] = [];
  for (const word of words)
    landed.push(word.kind === 'file' ? { ...word, path: (await put(word.path)).path } : word);
  return landed;
}
export interface SaveOptions {
  readonly save?: string;
}
/** Large contents are written as they come. Without a folder it says to a person how that is done. */
export async function saved(
  { terminal, signal }: CommandContext,
  { save, json }: SaveOptions & { readonly json?: boolean },
  name: string,
  given: unknown,
  large: readonly AgentBlob[] = [],
): Promise<void> {
  if (save === undefined) {
    if (terminal.isWatched && json !== true && bytesOf(given).length > 0)
      terminal.err('--save FOLDER writes it to a file');
    return;
  }
  const onProgress = ({ bytes, totalBytes }: BlobProgress): void =>
    terminal.meter(progressLine({ tool: `save ${name}`, progress: bytes, total: totalBytes }));
  const streams = large.map(({ mimeType, stream }) => ({
    base64: '',
    mimeType,
    stream: () => stream({ signal, onProgress }),
  }));
  const paths = await saveBytes(save, name, [...bytesOf(given), ...streams]).finally(() =>
    terminal.meter(null),
  );
  for (const path of paths) terminal.err(`saved ${path}`);
  if (paths.length === 0) terminal.err('nothing to save: it has no images, sounds or blobs');
}

export interface SkillSource {
  list(): Promise<readonly Skill[]>;
  read(path?: string): Promise<SkillFile>;
  /** For a file that is binary, or too large to be read as one text. */
  open(file: SkillFile, onProgress: (progress: BlobProgress) => void): AsyncIterable<Uint8Array>;
}
/** Large files are read where they are. */
export function skillsHere(computer: Pick<Computer, 'skill' | 'skills'>, name: string): SkillSource {
  const list = (): Promise<readonly Skill[]> => computer.skills();
  let folder = '';
  return {
    list,
    read: async (path) => {
      try {
        return await computer.skill(name, { path });
      } catch (error) {
        // A computer checks the path before the size, so after this refusal the path is allowed.
        const { details } = failureOf(error);
        if (path === undefined || details?.['reason'] !== 'too_large') throw error;
        folder = (await list()).find((skill) => skill.name === name)?.path ?? '';
        const bytes = Number(details['total_size']);
        return { path, mimeType: '', bytes, sha256: '', text: null, blobHandle: null, files: null };
      }
    },
    open: ({ path }) => createReadStream(join(folder, path)),
  };
}
export interface SavedSkill {
  readonly saved: readonly string[];
  readonly isWhole: boolean;
}
export const savedText = ({ saved: paths, isWhole }: SavedSkill): AnswerText => ({
  out: [],
  err: [
    ...paths.map((path) => `saved ${path}`),
    ...(isWhole ? [] : ['its computer does not tell its other files; --file PATH --save FILE saves one']),
  ],
});
const isThere = (path: string): A2cError =>
  new A2cError({
    code: wireCodes.conflict,
    message: `${path} exists, and nothing is overwritten`,
    remedy: 'Remove it, or name another place behind --save.',
  });
/** A folder of the skill's name in `save`, or one file to that path. */
export async function savedSkill(
  { terminal }: CommandContext,
  { file, save }: { readonly file?: string; readonly save: string },
  name: string,
  source: SkillSource,
): Promise<SavedSkill> {
  const contentOf = (of: SkillFile): NamedFile['content'] => {
    if (of.text !== null) return of.text;
    const meter = ({ bytes, totalBytes }: BlobProgress): void =>
      terminal.meter(progressLine({ tool: `save ${of.path}`, progress: bytes, total: totalBytes }));
    return () => source.open(of, meter);
  };
  try {
    if (file !== undefined) {
      const read = await source.read(file);
      const isFolder =
        /[\\/]$/.test(save) || statSync(save, { throwIfNoEntry: false })?.isDirectory() === true;
      const path = isFolder ? join(save, basename(file)) : save;
      if (!(await saveFile({ path, content: contentOf(read) }))) throw isThere(path);
      return { saved: [path], isWhole: true };
    }
    if (!isSkillName(name)) throw new A2cError(invalidName(name));
    const entry = await source.read();
    const facts = (await source.list()).find((skill) => skill.name === name);
    const others = entry.files ?? [];
    const outside = others.find(
      (path) => wrongPath(path) || path.split('/').some((part) => /^\.?$/.test(part)),
    );
    if (outside !== undefined)
      throw new A2cError({
        code: wireCodes.skillFileNotAccessible,
        message: `The computer names a file outside of the skill: ${outside}`,
        details: { reason: 'traversal', name, rel_path: outside },
      });
    const folder = join(save, name.split(':').at(-1) ?? '');
    const files = async function* (): AsyncIterable<NamedFile> {
      yield {
        path: entryFile,
        content: await joinedSkill({ front: frontOf(name, facts), body: entry.text ?? '' }),
      };
      for (const path of others) yield { path, content: contentOf(await source.read(path)) };
    };
    if (!(await saveFolder(folder, files()))) throw isThere(folder);
    return {
      saved: [entryFile, ...others].map((path) => join(folder, path)),
      isWhole: entry.files !== null,
    };
  } finally {
    terminal.meter(null);
  }
}
/** Made from the entry in the list, because the text of `SKILL.md` comes without it. */
const frontOf = (name: string, facts: Skill | undefined): Record<string, unknown> => ({
  name: name.split(':').at(-1),
  description: facts?.description ?? '',
  ...withoutUndefined({
    license: facts?.license,
    compatibility: facts?.compatibility,
    'allowed-tools': facts?.allowedTools,
    tags: facts?.tags,
    version: facts?.version,
    metadata: facts?.metadata,
  }),
});
