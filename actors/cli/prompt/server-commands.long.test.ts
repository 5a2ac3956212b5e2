import { beforeEach, describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const tool_meta = { echo: { alias: 'say' } };
const fixture = { command: process.execPath, args: [server], tool_meta, a2c: { restart: 'never' } };
const gone = { command: 'no-such-command' };

let up: AtPrompt;
const ask = (line: string): Promise<string> => up.ask(line);
beforeEach(async () => {
  up = atPrompt({ mcpServers: { fixture, gone } });
  await up.until(seated);
});

describe('servers at the prompt', () => {
  it('say why they are not ready, and what to do', async () => {
    const why = await ask('why gone');
    expect(why).toMatch(/^gone +gave up: .*no-such-command/m);
    expect(await ask('why nobody')).toContain('Unknown server: nobody');
    expect(await ask('why fixture')).toContain('It is ready.');
  });

  it('stop and start all at once, each with a line of its own', async () => {
    expect(await ask('stop all')).toMatch(/^fixture +stopped$/m);
    const started = await ask('start all');
    expect(started).toMatch(/^gone +error: /m);
    expect(started).toMatch(/^fixture +ready$/m);
  });

  it('come back as the config has them when they are disabled and enabled', async () => {
    expect(await ask('disable fixture')).toMatch(/^fixture +disabled in its config$/m);
    expect(await ask('call say text=gone')).not.toMatch(/^gone$/m);
    await ask('enable fixture');
    expect(await ask('call say text=back')).toMatch(/^back$/m);
  });
});
