import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { picture, type Page, openPanel, goTo } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { changedTrace } from '../../scenarios/fixtures/changed-trace.ts';
import { commandLine, inspected } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const file = fileURLToPath(
  new URL('../../scenarios/recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url),
);
const chromium = chromiumOfTests();
let shown: Awaited<ReturnType<typeof inspected>>;
let rows: readonly Readonly<Record<string, unknown>>[] = [];
let client = '';
beforeAll(async () => {
  shown = await inspected(['show', file]);
  const reader = await attachTo(shown.url);
  await reader.until(({ messages }) => messages.find(({ type }) => type === 'complete'));
  ({ rows } = reader);
  client = String(
    rows.find(({ k, kind, a }) => k === 'open' && kind === 'client' && String(a).includes(':files#'))?.['a'],
  );
  await reader.close();
});
afterAll(() => shown.end());
const look = async (): Promise<Page> => {
  const { page } = await chromium.look(shown.url);
  await page
    .getByRole('status')
    .filter({ hasText: `a recording, ${rows.length}` })
    .first()
    .waitFor();
  return page;
};
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value as object)
        .map(([name, inner]) => `${name}.${textOf(inner)}`)
        .join(' + ');

describe('the page of a recording', () => {
  it('has a lane for each actor, with the states that its steps have, in their order', async () => {
    const page = await look();
    await openPanel(page, 'Lanes');
    await page.getByRole('button', { name: 'lists and processes' }).click();
    const states = rows.flatMap(({ k, a, v }) => (k === 'step' && a === client ? [textOf(v)] : []));
    const changes = states.filter((state, at) => state !== states[at - 1]);
    const lane = page.locator(`.lane[data-lane="${client}"]`);
    const [, shown = ''] = ((await lane.getAttribute('aria-label')) ?? '').split(': ');
    // The last states are told, in the words that the steps have.
    expect(changes.join(', ').endsWith(shown)).toBe(true);
    expect(shown).toContain('off.waiting');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'all time' }).click();
    await lane.click();
    await page.locator('.lane.chosen', { hasText: 'client:' }).waitFor();
    // Two calls of one tool that overlap need two rows; connections of one server, one after the other, need one.
    expect(await page.locator('.lane', { hasText: 'call slow' }).count()).toBeGreaterThan(1);
    await page.locator('.lane', { hasText: 'connection × 2' }).first().waitFor();
    const drawn = await page.locator('.lanes canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
        data: [],
      };
      return data.some((value) => value > 0);
    });
    expect(drawn).toBe(true);
  });

  it('finds records as the trace has them, and says what led to one and what it changed', async () => {
    const page = await look();
    await openPanel(page, 'Records');
    await page.getByLabel('Find records').fill('session.lost');
    const expected = rows.filter(
      ({ k, ev }) => (k === 'step' ? ev : (ev as { type?: string } | undefined)?.type) === 'session.lost',
    );
    await page.locator('#count', { hasText: `${expected.length} records` }).waitFor();
    const step = expected.find(({ k }) => k === 'step');
    await page.locator(`.record[data-s="${String(step?.['s'])}"]`).click();
    const cause = expected.find(({ k }) => k === 'in');
    expect(await page.locator('#causes li').allInnerTexts()).toEqual([
      expect.stringContaining(`${String(cause?.['s'])} `),
    ]);
    expect(await page.locator('#taken').innerText()).toBe(
      'connection: trying.session --session.lost--> trying.broken',
    );
  });

  it('shows any earlier moment: the tree, the servers, the chart and the calls of then', async () => {
    const page = await look();
    const waits = rows.find(({ k, a, v }) => k === 'step' && a === client && textOf(v) === 'off.waiting');
    await goTo(page, waits?.['s']);
    const row = page.locator('#servers tbody tr').filter({ hasText: 'files' });
    await row.filter({ hasText: 'is down, and waits for its next try' }).waitFor();
    expect(await row.innerText()).toContain("Server 'files' was ended by SIGKILL");
    await openPanel(page, 'Chart');
    await page.locator(`.actor[data-address="${client}"]`).click();
    await page.locator('.state.active[data-state="off.waiting"]').waitFor();
    expect(await page.locator('.state.active').count()).toBe(2);
    // The record before has the client in another state.
    await page.keyboard.press(',');
    await page.locator('.state.active[data-state="off.waiting"]').waitFor({ state: 'detached' });
    await goTo(page, 1);
    await page.getByText('does not live at this moment').waitFor();
    await openPanel(page, 'Calls');
    await page.getByText(/No call was made .*until this moment/).waitFor();
  });

  it('draws the way that a machine took, in order, and what it waits for', async () => {
    const page = await look();
    const waits = rows.find(({ k, a, v }) => k === 'step' && a === client && textOf(v) === 'off.waiting');
    await openPanel(page, 'Chart');
    await page.locator(`.actor[data-address="${client}"]`).click();
    const timer = rows.find(
      ({ s, k, a, op }) => k === 'timer' && op === 'set' && a === client && Number(s) > Number(waits?.['s']),
    );
    await goTo(page, timer?.['s']);
    await page.locator('.state.active[data-state="off.waiting"]').waitFor();
    // The last steps, each with time of day and event, are listed beside the chart with the same numbers.
    const [step = ''] = await page.locator('.way li.taken').allInnerTexts();
    expect(step).toMatch(/^\d+ [\d:]+\.\d{3} always \[canRetry\] → off\.waiting$/);
    expect(await page.locator('.way').innerText()).toContain('connection.broken → lost');
    const [last = ''] = /^\d+/.exec(step) ?? [];
    expect(await page.locator('.edge.taken .place').allTextContents()).toEqual([last]);
    expect(await page.locator('#waits').innerText()).toMatch(/deadline in [\d.]+ m?s, at [\d:]+/);
    const taken = await page.locator('.state').count();
    await page.getByRole('button', { name: 'whole chart' }).click();
    await page.locator('.state[data-state="closed"]').waitFor();
    await expect.poll(() => page.locator('.state').count()).toBeGreaterThan(taken);
    await picture(page, 'chart-way');
  });

  it('limits every panel to the time over which a person drags, until Escape, also by its address', async () => {
    const page = await look();
    await openPanel(page, 'Calls');
    const calls = async (): Promise<number> =>
      Number(/^(\d+)/.exec(await page.locator('#call-totals').innerText())?.[1]);
    const all = { calls: await calls(), incidents: await page.locator('.incident').count() };
    expect(all.incidents).toBeGreaterThan(0);
    const strip = (await page.locator('.strip').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const drag = async (box: typeof strip, from: number, to: number): Promise<void> => {
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * from, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to, y, { steps: 4 });
      await page.mouse.up();
    };
    await drag(strip, 0, 0.02);
    await page.locator('#range-shown', { hasText: ' of time' }).waitFor();
    await page.getByText('Nothing went wrong in the chosen time.').waitFor();
    expect(await calls()).toBeLessThan(all.calls);
    await openPanel(page, 'Records');
    const records = page.locator('#count', { hasText: /^[\d,]+ records?$/ });
    const count = Number((await records.innerText()).replaceAll(/\D/g, ''));
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(rows.length);
    await page.waitForURL(/&time=[\d.]+%7E[\d.]+/);
    const { page: other } = await chromium.look(page.url());
    await other.locator('#count', { hasText: `${count.toLocaleString('en')} records` }).waitFor();
    await other.close();
    await page.keyboard.press('Escape');
    await page.locator('#count', { hasText: rows.length.toLocaleString('en') }).waitFor();
    expect(await page.locator('.incident').count()).toBe(all.incidents);
    await openPanel(page, 'Lanes');
    const lanes = (await page.locator('.lanes .all').boundingBox()) ?? strip;
    await drag({ ...lanes, height: 40 }, 0.4, 0.6);
    await page.locator('#range-shown', { hasText: ' of time' }).waitFor();
    await page.getByRole('button', { name: 'all time' }).click();
    await page.close();
  });

  it('is used by keys alone', async () => {
    const page = await look();
    await page.keyboard.press('3');
    await page.keyboard.press('/');
    await page.keyboard.type('client:flaky');
    await page.keyboard.press('Escape');
    await page.getByRole('listbox', { name: 'Records' }).focus();
    await page.keyboard.press('Home');
    const first = rows.find((row) => JSON.stringify([row['a'], row['from']]).includes('client:flaky'));
    await page.locator(`.record[aria-selected="true"][data-s="${String(first?.['s'])}"]`).waitFor();
    await page.keyboard.press('1');
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { name: 'Calls' }).getAttribute('aria-selected')).toBe('true');
  });
});

