import { XMLSerializer } from '@xmldom/xmldom';
import mammoth from 'mammoth';
import { formatOf, type Draft } from '../../../machines/documents.ts';
import { equationText, mathNodeOf } from './equations.ts';
import {
  ancestor,
  chartOf,
  diagramOf,
  elements,
  openOfficeFile,
  parseXml,
  propertiesOf,
  textIn,
  type OfficeFile,
} from './office-file.ts';
import { draftsOfHtml } from './html.ts';
import { documentOf, headingIn, type Reader } from './reader.ts';
import { readers } from './readers.ts';

/** mammoth reads the text; what it does not know is put into its input in a form that it knows. */
export const readDocx: Reader = async ({ bytes, name, fileType }) => {
  const file = openOfficeFile(bytes, 'docx');
  const parts: Part[] = [];
  const mended = file.packed((part, text) =>
    strange.test(text) && (part === file.main || part.endsWith('notes.xml'))
      ? mendedXml(file, parseXml(text, part), parts)
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
  const kept = await Promise.all(parts.map((part) => part(fileType !== chunk)));
  const body = withParts(draftsOfHtml(value).drafts, kept).map(withAuthor(file));
  const drafts = [...aroundPages(file, 'header'), ...body, ...aroundPages(file, 'footer')];
  const title = properties.title ?? headingIn(body);
  return documentOf(drafts, name, { ...properties, title });
};

/** What mammoth does not read. */
const strange = /<m:oMath|<mc:AlternateContent|<w:(?:drawing|ruby|ddList|altChunk)/;
/** In the private use area of Unicode. */
const [partBegins, partEnds] = ['\ue000', '\ue001'];
/** Drafts that stand where mammoth reads nothing. */
type Part = (isOuter: boolean) => Promise<readonly Draft[]>;
/** File type of a document within a document, which has no more of them within. */
const chunk = 'chunk';
async function chunkOf(file: OfficeFile, name: string): Promise<readonly Draft[]> {
  const [bytes, format] = [file.bytes(name), formatOf(name)];
  if (!bytes || format === undefined) return [];
  const reader = await readers[format]();
  const { pages } = await reader({ bytes, name, fileType: chunk, from: 0, to: Infinity });
  return Object.values(pages).flatMap(({ drafts }) => drafts);
}
const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

const textOf = (equation: Element): string => equationText(mathNodeOf(equation));
function mendedXml(file: OfficeFile, document: Document, parts: Part[]): string {
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
  const mark = (part: Part): Element => run(`${partBegins}${parts.push(part) - 1}${partEnds}`);
  for (const each of elements(document, 'altChunk')) {
    const { target = '' } = relations.get(each.getAttribute('r:id') ?? '') ?? {};
    const paragraph = document.createElementNS(wordNamespace, 'w:p');
    // A broken one is left out.
    paragraph.appendChild(mark(async (isOuter) => (isOuter ? chunkOf(file, target).catch(() => []) : [])));
    replace(each, paragraph);
  }
  for (const each of elements(document, 'ruby')) {
    const said = (name: string): string => textIn(elements(each, name)[0] ?? each);
    replace(each, elements(run(`${said('rubyBase')}(${said('rt')})`), 't')[0] ?? each);
  }
  for (const each of elements(document, 'ddList')) {
    const [chosen] = [...elements(each, 'result'), ...elements(each, 'default')];
    const entry = elements(each, 'listEntry')[Number(chosen?.getAttribute('w:val') ?? 0)];
    const field = ancestor(each, 'r');
    field?.parentNode?.insertBefore(run(entry?.getAttribute('w:val') ?? ''), field);
  }
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
      const draft = chart === '' ? diagramOf(file, diagram) : chartOf(file, chart);
      replace(
        outer,
        mark(() => Promise.resolve(draft ? [draft] : [])),
      );
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

function withParts(drafts: readonly Draft[], parts: readonly (readonly Draft[])[]): Draft[] {
  const mark = new RegExp(`${partBegins}(\\d+)${partEnds}`, 'g');
  return drafts.flatMap((draft) => {
    const written = JSON.stringify(draft.content);
    if (!written.includes(partBegins)) return [draft];
    const found = Array.from(written.matchAll(mark)).flatMap(([, at]) => parts[Number(at)] ?? []);
    const content = JSON.parse(written.replace(mark, '')) as Draft['content'];
    const isEmpty = draft.category === 'text' && String(content['text']).trim() === '';
    return [...(isEmpty ? [] : [{ ...draft, content }]), ...found];
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
