import { Marked, type Token, type Tokens } from 'marked';
import { parseFragment } from 'parse5';
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

interface Footnote extends Tokens.Generic {
  readonly name: string;
}
/** `[^name]: text`, with the lines that go on with it. */
const footnote = /^\[\^([^\]\s]{1,200})\]:[ \t]*([^\n]*(?:\n(?!\[\^|[ \t]*\n)[^\n]+)*)(?:\n+|$)/;
const marked = new Marked({
  extensions: [
    {
      name: 'footnote',
      level: 'block',
      start: (source) => /^\[\^/m.exec(source)?.index,
      tokenizer(source) {
        const [raw, name = '', text = ''] = footnote.exec(source) ?? [];
        return raw === undefined
          ? undefined
          : { type: 'footnote', raw, name, tokens: this.lexer.inlineTokens(text) };
      },
    },
  ],
});
export const draftsOfMarkdown = (source: string): Draft[] => marked.lexer(source).flatMap(draftsOf);

/** Nested values are ignored. */
function withoutFront(source: string): { front: Readonly<Record<string, string>>; body: string } {
  const found = /^\uFEFF?---\r?\n([\s\S]{0,20000}?)\r?\n---\r?\n/.exec(source);
  if (!found) return { front: {}, body: source };
  const lines = (found[1] ?? '').split(/\r?\n/).map((line) => /^(\w+):\s*(\S.*)$/.exec(line));
  const pairs = lines.flatMap((pair) => (pair ? [[pair[1] ?? '', unquoted(pair[2] ?? '')]] : []));
  return { front: Object.fromEntries(pairs) as Record<string, string>, body: source.slice(found[0].length) };
}
function draftsOf(token: Token): Draft[] {
  switch (token.type) {
    case 'heading': {
      const { depth: level } = token as Tokens.Heading;
      return [{ category: 'heading', content: { text: textIn(token), level } }, ...imagesIn(token)];
    }
    case 'paragraph':
    case 'text':
      return paragraph(token as Tokens.Paragraph);
    case 'list': {
      const { items, ordered, start } = token as Tokens.List;
      const from = ordered && start !== 1 ? { start } : {};
      const content = { items: items.map(({ raw }) => itemOf(raw)), ordered, ...from };
      return [{ category: 'list', content }, ...imagesIn(token)];
    }
    case 'code': {
      const { text, lang: info = '' } = token as Tokens.Code;
      const [language = ''] = info.split(/\s/);
      return language === 'math'
        ? [{ category: 'formula', content: { expression: text } }]
        : [{ category: 'code', content: { text, ...(language !== '' && { language }) } }];
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const [columns = [], ...others] = [header, ...rows].map((row) => row.map(({ text }) => cellOf(text)));
      return [{ category: 'table', content: { columns, rows: others } }, ...imagesIn(token)];
    }
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens.flatMap(draftsOf);
    case 'hr':
      return [{ category: 'separator', content: {} }];
    case 'html':
      return draftsOfHtml(token.raw).drafts;
    case 'footnote':
      return [{ category: 'annotation', content: { text: textIn(token), name: (token as Footnote).name } }];
    case 'def': {
      const { href: url, raw, tag } = token as Tokens.Def;
      return [{ category: 'link', content: { text: /\[([^\]]+)\]/.exec(raw)?.[1] ?? tag, url } }];
    }
    default:
      return [];
  }
}

function paragraph(token: Tokens.Paragraph): Draft[] {
  const text = token.text.trim();
  const [only, ...others] = token.tokens;
  if (only?.type === 'image' && others.length === 0) return imagesIn(token);
  if (only?.type === 'link' && others.length === 0)
    return [
      { category: 'link', content: { text: textIn(only), url: (only as Tokens.Link).href } },
      ...imagesIn(only),
    ];
  const formula = /^\$\$([\s\S]+)\$\$$/.exec(text);
  if (formula) return [{ category: 'formula', content: { expression: (formula[1] ?? '').trim() } }];
  return [{ category: 'text', content: { text } }, ...imagesIn(token)];
}

function itemOf(raw: string): string {
  const [first = '', ...others] = raw.trim().split(/\r?\n/);
  const mark = /^(?:[-*+]|\d+[.)])\s+/.exec(first)?.[0] ?? '';
  const least = Math.min(
    ...others.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  return [first.slice(mark.length), ...others.map((line) => line.slice(Math.min(least, line.length)))].join(
    '\n',
  );
}
const cellOf = (text: string): string => text.replace(/<br\s*\/?>/gi, '\n');

const childrenOf = (token: Token): readonly Token[] => {
  if (token.type === 'list') return (token as Tokens.List).items;
  if (token.type !== 'table') return ('tokens' in token && token.tokens) || [];
  const { header, rows } = token as Tokens.Table;
  return [...header, ...rows.flat()].flatMap(({ tokens }) => tokens);
};
const withoutEntities = (text: string): string =>
  text.includes('&')
    ? parseFragment(text)
        .childNodes.map((node) => ('value' in node ? node.value : ''))
        .join('')
    : text;
const textIn = (token: Token): string => {
  const children = childrenOf(token);
  if (children.length > 0) return children.map(textIn).join('');
  if (token.type === 'text') return withoutEntities(token.raw);
  return 'text' in token ? String(token.text) : token.type === 'html' ? token.raw : '';
};
function imagesIn(token: Token): Draft[] {
  if (token.type !== 'image') return childrenOf(token).flatMap(imagesIn);
  const { text: alt, href: url } = token as Tokens.Image;
  return [{ category: 'image', content: { alt, url } }];
}
