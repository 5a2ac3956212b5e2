import { pagesOf, type Draft } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';

const paragraphsPerPage = 100;
const charsPerPage = 64 * 1024;

/** Reads plain text as paragraphs separated by empty lines: a hundred on a page, fewer when they are long. */
export const readPlain = textReader((source, { name }) => {
  const paragraphs = source
    .split(/\r?\n[ \t]*(?:\r?\n[ \t]*)+/)
    .map((text) => text.replace(/^\s*\n|\s+$/g, ''))
    .filter((text) => text !== '')
    .flatMap(parts);
  const pages: { title: string; drafts: Draft[] }[] = [{ title: name, drafts: [] }];
  let chars = 0;
  for (const [at, text] of paragraphs.entries()) {
    let page = pages.at(-1);
    const isFull =
      (page?.drafts.length ?? 0) >= paragraphsPerPage || (chars > 0 && chars + text.length > charsPerPage);
    if (!page || isFull) {
      page = { title: `${name}, from paragraph ${at + 1}`, drafts: [] };
      pages.push(page);
      chars = 0;
    }
    chars += text.length;
    page.drafts.push({ category: 'text', content: { text } });
  }
  return pagesOf(pages);
});

/** Divides a paragraph that is longer than a page, at the end of a line or a word where there is one. */
function parts(text: string): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > charsPerPage) {
    const room = rest.slice(0, charsPerPage);
    const end = Math.max(room.lastIndexOf('\n'), room.lastIndexOf(' '));
    const isPair = /[\ud800-\udbff]$/.test(room);
    const at = end > 0 ? end + 1 : charsPerPage - (isPair ? 1 : 0);
    found.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at);
  }
  return [...found, rest];
}
