import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { openActors, openPanel, picture, type Page } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { createOffice, type Computer } from '../index.ts';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import { oldPeer } from '../../scenarios/fixtures/entering.ts';
import { join } from 'node:path';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const echo = launched('live-page');
const node = process.execPath;
const broken = { command: node, args: ['-e', 'console.error("the licence has expired"); process.exit(7)'] };

const chromium = chromiumOfTests();

const server = (page: Page, name: string) =>
  page.locator('#servers tbody tr').filter({ has: page.getByRole('button', { name, exact: true }) });
const actor = (page: Page, name: string) => page.locator(`.actor[data-address*="${name}"]`);
/** Opens the page with the tree of actors, which the first panel hides. */
const lookWithActors = async (computer: Computer) => {
  const looking = await chromium.inspect(computer);
  await openActors(looking.page);
  return looking;
};

describe('somebody who knows nothing of machines', () => {
  it('finds on the first screen which server is down, why, what it wrote, what to do, and when it is tried again, and may order nothing', async () => {
    await using computer = await computerWith({ echo, broken });
    const { page, requests } = await chromium.inspect(computer);
    await page.locator('#summary', { hasText: '1 of 2 servers needs a look: broken.' }).waitFor();
    await page.getByRole('button', { name: 'stderr of broken' }).click();
    await page.locator('pre.stderr', { hasText: 'the licence has expired' }).waitFor();
    expect(await page.getByRole('button', { name: /^(stop|start|retry) / }).count()).toBe(0);
    const row = server(page, 'broken');
    // Read at once, because the next try may begin before a second look.
    const text = await row.filter({ hasText: 'is down, and waits for its next try' }).innerText();
    expect(text).toContain('▲');
    expect(text).toContain('exit code 7');
    expect(text).toContain('What to do: ');
    expect(text).toMatch(/tried again in [\d.]+ (ms|s|min)|is tried now/);
    expect(text).toMatch(/try \d of \d/);
    expect(await server(page, 'echo').innerText()).toContain('● is ready');
    // The page must send every request to the inspector itself, and none to another machine.
    const hosts = requests.map((url) => new URL(url)).filter(({ protocol }) => protocol !== 'data:');
    expect(hosts.length).toBeGreaterThanOrEqual(4);
    expect([...new Set(hosts.map(({ host }) => host))]).toEqual([new URL(page.url()).host]);
  });
});

it('the page of an office says what a peer of an older version misses', async () => {
  await using office = await createOffice({ port: 0 });
  await using computer = await computerWith({ echo });
  await computer.join({ url: office.url });
  const old = await oldPeer(office.url);
  const { page } = await chromium.inspect(office);
  await openPanel(page, 'Overview');
  const seatOf = (name: string) => page.locator('#peers tr', { hasText: name });
  await seatOf('computer old')
    .filter({ hasText: 'protocol 0.2.0; misses the notice of changed tools' })
    .waitFor();
  expect(await seatOf('computer c1').innerText()).not.toContain('misses');
  old.close();
});

describe('the live page', () => {
  it('follows a server that is killed and started again', async () => {
    await using computer = await computerWith({ echo });
    const { page } = await lookWithActors(computer);
    await actor(page, 'client:echo').filter({ hasText: 'on.ready' }).waitFor();
    const died = computer.callTool('die', {});
    await actor(page, 'client:echo').filter({ hasText: 'started again 1 ×' }).waitFor();
    await actor(page, 'client:echo').filter({ hasText: 'on.ready' }).waitFor();
    expect((await died).outcome).toBe('unknown');
    await openPanel(page, 'Calls');
    await page.locator('.call', { hasText: 'die' }).filter({ hasText: 'may have happened' }).waitFor();
    await openPanel(page, 'Lanes');
    await page.locator('.lane[data-lane*="client:echo#"][aria-label*="off.waiting"]').waitFor();
  });

  it('lights the states of the chart that the machine is in, and no others', async () => {
    await using computer = await computerWith({ echo });
    const { page, requests } = await lookWithActors(computer);
    await actor(page, 'client:echo').first().click();
    await openPanel(page, 'Chart');
    await page.locator('.state.active[data-state="on.ready.health.steady"]').waitFor();
    const lit = (): Promise<(string | null)[]> =>
      page.locator('.state.active').evaluateAll((all) => all.map((each) => each.getAttribute('data-state')));
    expect(await lit()).toEqual([
      'on',
      'on.ready',
      'on.ready.health',
      'on.ready.health.steady',
      'on.ready.lists',
      'on.ready.lists.known',
    ]);
    await computer.servers.stop('echo');
    await page.locator('.state.active[data-state="off.idle"]').waitFor();
    expect(await lit()).toEqual(['off', 'off.idle']);
    await page.locator('.edge.taken[data-edge$="→ off.idle"]').waitFor();
    expect(requests.filter((url) => url.endsWith('elk-worker.js'))).toHaveLength(1);
  });

  it('shows what a tool says as text, never as markup', async () => {
    await using computer = await computerWith({ echo });
    const { page } = await lookWithActors(computer);
    await actor(page, 'client:echo').filter({ hasText: 'on.ready' }).waitFor();
    const text = '<img src=x onerror="globalThis.taken=1"><script>globalThis.taken=1</script>\u202Eabc';
    const watching = await attachTo(page.url());
    await watching.welcome();
    await computer.callTool('echo', { text });
    const { steps } = await watching.row(
      (row) => row.k === 'call' && JSON.stringify(row).includes('onerror'),
    );
    // The number of the record that asked for the call.
    const s = (steps as [string, number][])[0]?.[1];
    await openPanel(page, 'Records');
    await page.getByLabel('Find records').fill(`${s} in`);
    await page.locator(`.record[data-s="${s}"]`).click();
    await page.locator('#detail .value', { hasText: '<img src=x onerror=' }).waitFor();
    expect(await page.locator('#detail .value').innerText()).toContain(String.raw`\u202eabc`);
    expect(await page.locator('img, script:not([src]), iframe').count()).toBe(0);
    expect(await page.evaluate(() => 'taken' in globalThis)).toBe(false);
    await watching.close();
  });

  it('keeps what it has seen when the host ends, and says so', async () => {
    const computer = await computerWith({ echo });
    const { page } = await lookWithActors(computer);
    await actor(page, 'client:echo').filter({ hasText: 'on.ready' }).waitFor();
    await computer.close();
    await page.getByRole('status').filter({ hasText: 'ended: the host closed' }).first().waitFor();
    // Shows the host as it was before it closed.
    await actor(page, 'client:echo').filter({ hasText: 'on.ready' }).waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await actor(page, 'client:echo').waitFor({ state: 'detached' });
    expect(await page.getByRole('status').first().innerText()).toContain('ended');
  });
});

