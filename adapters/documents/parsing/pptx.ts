import type { Draft, DraftPage } from '../../../machines/documents.ts';
import {
  chartOf,
  childElements,
  elements,
  openOfficeFile,
  propertiesOf,
  textIn,
  type OfficeFile,
} from './office-file.ts';
import type { Reader } from './reader.ts';

/** Reads PPTX as one page per slide, in the order of the presentation, with the speaker notes as an annotation. */
export const readPptx: Reader = ({ bytes }) => {
  const main = 'ppt/presentation.xml';
  const file = openOfficeFile(bytes, main);
  const [root, relations] = [file.xml(main), file.relations(main)];
  const names = (root ? elements(root, 'sldId') : []).flatMap((slide) => {
    const target = relations.get(slide.getAttribute('r:id') ?? '')?.target;
    return target === undefined ? [] : [target];
  });
  const pages = names.map((name, at) => slideOf(file, name, at));
  const properties = propertiesOf(file);
  const title = properties.title ?? pages[0]?.title;
  return Promise.resolve({
    ...properties,
    ...(title !== undefined && { title }),
    pageCount: pages.length,
    pages: Object.fromEntries(pages.entries()),
  });
};

function slideOf(file: OfficeFile, name: string, at: number): DraftPage {
  const slide = file.xml(name);
  const relations = file.relations(name);
  const [tree] = slide ? elements(slide, 'spTree') : [];
  const drafts = tree ? shapesIn(tree).flatMap((shape) => draftsOf(shape, file, relations)) : [];
  const heading = drafts.find(({ category }) => category === 'heading')?.content['text'];
  const notes = [...relations.values()]
    .filter(({ type }) => type === 'notesSlide')
    .flatMap(({ target }) => notesIn(file, target));
  return { title: typeof heading === 'string' ? heading : `Slide ${at + 1}`, drafts: [...drafts, ...notes] };
}

/** Shapes of a slide, with groups expanded, in file order, which is from back to front. */
const shapesIn = (tree: Element): Element[] =>
  childElements(tree).flatMap((each) => (each.localName === 'grpSp' ? shapesIn(each) : [each]));

type Relations = ReturnType<OfficeFile['relations']>;
function draftsOf(shape: Element, file: OfficeFile, relations: Relations): Draft[] {
  if (shape.localName === 'sp') return textsOf(shape, relations);
  if (shape.localName === 'pic') {
    const description = elements(shape, 'cNvPr')[0]?.getAttribute('descr') ?? '';
    const isVideo = elements(shape, 'videoFile').length > 0;
    return [
      isVideo
        ? { category: 'video', content: { description } }
        : { category: 'image', content: { description } },
    ];
  }
  if (shape.localName !== 'graphicFrame') return [];
  const tables = elements(shape, 'tbl').map(tableOf);
  const charts = elements(shape, 'chart').flatMap((each) => {
    const target = relations.get(each.getAttribute('r:id') ?? '')?.target;
    return (target !== undefined && chartOf(file, target)) || [];
  });
  return [...tables, ...charts];
}
const paragraphsIn = (shape: Element): string[] =>
  elements(shape, 'p')
    .map((each) => textIn(each))
    .filter((text) => text.trim() !== '');

function textsOf(shape: Element, relations: Relations): Draft[] {
  const paragraphs = paragraphsIn(shape);
  const kind = elements(shape, 'ph')[0]?.getAttribute('type') ?? '';
  const isPlaceholder = elements(shape, 'ph').length > 0;
  if (paragraphs.length === 0) return [];
  if (/^(title|ctrTitle)$/.test(kind))
    return [{ category: 'heading', content: { text: paragraphs.join(' '), level: 1 } }];
  if (kind === 'subTitle')
    return [{ category: 'heading', content: { text: paragraphs.join(' '), level: 2 } }];
  if (/^(ftr|dt|sldNum)$/.test(kind))
    return [{ category: 'footer', content: { text: paragraphs.join(' ') } }];
  const links = elements(shape, 'hlinkClick').flatMap((each) => {
    const url = relations.get(each.getAttribute('r:id') ?? '')?.target;
    const run = each.parentNode?.parentNode as Element | null;
    return url === undefined ? [] : [{ text: run ? textIn(run) : url, url }];
  });
  const more = links.length > 0 ? { links } : {};
  return isPlaceholder && paragraphs.length > 1
    ? [{ category: 'list', content: { items: paragraphs, ordered: false, ...more } }]
    : [{ category: 'text', content: { text: paragraphs.join('\n'), ...more } }];
}
function tableOf(table: Element): Draft {
  const [columns = [], ...rows] = elements(table, 'tr').map((row) =>
    elements(row, 'tc').map((each) => paragraphsIn(each).join(' ')),
  );
  return { category: 'table', content: { columns, rows } };
}
function notesIn(file: OfficeFile, name: string): Draft[] {
  const notes = file.xml(name);
  const body = (notes ? elements(notes, 'sp') : []).find(
    (each) => elements(each, 'ph')[0]?.getAttribute('type') === 'body',
  );
  const text = body ? paragraphsIn(body).join('\n') : '';
  return text === '' ? [] : [{ category: 'annotation', content: { text, kind: 'notes' } }];
}
