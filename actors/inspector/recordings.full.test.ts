import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openPanel } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { shownText } from '../../scenarios/fixtures/shown-text.ts';
import { showRecordings } from './recordings.ts';

const file = fileURLToPath(
  new URL('../../scenarios/recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url),
);
const chromium = chromiumOfTests();

it('a recording of 200,000 records opens, scrolls and is searched, with few elements', async () => {
  const [head] = String(gunzipSync(readFileSync(file))).split('\n');
  const opened = (n: number): object => ({
    a: `computer/client:s${n}#${n}`,
    from: 'computer#1',
    k: 'open',
    kind: 'client',
  });
  const step = (n: number): object => ({
    a: `computer/client:s${n % 50}#${n % 50}`,
    ctx: { server: `s${n % 50}`, attempt: n, budget: 5 },
    ev: 'tick',
    k: 'step',
    tr: ['client: waiting --tick--> waiting'],
    v: n % 3 === 0 ? 'waiting' : 'resolving',
  });
  const count = 200_000;
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ s: n + 1, t: n / 10, ...(n < 50 ? opened(n) : step(n)) }),
  );
  await using shown = await showRecordings([shownText('big', `${[head, ...lines].join('\n')}\n`)]);
  const begin = performance.now();
  const { page } = await chromium.look(shown.url);
  await page.getByRole('status').filter({ hasText: 'a recording, 200,001 records' }).first().waitFor();
  process.stdout.write(`200,000 records: open after ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
  await openPanel(page, 'Records');
  await page.locator(`.record[data-s="${count}"]`).waitFor();
  await page.getByRole('listbox', { name: 'Records' }).evaluate((list) => (list.scrollTop = 0));
  await page.locator('.record[data-s="1"]').waitFor();
  expect(await page.locator('.record').count()).toBeLessThan(100);
  await page.getByLabel('Find records').fill('client:s7#');
  await page.locator('#count', { hasText: '4,000 records' }).waitFor();
  for (const panel of ['Lanes', 'Overview']) await openPanel(page, panel);
  await page.locator('#servers tbody tr').nth(49).waitFor();
});
