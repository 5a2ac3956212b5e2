import { parseArgs } from 'node:util';
import type { Row } from './row.ts';

export const help = `Measures agent, office and computer against hand-written ones, in turns, each row in a process of its own.
What runs is compiled first, as it is published: tsx would add a call to every function that is made.

  npm run bench -- [options]

  --only <row>[,<row>]   these rows only
  --list                 the rows, and what they measure
  --quick                all rows but those that need PyPI, as fast as they can be measured: the figures say little
  --late <s>             how long a row may take (default 600, --quick: 120)
  --json                 one JSON document on stdout instead of the table
  --help

A figure is the median of the ratios of pairs, ours ÷ yardstick, with the quartiles beside it. CPU is that of the process that holds
agent, office and computer, without an MCP server that is a process; of the relay, that of the office's own process. Compare the
ratios: absolute figures of a shared machine mean little. Exit code: 0 when all was measured, whatever the figures are; 1 when a
row could not be; 130 after Ctrl-C, which prints what was measured so far.
`;
export const listOf = (rows: readonly Row[]): string => {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map(({ name, about, needs }) => `${name.padEnd(width)}  ${about}${needs ? ` (needs ${needs})` : ''}\n`)
    .join('');
};

export const readOptions = (args?: string[]) =>
  parseArgs({
    ...(args && { args }),
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      late: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
