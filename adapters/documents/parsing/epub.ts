import type { DraftPage } from '../../../machines/documents.ts';
import { pagesOf } from '../../../machines/documents.ts';
import { draftsOfHtml, plainText } from './html.ts';
import { elements, openArchive, resolved } from './office-file.ts';
import { headingIn, toldOf, Unreadable, type Reader } from './reader.ts';

export const readEpub: Reader = ({ bytes }) => {
  const archive = openArchive(bytes, 'EPUB');
  const container = archive.xml('META-INF/container.xml');
  const path = (container ? elements(container, 'rootfile') : [])[0]?.getAttribute('full-path') ?? '';
  const book = archive.xml(path);
  if (!book) throw new Unreadable('it is not a whole EPUB: its list of files is missing');
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const files = new Map(
    elements(book, 'item').map((item) => [
      item.getAttribute('id') ?? '',
      resolved(folder, decoded(item.getAttribute('href') ?? '')),
    ]),
  );
  const locked = archive.text('META-INF/encryption.xml') ?? '';
  const pages = elements(book, 'itemref').flatMap((reference, at): DraftPage[] => {
    const name = files.get(reference.getAttribute('idref') ?? '') ?? '';
    if (locked.includes(`URI="${name}"`))
      throw new Unreadable('it is encrypted: only the program of its shop reads it');
    const text = archive.text(name);
    if (text === undefined) return [];
    const { drafts, title } = draftsOfHtml(asHtml(text));
    return [{ title: headingIn(drafts) ?? title ?? `Part ${at + 1}`, drafts }];
  });
  const said = (name: string): string[] =>
    elements(book, name).flatMap((each) => (each.textContent ?? '').trim() || []);
  const [[title], [summary], keywords] = [said('title'), said('description'), said('subject')];
  const about = summary && plainText(draftsOfHtml(summary).drafts);
  return Promise.resolve({ ...toldOf({ title, summary: about, keywords }), ...pagesOf(pages) });
};

const empty = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;
/** An element such as `<title/>` gets an end tag, unless HTML allows no content in it. */
const asHtml = (text: string): string =>
  text.replace(/<([A-Za-z][\w:-]*)((?:\s[^<>]*)?)\/>/g, (whole, tag: string, attributes: string) =>
    empty.test(tag) ? whole : `<${tag}${attributes}></${tag}>`,
  );
const decoded = (href: string): string => {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
};
