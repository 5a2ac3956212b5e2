import type { Nodes, Parent, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Draft } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';
import { draftsOfHtml } from './html.ts';
import { documentOf } from './reader.ts';

export const readMarkdown = textReader((source, { name }) => {
  const { front, body } = withoutFront(source);
  const keywords = (front['keywords'] ?? front['tags'])?.replace(/^\[|\]$/g, '');
  return documentOf(draftsOfMarkdown(body), name, {
    title: front['title'],
    summary: front['description'] ?? front['summary'],
    keywords: keywords?.split(',').map((each) => unquoted(each.trim())),
  });
});
const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2');

export function draftsOfMarkdown(source: string): Draft[] {
  const root = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return root.children.flatMap((node) => draftsOf(node, source));
}

/** Nested values are ignored. */
function withoutFront(source: string): { front: Readonly<Record<string, string>>; body: string } {
  const found = /^\uFEFF?---\r?\n([\s\S]{0,20000}?)\r?\n---\r?\n/.exec(source);
  if (!found) return { front: {}, body: source };
  const lines = (found[1] ?? '').split(/\r?\n/).map((line) => /^(\w+):\s*(\S.*)$/.exec(line));
  const pairs = lines.flatMap((pair) => (pair ? [[pair[1] ?? '', unquoted(pair[2] ?? '')]] : []));
  return { front: Object.fromEntries(pairs) as Record<string, string>, body: source.slice(found[0].length) };
}
function draftsOf(node: RootContent, source: string): Draft[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other kinds stand within a paragraph
  switch (node.type) {
    case 'heading':
      return [{ category: 'heading', content: { text: textIn(node), level: node.depth } }, ...imagesIn(node)];
    case 'paragraph':
      return paragraph(node, source);
    case 'list': {
      const items = node.children.map((item) => itemOf(item, source));
      const isOrdered = node.ordered === true;
      const start = isOrdered && (node.start ?? 1) !== 1 ? { start: node.start } : {};
      const content = { items, ordered: isOrdered, ...start };
      return [{ category: 'list', content }, ...imagesIn(node)];
    }
    case 'code':
      return node.lang === 'math'
        ? [{ category: 'formula', content: { expression: node.value } }]
        : [{ category: 'code', content: { text: node.value, ...(node.lang && { language: node.lang }) } }];
    case 'table': {
      const [columns = [], ...rows] = node.children.map((row) =>
        row.children.map((each) => cellOf(each, source)),
      );
      return [{ category: 'table', content: { columns, rows } }, ...imagesIn(node)];
    }
    case 'blockquote':
      return node.children.flatMap((each) => draftsOf(each, source));
    case 'thematicBreak':
      return [{ category: 'separator', content: {} }];
    case 'html':
      return draftsOfHtml(node.value).drafts;
    case 'footnoteDefinition':
      return [{ category: 'annotation', content: { text: textIn(node), name: node.identifier } }];
    case 'definition':
      return [{ category: 'link', content: { text: node.label ?? node.identifier, url: node.url } }];
    default:
      return [];
  }
}

function paragraph(node: Nodes & Parent, source: string): Draft[] {
  const [only, ...others] = node.children;
  if (only?.type === 'image' && others.length === 0) return imagesIn(node);
  if (only?.type === 'link' && others.length === 0)
    return [{ category: 'link', content: { text: textIn(only), url: only.url } }, ...imagesIn(only)];
  const text = written(node, source);
  const formula = /^\$\$([\s\S]+)\$\$$/.exec(text.trim());
  if (formula) return [{ category: 'formula', content: { expression: (formula[1] ?? '').trim() } }];
  return [{ category: 'text', content: { text } }, ...imagesIn(node)];
}

function itemOf(item: Nodes, source: string): string {
  const [first = '', ...others] = written(item, source).split(/\r?\n/);
  const mark = /^(?:[-*+]|\d+[.)])\s+/.exec(first)?.[0] ?? '';
  const least = Math.min(
    ...others.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  return [first.slice(mark.length), ...others.map((line) => line.slice(Math.min(least, line.length)))].join(
    '\n',
  );
}
const cellOf = (cell: Nodes & Parent, source: string): string => {
  const [first, last] = [
    cell.children[0]?.position?.start.offset,
    cell.children.at(-1)?.position?.end.offset,
  ];
  return first === undefined || last === undefined
    ? ''
    : source
        .slice(first, last)
        .replaceAll('\\|', '|')
        .replace(/<br\s*\/?>/gi, '\n');
};

const written = (node: Nodes, source: string): string =>
  source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
const textIn = (node: Nodes): string => {
  if ('value' in node) return node.value;
  if ('alt' in node) return node.alt ?? '';
  return 'children' in node ? node.children.map((each) => textIn(each)).join('') : '';
};
function imagesIn(node: Nodes): Draft[] {
  if (node.type === 'image') return [{ category: 'image', content: { alt: node.alt ?? '', url: node.url } }];
  return 'children' in node ? node.children.flatMap((each) => imagesIn(each)) : [];
}
