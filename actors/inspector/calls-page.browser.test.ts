import { describe, expect, it } from 'vitest';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { findings, picture, type Page, openPanel } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import type { Computer, ComputerOptions } from '../index.ts';

/** The list of calls and the page of one call, as a person reads them. */

const echo = launched('calls-page');
const chromium = chromiumOfTests();

async function withCalls(count: number): Promise<Computer> {
  const computer = await computerWith({ echo });
  for (let n = 1; n <= count; n++) await computer.callTool('echo', { text: `letter-${n}` });
  return computer;
}
const calls = async (computer: Computer): Promise<Page> => {
  const { page } = await chromium.inspect(computer);
  await openPanel(page, 'Calls');
  return page;
};
const totals = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('#call-totals').filter({ hasText: text }).waitFor();

describe('the list of calls', () => {
  it('finds one of many by its outcome, by its tool, and by a word of its arguments', async () => {
    await using computer = await withCalls(30);
    expect((await computer.callTool('fail', {})).outcome).toBe('failed');
    const page = await calls(computer);
    await totals(page, /^31 calls, p50 [\d.]+ [µm]?s, p99 [\d.]+ [µm]?s$/);
    await page.getByRole('button', { name: 'failed 1' }).click();
    await totals(page, '1 call,');
    expect(await page.locator('.call strong').allInnerTexts()).toEqual(['fail']);
    await page.getByRole('button', { name: 'all 31' }).click();
    await page.getByLabel('any tool').selectOption('echo');
    await totals(page, '30 calls');
    await page.getByLabel('Find calls').fill('LETTER-17');
    await totals(page, '1 call,');
    await page.locator('.call').click();
    expect(await page.getByLabel('Arguments', { exact: true }).innerText()).toContain('"letter-17"');
    await picture(page, 'calls-found');
    // A reader of the screen hears the row that the arrow keys have reached.
    await page.getByRole('listbox', { name: 'Calls' }).focus();
    await page.keyboard.press('Home');
    const heard = await page.getByRole('listbox', { name: 'Calls' }).getAttribute('aria-activedescendant');
    expect(await page.locator(`#${heard}`).innerText()).toContain('echo');
    await page.getByLabel('Find calls').fill('no such letter');
    await page.getByText('No call is like that.').waitFor();
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await totals(page, '31 calls');
  });
});

describe('the page of a call', () => {
  it('shows where the time of a call went that waits', async () => {
    await using computer = await withCalls(1);
    const hanging = computer.callTool('hang', {}, { timeoutMs: 60_000 });
    const page = await calls(computer);
    await page.locator('.call', { hasText: 'hang' }).click();
    const steps = page.locator('#steps tbody tr');
    await steps.filter({ hasText: 'echo works' }).waitFor();
    expect(await page.locator('#call').innerText()).toContain('under way');
    // The last step of a waiting call grows, and no step tells that the call ended.
    expect(await steps.last().innerText()).toMatch(/^sent/);
    for (const { reqId } of computer.calls()) computer.cancel(reqId);
    expect(await hanging).toMatchObject({ end: 'cancelled' });
    await steps.filter({ hasText: /ended[^]*cancelled/ }).waitFor();
  });
  it('shows a text of 300,000 characters folded, and all of it when copied', async () => {
    await using computer = await withCalls(0);
    const text = `${'a long letter '.repeat(22_000)}THE END`;
    await computer.callTool('echo', { text });
    const page = await calls(computer);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.call').click();
    const value = page.getByLabel('Arguments', { exact: true });
    await value.getByRole('button', { name: /more characters/ }).waitFor();
    expect((await value.innerText()).length).toBeLessThan(3_000);
    await value.getByRole('button', { name: 'copy Arguments' }).click();
    await value.getByText('copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('THE END');
  });
});

describe('a page that may give orders', () => {
  it('makes a call again and with other arguments, and a person is asked as for any call', async () => {
    const asked: unknown[] = [];
    const confirm: ComputerOptions['confirm'] = async ({ arguments: params }) => {
      asked.push(params);
      return JSON.stringify(params).includes('no, thanks') ? 'deny' : 'allow';
    };
    await using computer = await computerWith({ echo: { ...echo, autoApprove: [] } }, { confirm });
    const { page } = await chromium.inspect(computer, { allowControl: true });
    await openPanel(page, 'Calls');
    await page.getByRole('button', { name: 'call a tool' }).click();
    const form = page.getByRole('form', { name: 'Make a call' });
    await page.getByLabel('Find tools').fill('echo');
    await page.locator('.tools .row strong', { hasText: /^echo$/ }).click();
    const written = form.getByLabel('arguments, as JSON');
    await written.fill('{"text": ');
    await form.getByRole('button', { name: 'make the call' }).click();
    await form.getByRole('alert').filter({ hasText: 'no JSON' }).waitFor();
    // Letters and digits that a person types are text of the form, and no keys of the page.
    await written.fill('');
    await written.pressSequentially('{"text": "1, 2 and n"}');
    await form.getByRole('button', { name: 'make the call' }).click();
    const chosen = page.locator('#call', { hasText: 'a page of the inspector' });
    await chosen.getByLabel('Text 1', { exact: true }).filter({ hasText: '1, 2 and n' }).waitFor();
    await chosen.getByRole('button', { name: 'run again …' }).click();
    expect(await chosen.getByLabel('Its arguments').innerText()).toContain('1, 2 and n');
    await chosen.getByRole('button', { name: 'yes, run it again' }).click();
    await totals(page, '2 calls');
    await chosen.getByRole('button', { name: 'with other arguments' }).click();
    await chosen.getByLabel('arguments, as JSON').fill('{"text": "no, thanks"}');
    await picture(page, 'call-again');
    expect(await findings(page)).toEqual([]);
    await chosen.getByRole('button', { name: 'make the call' }).click();
    await totals(page, '3 calls');
    await page.locator('#call .why-of-call').waitFor();
    const texts = ['1, 2 and n', '1, 2 and n', 'no, thanks'];
    expect(asked).toEqual(texts.map((text) => ({ text })));
    expect(computer.calls().map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded', 'succeeded']);
    await page.getByLabel('any agent').selectOption('a page of the inspector');
    await totals(page, '3 calls');
  });

  it('does not send a hidden value back as if it were the value', async () => {
    await using computer = await withCalls(0);
    await computer.callTool('echo', { text: 'hello', password: 'hunter-2-hunter-2' });
    const { page } = await chromium.inspect(computer, { allowControl: true });
    await openPanel(page, 'Calls');
    await page.locator('.call').click();
    await page.getByRole('button', { name: 'run again: write the values that are not shown' }).click();
    const form = page.getByRole('form', { name: 'Make a call' });
    await form.getByRole('button', { name: 'make the call' }).click();
    await form.getByRole('alert').filter({ hasText: 'have a hidden secret' }).waitFor();
    await form.getByLabel('arguments, as JSON').fill('{"text": "hello", "password": "another-one-2"}');
    await form.getByRole('button', { name: 'make the call' }).click();
    await totals(page, '2 calls');
    expect(computer.calls().map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
  });
});
