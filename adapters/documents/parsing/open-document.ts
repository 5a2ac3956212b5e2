/** Markdown of texts, tables and slides of LibreOffice (ODF). */
import { pagesOf, type Draft, type DraftPage } from '../../../machines/documents.ts';
import { equationText, mathNodeOf } from './equations.ts';
import { draftsOfHtml, plainText } from './html.ts';
import { ancestor, childElements, elements, openArchive } from './office-file.ts';
import { documentOf, headingIn, toldOf, Unreadable, type Reader } from './reader.ts';

type Archive = ReturnType<typeof openArchive>;
export function openOpenDocument(bytes: Uint8Array): Archive {
  const archive = openArchive(bytes, 'OpenDocument file');
  if ((archive.text('META-INF/manifest.xml') ?? '').includes('encryption-data'))
    throw new Unreadable('it is encrypted: it needs a password');
  return archive;
}

/** The content is converted to HTML, and the HTML reader makes the elements. */
export const readOdt: Reader = ({ bytes, name }) => {
  const { root, writer, properties } = contentOf(bytes, 'text');
  const { drafts } = draftsOfHtml(writer.children(root) + writer.notes());
  return Promise.resolve(documentOf(drafts, name, properties));
};

export const readOdp: Reader = ({ bytes }) => {
  const { root, writer, properties } = contentOf(bytes, 'presentation');
  const pages = childElements(root)
    .filter(({ localName }) => localName === 'page')
    .map((slide, at): DraftPage => {
      const { drafts } = draftsOfHtml(writer.children(slide) + writer.notes());
      const title = headingIn(drafts) ?? `Slide ${at + 1}`;
      return { title, drafts: [...drafts, ...speakerNotes(slide, writer)] };
    });
  return Promise.resolve({ ...toldOf({ title: pages[0]?.title, ...properties }), ...pagesOf(pages) });
};
function speakerNotes(slide: Element, writer: Writer): Draft[] {
  const [notes] = childElements(slide).filter(({ nodeName }) => nodeName === 'presentation:notes');
  const boxes = notes ? elements(notes, 'text-box') : [];
  const { drafts } = draftsOfHtml(boxes.map((box) => writer.children(box)).join(''));
  const text = plainText(drafts);
  return text.trim() === '' ? [] : [{ category: 'annotation', content: { text, kind: 'notes' } }];
}

