import { XMLSerializer } from '@xmldom/xmldom';
import mammoth from 'mammoth';
import { inSections, pagesOf, type Draft } from '../../../machines/documents.ts';
import { equationText, mathNodeOf } from './equations.ts';
import {
  ancestor,
  chartOf,
  diagramOf,
  elements,
  openOfficeFile,
  parseXml,
  propertiesOf,
  type OfficeFile,
} from './office-file.ts';
import { draftsOfHtml } from './html.ts';
import type { Reader } from './reader.ts';

/** mammoth reads the text; what it does not know is put into its input in a form that it knows. */
export const readDocx: Reader = async ({ bytes, name }) => {
  const file = openOfficeFile(bytes, 'docx');
  const charts: (Draft | undefined)[] = [];
  const mended = file.packed((part, text) =>
    strange.test(text) && (part === file.main || part.endsWith('notes.xml'))
      ? mendedXml(file, parseXml(text, part), charts)
      : text,
  );
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(mended) },
    {
      // Only the type, because image data is not read.
      convertImage: mammoth.images.imgElement(({ contentType }) =>
        Promise.resolve({ src: `embedded:${contentType}` }),
      ),
      externalFileAccess: false,
      styleMap: [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => h3:fresh",
        'comment-reference => sup',
      ],
    },
  );
  const properties = propertiesOf(file);
  const body = withCharts(draftsOfHtml(value).drafts, charts).map(withAuthor(file));
  const drafts = [...aroundPages(file, 'header'), ...body, ...aroundPages(file, 'footer')];
  const first = body.find(({ category }) => category === 'heading')?.content['text'];
  const named = properties.title ?? (typeof first === 'string' ? first : undefined);
  return {
    ...(named !== undefined && { title: named }),
    ...properties,
    ...pagesOf(inSections(drafts, named ?? name)),
  };
};

/** What mammoth does not read: equations, alternative contents and drawings. */
const strange = /<m:oMath|<mc:AlternateContent|<w:drawing/;
/** In the private use area of Unicode. */
const [chartBegins, chartEnds] = ['\ue000', '\ue001'];
const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

const textOf = (equation: Element): string => equationText(mathNodeOf(equation));
function mendedXml(file: OfficeFile, document: Document, charts: (Draft | undefined)[]): string {
  const relations = file.relations(file.main);
  const run = (text: string): Element => {
    const [outer, inner] = [
      document.createElementNS(wordNamespace, 'w:r'),
      document.createElementNS(wordNamespace, 'w:t'),
    ];
    inner.appendChild(document.createTextNode(text));
    outer.appendChild(inner);
    return outer;
  };
  const replace = (old: Element, by: Element): void => void old.parentNode?.replaceChild(by, old);
  for (const each of elements(document, 'oMathPara'))
    replace(each, run(`$${elements(each, 'oMath').map(textOf).join('; ')}$`));
  for (const each of elements(document, 'oMath')) replace(each, run(`$${textOf(each)}$`));
  for (const drawing of elements(document, 'drawing')) {
    const target = (name: string, key: string): string => {
      const [found] = elements(drawing, name);
      return relations.get(found?.getAttribute(key) ?? '')?.target ?? '';
    };
    const [chart, diagram] = [target('chart', 'r:id'), target('relIds', 'r:dm')];
    const outer = ancestor(drawing, 'AlternateContent') ?? drawing;
    if (chart !== '' || diagram !== '') {
      charts.push(chart === '' ? diagramOf(file, diagram) : chartOf(file, chart));
      replace(outer, run(`${chartBegins}${charts.length - 1}${chartEnds}`));
      continue;
    }
    const boxes = elements(drawing, 'txbxContent');
    const isReadAnyway = elements(outer, 'Fallback').some((each) => elements(each, 'txbxContent').length > 0);
    if (boxes.length === 0 || isReadAnyway) continue;
    const picture = document.createElementNS(wordNamespace, 'w:pict');
    for (const box of boxes) picture.appendChild(box);
    replace(outer, picture);
  }
  return new XMLSerializer().serializeToString(document);
}

function withCharts(drafts: readonly Draft[], charts: readonly (Draft | undefined)[]): Draft[] {
  const mark = new RegExp(`${chartBegins}(\\d+)${chartEnds}`, 'g');
  return drafts.flatMap((draft) => {
    const written = JSON.stringify(draft.content);
    if (!written.includes(chartBegins)) return [draft];
    const found = Array.from(written.matchAll(mark), ([, at]) => charts[Number(at)]);
    const content = JSON.parse(written.replace(mark, '')) as Draft['content'];
    const isEmpty = draft.category === 'text' && String(content['text']).trim() === '';
    return [...(isEmpty ? [] : [{ ...draft, content }]), ...found.filter((each) => each !== undefined)];
  });
}

function withAuthor(file: OfficeFile): (draft: Draft) => Draft {
  const name = [...file.relations(file.main).values()].find(({ type }) => type === 'comments')?.target;
  const root = name === undefined ? undefined : file.xml(name);
  const authors = new Map(
    (root ? elements(root, 'comment') : []).map((each) => [
      each.getAttribute('w:id'),
      each.getAttribute('w:author'),
    ]),
  );
  return ({ metadata, ...draft }) => {
    if (draft.content['kind'] !== 'comment') return metadata ? { ...draft, metadata } : draft;
    const author = authors.get(String(metadata?.['id']));
    return author ? { ...draft, content: { ...draft.content, author } } : draft;
  };
}

const isPageNumber = (line: string): boolean => /^[\d\s/|.–-]*$/.test(line);
function aroundPages(file: OfficeFile, category: 'header' | 'footer'): Draft[] {
  const parts = [...file.relations(file.main).values()].filter(({ type }) => type === category);
  const texts = parts.map(({ target }) => {
    const root = file.xml(target);
    const lines = (root ? elements(root, 'p') : []).map((paragraph) =>
      elements(paragraph, '*')
        .map((each) =>
          each.localName === 't' ? (each.textContent ?? '') : each.localName === 'tab' ? ' ' : '',
        )
        .join('')
        .trim(),
    );
    return [...new Set(lines.filter((line) => !isPageNumber(line)))].join('\n');
  });
  return [...new Set(texts.filter((text) => text !== ''))].map((text) => ({
    category,
    content: { text },
  }));
}
