import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { Chromium, findings, picture } from '../../scenarios/fixtures/browser.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { createAgent, createOffice } from '../index.ts';
import { openRunning } from './fleet.ts';

const fixture = fixtureFile('mcp-server.mjs');
const serverOf = (mode: string) => ({
  command: process.execPath,
  args: [fixture, mode],
  autoApprove: ['all'],
});
const folder = mkdtempSync(join(tmpdir(), 'a2c-fleet-'));
let chromium: Chromium;
beforeAll(async () => {
  vi.stubEnv('XDG_STATE_HOME', folder);
  chromium = await Chromium.start();
});
afterAll(async () => {
  await chromium.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('a page of all hosts joins the calls of agent, office and computers, also of a host that starts later', async () => {
  await using office = await createOffice({ port: 0 });
  const computerOf = (name: string) =>
    bootedComputer({ name, config: { mcpServers: { [`echo-${name}`]: serverOf('echo') } } });
  await using laptop = await computerOf('laptop');
  await laptop.join({ url: office.url });
  await using agent = await createAgent({ url: office.url, name: 'ann' });
  await Promise.all([office.inspect(), laptop.inspect(), agent.inspect()]);
  await agent.callTool('laptop', 'echo', { text: 'hello' }, { reqId: 'r-1' });
  await using fleet = await openRunning();
  const { page, errors } = await chromium.look(fleet.url);
  await page.locator('[data-req="r-1"]').waitFor();
  await using desk = await computerOf('desk');
  await desk.join({ url: office.url });
  await desk.inspect();
  await page.getByRole('button', { name: 'computer desk' }).waitFor();
  await agent.callTool('desk', 'no_such_tool', {}, { reqId: 'r-2' });
  await page.locator('[data-req="r-2"]').filter({ hasText: 'failed' }).click();
  for (const host of ['agent ann', `office ${office.url}`, 'computer desk'])
    await page.locator('#way').getByRole('button', { name: host }).waitFor();
  await page.locator('#clocks', { hasText: 'The clocks agree' }).waitFor();
  const drawing = page.getByRole('img', { name: /^Connections: / });
  expect(await drawing.getAttribute('aria-label')).toContain(`${office.url} with desk`);
  await picture(page, 'fleet-live');
  expect(await findings(page)).toEqual([]);
  // On a phone the hosts stand below each other, as large as elsewhere, and nothing scrolls sideways.
  await page.setViewportSize({ width: 390, height: 844 });
  const sideways = (): Promise<number> =>
    page.locator('#connections').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  const widthOfHost = async (): Promise<number> =>
    (await drawing.locator('.host rect').first().boundingBox())?.width ?? 0;
  await expect.poll(widthOfHost).toBeGreaterThan(180);
  await picture(page, 'fleet-phone');
  await page.setViewportSize({ width: 1_400, height: 860 });
  await page.locator('#way').getByRole('button', { name: 'computer desk' }).click();
  await page.locator('#call').filter({ hasText: 'no_such_tool' }).waitFor();
  // The address holds the host and its call, so a reload and the Back button keep them.
  await page.reload();
  await page.locator('#call').filter({ hasText: 'no_such_tool' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator('#way').getByRole('button', { name: 'agent ann' }).waitFor();
  expect(errors).toEqual([]);
});

it('two runs of one host stand side by side, what differs first, however long its text', async () => {
  const file = fileURLToPath(
    new URL('../../scenarios/recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url),
  );
  const [fork, html] = ['fork.trace.ndjson', 'runs.html'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const died = gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .find((line) => line.includes('"child.exited"'));
  const { s } = JSON.parse(died ?? '') as { readonly s: number };
  const text = `${'the log of a server '.repeat(5_000)}THE END`;
  await commandLine(['fork', file, '--at', String(s), '--set', `ev.stderr=${text}`, '--out', fork]);
  await commandLine(['show', file, fork, '--html', html]);
  const { page, errors } = await chromium.look(pathToFileURL(html).href);
  await page.locator('#compared', { hasText: /^\d+ events of \d+ differ; 0 calls/ }).waitFor();
  const first = page.locator('.difference').first();
  expect(await first.locator('.del').innerText()).toContain('child.exited');
  expect((await first.locator('.ins').innerText()).length).toBeLessThan(3_000);
  await picture(page, 'two-runs');
  expect(await findings(page)).toEqual([]);
  const wide = page.viewportSize() ?? { width: 1_400, height: 860 };
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const name of ['side by side', 'all 2']) {
    await page.getByRole('button', { name }).click();
    for (const size of [wide, { width: 390, height: 844 }]) {
      await page.setViewportSize(size);
      await picture(page, `fleet-${name.replaceAll(' ', '-')}-dark-${size.width}`);
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
    }
  }
  await page.setViewportSize(wide);
  await page.getByRole('button', { name: 'side by side' }).click();
  await first
    .getByRole('button', { name: /^record/ })
    .last()
    .click();
  await page.locator('#host', { hasText: 'fork.trace.ndjson' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator('#compared').waitFor();
  await commandLine(['show', file, '--replay', '--html', html]);
  await page.goto(pathToFileURL(html).href);
  await page.reload();
  await page.locator('#compared', { hasText: /^Both runs are the same in all \d+ events\.$/ }).waitFor();
  expect(errors).toEqual([]);
});