type Properties = ReturnType<typeof toldOf>;
function contentOf(
  bytes: Uint8Array,
  kind: string,
): { root: Element; writer: Writer; properties: Properties } {
  const archive = openOpenDocument(bytes);
  const content = archive.xml('content.xml');
  const [body] = content ? elements(content, 'body') : [];
  const [root] = body ? childElements(body).filter(({ localName }) => localName === kind) : [];
  if (!content || !root) throw new Unreadable('it is an OpenDocument file of another kind');
  return { root, writer: new Writer(archive, content), properties: propertiesIn(archive.xml('meta.xml')) };
}
function propertiesIn(meta: Document | undefined): Properties {
  const said = (name: string): string[] =>
    (meta ? elements(meta, name) : []).flatMap((each) => (each.textContent ?? '').trim() || []);
  const [[title], [summary], keywords] = [said('title'), said('description'), said('keyword')];
  return toldOf({ title, summary, keywords: keywords.join(',') });
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const silent = new Set([
  'tracked-changes',
  'notes',
  'forms',
  'sequence-decls',
  'soft-page-break',
  'change',
  'change-start',
  'change-end',
]);
const most = 1000;

class Writer {
  readonly #archive: Archive;
  readonly #styles: ReadonlyMap<string, Element>;
  #notes: string[] = [];
  #comments: string[] = [];

  constructor(archive: Archive, content: Document) {
    this.#archive = archive;
    const more = archive.xml('styles.xml');
    const all = [content, ...(more ? [more] : [])].flatMap((root) => [
      ...elements(root, 'style'),
      ...elements(root, 'list-style'),
    ]);
    this.#styles = new Map(all.toReversed().map((style) => [style.getAttribute('style:name') ?? '', style]));
  }

  /** Those since the last call, in the HTML in which mammoth writes those of DOCX. */
  notes(): string {
    const notes = this.#notes.map((text, at) => `<li id="footnote-${at + 1}">${text}</li>`);
    const written = (notes.length > 0 ? `<ol>${notes.join('')}</ol>` : '') + this.#comments.join('');
    [this.#notes, this.#comments] = [[], []];
    return written;
  }

  children(node: Element, list = ''): string {
    return Array.from(node.childNodes)
      .map((each) =>
        each.nodeType === 3
          ? escaped(each.nodeValue ?? '')
          : each.nodeType === 1
            ? this.#write(each as Element, list)
            : '',
      )
      .join('');
  }

  #write(node: Element, list: string): string {
    const tag = node.localName ?? '';
    if (silent.has(tag)) return '';
    const inner = (): string => this.children(node, list);
    switch (tag) {
      case 'h': {
        const level = Math.min(6, Number(node.getAttribute('text:outline-level')) || 1);
        return `<h${level}>${inner()}</h${level}>`;
      }
      case 'p': {
        const level = this.#titleLevel(node);
        return level === 0 ? `<p>${inner()}</p>` : `<h${level}>${inner()}</h${level}>`;
      }
      case 's':
        return ' ';
      case 'tab':
        return ' ';
      case 'line-break':
        return '<br>';
      case 'span':
        return this.#span(node, inner());
      case 'a':
        return `<a href="${escaped(node.getAttribute('xlink:href') ?? '')}">${inner()}</a>`;
      case 'list': {
        const style = node.getAttribute('text:style-name') || list;
        const item = this.#isOrdered(style, node) ? 'ol' : 'ul';
        return `<${item}>${this.children(node, style)}</${item}>`;
      }
      case 'list-item':
      case 'list-header':
        return `<li>${inner()}</li>`;
      case 'table':
        return this.#table(node);
      case 'frame':
        return this.#frame(node, inner);
      case 'note':
        return this.#note(node);
      case 'annotation':
        return this.#comment(node);
      default:
        return inner();
    }
  }

  #titleLevel(node: Element): number {
    const name = node.getAttribute('text:style-name') ?? '';
    const base = this.#styles.get(name)?.getAttribute('style:parent-style-name') ?? '';
    const isOf = (style: string): boolean => name === style || base === style;
    return isOf('Title') ? 1 : isOf('Subtitle') ? 3 : 0;
  }
  #span(node: Element, text: string): string {
    const style = this.#styles.get(node.getAttribute('text:style-name') ?? '');
    const [properties] = style ? elements(style, 'text-properties') : [];
    const place = properties?.getAttribute('style:text-position') ?? '';
    if (/^(super|[1-9])/.test(place)) return `<sup>${text}</sup>`;
    return /^(sub|-)/.test(place) ? `<sub>${text}</sub>` : text;
  }
  #isOrdered(name: string, node: Element): boolean {
    const style = this.#styles.get(name);
    let level = 1;
    for (let at = ancestor(node, 'list'); at; at = ancestor(at, 'list')) level += 1;
    const [found] = (style ? elements(style, 'list-level-style-number') : []).filter(
      (each) => each.getAttribute('text:level') === String(level),
    );
    return (found?.getAttribute('style:num-format') ?? '') !== '';
  }

  #frame(node: Element, inner: () => string): string {
    const [said] = [...elements(node, 'desc'), ...elements(node, 'title')].map(
      (each) => each.textContent ?? '',
    );
    const child = (tag: string): Element | undefined =>
      childElements(node).find(({ localName }) => localName === tag);
    const [table, object, image] = [child('table'), child('object'), child('image')];
    const kind = node.getAttribute('presentation:class') ?? '';
    // Beside a table stands its picture.
    if (table) return this.#table(table);
    if (object) return this.#object(object);
    if (image) return `<img src="embedded:" alt="${escaped(said ?? '')}">`;
    if (kind === 'title' || kind === 'subtitle') {
      const level = kind === 'title' ? 1 : 2;
      return `<h${level}>${inner().replaceAll(/<\/?p>/g, ' ')}</h${level}>`;
    }
    return `<div>${inner()}</div>`;
  }
  /** A formula in one line, any other object, such as a chart, as its texts; a broken one is left out. */
  #object(node: Element): string {
    const path = (node.getAttribute('xlink:href') ?? '').replace(/^\.\/|\/$/g, '');
    let root: Document | undefined;
    try {
      root = this.#archive.xml(`${path}/content.xml`);
    } catch {
      return '';
    }
    const [formula] = root ? elements(root, 'math') : [];
    if (formula) return `<math alttext="${escaped(equationText(mathNodeOf(formula)))}"></math>`;
    const texts = (root ? elements(root, 'p') : []).map((each) => each.textContent ?? '').filter(Boolean);
    return texts.length > 0 ? `<div>${escaped([...new Set(texts)].join(', '))}</div>` : '';
  }

  #note(node: Element): string {
    const [body] = elements(node, 'note-body');
    const at = this.#notes.length;
    this.#notes.push('');
    if (body) this.#notes[at] = this.children(body);
    return `<sup>[${at + 1}]</sup>`;
  }
  #comment(node: Element): string {
    const id = this.#comments.length + 1;
    const name = elements(node, 'creator')[0]?.textContent ?? '';
    const text = elements(node, 'p')
      .map((each) => this.children(each))
      .join('<br>');
    this.#comments.push(`<dl><dt id="comment-${id}">${escaped(name)}</dt><dd>${text}</dd></dl>`);
    return '';
  }

  #table(node: Element): string {
    const rows = elements(node, 'table-row').filter((row) => ancestor(row, 'table') === node);
    const written = rows.flatMap((row) => {
      const cells = childElements(row).flatMap((cell) => {
        if (cell.localName !== 'table-cell') return [];
        const text = this.children(cell);
        const times = text === '' ? 1 : repeats(cell, 'table:number-columns-repeated');
        const spans = ['column', 'row'].map(
          (way) =>
            ` ${way === 'column' ? 'col' : 'row'}span="${repeats(cell, `table:number-${way}s-spanned`)}"`,
        );
        return Array.from({ length: times }, () => `<td${spans.join('')}>${text}</td>`);
      });
      const line = `<tr>${cells.join('')}</tr>`;
      return Array.from({ length: repeats(row, 'table:number-rows-repeated') }, () => line);
    });
    return `<table>${written.join('')}</table>`;
  }
}
const repeats = (node: Element, key: string): number => Math.min(most, Number(node.getAttribute(key)) || 1);
