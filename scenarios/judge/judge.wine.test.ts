import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { processes } from './cases/processes.ts';
import { judge } from './judge.ts';
import { markOf } from './report.ts';

/** Rows `| case | ours | that of the SDK |` of docs/windows.md, by case. */
const table = new Map(
  [...readFileSync('docs/windows.md', 'utf8').matchAll(/^\| (\w+) \| (\S) \| (\S) \|$/gm)].map(
    ([, name = '', ...marks]) => [name, marks],
  ),
);
const faultServer = [process.execPath, 'dist/scenarios/fault-server/fault-server.mjs'];
const hosts = ['create-computer', 'sdk1'].map((driver, column) => ({ driver, column }));

it('docs/windows.md has all cases about processes', () => {
  expect([...table.keys()]).toEqual(Object.keys(processes));
});

describe.concurrent.each(hosts)('$driver on Windows', ({ driver, column }) => {
  it.concurrent.each(Object.entries(processes))(
    '%s is judged as docs/windows.md says',
    async (name, one) => {
      const players = { driver: [process.execPath, `scenarios/judge/drivers/${driver}.mjs`], faultServer };
      const seen = await judge(players, one);
      expect({ mark: markOf(one, seen), facts: seen.facts }).toEqual({
        mark: table.get(name)?.[column],
        facts: seen.facts,
      });
    },
    300_000,
  );
});
