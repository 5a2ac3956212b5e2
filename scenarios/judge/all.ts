/** Writes docs/hosts.md and README's short table, of the hosts that are named or all: `npm run judge:all`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { cases } from './cases/index.ts';
import { hosts, playersOf, root } from './hosts.ts';
import { hostsPage, readFacts, withShortTable } from './hosts-page.ts';
import { factsOf, markOf } from './report.ts';
import { judgeAll } from './run.ts';

const factsFile = new URL('facts.ndjson', import.meta.url);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stop.abort(new Error(`ended by ${signal}`)));

/** With names of cases only these are judged; the others keep their verdicts. */
async function judgeHost(name: string, only: readonly string[], atOnce: number): Promise<void> {
  const host = hosts[name];
  if (!host) throw new Error(`there is no host ${name}: known are ${Object.keys(hosts).join(', ')}`);
  const some = Object.fromEntries(
    Object.entries(cases).filter(([title]) => only.length === 0 || only.includes(title)),
  );
  const load = loadavg().map((each) => Math.round(each));
  const report = await judgeAll({ ...(await playersOf(host)), signal: stop.signal }, some, {
    atOnce,
    onCell: (title, cell) => {
      const one = cases[title];
      if (one) process.stdout.write(`${name} ${markOf(one, cell)} ${title.padEnd(15)} ${factsOf(cell)}\n`);
    },
  });
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, load ${load[0]}`;
  // Read again, since another run may have written meanwhile.
  const before = readFacts(factsFile);
  const cells = { ...(only.length > 0 && before[name]?.cells), ...report.cells };
  const facts = { ...before, [name]: { ...report, cells, machine } };
  const lines = Object.entries(facts).map(([column, one]) =>
    // Folders of this machine are in errors of hosts, and often cut.
    `${JSON.stringify({ column, ...one })}\n`.replaceAll(/\/tmp\/[\w./-]{0,300}/g, 'FILE'),
  );
  writeFileSync(factsFile, lines.join(''));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'at-once': { type: 'string', default: '4' },
    only: { type: 'string', multiple: true, default: [] },
    page: { type: 'boolean', default: false },
  },
});
const named = positionals.length > 0 ? positionals : Object.keys(hosts);
for (const name of values.page ? [] : named) await judgeHost(name, values.only, Number(values['at-once']));
const facts = readFacts(factsFile);
writeFileSync(`${root}docs/hosts.md`, hostsPage(facts));
for (const readme of ['README.md', 'README.zh-CN.md'])
  writeFileSync(root + readme, withShortTable(readFileSync(root + readme, 'utf8'), facts));
