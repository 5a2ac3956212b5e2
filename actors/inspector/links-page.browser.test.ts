import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { type Page, openPanel, goTo } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import { shownText } from '../../scenarios/fixtures/shown-text.ts';
import { showRecordings } from './recordings.ts';

/** Links that a person takes from the page, and the view that an address brings back. */

const echo = launched('links-page');
const recording = new URL('../../scenarios/recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url);
const chromium = chromiumOfTests();
const isOpen = (page: Page, panel: string): Promise<void> =>
  page.locator('[role="tab"][aria-selected="true"]', { hasText: panel }).waitFor();

describe('the address of the page', () => {
  it('opens the same panel, moment, search and call for somebody else', async () => {
    const text = gunzipSync(readFileSync(fileURLToPath(recording))).toString('utf8');
    await using shown = await showRecordings([shownText('death', text)]);
    const { page } = await chromium.look(shown.url);
    await openPanel(page, 'Calls');
    await page.getByLabel('Find calls').fill('slow');
    await page.getByRole('button', { name: /may have happened \d/ }).click();
    // The page has opened the call for which the recording was kept, and a second click closes it.
    await page.locator('.call').last().click();
    await goTo(page, 150);
    const [call, at] = [
      await page.locator('#call h2').innerText(),
      await page.locator('#moment-text').innerText(),
    ];
    expect(at).toMatch(/^record \d+ at /);
    await page.waitForURL(new RegExp(`&s=${/\d+/.exec(at)?.[0]}$`));
    const { page: other } = await chromium.look(page.url());
    await isOpen(other, 'Calls');
    await other.locator('#moment-text', { hasText: at }).waitFor();
    await other.locator('#call h2', { hasText: call }).waitFor();
    expect(await other.getByLabel('Find calls').inputValue()).toBe('slow');
  });

  it('takes the Back button one choice back, and its title names the host', async () => {
    await using computer = await computerWith({ echo });
    await computer.callTool('echo', { text: 'one' });
    const { page } = await chromium.inspect(computer);
    await page.getByText('1 server fine.').waitFor();
    expect(await page.title()).toBe('computer c1');
    await openPanel(page, 'Calls');
    await page.locator('.call').click();
    await page.locator('#call').waitFor();
    await page.goBack();
    await page.locator('#call').waitFor({ state: 'detached' });
    await isOpen(page, 'Calls');
    await page.goBack();
    await isOpen(page, 'Overview');
    await page.goForward();
    await isOpen(page, 'Calls');
  });
});

it('a page whose host falls silent is grey, and says as of when it is', async () => {
  await using computer = await computerWith({ echo });
  const { url } = await computer.debug.inspect();
  const { page } = await chromium.look('about:blank');
  let isSilent = false;
  await page.routeWebSocket(/\/attach$/, (socket) => {
    const host = socket.connectToServer();
    host.onMessage((message) => (isSilent ? undefined : socket.send(message)));
  });
  await page.goto(url);
  await page.getByText('1 server fine.').waitFor();
  isSilent = true;
  await page.locator('#link', { hasText: /^▲ the host does not answer: .*as of [\d:]+\.$/ }).waitFor();
  await page.locator('.stale').waitFor();
  expect(await page.locator('#summary').innerText()).not.toContain('fine');
  isSilent = false;
  await page.locator('#link', { hasText: /^live/ }).waitFor();
  await page.getByText('1 server fine.').waitFor();
});
it('a page whose connection was lost comes back by itself, keeps what it knew, and says how long it was away', async () => {
  await using computer = await computerWith({ echo });
  await computer.callTool('echo', { text: 'before' });
  const { url } = await computer.debug.inspect();
  const { page } = await chromium.look('about:blank');
  let cut = (): Promise<void> => Promise.resolve();
  let isCut = false;
  await page.routeWebSocket(/\/attach$/, (socket) => {
    if (isCut) return void socket.close();
    socket.connectToServer();
    cut = () => socket.close();
  });
  await page.goto(url);
  await page.locator('#link', { hasText: /^live/ }).waitFor();
  isCut = true;
  await cut();
  await page
    .locator('#link', { hasText: /^▲ connection lost: .*What is shown is as of [\d:]+\. Trying again/ })
    .waitFor();
  expect(await page.locator('#summary').innerText()).not.toContain('fine');
  await computer.callTool('echo', { text: 'meanwhile' });
  isCut = false;
  await page.locator('#link', { hasText: /^live.*; away from [\d:]+ to [\d:]+$/ }).waitFor();
  await openPanel(page, 'Calls');
  await page.locator('#call-totals', { hasText: '2 calls' }).waitFor();
  expect(await page.locator('.call strong').allInnerTexts()).toEqual(['echo', 'echo']);
});
