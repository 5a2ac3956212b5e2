import type { CompleteRequest } from '@modelcontextprotocol/client';
import type { Shared } from './shared.ts';

const most = 100;

/** Values for `doc_ref`, `page_index` and `element_id` of the templates that begin with what was typed. */
export async function completed(shared: Shared, { argument, context }: CompleteRequest['params']) {
  const all = await valuesOf(shared, argument.name, context?.arguments ?? {});
  const typed = argument.value.toLowerCase();
  const values = all.filter((value) => value.toLowerCase().startsWith(typed));
  return { values: values.slice(0, most), total: values.length, hasMore: values.length > most };
}

async function valuesOf(
  { library }: Shared,
  name: string,
  known: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (name === 'doc_ref') return [...library.documents.keys()].toSorted();
  // What a host typed into the template: as it is, or encoded as it stands in a URI.
  const given = known['doc_ref'] ?? '';
  const ref = library.documents.has(given) ? given : decoded(given);
  if (!library.documents.has(ref)) return [];
  try {
    if (name === 'page_index') {
      const { pageCount } = await library.read(ref, { from: 0, to: 0 });
      return Array.from({ length: Math.min(pageCount, 10_000) }, (_, index) => String(index));
    }
    const page = Number(known['page_index'] ?? 0);
    const range = known['page_index'] === undefined ? { from: 0, to: 20 } : { from: page, to: page + 1 };
    const { pages } = await library.read(ref, range);
    return Object.values(pages).flatMap(({ elements }) => elements.map(({ element_id }) => element_id));
  } catch {
    // A document that cannot be read has nothing to complete.
    return [];
  }
}
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