it('one HTML file shows the same, asks nothing of any network, and draws charts', async () => {
  const html = join(testFolder('html'), 'death.html');
  expect(await commandLine(['show', file, '--html', html])).toMatchObject({ code: 0 });
  const { page, requests } = await chromium.look(pathToFileURL(html).href);
  await page
    .getByRole('status')
    .filter({ hasText: `a recording, ${rows.length}` })
    .first()
    .waitFor();
  await openPanel(page, 'Chart');
  await page.locator(`.actor[data-address="${client}"]`).click();
  await page.locator('.state.active[data-state="on.ready.health.steady"]').waitFor();
  await picture(page, 'html-chart-light');
  expect(requests.filter((each) => !/^(file|data|blob):/.test(each))).toEqual([]);
});

describe('the checks of a recording', () => {
  it('the page says beside the name of a recording what a2c replay says of it', async () => {
    const page = await look();
    await page.locator('#link', { hasText: 'replayed:' }).waitFor();
    expect(await page.locator('#link').innerText()).toMatch(/^a recording, [\d,]+ records; replayed: SAME$/);
  });

  it('a check that fails is an incident of the page of a2c replay --html, which leads to its record', async () => {
    const folder = testFolder('differs');
    const [trace, html] = [join(folder, 'differs.trace.ndjson'), join(folder, 'differs.html')];
    changedTrace(file, trace);
    expect(await commandLine(['replay', trace, '--html', html])).toMatchObject({ code: 1 });
    const { page } = await chromium.look(pathToFileURL(html).href);
    await page.locator('#link', { hasText: 'replayed: CHANGED' }).waitFor();
    const incident = page.locator('.incident[data-kind="check"]', {
      hasText: /Today's code does something else: server \w+ was open and is now ready/,
    });
    await incident.waitFor();
    await picture(page, 'checks');
    await incident.getByRole('button').first().click();
    await page.locator('#moment-text', { hasText: /^record \d+ at/ }).waitFor();
  });

  it('a moment is saved as a trace that a2c replay plays', async () => {
    const page = await look();
    await goTo(page, 200);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'save trace' }).click(),
    ]);
    const saved = join(testFolder('saved'), download.suggestedFilename());
    await download.saveAs(saved);
    const { code, out } = await commandLine(['replay', saved]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^SAME /) });
  });
});