describe('Desktop and Finder', () => {
  it('tell what each server shows, what changed, why, and whether it was announced', async () => {
    const notebook = fileURLToPath(new URL('../../examples/window-server.mjs', import.meta.url));
    await using computer = await computerWith({
      notebook: { command: node, args: [notebook], autoApprove: ['all'] },
    });
    const { page } = await chromium.inspect(computer);
    await openPanel(page, 'Desktop and Finder');
    await page.locator('#shown tr', { hasText: 'window://notebook/latest' }).waitFor();
    await page.locator('#shown tr', { hasText: 'dpe://notebook/tea' }).waitFor();
    expect((await computer.callTool('write_note', { name: 'milk', text: 'Buy it.' })).outcome).toBe(
      'succeeded',
    );
    const change = page.locator('#changed tr[data-change]', {
      hasText: 'it said that window://notebook/latest',
    });
    await change.filter({ hasText: 'Desktop' }).filter({ hasText: 'announced' }).first().waitFor();
    // A window is no document, so its change must not appear in the Finder.
    expect(await change.filter({ hasText: 'Finder' }).count()).toBe(0);
    await page.locator('#changed .ins', { hasText: '+ dpe://notebook/milk' }).waitFor();
    await picture(page, 'collections-light');
  });
});

describe('a page that may give orders', () => {
  it('stops, starts and cancels where the host allows it', async () => {
    await using computer = await computerWith({ echo });
    const { page } = await chromium.inspect(computer, { allowControl: true });
    await page.getByRole('button', { name: 'stop echo' }).click();
    await server(page, 'echo').filter({ hasText: 'is not wanted' }).waitFor();
    expect(computer.status().servers[0]?.state).toBe('idle');
    await page.getByRole('button', { name: 'start echo' }).click();
    await server(page, 'echo').filter({ hasText: 'is ready' }).waitFor();
    const hanging = computer.callTool('hang', {});
    await openPanel(page, 'Calls');
    await page.locator('.call', { hasText: 'hang' }).click();
    await page
      .locator('#call')
      .getByRole('button', { name: /^cancel / })
      .click();
    expect(await hanging).toMatchObject({ end: 'cancelled' });
    await page.locator('.call', { hasText: 'hang' }).filter({ hasText: 'cancelled' }).waitFor();
  });
});

describe('a page without the right token', () => {
  it.each([
    ['none', '', 'The address has no token'],
    ['a wrong one', `#token=${'0'.repeat(64)}`, 'the token is of an earlier start'],
  ])('sees nothing with %s, and says what to do', async (_, hash, says) => {
    await using computer = await computerWith({ echo });
    await using inspection = await computer.debug.inspect();
    const { page } = await chromium.look(new URL(`/${hash}`, inspection.url).href);
    await page.getByRole('status').filter({ hasText: says }).first().waitFor();
    expect(await page.getByRole('status').first().innerText()).toContain('npx a2c inspect');
    expect(await page.locator('.actor').count()).toBe(0);
  });
});

describe('the messages of a server', () => {
  it('are there, also of before the page came, with the call that each belongs to', async () => {
    await using computer = await computerWith({ echo });
    const { page } = await chromium.inspect(computer);
    await openPanel(page, 'Messages');
    const message = page.locator('.message');
    await message.filter({ hasText: 'initialize' }).first().waitFor();
    await computer.callTool('echo', { text: 'hello there' });
    const request = message.filter({ hasText: '→ sent' }).filter({ hasText: 'tools/call' });
    await request.first().waitFor();
    await message.filter({ hasText: '← received' }).filter({ hasText: 'after' }).first().waitFor();
    await request.first().click();
    expect(await page.locator('#message').innerText()).toContain('for computer/client:echo/call:');
    expect(await page.locator('#message .value').innerText()).toContain('hello there');
    await page.getByLabel('Find messages').fill('no such text');
    await page.locator('#messages-count', { hasText: '0 messages' }).waitFor();
  });
});

it('a page saves what its host has recorded of itself, which a2c replay plays', async () => {
  await using computer = await computerWith({ echo });
  await computer.callTool('echo', { text: 'before anybody looked' });
  const { page } = await chromium.inspect(computer);
  await openActors(page);
  const client = page.locator('.actor[data-address*="client:echo"]');
  await client.filter({ hasText: 'on.ready' }).waitFor();
  expect((await computer.callTool('die', {})).outcome).toBe('unknown');
  await client.filter({ hasText: 'started again 1 ×' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'save trace' }).click(),
  ]);
  const saved = join(testFolder('live'), download.suggestedFilename());
  await download.saveAs(saved);
  expect(await commandLine(['replay', saved])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^SAME /),
  });
});
