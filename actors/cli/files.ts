import type { SaveOptions } from './options.ts';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Agent, LandedFile } from '../api/agent-handle.ts';
import type { AgentBlob, BlobProgress } from '../api/downloads.ts';
import { badRequest } from '../kernel/errors.ts';
import type { Argument } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { progressLine } from './printing/call-progress.ts';
import { bytesOf, inOneLine } from './printing/contents.ts';

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
  ({ terminal, signal }: CommandContext, agent: Pick<Agent, 'files'>, computer: string): Put =>
  async (path, name) => {
    const shown = inOneLine(name ?? basename(path), 80);
    const onProgress = ({ sent, total }: { readonly sent: number; readonly total: number }): void =>
      terminal.meter(progressLine({ tool: `put ${shown}`, progress: sent, total }));
    terminal.meter(`put ${shown}`);
    try {
      const landed = await agent.files.put(computer, path, { name, signal, onProgress });
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
/** Large contents are written as they come. */
export async function saved(
  { terminal, signal }: CommandContext,
  { save }: SaveOptions,
  name: string,
  given: unknown,
  large: readonly AgentBlob[] = [],
): Promise<void> {
  if (save === undefined) return;
  const onProgress = ({ bytes, totalBytes }: BlobProgress): void =>
    terminal.meter(progressLine({ tool: `save ${name}`, progress: bytes, total: totalBytes }));
  const streams = large.map(({ mimeType, stream }) => ({
    base64: '',
    mimeType,
    stream: () => stream({ signal, onProgress }),
  }));
  const { saveBytes } = await import('../../adapters/storage/user-files.ts');
  const paths = await saveBytes(save, name, [...bytesOf(given), ...streams]).finally(() =>
    terminal.meter(null),
  );
  for (const path of paths) terminal.err(`saved ${path}`);
  if (paths.length === 0) terminal.err('nothing to save: it has no images, sounds or blobs');
}
