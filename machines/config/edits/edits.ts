import { parseTree, type Node } from 'jsonc-parser';
import { readJson } from '../foreign/json-text.ts';
import { pathText, type Mistake, type Path } from '../mistake.ts';
import { withItem, withoutEntry, withValue } from './text-edits.ts';

/**
 * One change of a config file. `value` is written there; `remove` takes the entry away; `add` puts an item at the end of a
 * list that does not have it, `drop` takes it out. `unlessThere`: nothing at all is changed when there is such an entry.
 */
export type Edit =
  | { readonly path: Path; readonly value: unknown; readonly unlessThere?: true }
  | { readonly path: Path; readonly remove: true }
  | { readonly path: Path; readonly add: unknown }
  | { readonly path: Path; readonly drop: unknown };
export type Edited =
  | { readonly ok: true; readonly text: string; readonly isTaken: boolean }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const own = (value: unknown, path: Path): unknown => {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
};
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The text after one change; the same text, when it says so already. */
function changed(text: string, edit: Edit): string {
  const { value } = readJson(text) as { readonly value: unknown };
  const there = own(value, edit.path);
  if ('value' in edit) return isSame(there, edit.value) ? text : withValue(text, edit.path, edit.value);
  if ('remove' in edit) return there === undefined ? text : withoutEntry(text, edit.path);
  const list: readonly unknown[] = Array.isArray(there) ? there : [];
  if ('add' in edit)
    return list.some((item) => isSame(item, edit.add)) ? text : withItem(text, edit.path, edit.add);
  const at = list.findLastIndex((item) => isSame(item, edit.drop));
  return at === -1 ? text : changed(withoutEntry(text, [...edit.path, at]), edit);
}

/**
 * The text of a file with these changes, one after the other: comments, commas, order and all that nobody named stay as
 * they are. An empty text counts as `{}`. `isTaken`: there was an entry that must not be, and the text is as it was.
 */
export function edited(text: string, edits: readonly Edit[]): Edited {
  let now = text.trim() === '' ? '{}\n' : text;
  const read = readJson(now);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  if (read.duplicates.length > 0) return { ok: false, mistakes: read.duplicates };
  if (edits.some((e) => 'unlessThere' in e && own(read.value, e.path) !== undefined))
    return { ok: true, text, isTaken: true };
  for (const edit of edits) now = changed(now, edit);
  return { ok: true, text: now, isTaken: false };
}
/** The mistakes of a text, each with the line and column (from 1) of its place, or of what is around it. */
export function placed(text: string, mistakes: readonly Mistake[]): readonly Mistake[] {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (!tree) return mistakes;
  const nodes = new Map<string, Node>();
  remember(tree, [], nodes);
  return mistakes.map((mistake) => {
    if (/\bat \d+:\d+/.test(mistake.message)) return mistake;
    const node = nodes.get(nearest(mistake.path, nodes));
    return node ? { ...mistake, ...positionIn(text, node.offset) } : mistake;
  });
}
/** A long file of strangers: nobody needs more. */
const mostNodes = 20_000;
function remember(node: Node, path: Path, nodes: Map<string, Node>): void {
  if (nodes.size > mostNodes) return;
  nodes.set(pathText(path), node);
  const { type, children = [] } = node;
  if (type === 'array') children.forEach((child, index) => remember(child, [...path, index], nodes));
  if (type !== 'object') return;
  for (const { children: [key, value] = [] } of children)
    if (key && value) remember(value, [...path, String(key.value)], nodes);
}
/** The place itself, or the innermost thing around it that the text has. */
function nearest(path: string, nodes: ReadonlyMap<string, Node>): string {
  let at = path;
  while (at !== '' && !nodes.has(at)) at = at.slice(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['), 0));
  return at;
}
const positionIn = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
};
