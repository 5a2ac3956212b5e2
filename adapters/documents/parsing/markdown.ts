import type { Nodes, Parent, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { inSections, pagesOf, type Draft } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';

/** Reads Markdown with the GitHub extensions, divided into sections at headings of the first two levels. */
export const readMarkdown = textReader((source, { name }) => {
  const { front, body } = withoutFront(source);
  const root = fromMarkdown(body, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const drafts = root.children.flatMap((node) => draftsOf(node, body));
  const first = drafts.find(({ category }) => category === 'heading')?.content['text'];
  const title = front['title'] ?? (typeof first === 'string' ? first : undefined);
  const keywords = front['keywords'] ?? front['tags'];
  const summary = front['description'] ?? front['summary'];
  return {
    ...(title !== undefined && { title }),
    ...(summary !== undefined && { summary }),
    ...(keywords !== undefined && { keywords: wordsOf(keywords) }),
    ...pagesOf(inSections(drafts, title ?? name)),
  };
});

/** Separates the front matter from the body and reads its lines `key: value`; nested values are ignored. */
function withoutFront(source: string): { front: Readonly<Record<string, string>>; body: string } {
  const found = /^\uFEFF?---\r?\n([\s\S]{0,20000}?)\r?\n---\r?\n/.exec(source);
  if (!found) return { front: {}, body: source };
  const lines = (found[1] ?? '').split(/\r?\n/).map((line) => /^(\w+):\s*(\S.*)$/.exec(line));
  const pairs = lines.flatMap((pair) =>
    pair ? [[pair[1] ?? '', (pair[2] ?? '').replace(/^(["'])(.*)\1$/, '$2')]] : [],
  );
  return { front: Object.fromEntries(pairs) as Record<string, string>, body: source.slice(found[0].length) };
}
const wordsOf = (text: string): string[] =>
  text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((each) => each.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter(Boolean);

function draftsOf(node: RootContent, source: string): Draft[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other kinds stand within a paragraph
  switch (node.type) {
    case 'heading':
      return [{ category: 'heading', content: { text: textIn(node), level: node.depth } }, ...imagesIn(node)];
    case 'paragraph':
      return paragraph(node, source);
    case 'list': {
      const items = node.children.map((item) => written(item, source).replace(/^(?:[-*+]|\d+[.)])\s+/, ''));
      return [{ category: 'list', content: { items, ordered: node.ordered === true } }, ...imagesIn(node)];
    }
    case 'code':
      return node.lang === 'math'
        ? [{ category: 'formula', content: { expression: node.value } }]
        : [{ category: 'code', content: { text: node.value, ...(node.lang && { language: node.lang }) } }];
    case 'table': {
      const [columns = [], ...rows] = node.children.map((row) => row.children.map((each) => textIn(each)));
      return [{ category: 'table', content: { columns, rows } }];
    }
    case 'blockquote':
      return node.children.flatMap((each) => draftsOf(each, source));
    case 'thematicBreak':
      return [{ category: 'separator', content: {} }];
    case 'html':
      return node.value.startsWith('<!--')
        ? []
        : [{ category: 'code', content: { text: node.value, language: 'html' } }];
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
  const links = node.children.flatMap((each) =>
    each.type === 'link' ? [{ text: textIn(each), url: each.url }] : [],
  );
  return [{ category: 'text', content: { text, ...(links.length > 0 && { links }) } }, ...imagesIn(node)];
}

/** Source text of a Markdown node, as written in the file. */
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
