import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { findings, picture } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { createAgent, createOffice } from '../index.ts';
import { openRunning } from './fleet.ts';

const folder = testFolder('fleet');
const chromium = chromiumOfTests();
beforeAll(() => void vi.stubEnv('XDG_STATE_HOME', folder));
afterAll(() => void vi.unstubAllEnvs());

it('a page of all hosts joins the calls of agent, office and computers, also of a host that starts later', async () => {
  await using office = await createOffice({ port: 0 });
  const computerOf = (name: string) =>
    computerWith({ [`echo-${name}`]: launched('fleet') }, { name, stateDir: undefined });
  await using laptop = await computerOf('laptop');
  await laptop.join({ url: office.url });
  await using agent = await createAgent({ url: office.url, name: 'ann' });
  await Promise.all([office.debug.inspect(), laptop.debug.inspect(), agent.debug.inspect()]);
  await agent.callTool('laptop', 'echo', { text: 'hello' }, { reqId: 'r-1' });
  await using fleet = await openRunning();
  const { page } = await chromium.look(fleet.url);
  await page.locator('[data-req="r-1"]').waitFor();
  await using desk = await computerOf('desk');
  await desk.join({ url: office.url });
  await desk.debug.inspect();
  await page.locator('#hosts').getByRole('button', { name: 'computer desk' }).waitFor();
  await agent.callTool('desk', 'no_such_tool', {}, { reqId: 'r-2' });
  await page.locator('[data-req="r-2"]').filter({ hasText: 'failed' }).click();
  for (const host of ['agent ann', `office ${office.url}`, 'computer desk'])
    await page.locator('#way').getByRole('button', { name: host }).waitFor();
  const seats = page.locator('#connections > li', { hasText: office.url }).locator('li');
  await seats.filter({ hasText: 'seat of computer desk' }).waitFor();
  const servers = page.locator('#connections > li', { hasText: 'computer desk' }).locator('li');
  await servers.filter({ hasText: 'server echo-desk' }).filter({ hasText: 'is ready' }).waitFor();
  await picture(page, 'fleet-live');
  expect(await findings(page)).toEqual([]);
  // On a phone nothing scrolls sideways.
  await page.setViewportSize({ width: 390, height: 844 });
  const sideways = (): Promise<number> =>
    page.locator('#connections').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  await expect.poll(sideways).toBeLessThanOrEqual(0);
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
});
