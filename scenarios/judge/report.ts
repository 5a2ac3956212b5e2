import { cases } from './cases/index.ts';
import type { Case, Cell, Cases } from './judge.ts';
import type { Hello } from './protocol.ts';

export interface Report {
  readonly host: Pick<Hello, 'name' | 'version' | 'can'>;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly platform: string;
  readonly cells: Readonly<Record<string, Cell>>;
}
/** Revision of MCP to which the parts of the rules belong. */
export const revision = '2025-11-25';
const specification = `https://modelcontextprotocol.io/specification/${revision}`;

const marks = { right: '●', partly: '◐', wrong: '✗', absent: '–', unsure: '?' } as const;
/** `○`: wrong or partly right where the specification is silent and the host promises nothing. */
export const markOf = ({ spec }: Pick<Case, 'spec'>, { verdict }: Pick<Cell, 'verdict'>): string =>
  spec === null && verdict === 'wrong' ? '○' : marks[verdict];
export const legend =
  '● right · ◐ partly · ✗ wrong · ○ not done, and the specification does not ask for it · – the host has no such feature · ? no two of three runs agree · · not judged yet';

/** What no rule repeats. */
export const always =
  'In every case, too: the host lives on unless the case ends it, and each call and stop is over within 45 seconds; one that the fault does not touch succeeds.';

export const partOf = ({ spec }: Pick<Case, 'spec'>): string =>
  spec === null ? '–' : `[${spec}](${specification}/${spec})`;
const escaped = (text: string): string => text.replace(/[\\`*_|<>[\]]/g, '\\$&').replace(/\s+/g, ' ');
export function counted(cells: Report['cells']): string {
  const all = Object.values(cells).map(({ verdict }) => verdict);
  const words = ['right', 'partly', 'wrong', 'absent', 'unsure'] as const;
  return words.map((word) => `${all.filter((each) => each === word).length} ${word}`).join(', ');
}

export const factsOf = ({ verdict, runs }: Cell): string =>
  (runs.find((run) => run.verdict === verdict) ?? runs[0])?.facts ?? '';

export function asMarkdown({ host, date, platform, cells }: Report): string {
  const rows = Object.entries(cells).map(([name, cell]) => {
    const one = cases[name] as Case;
    return `| ${name} | ${markOf(one, cell)} | ${one.rule} | ${partOf(one)} | ${escaped(factsOf(cell))} |`;
  });
  return [
    `# ${escaped(host.name)} ${escaped(host.version)}`,
    `Judged by \`a2c judge\` on ${date}, ${platform}: ${counted(cells)}.`,
    legend,
    always,
    ['| case | | rule | part of the specification | observed |', '|---|:-:|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

export const listed = (some: Cases): string =>
  [
    ...Object.entries(some).map(([name, { rule, spec, needs = [] }]) => {
      const more = [spec ?? 'beyond the specification', ...needs.map((need) => `needs ${need}`)].join(', ');
      return `${name}\n  ${rule}\n  (${more})`;
    }),
    always,
  ].join('\n');
export const listedData = (some: Cases): object[] =>
  Object.entries(some).map(([name, { rule, spec, needs = [] }]) => ({ name, rule, spec, needs }));
