import { saveBytes } from '../../../adapters/index.ts';
import type { Context } from '../context.ts';
import { bytesOf } from './contents.ts';

export interface SaveOptions {
  /** A folder for images, sounds and blobs. */
  readonly save?: string;
}
/** Writes the images, sounds and blobs of what a server gave to files, and says which. */
export async function saved(
  { terminal }: Context,
  { save }: SaveOptions,
  name: string,
  given: unknown,
): Promise<void> {
  if (save === undefined) return;
  const paths = await saveBytes(save, name, bytesOf(given));
  for (const path of paths) terminal.err(`saved ${path}`);
  if (paths.length === 0) terminal.err('nothing to save: it has no images, sounds or blobs');
}
