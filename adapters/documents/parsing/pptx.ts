import { pagesOf, type Draft, type DraftPage } from '../../../machines/documents.ts';
import {
  chartOf,
  childElements,
  diagramOf,
  elements,
  openOfficeFile,
  propertiesOf,
  textIn,
  type OfficeFile,
} from './office-file.ts';
import { equationText, mathNodeOf } from './equations.ts';
import { headingIn, linkText, toldOf, type Reader } from './reader.ts';

export const readPptx: Reader = ({ bytes }) => {
  const file = openOfficeFile(bytes, 'pptx');
  const [root, relations] = [file.xml(file.main), file.relations(file.main)];
  const names = (root ? elements(root, 'sldId') : []).flatMap((slide) => {
    const target = relations.get(slide.getAttribute('r:id') ?? '')?.target;
    return target === undefined ? [] : [target];
  });
  const pages = names.map((name, at) => slideOf(file, name, at));
  return Promise.resolve({
    ...toldOf({ title: pages[0]?.title, ...propertiesOf(file) }),
    ...pagesOf(pages),
  });
};

function slideOf(file: OfficeFile, name: string, at: number): DraftPage {
  const slide = file.xml(name);
  const relations = file.relations(name);
  const [tree] = slide ? elements(slide, 'spTree') : [];
  const drafts = tree ? shapesIn(tree).flatMap((shape) => draftsOf(shape, file, relations)) : [];
  const notes = [...relations.values()]
    .filter(({ type }) => type === 'notesSlide')
    .flatMap(({ target }) => notesIn(file, target));
  const title = headingIn(drafts) ?? `Slide ${at + 1}`;
  return { title, drafts: [...drafts, ...notes, ...commentsOn(file, relations)] };
}

/** From back to front. Of alternative forms the first with text counts, else the last one. */
const shapesIn = (tree: Element): Element[] =>
  childElements(tree).flatMap((each) => {
    if (each.localName === 'grpSp') return shapesIn(each);
    if (each.localName !== 'AlternateContent') return [each];
    const forms = childElements(each);
    const form = forms.find((one) => elements(one, 't').length > 0) ?? forms.at(-1);
    return form ? shapesIn(form) : [];
  });

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
  const tables = elements(shape, 'tbl').map((table) => tableOf(table, relations));
  const charts = elements(shape, 'chart').flatMap((each) => {
    const target = relations.get(each.getAttribute('r:id') ?? '')?.target;
    return (target !== undefined && chartOf(file, target)) || [];
  });
  const diagrams = elements(shape, 'relIds').flatMap((each) => {
    const target = relations.get(each.getAttribute('r:dm') ?? '')?.target;
    return (target !== undefined && diagramOf(file, target)) || [];
  });
  return [...tables, ...charts, ...diagrams];
}
function paragraphText(paragraph: Element, relations?: Relations): string {
  return childElements(paragraph)
    .map((each) => {
      if (each.localName === 'br') return '\n';
      if (each.localName === 'AlternateContent' || each.localName === 'm')
        return (
          elements(each, 'oMath')
            .map((equation) => `$${equationText(mathNodeOf(equation))}$`)
            .join(' ') || textIn(each)
        );
      if (each.localName !== 'r' && each.localName !== 'fld') return '';
      const [link] = elements(each, 'hlinkClick');
      return linkText(textIn(each), relations?.get(link?.getAttribute('r:id') ?? '')?.target);
    })
    .join('');
}
const paragraphsIn = (shape: Element, relations?: Relations): string[] =>
  elements(shape, 'p')
    .map((each) => paragraphText(each, relations))
    .filter((text) => text.trim() !== '');

function itemsIn(shape: Element, relations: Relations): string[] {
  const items: string[] = [];
  for (const each of elements(shape, 'p')) {
    const text = paragraphText(each, relations);
    if (text.trim() === '') continue;
    const [properties] = childElements(each).filter(({ localName }) => localName === 'pPr');
    const level = Number(properties?.getAttribute('lvl') ?? 0) || 0;
    const before = items.at(-1);
    if (level === 0 || before === undefined) items.push(text);
    else items[items.length - 1] = `${before}\n${'  '.repeat(level - 1)}- ${text.replaceAll('\n', ' ')}`;
  }
  return items;
}

function textsOf(shape: Element, relations: Relations): Draft[] {
  const paragraphs = paragraphsIn(shape, relations);
  const kind = elements(shape, 'ph')[0]?.getAttribute('type') ?? '';
  const isPlaceholder = elements(shape, 'ph').length > 0;
  if (paragraphs.length === 0) return [];
  if (/^(title|ctrTitle)$/.test(kind)) return [headingOf(shape, 1)];
  if (kind === 'subTitle') return [headingOf(shape, 2)];
  if (/^(ftr|dt|sldNum)$/.test(kind))
    return [{ category: 'footer', content: { text: paragraphs.join(' ') } }];
  return isPlaceholder && paragraphs.length > 1
    ? [{ category: 'list', content: { items: itemsIn(shape, relations), ordered: false } }]
    : [{ category: 'text', content: { text: paragraphs.join('\n') } }];
}
const headingOf = (shape: Element, level: number): Draft => ({
  category: 'heading',
  content: { text: paragraphsIn(shape).join(' ').replace(/\s+/g, ' '), level },
});
/** The text of a merged cell is repeated in the cells that it covers. */
function tableOf(table: Element, relations: Relations): Draft {
  const lines: string[][] = [];
  for (const row of elements(table, 'tr')) {
    const line: string[] = [];
    for (const cell of elements(row, 'tc')) {
      const is = (key: string): boolean => /^(1|true)$/.test(cell.getAttribute(key) ?? '');
      if (is('vMerge')) line.push(lines.at(-1)?.[line.length] ?? '');
      else if (is('hMerge')) line.push(line.at(-1) ?? '');
      else line.push(paragraphsIn(cell, relations).join('\n'));
    }
    lines.push(line);
  }
  const [columns = [], ...rows] = lines;
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

/** In the format of PowerPoint up to 2019 or that of Microsoft 365. */
function commentsOn(file: OfficeFile, relations: Relations): Draft[] {
  const authors = new Map<string, string>();
  for (const { type, target } of file.relations(file.main).values())
    if (/^(commentAuthors|authors)$/.test(type)) {
      const root = file.xml(target);
      for (const each of root ? [...elements(root, 'cmAuthor'), ...elements(root, 'author')] : [])
        authors.set(each.getAttribute('id') ?? '', each.getAttribute('name') ?? '');
    }
  return [...relations.values()]
    .filter(({ type }) => type === 'comments')
    .flatMap(({ target }) => {
      const root = file.xml(target);
      return root ? [...elements(root, 'cm'), ...elements(root, 'reply')] : [];
    })
    .flatMap((comment): Draft[] => {
      const [body] = childElements(comment).filter(({ localName }) =>
        /^(text|txBody)$/.test(localName ?? ''),
      );
      const text =
        body?.localName === 'text' ? (body.textContent ?? '') : body ? paragraphsIn(body).join('\n') : '';
      const author = authors.get(comment.getAttribute('authorId') ?? '');
      const content = { text, kind: 'comment', ...(author !== undefined && { author }) };
      return text === '' ? [] : [{ category: 'annotation', content }];
    });
}
