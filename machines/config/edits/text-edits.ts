import { createScanner, parseTree, type Node } from 'jsonc-parser';
import type { Path } from '../mistake.ts';

/**
 * Changes of one text with comments and commas at the end. `jsonc-parser` finds the places; its own edits lay out whole
 * entries anew, and break a text when they remove one before such a comma.
 */
interface Layout {
  readonly indent: string;
  readonly eol: string;
}
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
/** Tokens as the scanner numbers them; its enum is gone when it runs. */
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

/** Where a comma stands behind this place, with nothing but blanks and comments in between. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let token: number = scanner.scan();
  while ([lineComment, blockComment, lineBreak, blank].includes(token)) token = scanner.scan();
  return token === comma ? scanner.getTokenOffset() : undefined;
}
/** The end of the line, if only a comment stands there: it belongs to what is before it. */
function endOfLine(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (let token: number = scanner.scan(); token === blank || token === lineComment; token = scanner.scan())
    if (token === lineComment) end = scanner.getTokenOffset() + scanner.getTokenLength();
  return end;
}
const endOf = ({ offset, length }: Node): number => offset + length;

/** One more entry at the end of an object or a list. */
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
    // What people wrote into an empty one stays.
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
/** Without one of its entries, and the line that was its own. */
function without(text: string, { children = [] }: Node, index: number): string {
  const child = children[index];
  if (!child) return text;
  const after = commaAfter(text, endOf(child));
  const previous = children[index - 1];
  const pieces: Piece[] = [];
  // The last one of a list without a comma at its end takes the comma before it along.
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

/** The text with this value at this place; containers on the way to it are made. */
export function withValue(text: string, path: Path, value: unknown): string {
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
    // Something else stands where there should be an object.
    if (!next || (depth < path.length - 1 && !isContainer(next.value)))
      return put(text, next?.value ?? node, next ? rest : ownEntry(String(key), rest));
    node = next.value;
  }
  return node ? put(text, node, value) : text;
}
/** Also under a name that objects have a meaning for. */
const ownEntry = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);
const put = (text: string, node: Node, value: unknown): string =>
  apply(text, [
    {
      from: node.offset,
      to: endOf(node),
      text: written(value, lineIndent(text, node.offset), layoutOf(text)),
    },
  ]);
/** The text without the entry at this place. */
export function withoutEntry(text: string, path: Path): string {
  let node = treeOf(text);
  for (const [depth, key] of path.entries()) {
    const next = node && step(node, key);
    if (!node || !next) return text;
    if (depth === path.length - 1) return without(text, node, next.at);
    node = next.value;
  }
  return text;
}
/** The text with one more item in the list at this place. */
export function withItem(text: string, path: Path, item: unknown): string {
  let node = treeOf(text);
  for (const key of path) node = node && step(node, key)?.value;
  if (node?.type !== 'array') return withValue(text, path, [item]);
  return appended(text, node, (indent) => written(item, indent, layoutOf(text)));
}
