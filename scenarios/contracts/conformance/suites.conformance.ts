import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { served } from './served.ts';
import {
  install,
  kinds,
  play,
  scenariosOf,
  suites,
  withDriver,
  type Judged,
  type Kind,
  type Suite,
  type Verdict,
} from './suites.ts';

interface Row extends Omit<Judged, 'problems'> {
  readonly suite: Suite;
  readonly kind: Kind;
  readonly scenario: string;
  readonly reason: string | undefined;
}

function resultsOf(rows: readonly Row[], kind: Kind): string {
  const of = (wanted: Verdict): readonly Row[] => rows.filter(({ verdict }) => verdict === wanted);
  const passing = of('passes').map(({ scenario }) => `\`${scenario}\``);
  const tables = (['fails', 'not played'] as const).map((verdict) => {
    const lines = of(verdict).map(({ scenario, reason = '' }) => `| \`${scenario}\` | ${reason} |`);
    return lines.length > 0 ? `\n| ${verdict} | reason |\n|---|---|\n${lines.join('\n')}\n` : '';
  });
  const noted = (what: string, of: (row: Row) => number): string => {
    const some = rows.filter((row) => row.verdict === 'passes' && of(row) > 0);
    const each = some.map((row) => `\`${row.scenario}\` (${of(row)})`).join(', ');
    return some.length > 0 ? ` Of these the suite ${what} ${each}.` : '';
  };
  const notes =
    noted('skips checks in', ({ skipped }) => skipped) + noted('warns in', ({ warnings }) => warnings);
  const played = rows.length - of('not played').length;
  return `${passing.length} of ${played} ${kind} scenarios that were played pass: ${passing.join(', ')}.${notes}\n${tables.join('')}`;
}

function pageOf(rows: readonly Row[]): string {
  const parts = (Object.keys(suites) as Suite[]).map((suite) => {
    const of = (kind: Kind): string =>
      resultsOf(
        rows.filter((row) => row.suite === suite && row.kind === kind),
        kind,
      );
    return `## ${suite}: ${suites[suite]}\n\n${kinds.map(of).join('\n')}`;
  });
  return `# Conformance

The [official conformance suite](https://www.npmjs.com/package/@modelcontextprotocol/conformance) of MCP, in its stable and its
newest version. Its client scenarios are played against a host that only calls \`createComputer\`
(\`scenarios/contracts/conformance/driver.mjs\`). Its server scenarios are played against \`a2c serve --http\` in front of a
stdio server of the MCP SDK 1.x (\`server.mjs\` beside it). \`npm test -- --project conformance\` fails when a result differs from
this page. It needs the npm registry and runs the suite on Node 22. \`A2C_UPDATE_PAGES=1 npm test -- --project conformance\` writes this
page.

A scenario passes when a check of it succeeded and none failed; one whose checks the suite skips was not played, and does not count.
Two things the driver does that a person would do: it leaves out arguments that the suite gives as null, as our host checks arguments
against the schema of the tool, and it calls once more when a login was over in the midst of the first call.

${parts.join('\n')}`;
}

const tasks = 'the server has no tasks, which a2c serve does not give to clients without sessions';
const skillsDraft =
  'skills of servers by the draft SEP-2640 (`skills/list`) are not spoken: ours come from resources ([skills.md](skills.md#skills-of-servers))';
const notResumed = 'a2c serve keeps no events, so a stream that broke is not resumed';
/** Fail, or are not played, with whose fault it is. This list only shrinks. */
const openScenarios: Readonly<Record<Suite, Readonly<Record<string, string>>>> = {
  stable: { 'server-sse-polling': notResumed },
  newest: {
    'server-sse-polling': notResumed,
    'server-stateless':
      'a method that nobody knows gets its error with HTTP 200, not 404, for any method may be known to the wrapped server; that server speaks a revision in which it cannot refuse a call for a capability (-32021)',
    'http-custom-header-server-validation':
      'headers named by the schema of a tool (`x-mcp-header`) are not compared with its arguments; the arguments count',
    'input-required-result-basic-elicitation':
      'the suite wants the key of a question that its own server gives; a server with sessions has none to give',
    ...Object.fromEntries(
      ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map((name) => [
        `sep-2640-client-${name}`,
        skillsDraft,
      ]),
    ),
    ...Object.fromEntries(
      [
        ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input'],
        ...['request-headers', 'dispatch-and-envelope', 'status-notifications', 'required-task-error'],
        'mrtr-composition',
      ].map((name) => [`tasks-${name}`, tasks]),
    ),
  },
};

await install();
const all = await Promise.all(
  (Object.keys(suites) as Suite[]).flatMap((suite) =>
    kinds.map(async (kind) => ({ suite, kind, scenarios: await scenariosOf(suite, kind) })),
  ),
);
const rows: Row[] = [];
const page = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));

describe.concurrent.each(all)('a $kind scenario of the $suite suite', ({ suite, kind, scenarios }) => {
  it.concurrent.each(scenarios.map((scenario) => ({ scenario })))(
    'passes, unless it is named as open: $scenario',
    async ({ scenario }) => {
      const folder = mkdtempSync(join(tmpdir(), 'a2c-conformance-'));
      // One for each scenario, for what one leaves open is seen by the next.
      const serving = kind === 'server' ? await served() : undefined;
      const words = serving ? ['--url', serving.url] : withDriver;
      const judged = await play(suite, kind, words, scenario, folder);
      await serving?.close();
      rmSync(folder, { recursive: true });
      const reason = openScenarios[suite][scenario];
      const { problems, ...seen } = judged;
      rows.push({ suite, kind, scenario, reason, ...seen });
      const isOpen = seen.verdict !== 'passes';
      // A scenario that passes by now leaves the list.
      expect({ isOpen, problems: isOpen && reason === undefined ? problems : [] }).toEqual({
        isOpen: reason !== undefined,
        problems: [],
      });
    },
  );
});

afterAll(() => {
  const keyOf = ({ suite, kind, scenario }: Pick<Row, 'suite' | 'kind' | 'scenario'>): string =>
    `${suite} ${kind} ${scenario}`;
  const order = all.flatMap(({ scenarios, ...one }) =>
    scenarios.map((scenario) => keyOf({ ...one, scenario })),
  );
  const text = pageOf(rows.toSorted((a, b) => order.indexOf(keyOf(a)) - order.indexOf(keyOf(b))));
  if (rows.length < order.length) return;
  if (process.env['A2C_UPDATE_PAGES'] === '1') writeFileSync(page, text);
  expect(readFileSync(page, 'utf8'), 'A2C_UPDATE_PAGES=1 writes docs/conformance.md').toBe(text);
});
