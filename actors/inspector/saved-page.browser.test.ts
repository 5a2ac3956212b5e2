import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { Chromium, openActors } from '../../scenarios/fixtures/browser.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const fixture = fixtureFile('mcp-server.mjs');
const echo = { command: process.execPath, args: [fixture, 'echo'], autoApprove: ['all'] };
let chromium: Chromium;
beforeAll(async () => void (chromium = await Chromium.start()));
afterAll(() => chromium.close());

it('a page saves what its host has recorded of itself, which a2c replay plays', async () => {
  await using computer = await bootedComputer({
    name: 'c1',
    stateDir: false,
    config: { mcpServers: { echo } },
  });
  await computer.callTool('echo', { text: 'before anybody looked' });
  await using inspection = await computer.debug.inspect();
  const { page, errors } = await chromium.look(inspection.url);
  await openActors(page);
  const client = page.locator('.actor[data-address*="client:echo"]');
  await client.filter({ hasText: 'on.ready' }).waitFor();
  expect((await computer.callTool('die', {})).outcome).toBe('unknown');
  await client.filter({ hasText: 'started again 1 ×' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'save trace' }).click(),
  ]);
  const saved = join(mkdtempSync(join(tmpdir(), 'a2c-live-')), download.suggestedFilename());
  await download.saveAs(saved);
  expect(await commandLine(['replay', saved])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^SAME /),
  });
  expect(errors).toEqual([]);
});
