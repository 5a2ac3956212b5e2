/** JSON with comments, changed without touching the rest of the file, and the lines of mistakes in it. */
import { createScanner, parseTree, type Node } from 'jsonc-parser';
import { readJson } from './json-text.ts';
import { pathText, type Mistake, type Path } from './mistake.ts';

/** Edits are made here: those of `jsonc-parser` reformat whole entries and can break a text. */
interface Layout {
  readonly indent: string;
  readonly eol: string;
}
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
/** Token numbers of the scanner; its enum does not exist at run time. */
const [comma, lineComment, blockComment, lineBreak, blank] = [5, 12, 13, 14, 15];

const layoutOf = (text: string): Layout => ({
  indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
});
const apply = (text: string, pieces: readonly Piece[]): string =>
  pieces
    .toSorted((a, b) => b.from - a.from)
    .reduce((now, { from, to, text: put }) => now.slice(0, from) + put + now.slice(to), text);

const lineIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? '';
const written = (value: unknown, indent: string, { indent: step, eol }: Layout): string =>
  (JSON.stringify(value, null, step) ?? 'null').replaceAll('\n', eol + indent);

/** Skips blanks and comments; undefined when there is none. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let token: number = scanner.scan();
  while ([lineComment, blockComment, lineBreak, blank].includes(token)) token = scanner.scan();
  return token === comma ? scanner.getTokenOffset() : undefined;
}
/** A comment on the rest of the line belongs to the entry before it. */
function endOfLine(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (let token: number = scanner.scan(); token === blank || token === lineComment; token = scanner.scan())
    if (token === lineComment) end = scanner.getTokenOffset() + scanner.getTokenLength();
  return end;
}
const endOf = ({ offset, length }: Node): number => offset + length;

function appended(text: string, container: Node, item: (indent: string) => string): string {
  const { children = [] } = container;
  const { eol, indent: step } = layoutOf(text);
  const last = children.at(-1);
  const outer = lineIndent(text, container.offset);
  const isFlat = last !== undefined && !text.slice(container.offset, last.offset).includes('\n');
  const indent = isFlat ? '' : last ? lineIndent(text, last.offset) : outer + step;
  if (!last) {
    const from = container.offset + 1;
    const to = endOf(container) - 1;
    // Comments inside an empty object or list are kept.
    const kept = text.slice(from, to).trimEnd();
    return apply(text, [{ from, to, text: `${kept}${eol}${indent}${item(indent)}${eol}${outer}` }]);
  }
  const before = isFlat ? ' ' : eol + indent;
  const after = commaAfter(text, endOf(last));
  if (after === undefined) {
    const at = isFlat ? endOf(last) : endOfLine(text, endOf(last));
    const put = before + item(indent);
    const end = { from: endOf(last), to: endOf(last), text: ',' };
    return at === end.from
      ? apply(text, [{ ...end, text: `,${put}` }])
      : apply(text, [end, { from: at, to: at, text: put }]);
  }
  const at = isFlat ? after + 1 : endOfLine(text, after + 1);
  return apply(text, [{ from: at, to: at, text: `${before}${item(indent)},` }]);
}
function without(text: string, { children = [] }: Node, index: number): string {
  const child = children[index];
  if (!child) return text;
  const after = commaAfter(text, endOf(child));
  const previous = children[index - 1];
  const pieces: Piece[] = [];
  // The comma before a last entry goes, too, when no comma follows it.
  const lost = after === undefined && previous ? commaAfter(text, endOf(previous)) : undefined;
  if (lost !== undefined) pieces.push({ from: lost, to: lost + 1, text: '' });
  const to = endOfLine(text, after === undefined ? endOf(child) : after + 1);
  const start = text.lastIndexOf('\n', child.offset - 1) + 1;
  const isOwnLine = text.slice(start, child.offset).trim() === '' && /^[ \t]*\r?\n/.test(text.slice(to));
  const lineEnd = isOwnLine ? text.indexOf('\n', to) + 1 : to;
  const blanks = isOwnLine ? start : child.offset;
  return apply(text, [...pieces, { from: blanks, to: lineEnd, text: '' }]);
}

const isContainer = ({ type }: Node): boolean => type === 'object' || type === 'array';
const treeOf = (text: string): Node | undefined => parseTree(text, [], { allowTrailingComma: true });
function step(node: Node, key: Path[number]): { readonly at: number; readonly value: Node } | undefined {
  const { type, children = [] } = node;
  const at =
    type === 'array'
      ? Number(key)
      : type === 'object'
        ? children.findIndex(({ children: [name] = [] }) => name?.value === key)
        : -1;
  const child = children[at];
  const value = type === 'array' ? child : child?.children?.[1];
  return value && { at, value };
}

/** Missing objects on the way are created. */
function withValue(text: string, path: Path, value: unknown): string {
  let node = treeOf(text);
  const layout = layoutOf(text);
  for (const [depth, key] of path.entries()) {
    if (!node) return text;
    const rest = path
      .slice(depth + 1)
      .reduceRight<unknown>((inner, name) => ownEntry(String(name), inner), value);
    const next = step(node, key);
    if (!next && node.type === 'object')
      return appended(
        text,
        node,
        (indent) => `${JSON.stringify(String(key))}: ${written(rest, indent, layout)}`,
      );
    if (!next || (depth < path.length - 1 && !isContainer(next.value)))
      return put(text, next?.value ?? node, next ? rest : ownEntry(String(key), rest));
    node = next.value;
  }
  return node ? put(text, node, value) : text;
}
/** The key may be `__proto__`. */
const ownEntry = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);
const put = (text: string, node: Node, value: unknown): string =>
  apply(text, [
    {
      from: node.offset,
      to: endOf(node),
      text: written(value, lineIndent(text, node.offset), layoutOf(text)),
    },
  ]);
function withoutEntry(text: string, path: Path): string {
  let node = treeOf(text);
  for (const [depth, key] of path.entries()) {
    const next = node && step(node, key);
    if (!node || !next) return text;
    if (depth === path.length - 1) return without(text, node, next.at);
    node = next.value;
  }
  return text;
}
function withItem(text: string, path: Path, item: unknown): string {
  let node = treeOf(text);
  for (const key of path) node = node && step(node, key)?.value;
  if (node?.type !== 'array') return withValue(text, path, [item]);
  return appended(text, node, (indent) => written(item, indent, layoutOf(text)));
}

/** `add` appends a missing item, `drop` removes one; `unlessThere` skips all edits if the entry exists. */
export type Edit =
  | { readonly path: Path; readonly value: unknown; readonly unlessThere?: true }
  | { readonly path: Path; readonly remove: true }
  | { readonly path: Path; readonly add: unknown }
  | { readonly path: Path; readonly drop: unknown };
type Edited =
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

/** An empty text counts as `{}`. `isTaken`: an entry that must be new exists; nothing is changed. */
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
/** From 1, of the place itself or of the nearest enclosing one. */
export function withLines(text: string, mistakes: readonly Mistake[]): readonly Mistake[] {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (!tree) return mistakes;
  const nodes = new Map<string, Node>();
  remember(tree, [], nodes);
  return mistakes.map((mistake) => {
    if (mistake.line !== undefined || /\bat \d+:\d+/.test(mistake.message)) return mistake;
    const node = nodes.get(nearest(mistake.path, nodes));
    return node ? { ...mistake, ...positionIn(text, node.offset) } : mistake;
  });
}
/** Limits the work for very long files. */
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
