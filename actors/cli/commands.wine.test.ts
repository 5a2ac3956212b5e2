import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of the built command as a process, with the folders of a user of its own. */
const folder = testFolder('commands');
const config = join(folder, 'my servers.json');
const echo = {
  command: process.execPath,
  args: [fixtureFile('mcp-server.mjs'), 'echo'],
  autoApprove: ['all'],
};
writeFileSync(config, JSON.stringify({ mcpServers: { fixture: echo } }));

const user = { APPDATA: join(folder, 'roaming'), LOCALAPPDATA: join(folder, 'local') };
async function a2c(words: readonly string[], input = '') {
  const { child, told, exited } = startCommand(
    words,
    { XDG_CONFIG_HOME: undefined, ...user },
    undefined,
    folder,
  );
  child.stdin.end(input);
  const { code } = await exited;
  return { code, out: told.out + told.err };
}

it('a call is answered, and what it recorded is replayed the same', async () => {
  const traces = join(folder, 'traces');
  const called = await a2c(['call', 'echo', 'text=hi', '-c', config, '--record', traces]);
  expect(called).toMatchObject({ code: 0, out: expect.stringContaining('hi') });
  const [trace = ''] = readdirSync(traces);
  const replayed = await a2c(['replay', join(traces, trace)]);
  expect(replayed).toMatchObject({ code: 0, out: expect.stringMatching(/^SAME .*\n.*echo of fixture/) });
});

it('tools are listed, and nothing is found wrong', async () => {
  expect(await a2c(['tools', '-c', config])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^fixture {2}ready, /m),
  });
  expect(await a2c(['doctor', '-c', config])).toMatchObject({
    code: 0,
    out: expect.stringContaining('nothing is wrong'),
  });
});

it('a config is imported into the folder of the user', async () => {
  const theirs = join(folder, 'claude_desktop_config.json');
  writeFileSync(theirs, '{"mcpServers": {"x": {"command": "node", "args": ["x.js"]}}}\r\n');
  const imported = await a2c(['import', theirs, '--yes']);
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining(join(folder, 'roaming', 'a2c')) });
  expect((await a2c(['list'])).out).toMatch(/^x +stdio +node x\.js$/m);
});

it.each([['roaming/Claude'], ['local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude']])(
  'the servers of Claude Desktop in %s are imported, and called',
  async (place) => {
    const theirs = join(folder, place);
    mkdirSync(theirs, { recursive: true });
    const text = JSON.stringify({ mcpServers: { [basename(dirname(theirs))]: echo } }, null, 2);
    writeFileSync(join(theirs, 'claude_desktop_config.json'), `\uFEFF${text.replaceAll('\n', '\r\n')}`);
    const imported = await a2c(['import', 'claude-desktop', '--yes']);
    expect(imported).toMatchObject({ code: 0, out: expect.stringContaining(join(folder, 'roaming', 'a2c')) });
    const called = await a2c(['call', `${basename(dirname(theirs))}.echo`, 'text=hi']);
    expect(called).toMatchObject({ code: 0, out: expect.stringContaining('hi') });
    rmSync(theirs, { recursive: true });
  },
);

it('a host takes commands and ends with its input', async () => {
  const { code, out } = await a2c(['up', '--port', '0', '-c', config], 'status\n');
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/fixture .*(?:ready|starting|connecting)/),
  });
});
