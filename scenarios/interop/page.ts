import { features } from './features.ts';

export interface Column {
  readonly title: string;
  readonly version: string;
  readonly cells: Readonly<Record<string, string>>;
}
export const works = 'works';
export const absent = '–';

export const causeOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/\s+/g, ' ')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|[\w-]{20}(?=')/g, 'ID')
    .replace(/\b\d{4,}(?= (bytes|ms))/g, 'N')
    .replaceAll('|', '/')
    .trim()
    .slice(0, 160);

/** A result that all versions share is written once. */
function cellOf(columns: readonly Column[], feature: string, notes: string[]): string {
  const said = columns.map(({ cells, version }) => [version, cells[feature] ?? absent] as const);
  const parts = [...new Set(said.map(([, cell]) => cell))].map((cell) => {
    const versions = said.filter(([, one]) => one === cell).map(([version]) => version);
    const which = versions.length === said.length ? '' : `${versions.join(', ')}: `;
    if (cell === works || cell === absent) return `${which}${cell}`;
    if (!notes.includes(cell)) notes.push(cell);
    return `${which}**fails** (${notes.indexOf(cell) + 1})`;
  });
  return parts.join('; ');
}

export function tableOf(columns: readonly Column[]): string {
  const titles = [...new Set(columns.map(({ title }) => title))];
  const notes: string[] = [];
  const rows = features.map(({ name }) => {
    const cells = titles.map((title) =>
      cellOf(
        columns.filter((column) => column.title === title),
        name,
        notes,
      ),
    );
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return [
    `| | ${titles.join(' | ')} |`,
    `|---|${titles.map(() => '---').join('|')}|`,
    ...rows,
    '',
    ...notes.map((note, i) => `${i + 1}. ${note}`),
  ]
    .join('\n')
    .trimEnd();
}

const begin = '<!-- written by npm test -- --project interop>';
const end = '<!-- end of what is written -->';
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/interop.md lacks ${begin} or ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`;
}
