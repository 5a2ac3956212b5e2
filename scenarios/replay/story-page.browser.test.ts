import { expect, it } from 'vitest';
import { bootedComputer } from '../fixtures/booted.ts';
import { findings, openActors, openPanel, picture } from '../fixtures/browser.ts';
import { chromiumOfTests } from '../fixtures/chromium-of-tests.ts';
import { launched } from '../fixtures/hosted.ts';
import { storyOf } from './story.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { openRuntime } from '../../actors/api/runtime.ts';

/** Past of a running host before its page came, replayed from its memory. */

const chromium = chromiumOfTests();

async function died() {
  const runtime = await openRuntime({ stateDir: false });
  runtime.retell = storyOf;
  const computer = await bootedComputer(
    { config: foreign({ mcpServers: { good: launched('story') } }) },
    { runtime },
  );
  expect((await computer.callTool('die', {})).outcome).toBe('unknown');
  await computer.servers.start('good');
  const close = async (): Promise<void> => {
    await computer.close();
    await runtime.close();
  };
  return { ...(await chromium.inspect(computer)), [Symbol.asyncDispose]: close };
}

it('the story of a death without a trace has the steps, messages and last words of its server, and plays them', async () => {
  await using host = await died();
  const { page } = host;
  await page.locator('.incident[data-kind="down"] .row').click();
  await page.getByRole('button', { name: 'open the story' }).click();
  await page.locator('.story-bar', { hasText: 'the story of an incident' }).waitFor();
  await page.locator('#link', { hasText: 'replayed: SAME' }).waitFor();
  await page.locator('.state.active').first().waitFor();
  const told = page.locator('.way li');
  await told.filter({ hasText: 'sent tools/call die' }).waitFor();
  await told.filter({ hasText: 'its process ended with exit code' }).waitFor();
  await told.filter({ hasText: 'connection.broken → lost' }).getByRole('button').click();
  await page.locator('.state.active[data-state="lost"]').waitFor();
  const before = await page.locator('.way [aria-current]').innerText();
  await page.getByRole('button', { name: '▶ play' }).click();
  await expect.poll(() => page.locator('.way [aria-current]').innerText()).not.toBe(before);
  await page.getByRole('button', { name: '❚❚ pause' }).click();
  await picture(page, 'story');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: '← back to the live host' }).click();
  await page.locator('#link', { hasText: /^live/ }).waitFor();
});

it('a page that came late shows on demand what its host did before: by a button, and by the time line', async () => {
  await using host = await died();
  const { page } = host;
  await openActors(page);
  await page.locator('.actor[data-address*="client:good"]').first().click();
  expect(await page.locator('.way').innerText()).not.toContain('lost');
  await page.getByRole('button', { name: 'before this page' }).click();
  await page.locator('.story-bar', { hasText: 'what the host did before' }).waitFor();
  await page.locator('.way li', { hasText: 'connection.broken → lost' }).waitFor();
  await openPanel(page, 'Lanes');
  await page.locator('.lane[data-lane*="client:good"]').first().waitFor();
  await page.getByRole('button', { name: '← back to the live host' }).click();
  await page.locator('.strip').click({ position: { x: 20, y: 10 } });
  await page.locator('.story-bar', { hasText: 'what the host did before' }).waitFor();
  await page.locator('#moment-text', { hasText: /^record \d+/ }).waitFor();
});
