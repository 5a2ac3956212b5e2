import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A file as the checks see it: its path from the root of the project with `/`, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly what: string;
  /** What to write in its place. */
  readonly instead: string;
}

// What git ignores, spelled again: a tarball or a foreign-owned checkout has no git to ask.
const skipped = new Set(['.git', 'node_modules', 'dist', 'coverage', '.a2c']);
const binary = /\.(png|jpe?g|gif|ico|woff2?|wasm|gz|tgz|pdf|docx|xlsx|pptx|log)$/;

/** Every text file of the project, in a stable order. */
export function readProject(root: string): Source[] {
  const found: string[] = [];
  const enter = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      // `.git` is a file where several checkouts share one repository.
      if (skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) enter(path);
      else if (entry.isFile() && !binary.test(entry.name)) found.push(path);
    }
  };
  enter(root);
  return found
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The code of the four rooms. `examples/` and `docs/` are the named exceptions of the house. */
export const isCode = ({ path }: Source): boolean =>
  /^(machines|adapters|actors|scenarios)\//.test(path) && /\.[cm]?[jt]sx?$/.test(path);

export const isTest = (path: string): boolean => /\.(test|scenario)\.ts$/.test(path);
export const isMachine = (path: string): boolean => path.endsWith('.machine.ts');

export const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
};

/** One line per violation, as an editor can jump to it. */
export const told = (violations: readonly Violation[]): string[] =>
  violations.map(({ path, line, what, instead }) => `${path}:${line}: ${what} — ${instead}`);
