import { readFileSync } from 'node:fs';
import { cases } from './cases/index.ts';
import type { Case, Cell } from './judge.ts';
import { hosts } from './hosts.ts';
import { always, legend, markOf, partOf, revision, type Report } from './report.ts';

export type Facts = Readonly<Record<string, Report & { readonly machine: string }>>;
/** Set by hand, because the judge cannot see what the reason says. */
interface Exception {
  readonly host: string;
  readonly case: string;
  readonly verdict: Cell['verdict'];
  readonly reason: string;
}
const exceptions = JSON.parse(
  readFileSync(new URL('exceptions.json', import.meta.url), 'utf8'),
) as readonly Exception[];

export function readFacts(file = new URL('facts.ndjson', import.meta.url)): Facts {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const kept = lines.map((line) => JSON.parse(line) as Facts[string] & { readonly column: string });
  return Object.fromEntries(kept.map(({ column, ...report }) => [column, report]));
}
/** Share of the cells in which the first two runs of a host agreed. */
export function agreement(facts: Facts): string {
  const all = Object.values(facts).flatMap(({ cells }) => Object.values(cells));
  const twice = all.filter(({ runs }) => runs.length > 1);
  const same = twice.filter(({ runs }) => runs[0]?.verdict === runs[1]?.verdict);
  return `${same.length} of ${twice.length}`;
}
const price = `- **a2c-actors pays for its column.** Beside each host that has started a server runs a process that ends the servers when the host is killed, with 40 MB of memory. The first connection costs about 220 ms of CPU and 35 MB, each call about a tenth more CPU than the SDK alone ([any-client.md](any-client.md#before-and-after)), and the default install has 60 MB.`;

const cellOf = (facts: Facts, name: string, title: string): string => {
  const [one, cell] = [cases[title] as Case, facts[name]?.cells[title]];
  if (!cell) return '·';
  const at = exceptions.findIndex((each) => each.host === name && each.case === title);
  const found = exceptions[at];
  return found ? `${markOf(one, found)}[^${at + 1}]` : markOf(one, cell);
};
export const count = (facts: Facts, name: string, mark: string): number =>
  Object.keys(cases).filter((title) => cellOf(facts, name, title).startsWith(mark)).length;

const shortlist = ['ours', 'sdk2', 'mcp-py', 'mcporter', 'fastmcp-py'];
const shortTable = /(?<=^<!-- hosts -->\n\|.*\n\|.*\n)(?:\|.*\n)*(?=<!-- end of hosts -->$)/m;
export const withShortTable = (page: string, facts: Facts): string =>
  page.replace(shortTable, () =>
    shortlist
      .flatMap((name) => {
        const host = facts[name]?.host;
        const counts = ['●', '◐', '✗', '○'].map((mark) => count(facts, name, mark));
        return host ? [`| ${[host.name, host.version, ...counts].join(' | ')} |\n`] : [];
      })
      .join(''),
  );

export function hostsPage(facts: Facts): string {
  const names = Object.keys(hosts).filter((name) => facts[name] && hosts[name]?.bare === undefined);
  const reports = names.map((name) => [name, facts[name] as Facts[string]] as const);
  const rows = Object.keys(cases).map(
    (title) => `| ${title} | ${names.map((name) => cellOf(facts, name, title)).join(' | ')} |`,
  );
  const sums = ['●', '◐', '✗', '○', '–', '?'].map(
    (mark) => `| **${mark}** | ${names.map((name) => count(facts, name, mark)).join(' | ')} |`,
  );
  return [
    ...introduction(facts, reports),
    [`| case | ${names.join(' | ')} |`, `|---|${names.map(() => ':-:|').join('')}`, ...rows, ...sums].join(
      '\n',
    ),
    exceptions.map(({ reason }, n) => `[^${n + 1}]: ${reason}`).join('\n\n'),
    ...servedHosts(facts),
    '## Rules',
    always,
    [
      '| case | right, then partly right | part of the specification |',
      '|---|---|---|',
      ...Object.entries(cases).map(([title, one]) => `| ${title} | ${one.rule} | ${partOf(one)} |`),
    ].join('\n'),
    '',
  ].join('\n\n');
}

function servedHosts(facts: Facts): readonly string[] {
  const rows = Object.entries(hosts).flatMap(([name, { bare }]) => {
    const report = facts[name];
    if (bare === undefined || !report || !facts[bare]) return [];
    const counts = ['●', '◐', '✗', '○', '–', '?'].map(
      (mark) => `${count(facts, bare, mark)} → ${count(facts, name, mark)}`,
    );
    return [`| ${[report.host.name, report.host.version, report.date, ...counts].join(' | ')} |`];
  });
  if (rows.length === 0) return [];
  return [
    '## With `a2c serve` between',
    'The same drivers, unchanged, with [`a2c serve`](serve.md) before each server: cells before → after.',
    [
      '| host | version | judged on | ● | ◐ | ✗ | ○ | – | ? |',
      '|---|---|---|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
  ];
}

const introduction = (
  facts: Facts,
  reports: readonly (readonly [string, Facts[string]])[],
): readonly string[] => [
  '# Hosts: how MCP hosts behave when servers misbehave',
  `Written by \`npm run judge:all\`. ${Object.keys(cases).length} cases of [a2c-fault-server](../scenarios/fault-server/README.md), judged from outside with [\`a2c judge\`](judge.md): by the process table, the log of the server, the answers, and the memory of the host. Two of at most three runs agree; the first two agreed in ${agreement(facts)} cells. The parts of the specification are those of revision ${revision}.`,
  legend,
  `- **A library is not blamed for what nobody asked of it.** The specification says little about what a client owes to the machine: where it is silent, a case says what a user of a host would wish, and ○ is a fact, no fault. Many libraries leave restarts and clean-up to the program around them.
- **The driver decides, too.** Each host is driven as its manual has it, with its defaults, by a [driver](judge.md#a-driver) of at most 60 lines. [your-host.md](your-host.md) says how to check a verdict, and how to object.
- Not in the table: 1mcp, whose package \`@1mcp/agent\` npm did not find on 2026-11-26.
- Times are ten times those of the rules, so that a slow machine is not judged. The observations of each run are in \`scenarios/judge/facts.ndjson\` of the repository, and verdicts set by hand, with their reasons, in \`scenarios/judge/exceptions.json\`.
${price}`,
  [
    '| column | host | version | judged on | machine |',
    '|---|---|---|---|---|',
    ...reports.map(
      ([name, { host, date, platform, machine }]) =>
        `| ${name} | ${host.name} | ${host.version} | ${date} | ${platform}, ${machine} |`,
    ),
  ].join('\n'),
  '## Verdicts',
];
