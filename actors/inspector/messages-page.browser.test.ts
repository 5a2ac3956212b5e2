import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chromium, picture, openPanel } from '../../scenarios/fixtures/browser.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const fixture = fixtureFile('mcp-server.mjs');
const echo = { command: process.execPath, args: [fixture, 'echo'], autoApprove: ['all'] };
let chromium: Chromium;
beforeAll(async () => void (chromium = await Chromium.start()));
afterAll(() => chromium.close());

describe('the messages of a server', () => {
  it('are there, also of before the page came, with the call that each belongs to', async () => {
    await using computer = await bootedComputer({
      name: 'c1',
      stateDir: false,
      config: { mcpServers: { echo } },
    });
    await using inspection = await computer.debug.inspect();
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, errors } = await chromium.look(inspection.url, { colorScheme });
      await openPanel(page, 'Messages');
      await page.locator('.message').filter({ hasText: 'initialize' }).first().waitFor();
      await computer.callTool('echo', { text: 'hello there' });
      const request = page
        .locator('.message')
        .filter({ hasText: '→ sent' })
        .filter({ hasText: 'tools/call' });
      await request.first().waitFor();
      await page
        .locator('.message')
        .filter({ hasText: '← received' })
        .filter({ hasText: 'after' })
        .first()
        .waitFor();
      await request.first().click();
      expect(await page.locator('#message').innerText()).toContain('for computer/client:echo/call:');
      expect(await page.locator('#message .value').innerText()).toContain('hello there');
      await picture(page, `messages-${colorScheme}`);
      await page.getByLabel('Find messages').fill('no such text');
      await page.locator('#messages-count', { hasText: '0 messages' }).waitFor();
      expect(errors).toEqual([]);
    }
  });
});
