import type { Library } from './library.ts';
import { buildWindowUri } from '../../machines/resources/window-uri.ts';
import type { Listed } from '../../machines/documents.ts';
import { limits } from '../../machines/document-files.ts';

/** Of the window with the folders and their documents, the only one. */
export function treeUri(host: string): string {
  const built = buildWindowUri({ host, path: ['tree'], priority: 10 });
  return built.ok ? built.uri : '';
}
export function readTree(library: Library): string {
  const text = treeText([...library.documents.values()]);
  const more = text.length - limits.windowChars;
  return more <= 0 ? text : `${text.slice(0, limits.windowChars)}\n\n… ${more} characters more`;
}

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
