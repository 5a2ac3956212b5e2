/** A path that a stranger named, cleaned, or why it is refused. `.` is the root itself. */
export type CheckedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): CheckedPath => ({ ok: false, reason });

/**
 * Relative to the root, `/` between parts, no way out. Only the text is judged here: a symbolic link that leads out
 * is seen by whoever opens the file.
 */
export const checkPath = (raw: string): CheckedPath => {
  if (raw.includes('\0')) return refuse('a path must not contain a NUL character');
  if (/^([/\\]|[A-Za-z]:[/\\]|file:)/.test(raw)) {
    return refuse(`the path must be relative to the root, like "docs/a.md"; "${raw}" is absolute`);
  }
  const parts: string[] = [];
  for (const part of raw.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return refuse(`"${raw}" leads out of the root`);
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return { ok: true, path: parts.join('/') || '.' };
};

/** `.` and `a` → `a`. */
export const joinPath = (folder: string, name: string): string =>
  folder === '.' ? name : `${folder}/${name}`;

const bulky = new Set(['node_modules', 'dist']);

/**
 * What a walk leaves out: hidden entries, and folders full of what nobody wrote. Somebody who names such a folder
 * gets it.
 */
export const isSkipped = (name: string, isFolder: boolean): boolean =>
  name.startsWith('.') || (isFolder && bulky.has(name));
