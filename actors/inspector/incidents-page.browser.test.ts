import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { picture, type Page, openPanel } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { inspected } from '../../scenarios/fixtures/command-line.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import { createComputer, type Computer } from '../index.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** First screen of the page for servers that fail, wait, or have recovered, whenever the page is opened. */

const program = (code: string): object => ({ command: process.execPath, args: ['-e', code] });
const echo = launched('incidents-page');
const silent = 'process.stdin.resume().on("end", () => process.exit())';
const servers = {
  good: echo,
  mute: program(silent),
  banner: program(`console.log("Server listening on port 3000"); ${silent}`),
  broken: program('console.error("the licence has expired"); process.exit(7)'),
};

const chromium = chromiumOfTests();

const incident = (page: Page, kind: string, text: string) =>
  page.locator(`.incident[data-kind="${kind}"]`, { hasText: text });
const row = (page: Page, name: string) =>
  page.locator('#servers tbody tr').filter({ has: page.getByRole('button', { name, exact: true }) });
const look = async (computer: Computer): Promise<Page> => (await chromium.inspect(computer)).page;

describe('the first screen', () => {
  it('names a server that never answers, with what came instead, and one that is in a crash loop', async () => {
    await using computer = await createComputer({
      stateDir: false,
      timing: anyTiming({ backoffMs: 50 }),
      config: foreign({ mcpServers: servers }),
    });
    const before = await look(computer);
    await incident(before, 'down', 'broken').filter({ hasText: 'exit code 7' }).waitFor();
    await incident(before, 'silent', 'banner').filter({ hasText: 'Server listening on port 3000' }).waitFor();
    await incident(before, 'silent', 'mute').filter({ hasText: 'nothing came' }).waitFor();
    await incident(before, 'down', 'broken')
      .filter({ hasText: /\d+ times since/ })
      .waitFor();
    const after = await look(computer);
    for (const page of [before, after]) {
      await page
        .locator('#summary', { hasText: '3 of 4 servers need a look: broken, banner, mute.' })
        .waitFor();
      // A server that needs a look stands above one that is well.
      const names = await page.locator('#servers tbody th button').allInnerTexts();
      expect(names).toEqual(['broken', 'banner', 'mute', 'good']);
      await incident(page, 'down', 'broken').filter({ hasText: 'exit code 7' }).waitFor();
      await row(page, 'banner').filter({ hasText: 'waits for the answer to initialize for' }).waitFor();
      await row(page, 'mute')
        .filter({ hasText: /this try ends in (4\.\d|5\.0) min/ })
        .waitFor();
    }
    await picture(after, 'incidents');
  });

  it('names a death that is over, with the call that it cost, to a page that came later and after a reload', async () => {
    await using computer = await computerWith({ good: echo });
    expect((await computer.callTool('echo', { text: 'before' })).outcome).toBe('succeeded');
    expect((await computer.callTool('die', {})).outcome).toBe('unknown');
    await computer.servers.start('good');
    const page = await look(computer);
    for (const how of ['opened', 'reloaded']) {
      // A reload keeps the panel and the chosen call, which the address holds.
      if (how === 'reloaded') await page.locator('#call', { hasText: 'req_id' }).waitFor();
      await openPanel(page, 'Overview');
      const death = incident(page, 'down', 'good').filter({ hasText: 'recovered after' });
      await death.filter({ hasText: '1 call may have happened: die' }).waitFor();
      await page.locator('#summary', { hasText: '1 of 1 servers needs a look: good.' }).waitFor();
      await row(page, 'good')
        .filter({ hasText: /pid \d+ · .*2 calls · 1 without success/ })
        .waitFor();
      await openPanel(page, 'Calls');
      expect(await page.locator('.call strong').allInnerTexts()).toEqual(['die', 'echo']);
      // Choosing a call shows what was asked and what came back, and moves no time.
      await page.getByRole('listbox', { name: 'Calls' }).focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      const chosen = page.locator('#call', { hasText: 'req_id' });
      await chosen.getByLabel('Text 1', { exact: true }).filter({ hasText: 'before' }).waitFor();
      expect(await chosen.getByLabel('Arguments', { exact: true }).innerText()).toContain('text: "before"');
      expect(await chosen.locator('#steps tbody tr').allInnerTexts()).toEqual([
        expect.stringMatching(/^asked/),
        expect.stringMatching(/^found/),
        expect.stringMatching(/^sent/),
        expect.stringMatching(/^answered/),
        expect.stringMatching(/^ended[^]*succeeded/),
      ]);
      expect(await page.locator('#moment-text').innerText()).toBe('now');
      await picture(page, 'call');
      await page.reload();
    }
  });

  it('names the tools that are refused, and the calls that no server got', async () => {
    await using computer = await computerWith({ good: echo, dup: echo });
    expect((await computer.callTool('no_such_tool', {})).outcome).toBe('failed');
    const page = await look(computer);
    await page.locator('#summary', { hasText: '1 of 2 servers needs a look: dup.' }).waitFor();
    await incident(page, 'tools', 'dup').locator('.row').click();
    await incident(page, 'tools', 'dup').filter({ hasText: 'What to do: ' }).waitFor();
    await openPanel(page, 'Calls');
    await page
      .locator('.call', { hasText: 'no_such_tool' })
      .filter({ hasText: 'not found in any active server' })
      .waitFor();
  });

  it('names a death also to a page that came later, where the host records nothing', async () => {
    await using computer = await computerWith({ good: echo }, { record: false });
    await computer.callTool('die', {});
    await computer.servers.start('good');
    const page = await look(computer);
    const death = incident(page, 'down', 'good').filter({ hasText: '1 call may have happened: die' });
    await death.waitFor();
    expect(await page.locator('#summary').innerText()).toBe('1 of 1 servers needs a look: good.');
    // Once somebody has looked, and only then, all is well.
    await death.locator('.row').click();
    await page.locator('#summary', { hasText: '1 server fine.' }).waitFor();
    const { page: other } = await chromium.look(page.url());
    await other.locator('#summary', { hasText: '1 server fine.' }).waitFor();
    expect(computer.status().incidents).toMatchObject([{ kind: 'down', isSeen: true }]);
  });
});

