import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** What a person names on the command line: the whole text of a file, or of stdin for `-`. Rejects with a sentence. */
export async function readText(name: string): Promise<string> {
  if (name === '-') return text(process.stdin);
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new Error(`cannot read ${name}: ${why}`, { cause: error });
  }
}
