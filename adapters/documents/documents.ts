import { ProtocolError } from '@modelcontextprotocol/server';
import { Refusal } from './files.ts';
import type { Library, PageRange } from './library.ts';
import { Unreadable } from './parsing/reader.ts';
import {
  elementAnswer,
  formatOf,
  isByPage,
  metadataAnswer,
  pageAnswer,
  pageOfId,
  pagesAnswer,
  renderElement,
  renderPage,
  type Element,
  type Listed,
  type Page,
  type ReadDocument,
} from '../../machines/documents.ts';
import { limits } from '../../machines/document-files.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import {
  documentNotFound,
  elementNotFound,
  hostNotFound,
  pageOutOfRange,
  parseDpeUri,
  type DpeUri,
  type DpeFormat,
} from '../../machines/resources/dpe-uri.ts';

const refusalOf = ({ code, message, details }: Failure): ProtocolError =>
  new ProtocolError(typeof code === 'number' ? code : -32_603, message, details);

const internalError = -32_603;
/** Only known reasons are quoted, because others may name paths. */
const brokenDocument = (ref: string, error: unknown): ProtocolError => {
  if (error instanceof ProtocolError) return error;
  const isSaid = error instanceof Unreadable || error instanceof Refusal;
  const reason = isSaid ? error.message : 'it cannot be read';
  return new ProtocolError(internalError, `The document "${ref}" cannot be read: ${reason}`, {
    doc_ref: ref,
  });
};

interface TextContents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}
const mimeTypes: Readonly<Record<DpeFormat, string>> = {
  json: 'application/json',
  markdown: 'text/markdown',
  text: 'text/plain',
};
const defaultLimit = 20;

export class DocumentResources {
  readonly #library: Library;
  readonly #host: string;

  constructor(library: Library, host: string) {
    this.#library = library;
    this.#host = host;
  }

  async read(raw: string): Promise<TextContents> {
    const parsed = parseDpeUri(raw);
    if (!parsed.ok) throw refusalOf(parsed.failure);
    const { uri } = parsed;
    if (uri.host !== this.#host) throw refusalOf(hostNotFound(uri.host));
    const { format = 'json' } = uri.level === 0 ? {} : uri;
    return { uri: raw, mimeType: mimeTypes[format], text: await this.#textOf(uri, format) };
  }

  async #textOf(uri: DpeUri, format: DpeFormat): Promise<string> {
    if (uri.level === 0) return JSON.stringify(this.#catalogue());
    const listed = await this.#library.find(uri.docRef);
    if (!listed) throw refusalOf(documentNotFound(uri.docRef));
    try {
      return await this.#at(uri, listed, format);
    } catch (error) {
      throw brokenDocument(uri.docRef, error);
    }
  }

  async #page(ref: string, index: number): Promise<Page> {
    const read = await this.#library.read(ref, { from: index, to: index + 1 });
    const page = read.pages[index];
    if (!page) throw refusalOf(pageOutOfRange(index, read.pageCount));
    return page;
  }

  async #at(uri: Exclude<DpeUri, { level: 0 }>, listed: Listed, format: DpeFormat): Promise<string> {
    if (uri.level === 2) {
      const page = await this.#page(listed.ref, uri.pageIndex);
      const { categories } = uri;
      const elements = page.elements.filter(({ category }) => categories?.includes(category) !== false);
      return format === 'json'
        ? JSON.stringify(pageAnswer(this.#host, listed, uri.pageIndex, page.title, elements))
        : renderPage({ title: categories ? '' : page.title, elements }, format);
    }
    if (uri.level === 3) {
      const { index, element } = await this.#element(listed, uri.elementId);
      return format === 'json'
        ? JSON.stringify(elementAnswer(this.#host, listed, index, element))
        : renderElement(element, format);
    }
    return this.#document(uri, listed, format);
  }

  async #document(uri: DpeUri & { level: 1 }, listed: Listed, format: DpeFormat): Promise<string> {
    const { depth = 'metadata', offset = 0, limit = defaultLimit } = uri;
    const isWhole = depth === 'pages' || format !== 'json';
    const range: PageRange = isWhole ? { from: offset, to: offset + limit } : { from: 0, to: 0 };
    const read = await this.#library.read(listed.ref, range);
    if (format !== 'json') {
      const room = uri.limit === undefined ? limits.readChars : limits.fileBytes;
      const { texts, next } = readablePages(read, range, format, room);
      const more = `[This is not all: page ${next} of ${read.pageCount} is next; ask again with offset=${next}.]`;
      const shown = next > offset && next < read.pageCount ? [...texts, more] : texts;
      return shown.join(format === 'markdown' ? '\n\n---\n\n' : '\n\n');
    }
    return JSON.stringify(
      depth === 'pages'
        ? pagesAnswer(this.#host, listed, read, offset, limit)
        : metadataAnswer(this.#host, listed, read),
    );
  }

  /** Level 0, from the details known by now, without reading a document; says when it is not complete. */
  #catalogue(): object {
    const all = [...this.#library.documents.values()];
    const documents = all.slice(0, limits.catalogued);
    const { cut } = this.#library;
    const notes = [
      ...(cut === undefined ? [] : [`Not all documents are served: ${cut}.`]),
      ...(all.length > documents.length
        ? [`This list has the first ${documents.length} documents; the tool search finds the others.`]
        : []),
    ];
    return {
      documents: documents.map((listed) =>
        metadataAnswer(this.#host, listed, this.#library.known(listed.ref)),
      ),
      total_count: all.length,
      ...(notes.length > 0 && { note: notes.join(' ') }),
    };
  }

  async #element(listed: Listed, id: string): Promise<{ index: number; element: Element }> {
    const isPart = isByPage(formatOf(listed.ref));
    const named = pageOfId(id);
    if (isPart && named === undefined) throw refusalOf(elementNotFound(id));
    const from = isPart ? (named ?? 0) : 0;
    const read = await this.#library.read(listed.ref, { from, to: isPart ? from + 1 : Infinity });
    for (const [index, page] of Object.entries(read.pages)) {
      const element = page.elements.find(({ element_id }) => element_id === id);
      if (element) return { index: Number(index), element };
    }
    throw refusalOf(elementNotFound(id));
  }
}

/** Those that fit into `room`, but at least one; `next` is the page after them. */
export function readablePages(
  { pages, pageCount }: ReadDocument,
  { from, to }: PageRange,
  format: Exclude<DpeFormat, 'json'>,
  room: number,
): { readonly texts: readonly string[]; readonly next: number } {
  const texts: string[] = [];
  let chars = 0;
  let next = from;
  for (; next < Math.min(to, pageCount); next += 1) {
    const { title = '', elements = [] } = pages[next] ?? {};
    const text = renderPage({ title: pageCount > 1 ? title : '', elements }, format);
    if (texts.length > 0 && chars + text.length > room) break;
    chars += text.length;
    texts.push(text);
  }
  return { texts, next };
}
