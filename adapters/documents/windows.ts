import type { DocumentResources, TextContents } from './documents.ts';
import type { Library } from './library.ts';
import { documentUri, renderPage, type Listed } from '../../machines/documents.ts';
import { limits } from '../../machines/document-files.ts';
import { buildWindowUri } from '../../machines/resources/uri.ts';

interface WindowListed {
  readonly uri: string;
  readonly name: string;
}
interface Opened {
  readonly ref: string;
  readonly index: number;
}
const priorities = { opened: 60, page: 40, recent: 20, tree: 10 } as const;
const recentCount = 20;

/** Folder tree, documents changed last, page read last, and pages opened by the tool `open`. */
export class Windows {
  readonly #library: Library;
  readonly #host: string;
  #opened: readonly Opened[] = [];
  #last: Opened | undefined;

  constructor(library: Library, host: string) {
    this.#library = library;
    this.#host = host;
  }

  uriOf(segments: readonly string[], priority: number): string {
    const built = buildWindowUri({ host: this.#host, path: segments, priority });
    return built.ok ? built.uri : '';
  }
  get tree(): string {
    return this.uriOf(['tree'], priorities.tree);
  }
  get recent(): string {
    return this.uriOf(['recent'], priorities.recent);
  }
  get page(): string {
    return this.uriOf(['page'], priorities.page);
  }
  #uriOfOpened({ ref, index }: Opened): string {
    return this.uriOf(['open', ref, String(index)], priorities.opened);
  }

  list(): readonly WindowListed[] {
    return [
      ...this.#opened.map((each) => ({
        uri: this.#uriOfOpened(each),
        name: `${each.ref}, page ${each.index}`,
      })),
      ...(this.#last ? [{ uri: this.page, name: 'page read last' }] : []),
      { uri: this.recent, name: 'documents changed last' },
      { uri: this.tree, name: 'folders' },
    ];
  }

  /** `list` when a window was added for it, `page` when that window shows another page now. */
  pageRead(ref: string, index: number): 'list' | 'page' | 'nothing' {
    const before = this.#last;
    this.#last = { ref, index };
    if (!before) return 'list';
    return before.ref === ref && before.index === index ? 'nothing' : 'page';
  }
  open(ref: string, index: number): boolean {
    const [first] = this.#opened;
    if (first?.ref === ref && first.index === index) return false;
    const others = this.#opened.filter((each) => each.ref !== ref || each.index !== index);
    this.#opened = [{ ref, index }, ...others].slice(0, limits.openPages);
    return true;
  }
  drop(refs: readonly string[]): boolean {
    const before = this.#opened.length;
    this.#opened = this.#opened.filter(({ ref }) => !refs.includes(ref));
    const isGone = this.#last !== undefined && refs.includes(this.#last.ref);
    if (isGone) this.#last = undefined;
    return isGone || this.#opened.length !== before;
  }
  showing(refs: readonly string[]): readonly string[] {
    const opened = this.#opened
      .filter(({ ref }) => refs.includes(ref))
      .map((each) => this.#uriOfOpened(each));
    return this.#last && refs.includes(this.#last.ref) ? [...opened, this.page] : opened;
  }

  async read(uri: string, documents: DocumentResources): Promise<TextContents | undefined> {
    const text = await this.#textOf(withoutQuery(uri), documents);
    return text === undefined ? undefined : { uri, mimeType: 'text/markdown', text: cut(text) };
  }

  async #textOf(asked: string, documents: DocumentResources): Promise<string | undefined> {
    if (asked === withoutQuery(this.tree)) return treeText([...this.#library.documents.values()]);
    if (asked === withoutQuery(this.recent)) return this.#recentText();
    const opened = this.#opened.find((each) => withoutQuery(this.#uriOfOpened(each)) === asked);
    const shown = asked === withoutQuery(this.page) ? this.#last : opened;
    if (!shown) return undefined;
    const page = await documents.page(shown.ref, shown.index);
    const from = `${documentUri(this.#host, shown.ref)}/pages/${shown.index}`;
    return `${from}\n\n${renderPage(page, 'markdown')}`;
  }

  #recentText(): string {
    const latest = [...this.#library.documents.values()].toSorted((a, b) =>
      a.lastModified < b.lastModified ? 1 : -1,
    );
    const lines = latest.slice(0, recentCount).map(({ ref, lastModified }) => `${lastModified}  ${ref}`);
    return lines.join('\n') || 'There are no documents.';
  }
}

const withoutQuery = (uri: string): string => uri.replace(/\?.*$/, '');
const cut = (text: string): string =>
  text.length <= limits.windowChars
    ? text
    : `${text.slice(0, limits.windowChars)}\n\n… ${text.length - limits.windowChars} characters more`;

function treeText(documents: readonly Listed[]): string {
  const folders = new Map<string, string[]>();
  for (const { ref } of documents) {
    const slash = ref.lastIndexOf('/');
    const folder = slash < 0 ? '.' : ref.slice(0, slash);
    folders.set(folder, [...(folders.get(folder) ?? []), ref.slice(slash + 1)]);
  }
  const lines = [...folders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([folder, names]) => {
      const shown = names
        .toSorted()
        .slice(0, 50)
        .map((name) => `  ${name}`);
      return [
        `${folder}/ (${names.length})`,
        ...shown,
        ...(names.length > 50 ? [`  … ${names.length - 50} more`] : []),
      ];
    });
  return lines.join('\n') || 'There are no documents.';
}
