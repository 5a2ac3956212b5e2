import { beforeEach, describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';

const fixture = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')] };
const inputs = [
  { type: 'promptString', id: 'name', description: 'Your name', default: 'nobody' },
  { type: 'promptString', id: 'token', description: 'A token', password: true },
  { type: 'pickString', id: 'region', description: 'Where', options: ['eu', 'us'] },
  { type: 'promptString', id: 'api_key', description: 'A key' },
  { type: 'command', id: 'rev', description: 'A revision', command: 'echo 1' },
];

let up: AtPrompt;
const ask = (line: string): Promise<string> => up.ask(line);
beforeEach(async () => {
  up = atPrompt({ mcpServers: { fixture }, inputs });
  await up.until(seated);
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