it('a recording names a death, its lost calls, and that its host was killed', async () => {
  const whole = gunzipSync(
    readFileSync(new URL('../../scenarios/recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url)),
  );
  const lines = whole.toString('utf8').split('\n');
  const file = join(testFolder('killed'), 'killed.trace.ndjson');
  // A killed host leaves no tail, and may leave half of a line.
  const closed = lines.findIndex((line) => line.includes('"ch":"host:') && line.includes('"type":"close"'));
  writeFileSync(file, `${lines.slice(0, closed).join('\n')}\n${lines[closed]?.slice(0, 40)}`);
  const { url, end } = await inspected(['show', file]);
  const { page } = await chromium.look(url);
  await incident(page, 'host', 'The recording has no end').waitFor();
  const death = incident(page, 'down', 'files').filter({ hasText: 'recovered after' });
  // Agent and computer of this recording are one host, in which a call of the agent is one call.
  await death.filter({ hasText: '3 calls may have happened: slow, hang' }).waitFor();
  await openPanel(page, 'Overview');
  expect(await page.locator('#summary').innerText()).toBe('1 of 3 servers needs a look: files.');
  await end();
});

it('next and previous go from incident to incident, and show the moment of each', async () => {
  await using computer = await computerWith({ good: echo }, { timing: anyTiming({ backoffMs: 50 }) });
  const page = await look(computer);
  await row(page, 'good').filter({ hasText: 'is ready' }).waitFor();
  await computer.callTool('die', {});
  await incident(page, 'down', 'good').filter({ hasText: 'recovered after' }).waitFor();
  await page.keyboard.press('n');
  // A server may be lost and then down within two milliseconds, and the host tells times in whole ones.
  await row(page, 'good')
    .filter({ hasText: /was lost|is down/ })
    .waitFor();
  expect(await page.locator('.incident.chosen').count()).toBe(1);
  await page.keyboard.press('e');
  await row(page, 'good').filter({ hasText: 'is ready' }).waitFor();
});
