import { strFromU8, unzipSync } from 'fflate';
import { execFileSync } from 'node:child_process';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/** Text, order and tables of a document, read from its raw file without the reader that is measured. */
export interface Truth {
  readonly text: string;
  /** Rows of its tables that span no cells. */
  readonly rows: readonly (readonly string[])[];
}

/** Returns the truth about a file; undefined for formats or files where it cannot be found in a simple way. */
export function truthOf(format: string, bytes: Uint8Array, path: string): Truth | undefined {
  try {
    return ways[format]?.(bytes, path);
  } catch {
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plain = (xml: string): string =>
  xml.replace(/<[^>]*>/g, '').replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    return String.fromCodePoint(Number(name.replace(/^#x/i, '0x').replace('#', '')) || 32);
  });
const partsOf = (bytes: Uint8Array, wanted: RegExp): string[] =>
  Object.entries(unzipSync(bytes, { filter: ({ name }) => wanted.test(name) }))
    .toSorted(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }))
    .map(([, part]) => strFromU8(part));
const withoutFallbacks = (xml: string): string => xml.replace(/<mc:Fallback[\s\S]*?<\/mc:Fallback>/g, '');

/** Texts of runs (`tag`), divided where one of the other tags ends. */
const textOf = (xml: string, tag: string, ends: string): string =>
  Array.from(
    xml.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>|</(?:${ends})>|<(?:${ends})[ /]`, 'g')),
    ([, text]) => (text === undefined ? '\n' : plain(text)),
  ).join('');
const rowsOf = (
  xml: string,
  row: string,
  cell: string,
  text: (xml: string) => string,
  spans: RegExp,
): string[][] =>
  Array.from(xml.matchAll(new RegExp(`<${row}[ >][\\s\\S]*?</${row}>`, 'g')), ([found]) => found)
    .filter((found) => !spans.test(found) && found.lastIndexOf(`<${row}`) <= 0)
    .map((found) =>
      Array.from(found.matchAll(new RegExp(`<${cell}[ >][\\s\\S]*?</${cell}>`, 'g')), ([inner]) =>
        text(inner),
      ),
    );

const ways: Readonly<Record<string, (bytes: Uint8Array, path: string) => Truth>> = {
  docx: (bytes) => {
    const xml = partsOf(bytes, /^word\/document\d*\.xml$/)
      .map(withoutFallbacks)
      .join('');
    const text = (part: string): string => textOf(part, 'w:t', 'w:p|w:br|w:tab|w:cr');
    return { text: text(xml), rows: rowsOf(xml, 'w:tr', 'w:tc', text, /<w:(vMerge|gridSpan)/) };
  },
  pptx: (bytes) => {
    const xml = partsOf(bytes, /^ppt\/slides\/slide\d+\.xml$/)
      .map(withoutFallbacks)
      .join('');
    const text = (part: string): string => textOf(part, 'a:t', 'a:p|a:br');
    return { text: text(xml), rows: rowsOf(xml, 'a:tr', 'a:tc', text, /(gridSpan|rowSpan|[hv]Merge)=/) };
  },
  xlsx: (bytes) => {
    const [shared = ''] = partsOf(bytes, /^xl\/sharedStrings\.xml$/);
    const strings = Array.from(shared.matchAll(/<si>([\s\S]*?)<\/si>|<si\/>/g), ([, si = '']) =>
      textOf(si.replace(/<rPh[\s\S]*?<\/rPh>/g, ''), 't', 'none'),
    );
    const rows = partsOf(bytes, /^xl\/worksheets\/sheet\d+\.xml$/).flatMap((sheet) =>
      Array.from(sheet.matchAll(/<row[ >][\s\S]*?<\/row>/g), ([row]) =>
        Array.from(
          row.matchAll(/<c [^>]*?t="s"[^>]*>[\s\S]*?<v>(\d+)<\/v>[\s\S]*?<\/c>/g),
          ([, at]) => strings[Number(at)] ?? '',
        ),
      ),
    );
    return { text: rows.flat().join('\n'), rows: [] };
  },
  html: (bytes) => ({ text: htmlText(parse(strFromU8(bytes))), rows: [] }),
  pdf: (_, path) => ({
    text: execFileSync('pdftotext', ['-q', path, '-'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e9,
    }),
    rows: [],
  }),
  odt: (bytes) => ({
    text: plain(
      partsOf(bytes, /^content\.xml$/)
        .join('')
        .replace(/<\/text:[ph]>|<text:(line-break|tab|s)[^>]*>/g, '\n')
        .replace(/<office:(automatic-styles|scripts)[\s\S]*?<\/office:\1>/g, ''),
    ),
    rows: [],
  }),
  epub: (bytes) => ({
    text: partsOf(bytes, /\.x?html?$/)
      .map((part) => htmlText(parse(part)))
      .join('\n'),
    rows: [],
  }),
  ipynb: (bytes) => {
    const { cells = [] } = JSON.parse(strFromU8(bytes)) as { cells?: { source: string | string[] }[] };
    return {
      text: cells.map(({ source }) => (Array.isArray(source) ? source.join('') : source)).join('\n'),
      rows: [],
    };
  },
};
const hidden = /^(math|script|style|noscript|template|svg|head|iframe|object)$/;
const inline =
  /^(a|abbr|b|bdi|bdo|big|cite|code|em|font|i|kbd|mark|q|s|small|span|strike|strong|sub|sup|tt|u|var|wbr)$/;
function htmlText(node: Tree.Node): string {
  if (node.nodeName === '#text') return (node as Tree.TextNode).value;
  if (hidden.test(node.nodeName)) return '';
  const inner = 'childNodes' in node ? node.childNodes.map(htmlText).join('') : '';
  return inline.test(node.nodeName) ? inner : `\n${inner}\n`;
}

// ── scores ────────────────────────────────────────────────────────────────────────────────────────────
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
const countOf = (items: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};
/** Number of these items that are among the others, each as often as it is there. */
function kept(items: readonly string[], others: readonly string[]): number {
  const counts = countOf(others);
  return items.filter((item) => {
    const left = counts.get(item) ?? 0;
    counts.set(item, left - 1);
    return left > 0;
  }).length;
}
const pairsOf = (items: readonly string[]): string[] =>
  items.slice(1).map((item, at) => `${items[at] ?? ''} ${item}`);

/** Counts of what a text has of the truth: words, pairs of words that follow each other, and cells beside their neighbours. */
export interface Score {
  words: [kept: number, all: number];
  order: [kept: number, all: number];
  cells: [kept: number, all: number];
}
export const noScore = (): Score => ({ words: [0, 0], order: [0, 0], cells: [0, 0] });
export function addScore(score: Score, truth: Truth, text: string): void {
  const [wanted, had] = [wordsOf(truth.text), wordsOf(text.replace(/\]\([^)\s]*\)|<br>/g, ' '))];
  const add = (sum: [number, number], items: readonly string[], others: readonly string[]): void => {
    sum[0] += kept(items, others);
    sum[1] += items.length;
  };
  add(score.words, wanted, had);
  add(score.order, pairsOf(wanted), pairsOf(had));
  const cellsOf = (row: readonly string[]): string[] =>
    row.map((cell) => wordsOf(cell.replaceAll('<br>', ' ')).join(' '));
  const shown = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
  const neighbours = (rows: readonly (readonly string[])[]): string[] =>
    rows.flatMap((row) => pairsOf(cellsOf(row).map((cell) => `[${cell}]`)));
  add(score.cells, neighbours(truth.rows), neighbours(shown));
}
