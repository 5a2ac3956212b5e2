import type { DocumentResources, TextContents } from './documents.ts';
import type { Library } from './library.ts';
import { documentUri, renderPage, type Listed } from '../../machines/documents.ts';
import { limits } from '../../machines/document-files.ts';
import { buildWindowUri } from '../../machines/resources/window-uri.ts';

interface WindowListed {
  readonly uri: string;
  readonly name: string;
}
interface Opened {
  readonly ref: string;
  readonly index: number;
}
const priorities = { opened: 60, tree: 10 } as const;

/** Folder tree, and pages opened by the tool `open`. */
export class Windows {
  readonly #library: Library;
  readonly #host: string;
  #opened: readonly Opened[] = [];

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
  #uriOfOpened({ ref, index }: Opened): string {
    return this.uriOf(['open', ref, String(index)], priorities.opened);
  }

  list(): readonly WindowListed[] {
    return [
      ...this.#opened.map((each) => ({
        uri: this.#uriOfOpened(each),
        name: `${each.ref}, page ${each.index}`,
      })),
      { uri: this.tree, name: 'folders' },
    ];
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
    return this.#opened.length !== before;
  }
  showing(refs: readonly string[]): readonly string[] {
    return this.#opened.filter(({ ref }) => refs.includes(ref)).map((each) => this.#uriOfOpened(each));
  }

  async read(uri: string, documents: DocumentResources): Promise<TextContents | undefined> {
    const text = await this.#textOf(withoutQuery(uri), documents);
    return text === undefined ? undefined : { uri, mimeType: 'text/markdown', text: cut(text) };
  }

  async #textOf(asked: string, documents: DocumentResources): Promise<string | undefined> {
    if (asked === withoutQuery(this.tree)) return treeText([...this.#library.documents.values()]);
    const shown = this.#opened.find((each) => withoutQuery(this.#uriOfOpened(each)) === asked);
    if (!shown) return undefined;
    const page = await documents.page(shown.ref, shown.index);
    const from = `${documentUri(this.#host, shown.ref)}/pages/${shown.index}`;
    return `${from}\n\n${renderPage(page, 'markdown')}`;
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
