import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines that a person typed at the prompt in this and earlier runs, the newest first. */
export interface LineHistory {
  readonly lines: readonly string[];
  /** What cannot be written is not kept, and nobody is told: it is only a memory. */
  keep(lines: readonly string[]): void;
}
/** Kept in `history` in this folder, one line each, for its owner alone. */
export function lineHistory(stateDir: string): LineHistory {
  const file = join(stateDir, 'history');
  return {
    lines: linesIn(file),
    keep: (lines) => {
      try {
        mkdirSync(stateDir, { recursive: true, mode: 0o700 });
        writeFileSync(`${file}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch {
        // A full disk, or a folder that is not ours.
      }
    },
  };
}
function linesIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
