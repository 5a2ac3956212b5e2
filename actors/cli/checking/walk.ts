import {
  brokenByCatalogue,
  brokenByDocument,
  brokenByElement,
  brokenByPage,
  brokenByPages,
  brokenByRefusal,
  brokenByWindow,
  type Refusing,
} from '../../../machines/resources/check/index.ts';
import {
  elementPlace,
  metadataPlace,
  pagePlace,
  pagesPlace,
  parseDpeUri,
  type BuiltDpeUri,
} from '../../../machines/resources/finder/index.ts';
import type { CheckReader } from './reader.ts';

/** How many of each were read. */
export interface WalkedCounts {
  windows: number;
  documents: number;
  pages: number;
  elements: number;
}
/** Pages of a document that are listed with one read. */
const pagesAtOnce = 100;
const nowhere = 'a2c-check-there-is-no-such-thing';

/** Reads what a server lists, from each document down to an element of each page. */
export class Walk {
  readonly #reader: CheckReader;
  readonly counts: WalkedCounts = { windows: 0, documents: 0, pages: 0, elements: 0 };
  readonly #probedHosts = new Set<string>();
  #isProbed = false;

  constructor(reader: CheckReader) {
    this.#reader = reader;
  }
  async window(uri: string): Promise<void> {
    const contents = await this.#reader.read(uri);
    if (!contents) return;
    this.counts.windows += 1;
    this.#reader.add(brokenByWindow(uri, contents));
  }
  /** A document, or a catalogue and all documents in it. */
  async document(uri: string): Promise<void> {
    const place = parseDpeUri(uri);
    if (!place.ok || place.uri.level > 1) return;
    const { host } = place.uri;
    if (!this.#probedHosts.has(host)) {
      this.#probedHosts.add(host);
      await this.#mustRefuse('missing-document', metadataPlace(`dpe://${host}/${nowhere}`));
    }
    if (place.uri.level === 1) return this.#document(uri);
    const contents = await this.#reader.read(uri);
    if (!contents) return;
    const { read, violations } = brokenByCatalogue(uri, contents);
    this.#reader.add(violations);
    for (const each of read ?? []) if (parseDpeUri(each).ok) await this.#document(each);
  }
  async #document(uri: string): Promise<void> {
    const contents = await this.#reader.read(uri);
    if (!contents) return;
    this.counts.documents += 1;
    const { read, violations } = brokenByDocument(uri, contents);
    this.#reader.add(violations);
    if (!read) return;
    for (let offset = 0; offset < read.page_count; offset += pagesAtOnce)
      await this.#pages(uri, read.page_count, offset);
    let isElement = false;
    for (let index = 0; index < read.page_count; index += 1)
      isElement = (await this.#page(uri, index)) || isElement;
    if (this.#isProbed || !isElement) return;
    this.#isProbed = true;
    await this.#mustRefuse('missing-page', pagePlace(uri, read.page_count, 'json'));
    await this.#mustRefuse('missing-element', elementPlace(uri, nowhere));
  }
  async #pages(uri: string, pageCount: number, offset: number): Promise<void> {
    const place = pagesPlace(uri, offset, pagesAtOnce);
    const contents = place.ok && (await this.#reader.read(place.uri));
    if (contents) this.#reader.add(brokenByPages(place.uri, pageCount, offset, contents));
  }
  /** Whether an element of it could be read. */
  async #page(uri: string, index: number): Promise<boolean> {
    const place = pagePlace(uri, index, 'json');
    const contents = place.ok && (await this.#reader.read(place.uri));
    if (!contents) return false;
    this.counts.pages += 1;
    const { read, violations } = brokenByPage(place.uri, index, contents);
    this.#reader.add(violations);
    const [first] = read?.elements ?? [];
    return first !== undefined && this.#element(uri, first.element_id);
  }
  async #element(uri: string, id: string): Promise<boolean> {
    const place = elementPlace(uri, id);
    const contents = place.ok && (await this.#reader.read(place.uri));
    if (!contents) return false;
    this.counts.elements += 1;
    this.#reader.add(brokenByElement(place.uri, id, contents));
    return true;
  }
  async #mustRefuse(rule: Refusing, place: BuiltDpeUri): Promise<void> {
    if (!place.ok) return;
    const came = await this.#reader.ask(place.uri);
    if (came) this.#reader.add(brokenByRefusal(rule, place.uri, came.ok ? undefined : came.failure));
  }
}
