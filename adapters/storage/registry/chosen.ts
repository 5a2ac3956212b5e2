import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../settings/whole-file.ts';

/** Which registry of which list was the fastest, and when (ms since 1970). */
export interface ChosenRegistry {
  readonly list: readonly string[];
  readonly registry: string;
  readonly at: number;
}
const fileIn = (stateDir: string): string => join(stateDir, 'npm-registry.json');
const isText = (value: unknown): value is string => typeof value === 'string';

/** What an earlier run has kept; null: nothing, or nothing that can be read. */
export async function readChosen(stateDir: string): Promise<ChosenRegistry | null> {
  try {
    const { list, registry, at } = JSON.parse(
      await readFile(fileIn(stateDir), 'utf8'),
    ) as Partial<ChosenRegistry>;
    const isWhole = Array.isArray(list) && list.every(isText) && isText(registry) && list.includes(registry);
    return isWhole && typeof at === 'number' ? { list, registry, at } : null;
  } catch {
    return null;
  }
}
/** Whole or not at all. Rejects with what the file system says. */
export async function keepChosen(stateDir: string, chosen: ChosenRegistry): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeWhole(fileIn(stateDir), JSON.stringify(chosen), { mode: 0o600 });
}
