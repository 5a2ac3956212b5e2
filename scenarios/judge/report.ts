import { cases } from './cases/index.ts';
import type { Case, Cell, Cases } from './judge.ts';
import type { Hello } from './protocol.ts';

/** Judgement of one host: what `a2c judge --json` prints. */
export interface Report {
  readonly host: Pick<Hello, 'name' | 'version' | 'can'>;
  /** Day of the run, as YYYY-MM-DD. */
  readonly date: string;
  readonly platform: string;
  readonly cells: Readonly<Record<string, Cell>>;
}
/** Revision of MCP to which the parts of the rules belong. */
export const revision = '2025-11-25';
const specification = `https://modelcontextprotocol.io/specification/${revision}`;

const marks = { right: '●', partly: '◐', wrong: '✗', absent: '–', unsure: '?' } as const;
/**
 * Mark of a verdict. A host is not blamed for what the specification does not ask of it: `○` is a wrong or partly right
 * verdict where the specification is silent and the host promises nothing.
 */
export const markOf = ({ spec }: Pick<Case, 'spec'>, { verdict }: Pick<Cell, 'verdict'>): string =>
  spec === null && verdict === 'wrong' ? '○' : marks[verdict];
export const legend =
  '● right · ◐ partly · ✗ wrong · ○ not done, and the specification does not ask for it · – the host has no such feature · ? no two of three runs agree · · not judged yet';

export const partOf = ({ spec }: Pick<Case, 'spec'>): string =>
  spec === null ? '–' : `[${spec}](${specification}/${spec})`;
/** Escapes text of a host for a cell of a Markdown table. */
const escaped = (text: string): string => text.replace(/[\\`*_|<>[\]]/g, '\\$&').replace(/\s+/g, ' ');
/** Counts the verdicts in words. */
export function counted(cells: Report['cells']): string {
  const all = Object.values(cells).map(({ verdict }) => verdict);
  const words = ['right', 'partly', 'wrong', 'absent', 'unsure'] as const;
  return words.map((word) => `${all.filter((each) => each === word).length} ${word}`).join(', ');
}

/** Observations of the run that gave the verdict. */
export const factsOf = ({ verdict, runs }: Cell): string =>
  (runs.find((run) => run.verdict === verdict) ?? runs[0])?.facts ?? '';

/** Writes a report as a page of Markdown, with the rules and the observations. */
export function asMarkdown({ host, date, platform, cells }: Report): string {
  const rows = Object.entries(cells).map(([name, cell]) => {
    const one = cases[name] as Case;
    return `| ${name} | ${markOf(one, cell)} | ${one.rule} | ${partOf(one)} | ${escaped(factsOf(cell))} |`;
  });
  return [
    `# ${escaped(host.name)} ${escaped(host.version)}`,
    `Judged by \`a2c judge\` on ${date}, ${platform}: ${counted(cells)}.`,
    legend,
    ['| case | | rule | part of the specification | observed |', '|---|:-:|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

/** Lists cases with their rules. */
export const listed = (some: Cases): string =>
  Object.entries(some)
    .map(([name, { rule, spec, needs = [] }]) => {
      const more = [spec ?? 'beyond the specification', ...needs.map((need) => `needs ${need}`)].join(', ');
      return `${name}\n  ${rule}\n  (${more})`;
    })
    .join('\n');
export const listedData = (some: Cases): object[] =>
  Object.entries(some).map(([name, { rule, spec, needs = [] }]) => ({ name, rule, spec, needs }));
