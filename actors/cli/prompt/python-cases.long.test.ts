import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createTerminal } from '../../../adapters/terminal/terminal.ts';
import { pidsOf } from '../../../scenarios/fixtures/hosted.ts';
import { commandLine } from '../../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../../scenarios/fixtures/test-folder.ts';

/** Tests of commands as users of the Python command type them. */
const mark = crypto.randomUUID();
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../scenarios/fixtures/${name}.mjs`, import.meta.url));
const folder = testFolder('python');
const fileOf = (name: string, value: unknown): string => {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
};
const echo = { command: process.execPath, args: [fixture('mcp-server'), 'echo', mark] };
const windows = { command: process.execPath, args: [fixture('windows-server'), '--host', mark] };
const asProtocol = (name: string, more: object = {}) => ({
  name,
  type: 'stdio',
  server_parameters: echo,
  ...more,
});

/** Types the lines at a prompt, ends its input, and returns everything written to both output streams. */
async function prompted(config: unknown, ...lines: readonly string[]): Promise<string> {
  let shown = '';
  const stream = (): Writable =>
    new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        shown += text;
        done();
      },
    });
  const input = new PassThrough();
  input.end(`${lines.join('\n')}\n`);
  const terminal = createTerminal({ input, output: stream(), errors: stream() });
  const file = fileOf('a2c.json', config);
  const { code } = await commandLine(['up', '-c', file, '--name', 'c1', '--port', '0'], { terminal });
  expect([code, pidsOf(mark)]).toEqual([0, []]);
  return shown.replaceAll('a2c> ', '');
}

describe('the prompt', () => {
  it('shows a server that was added from a file, and its tools', async () => {
    const file = fileOf('added.json', asProtocol('more'));
    const shown = await prompted({ mcpServers: {} }, `server add @${file}`, 'status', 'tools');
    expect(shown).toMatch(/^ *more +ready/m);
    expect(shown).toMatch(/^more +ready, 23 tools\n +echo /m);
  });

  it.each([
    ['K03', false],
    ['K04', true],
  ])('%s runs what a person types as a call, who has thereby confirmed it', async (_, apply) => {
    const meta = { tool_meta: { echo: { auto_apply: apply } }, default_tool_meta: { auto_apply: false } };
    const shown = await prompted({ servers: [asProtocol('one', meta)] }, 'call echo {"text": "said"}');
    expect(shown).toContain('said');
  });

  it('has the call in its history, with its id', async () => {
    const shown = await prompted({ servers: [asProtocol('one')] }, 'call echo text=x', 'history');
    const [, reqId = ''] = /"req_id":"([^"]+)"/.exec(shown) ?? [];
    expect(reqId).not.toBe('');
    expect(shown).toMatch(new RegExp(`  one  echo .* \\(${reqId}\\)$`, 'm'));
  });

  it('sets an input to its default, and says of a command that it has none', async () => {
    const inputs = [
      { type: 'promptString', id: 'name', description: '', default: 'nobody' },
      { type: 'command', id: 'rev', description: '', command: 'echo 1' },
    ];
    const shown = await prompted(
      { servers: [], inputs },
      'inputs value set name',
      'inputs value list',
      'inputs value set rev',
    );
    expect(shown).toContain('{"name":"nobody"}');
    expect(shown).toMatch(/error: .*'rev' has no default/);
  });

  it.each([
    ['one object', asProtocol('one')],
    ['an array', [asProtocol('one')]],
  ])('takes a config that is %s', async (_, config) => {
    expect(await prompted(config, 'servers')).toMatch(/^one +ready/m);
  });

  it('says that it does not know a command, and takes the next one', async () => {
    expect(await prompted({ mcpServers: {} }, 'frobnicate', 'servers')).toMatch(
      /unknown command: frobnicate/,
    );
  });

  it('ends with its input, and leaves no process', async () => {
    expect(await prompted({ mcpServers: { echo, windows } }, 'servers')).toMatch(/^echo +ready/m);
  });

  it('reads any resource of a server', async () => {
    const full = { command: process.execPath, args: [fixture('mcp-server'), 'full', mark] };
    const shown = await prompted({ mcpServers: { full } }, 'read note://7 --server full', 'read');
    expect(shown).toMatch(/^content of note:\/\/7$/m);
    expect(shown).toContain('usage: read [options] <uri>');
  });

  it('disables a server and enables it again, as the config has it', async () => {
    const tool_meta = { echo: { alias: 'say' } };
    const shown = await prompted(
      { servers: [asProtocol('one', { tool_meta, a2c: { restart: 'never' } })] },
      ...['disable one', 'call say text=gone', 'enable one', 'call say text=back', 'disable none'],
    );
    expect(shown).toMatch(/^one +disabled in its config$/m);
    expect(shown).not.toContain('\ngone');
    expect(shown).toMatch(/^back$/m);
    expect(shown).toContain('Unknown server: none');
  });
});
