import { suites, type Suite } from './suites.ts';

export interface Row {
  readonly suite: Suite;
  readonly scenario: string;
  readonly passed: boolean;
  /** Why it does not pass, and whose fault that is. */
  readonly reason: string | undefined;
}

const table = (rows: readonly Row[]): string =>
  [
    '| scenario | | why not |',
    '|---|---|---|',
    ...rows.map(
      ({ scenario, passed, reason = '' }) =>
        `| \`${scenario}\` | ${passed ? 'passes' : '**fails**'} | ${passed ? '' : reason} |`,
    ),
  ].join('\n');

/** docs/conformance.md, by what was played. */
export function pageOf(rows: readonly Row[]): string {
  const parts = (Object.keys(suites) as Suite[]).map((suite) => {
    const of = rows.filter((row) => row.suite === suite);
    const passed = of.filter((row) => row.passed).length;
    return `## ${suite}: ${suites[suite]}\n\n${passed} of ${of.length} client scenarios pass.\n\n${table(of)}\n`;
  });
  return `# Conformance

The [official conformance suite](https://www.npmjs.com/package/@modelcontextprotocol/conformance) of MCP plays its client
scenarios against a host that calls \`createComputer\` and nothing else (\`scenarios/contracts/conformance/driver.mjs\`). Two
versions are played: the stable one and the newest. \`npm run test:conformance\` plays both, and fails where a scenario
fails that is not named here, or passes and is named. It needs the npm registry: the suite runs on Node 22, our host on
the Node that runs the tests. \`A2C_UPDATE_PAGES=1 npm run test:conformance\` writes this page.

${parts.join('\n')}`;
}
