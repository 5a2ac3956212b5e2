import type { Draft } from '../../../machines/documents/index.ts';
import { childElements, elements, textIn, type OfficeFile } from './office-file.ts';

/** The values of a range such as `Costs!$B$2:$B$4`, where the chart does not keep them itself. */
export type Lookup = (range: string) => readonly string[];

const valuesOf = (node: Element | undefined, lookup: Lookup): readonly string[] => {
  if (!node) return [];
  const kept = elements(node, 'pt').map((each) => textIn(each, 'v'));
  return kept.length > 0 ? kept : lookup(textIn(node, 'f'));
};

/** A chart of an office file: its kind, title and series with their values. */
export function chartOf(file: OfficeFile, name: string, lookup: Lookup = () => []): Draft | undefined {
  const root = file.xml(name);
  const [plot] = root ? elements(root, 'plotArea') : [];
  if (!root || !plot) return undefined;
  const [titled] = elements(root, 'title');
  const kind = childElements(plot).find(({ localName }) => (localName ?? '').endsWith('Chart'));
  const series = elements(plot, 'ser').map((each, at) => {
    const part = (...tags: string[]): Element | undefined =>
      childElements(each).find(({ localName }) => tags.includes(localName ?? ''));
    const [title] = valuesOf(part('tx'), lookup);
    return {
      name: title ?? `series ${at + 1}`,
      categories: valuesOf(part('cat', 'xVal'), lookup),
      values: valuesOf(part('val', 'yVal'), lookup).map(Number),
    };
  });
  const title = titled ? textIn(titled) || textIn(titled, 'v') : '';
  const summary = series.map((each) => `${each.name}: ${each.values.slice(0, 20).join(', ')}`).join('; ');
  const content = {
    title,
    kind: (kind?.localName ?? 'unknown').replace(/Chart$/, ''),
    series,
    data_summary: summary,
  };
  return { category: 'chart', content, summary: title || 'chart' };
}
