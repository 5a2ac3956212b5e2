/** Judges the hosts that are named, or all, keeps the facts of each cell, and writes docs/hosts.md: `npm run judge:all`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { cases } from './cases/index.ts';
import { hosts, playersOf, root } from './hosts.ts';
import { hostsPage, type Facts } from './hosts-page.ts';
import { factsOf, markOf } from './report.ts';
import { judgeAll } from './run.ts';

const factsFile = new URL('facts.ndjson', import.meta.url);
/** Reads the facts: a line for each host. */
const read = (): Facts => {
  const lines = readFileSync(factsFile, 'utf8').split('\n').filter(Boolean);
  const kept = lines.map((line) => JSON.parse(line) as Facts[string] & { readonly column: string });
  return Object.fromEntries(kept.map(({ column, ...report }) => [column, report]));
};
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stop.abort(new Error(`ended by ${signal}`)));

/** Judges one host; with names of cases only these, and the others keep their verdicts. */
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
  const before = read();
  const cells = { ...(only.length > 0 && before[name]?.cells), ...report.cells };
  const facts = { ...before, [name]: { ...report, cells, machine } };
  const lines = Object.entries(facts).map(([column, one]) => `${JSON.stringify({ column, ...one })}\n`);
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
writeFileSync(`${root}docs/hosts.md`, hostsPage(read()));
