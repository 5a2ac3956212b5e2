import { describe, expect, it } from 'vitest';
import { picture, type Page, openPanel } from '../../scenarios/fixtures/browser.ts';
import { chromiumOfTests } from '../../scenarios/fixtures/chromium-of-tests.ts';
import { createAgent, createComputer, createOffice } from '../index.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

/** Whole scenes of trouble, as a person reads the first screen who opens it before, during or after the failure. */

const chromium = chromiumOfTests();

const incident = (page: Page, kind: string, text: string | RegExp) =>
  page.locator(`.incident[data-kind="${kind}"]`).filter({ hasText: text });
/** Opens all incidents, of which the strip shows the first ones. */
async function allIncidents(page: Page): Promise<void> {
  const more = page.locator('.bar-of-incidents').getByRole('button', { name: /^all \d+$/ });
  if ((await more.count()) > 0) await more.click();
}
/** Program of a server with one tool of its own, which may end the server, say that it failed, or answer late. */
const serverOf = (tool: string, more: object = {}): object => ({
  command: process.execPath,
  args: [
    '-e',
    `const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'one', version: '1' } };
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method } = JSON.parse(line);
       if (method === 'tools/call' && '${tool}' === 'db_die') {
         process.stderr.write('TypeError: no such row\\n');
         process.exit(3);
       }
       const failed = { isError: true, content: [{ type: 'text', text: 'disk quota exceeded' }] };
       const tools = [{ name: '${tool}', inputSchema: { type: 'object' } }];
       const result = method === 'initialize' ? info : method === 'tools/list' ? { tools } : method === 'tools/call' ? failed : {};
       if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
     });`,
  ],
  autoApprove: ['all'],
  ...more,
});
const config = {
  mcpServers: {
    database: serverOf('db_die'),
    files: serverOf('files_fail'),
    guarded: serverOf('guarded_write', { autoApprove: [] }),
    typo: { command: 'npxx-that-is-not-there' },
    mail: serverOf('mail_send', { env: { TOKEN: '${input:mail_token}' } }),
    off: serverOf('off', { disabled: true }),
  },
  inputs: [
    { type: 'promptString', id: 'mail_token', description: 'Token of the mail server', password: true },
  ],
};

describe('a computer on which much is wrong', () => {
  it('names each trouble on the first screen of its page, whenever opened, and on those of its office and agent', async () => {
    await using office = await createOffice({ port: 0 });
    await using computer = await createComputer({
      name: 'workbench',
      stateDir: false,
      office: { url: office.url },
      timing: anyTiming({ backoffMs: 50, bootMs: 3_000 }),
      confirm: () => new Promise(() => {}),
      config: foreign(config),
    });
    await using agent = await createAgent({ url: office.url, name: 'assistant' });
    const look = async (host: typeof computer | typeof office | typeof agent): Promise<Page> =>
      (await chromium.look((await host.debug.inspect()).url, { height: 1_000 })).page;
    const before = await look(computer);
    await before.locator('#servers tr', { hasText: 'database' }).filter({ hasText: 'is ready' }).waitFor();
    expect(await agent.callTool('workbench', 'files_fail', {})).toMatchObject({ outcome: 'failed' });
    expect(await agent.callTool('workbench', 'no_such_tool', {}, { timeoutMs: 1_000 })).toMatchObject({
      outcome: 'failed',
    });
    const asking = agent.callTool('workbench', 'guarded_write', {}, { reqId: 'r-ask' });
    await incident(before, 'person', 'guarded_write').waitFor();
    const during = await look(computer);
    expect(await agent.callTool('workbench', 'db_die', {})).toMatchObject({ outcome: 'unknown' });
    await computer.servers.start('database');
    const after = await look(computer);
    for (const page of [before, during, after]) {
      await page
        .locator('#summary', { hasText: /^4 of 5 servers need a look: .* 1 is disabled\.$/ })
        .waitFor();
      await allIncidents(page);
      await incident(page, 'down', 'database').filter({ hasText: 'exit code 3' }).waitFor();
      await incident(page, 'down', 'database').filter({ hasText: 'may have happened: db_die' }).waitFor();
      await incident(page, 'down', 'typo').filter({ hasText: 'npxx-that-is-not-there' }).waitFor();
      await incident(page, 'input', 'mail').filter({ hasText: 'mail_token' }).waitFor();
      await incident(page, 'person', 'guarded').filter({ hasText: 'waits for a person' }).waitFor();
      await page.locator('#servers tr', { hasText: 'is disabled in its config' }).waitFor();
    }
    await picture(after, 'scene-computer');
    await openPanel(after, 'Calls');
    await after
      .locator('.call', { hasText: 'files_fail' })
      .filter({ hasText: 'disk quota exceeded' })
      .waitFor();
    await after
      .locator('.call', { hasText: 'guarded_write' })
      .filter({ hasText: 'waits for a person' })
      .waitFor();
    await after.locator('.call', { hasText: 'no_such_tool' }).filter({ hasText: 'failed' }).waitFor();
    for (const host of [office, agent]) {
      const page = await look(host);
      const first = host === office ? 'Calls' : 'Overview';
      await page.locator('[role="tab"][aria-selected="true"]', { hasText: first }).waitFor();
      await incident(page, 'call', 'db_die may have happened').waitFor();
      if (host === agent)
        await page
          .locator('#peers tr', { hasText: 'Link' })
          .filter({ hasText: 'has joined its office' })
          .waitFor();
      await picture(page, host === office ? 'scene-office' : 'scene-agent');
      await openPanel(page, 'Calls');
      await page
        .locator('.call', { hasText: 'guarded_write' })
        .filter({ hasText: 'waits for its computer' })
        .waitFor();
      expect(await page.locator('.call strong').allInnerTexts()).toEqual([
        ...['db_die', 'guarded_write', 'no_such_tool', 'files_fail'],
      ]);
    }
    agent.cancel('r-ask');
    await asking;
    await incident(after, 'person', 'guarded').filter({ hasText: 'nobody answered' }).waitFor();
  });
});
