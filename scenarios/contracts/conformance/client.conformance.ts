import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { open as openScenarios } from './open.ts';
import { pageOf, type Row } from './page.ts';
import { install, play, scenariosOf, suites, type Suite } from './suites.ts';

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
      // One that passes by now is named no more.
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
