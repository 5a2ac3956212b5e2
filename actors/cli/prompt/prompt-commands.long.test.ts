import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';

/** Tests of the general commands of the prompt; commands for calls and servers have tests of their own. */
const server = fixtureFile('mcp-server.mjs');
const tool_meta = { echo: { alias: 'say' } };
const fixture = { command: process.execPath, args: [server], tool_meta, a2c: { restart: 'never' } };
const inputs = [
  { type: 'promptString', id: 'name', description: 'Your name', default: 'nobody' },
  { type: 'promptString', id: 'token', description: 'A token', password: true },
  { type: 'pickString', id: 'region', description: 'Where', options: ['eu', 'us'] },
  { type: 'promptString', id: 'api_key', description: 'A key' },
  { type: 'command', id: 'rev', description: 'A revision', command: 'echo 1' },
];
const config = { mcpServers: { fixture, gone: { command: 'no-such-command' } }, inputs };

let up: AtPrompt;
const ask = (line: string): Promise<string> => up.ask(line);
beforeEach(async () => {
  up = atPrompt(config);
  await up.until(seated);
});
afterEach(async () => {
  up.end();
  expect(await up.ended).toBe(0);
});

describe('inputs at the prompt', () => {
  it('inputs are listed', async () => {
    expect(await ask('inputs list')).toMatch(
      /^name +promptString +Your name\ntoken .*\nregion +pickString +Where\napi_key .*\nrev .*$/m,
    );
  });

  it('values of inputs are set, shown and forgotten, and a secret one is shown to nobody', async () => {
    expect(await ask('inputs value set region mars')).toContain('none of the options');
    await ask('inputs value set region us');
    await ask('inputs value set token s3cret');
    await ask('inputs value set api_key s3cret');
    await ask('inputs value set rev s3cret');
    await ask('inputs value set name');
    expect(await ask('inputs value list')).toContain(
      '{"region":"us","token":"***","api_key":"***","rev":"***","name":"nobody"}',
    );
    expect(await ask('inputs value set rev')).toContain("'rev' has no default");
    expect(await ask('inputs value set name two words')).toContain('too many arguments');
    expect(await ask('inputs value rm region')).toContain('forgotten');
    expect(await ask('inputs value rm nobody')).toContain("No input 'nobody'");
    expect(await ask('inputs value clear')).toContain('forgotten');
    expect(await ask('inputs value list')).toContain('{}');
  });
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

describe('a call at work', () => {
  it('lets calls and cancel be answered at once', async () => {
    up.write('call hang label=x\n');
    let calls = '';
    // The call appears in the list only after several turns of the event loop, so the test asks again.
    while (!calls.includes('fixture  hang')) {
      await new Promise(setImmediate);
      up.write('calls\n');
      calls = await up.until(/no call runs\n|fixture {2}hang .*since .*\n/);
    }
    const [, reqId = ''] = /^(\S+) {2}fixture {2}hang/m.exec(calls) ?? [];
    up.write(`cancel ${reqId}\n`);
    expect(await up.until(/\(unknown after[^]*a2c> $/)).toContain(`cancelled ${reqId}`);
  });
});
