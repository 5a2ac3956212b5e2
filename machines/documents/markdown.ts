import type { DpeFormat } from '../resources/dpe-uri.ts';
import type { Element, Page } from './document.ts';

/** Elements as texts for people and models (a2c-wire §3.13). */
type Content = Element['content'];
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const cell = (value: unknown): string => text(value).replace(/\r?\n/g, ' ').replaceAll('|', '\\|');
const line = (cells: readonly unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;
/** Longer than every run of backticks inside, so that a text cannot end its own block. */
const fenceFor = (code: string): string =>
  '`'.repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map((run) => run.length + 1)));

type Render = (content: Content) => string;
const tableOf: Render = ({ columns, rows }) =>
  [
    line(list(columns)),
    line(list(columns).map(() => '---')),
    ...list(rows).map((row) => line(list(row))),
  ].join('\n');
const markdown: Partial<Record<Element['category'], Render>> = {
  heading: (c) => `${'#'.repeat(Number(c['level']) || 1)} ${text(c['text'])}`,
  text: (c) => text(c['text']),
  list: (c) =>
    list(c['items'])
      .map((item, at) => `${c['ordered'] === true ? `${at + 1}.` : '-'} ${text(item)}`)
      .join('\n'),
  code: (c) => {
    const code = text(c['text']);
    return `${fenceFor(code)}${text(c['language'])}\n${code}\n${fenceFor(code)}`;
  },
  table: tableOf,
  pivot_table: tableOf,
  chart: (c) => `[图表: ${text(c['title'])}] ${text(c['data_summary'])}`.trim(),
  image: (c) =>
    typeof c['url'] === 'string'
      ? `![${text(c['alt'])}](${c['url']})`
      : `[图片: ${text(c['description'] ?? c['alt'])}]`,
  link: (c) => `[${text(c['text'])}](${text(c['url'])})`,
  formula: (c) => `$ ${text(c['expression'])} $`,
  separator: () => '---',
};
const plain: Partial<Record<Element['category'], Render>> = {
  heading: (c) => text(c['text']),
  text: (c) => text(c['text']),
  list: (c) => list(c['items']).map(text).join('\n'),
  code: (c) => text(c['text']),
  table: ({ columns, rows }) =>
    [columns, ...list(rows)].map((row) => list(row).map(text).join('\t')).join('\n'),
  chart: (c) => [c['title'], c['data_summary']].map(text).filter(Boolean).join('\n'),
  image: (c) => text(c['description'] ?? c['alt']),
  link: (c) => `${text(c['text'])} ${text(c['url'])}`,
  formula: (c) => [c['cell'], c['expression'], c['value']].map(text).filter(Boolean).join(' '),
  annotation: (c) => text(c['text']),
  separator: () => '',
};

/** What has no text of its own is named with its summary. */
export const renderElement = (element: Element, format: Exclude<DpeFormat, 'json'>): string =>
  (format === 'markdown' ? markdown : plain)[element.category]?.(element.content) ??
  `[${element.category}: ${element.summary ?? (text(element.content['text']) || element.element_id)}]`;

/** A page as one text, its elements with an empty line between them. */
export const renderPage = (page: Page, format: Exclude<DpeFormat, 'json'>): string =>
  page.elements
    .map((element) => renderElement(element, format))
    .filter((part) => part !== '')
    .join('\n\n');
