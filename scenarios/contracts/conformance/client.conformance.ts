import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { install, play, scenariosOf, suites, type Suite } from './suites.ts';

interface Row {
  readonly suite: Suite;
  readonly scenario: string;
  readonly passed: boolean;
  /** Why it does not pass, and whose fault that is. */
  readonly reason: string | undefined;
}

/** Names of those that pass in one line, and a row for each that fails. */
function resultsOf(rows: readonly Row[]): string {
  const passing = rows.filter((row) => row.passed).map(({ scenario }) => `\`${scenario}\``);
  const failing = rows.filter((row) => !row.passed);
  const lines = failing.map(({ scenario, reason = '' }) => `| \`${scenario}\` | ${reason} |`);
  const table = failing.length > 0 ? `\n| fails | reason |\n|---|---|\n${lines.join('\n')}\n` : '';
  return `${passing.length} of ${rows.length} client scenarios pass: ${passing.join(', ')}.\n${table}`;
}

/** docs/conformance.md, by what was played. */
function pageOf(rows: readonly Row[]): string {
  const parts = (Object.keys(suites) as Suite[]).map((suite) => {
    const of = rows.filter((row) => row.suite === suite);
    return `## ${suite}: ${suites[suite]}\n\n${resultsOf(of)}`;
  });
  return `# Conformance

The [official conformance suite](https://www.npmjs.com/package/@modelcontextprotocol/conformance) of MCP plays its client
scenarios against a host that only calls \`createComputer\` (\`scenarios/contracts/conformance/driver.mjs\`), in its stable
and its newest version. \`npm run test:conformance\` fails when a result differs from this page. It needs the npm registry
and runs the suite on Node 22. \`A2C_UPDATE_PAGES=1 npm run test:conformance\` writes this page.

${parts.join('\n')}`;
}

/** Scenarios that fail, and whose fault that is. This list only shrinks. */
const openScenarios: Readonly<Record<Suite, Readonly<Record<string, string>>>> = {
  stable: {},
  newest: {},
};

await install();
const all = await Promise.all(
  (Object.keys(suites) as Suite[]).map(async (suite) => ({ suite, scenarios: await scenariosOf(suite) })),
);
const rows: Row[] = [];
const page = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));

describe.concurrent.each(all)('of the client scenarios of the $suite suite', ({ suite, scenarios }) => {
  it.concurrent.each(scenarios.map((scenario) => ({ scenario })))(
    '$scenario passes, unless it is named as open',
    async ({ scenario }) => {
      const folder = mkdtempSync(join(tmpdir(), 'a2c-conformance-'));
      const judged = await play(suite, scenario, folder).finally(() => rmSync(folder, { recursive: true }));
      const reason = openScenarios[suite][scenario];
      rows.push({ suite, scenario, passed: judged.passed, reason });
      // A scenario that passes by now leaves the list.
      expect({ passed: judged.passed, problems: judged.passed ? [] : judged.problems }).toEqual(
        reason === undefined ? { passed: true, problems: [] } : { passed: false, problems: judged.problems },
      );
    },
  );
});

afterAll(() => {
  const order = all.flatMap(({ suite, scenarios }) => scenarios.map((scenario) => `${suite} ${scenario}`));
  const text = pageOf(
    rows.toSorted(
      (a, b) => order.indexOf(`${a.suite} ${a.scenario}`) - order.indexOf(`${b.suite} ${b.scenario}`),
    ),
  );
  if (rows.length < order.length) return;
  if (process.env['A2C_UPDATE_PAGES'] === '1') writeFileSync(page, text);
  expect(readFileSync(page, 'utf8'), 'A2C_UPDATE_PAGES=1 writes docs/conformance.md').toBe(text);
});
