import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { inSections, pagesOf, type Draft, type DraftDocument } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';

/** Reads HTML, divided into sections at headings of the first two levels. Scripts are neither run nor shown. */
export const readHtml = textReader((text, { name }) => documentOfHtml(text, name));

export function documentOfHtml(source: string, name: string): DraftDocument {
  const root = parse(source);
  const found: Found = { drafts: [], title: undefined, meta: {} };
  walk(root, found, 0);
  flush(found);
  const first = found.drafts.find(({ category }) => category === 'heading')?.content['text'];
  const title = found.title ?? (typeof first === 'string' ? first : undefined);
  const { keywords, description } = found.meta;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { summary: description }),
    ...(keywords !== undefined && {
      keywords: keywords
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    }),
    ...pagesOf(inSections(found.drafts, title ?? name)),
  };
}

interface Found {
  drafts: Draft[];
  title: string | undefined;
  meta: Record<string, string>;
  /** Text between block elements that has not become a paragraph yet. */
  open?: string;
}
const deepest = 400;
const silent = new Set(['script', 'style', 'noscript', 'template', 'svg']);
const blocks = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure main nav p section summary html head document footer header form'.split(
    ' ',
  ),
);
const isElement = (node: Tree.Node): node is Tree.Element => 'tagName' in node;
const childrenOf = (node: Tree.Node): readonly Tree.Node[] => ('childNodes' in node ? node.childNodes : []);
const attribute = (node: Tree.Element, key: string): string | undefined =>
  node.attrs.find(({ name }) => name === key)?.value;
const all = (node: Tree.Node, tag: string): Tree.Element[] =>
  childrenOf(node).flatMap((each) => [
    ...(isElement(each) && each.tagName === tag ? [each] : []),
    ...all(each, tag),
  ]);

export function textOf(node: Tree.Node): string {
  if (node.nodeName === '#text') return (node as Tree.TextNode).value;
  if (isElement(node) && silent.has(node.tagName)) return '';
  if (isElement(node) && node.tagName === 'br') return '\n';
  return childrenOf(node)
    .map((each) => textOf(each))
    .join('');
}
const tidy = (text: string): string =>
  text
    .replace(/[ \t\r\f]*\n[\s]*/g, '\n')
    .replace(/[ \t\u00a0]+/g, ' ')
    .trim();

function flush(found: Found): void {
  const text = tidy((found.open ?? '').replaceAll('\n', ' '));
  found.open = '';
  if (text !== '') found.drafts.push({ category: 'text', content: { text } });
}
function walk(node: Tree.Node, found: Found, depth: number): void {
  if (depth > deepest) return;
  if (node.nodeName === '#text') found.open = (found.open ?? '') + (node as Tree.TextNode).value;
  else if (!isElement(node)) for (const each of childrenOf(node)) walk(each, found, depth + 1);
  else if (node.tagName === 'title') found.title ??= tidy(textOf(node)) || undefined;
  else if (node.tagName === 'meta') remember(node, found);
  else if (!silent.has(node.tagName)) walkElement(node, found, depth);
}
function remember(node: Tree.Element, found: Found): void {
  const [name, content] = [attribute(node, 'name')?.toLowerCase(), attribute(node, 'content')];
  if (name !== undefined && content !== undefined) found.meta[name] ??= content;
}
function walkElement(node: Tree.Element, found: Found, depth: number): void {
  const drafts = draftsOf(node);
  if (drafts) {
    flush(found);
    found.drafts.push(...drafts);
    return;
  }
  const isBlock = blocks.has(node.tagName);
  if (isBlock) flush(found);
  const links = node.tagName === 'p' ? linksIn(node) : [];
  const before = found.drafts.length;
  for (const each of childrenOf(node)) walk(each, found, depth + 1);
  if (isBlock) flush(found);
  const last = found.drafts.at(-1);
  if (links.length > 0 && found.drafts.length > before && last?.category === 'text')
    found.drafts[found.drafts.length - 1] = { ...last, content: { ...last.content, links } };
}
const linksIn = (node: Tree.Node): object[] =>
  all(node, 'a').flatMap((each) => {
    const url = attribute(each, 'href');
    return url === undefined ? [] : [{ text: tidy(textOf(each)), url }];
  });

/** Converts an HTML element to document elements; undefined when its children should be visited instead. */
function draftsOf(node: Tree.Element): Draft[] | undefined {
  const tag = node.tagName;
  if (/^h[1-6]$/.test(tag)) {
    const text = tidy(textOf(node));
    return text === '' ? [] : [{ category: 'heading', content: { text, level: Number(tag[1]) } }];
  }
  switch (tag) {
    case 'ul':
    case 'ol': {
      const entries = childrenOf(node).filter((each) => isElement(each) && each.tagName === 'li');
      if (entries.length > 0 && entries.every(isNote)) return entries.map(noteOf);
      const items = entries.map((each) => tidy(textOf(each)));
      return [{ category: 'list', content: { items, ordered: tag === 'ol' } }, ...imagesIn(node)];
    }
    case 'table':
      return [tableOf(node), ...imagesIn(node)];
    case 'pre':
      return [{ category: 'code', content: { text: textOf(node).replace(/\n$/, '') } }];
    case 'img':
      return [imageOf(node)];
    case 'hr':
      return [{ category: 'separator', content: {} }];
    case 'math':
      return [
        { category: 'formula', content: { expression: attribute(node, 'alttext') ?? tidy(textOf(node)) } },
      ];
    case 'audio':
    case 'video':
      return [
        { category: tag, content: { url: attribute(node, 'src') ?? '' }, summary: tidy(textOf(node)) || tag },
      ];
    default:
      return undefined;
  }
}
/** Tells whether a list item is a footnote, as mammoth writes them for DOCX: in a list at the end, with an arrow back. */
const isNote = (node: Tree.Node): boolean =>
  isElement(node) && /^(foot|end)note-/.test(attribute(node, 'id') ?? '');
const noteOf = (node: Tree.Node): Draft => ({
  category: 'annotation',
  content: { text: tidy(textOf(node)).replace(/\s*↑$/, '') },
});
const imagesIn = (node: Tree.Node): Draft[] => all(node, 'img').map(imageOf);
function imageOf(node: Tree.Element): Draft {
  const [alt, url = ''] = [attribute(node, 'alt') ?? '', attribute(node, 'src')];
  // Keeps only the description of an embedded image, because image data in an attribute is useless to a reader.
  return { category: 'image', content: /^(data|embedded):/.test(url) ? { description: alt } : { alt, url } };
}
function tableOf(node: Tree.Element): Draft {
  const rows = all(node, 'tr').map((row) =>
    childrenOf(row)
      .filter((each): each is Tree.Element => isElement(each) && /^t[hd]$/.test(each.tagName))
      .map((each) => tidy(textOf(each)).replaceAll('\n', ' ')),
  );
  const [columns = [], ...rest] = rows.filter((row) => row.length > 0);
  const [caption] = all(node, 'caption').map((each) => tidy(textOf(each)));
  return { category: 'table', content: { columns, rows: rest }, ...(caption && { summary: caption }) };
}
