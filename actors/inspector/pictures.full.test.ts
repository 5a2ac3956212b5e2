import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findings, picture, openPanel, openActors } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';

/** Pictures of each panel of the live page, which axe has no complaint about. */
const node = process.execPath;
const broken = { command: node, args: ['-e', 'console.error("the licence has expired"); process.exit(7)'] };
const notebook = fileURLToPath(new URL('../../examples/window-server.mjs', import.meta.url));

const chromium = chromiumOfTests();

it('every panel is readable in both themes, on a phone, zoomed to 200 %, and by axe: pictures for people', async () => {
  const servers = { echo: launched('pictures'), broken, notebook: { command: node, args: [notebook] } };
  await using computer = await computerWith(servers);
  await computer.callTool('echo', { text: 'hello' });
  await using inspection = await computer.debug.inspect();
  const kinds = [
    { name: 'light', colorScheme: 'light', width: 1_440, height: 900 },
    { name: 'dark', colorScheme: 'dark', width: 1_440, height: 900 },
    { name: 'phone', colorScheme: 'dark', width: 390, height: 844 },
    { name: 'zoomed', colorScheme: 'light', width: 720, height: 450 },
  ] as const;
  for (const { name, ...options } of kinds) {
    const { page } = await chromium.look(inspection.url, options);
    await openActors(page);
    await page.locator('.actor[data-address*="client:broken"]').first().click();
    await openActors(page);
    for (const panel of [
      'Overview',
      'Chart',
      'Lanes',
      'Calls',
      'Records',
      'Desktop and Finder',
      'Messages',
    ]) {
      await openPanel(page, panel);
      if (panel === 'Desktop and Finder') await page.locator('#shown tr', { hasText: 'dpe://' }).waitFor();
      if (panel === 'Chart') await page.locator('.state').first().waitFor();
      if (panel === 'Calls') {
        await computer.callTool('echo', { text: name });
        await page.locator('.call', { hasText: 'succeeded' }).first().click();
        await page.locator('#call').waitFor();
      }
      await picture(page, `${panel.toLowerCase()}-${name}`);
      expect(await findings(page)).toEqual([]);
      // No part of the page may be wider than the window of the browser.
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
  }
});
