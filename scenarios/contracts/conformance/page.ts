import { suites, type Suite } from './suites.ts';

export interface Row {
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
export function pageOf(rows: readonly Row[]): string {
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
