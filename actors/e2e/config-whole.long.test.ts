import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import type { Computer } from '../index.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of config parts beside the servers, and of the notices about them, for every way to give a config. */
const mark = crypto.randomUUID();
const plain = (more: object = {}): object => launched(mark, 'echo', { autoApprove: undefined, ...more });
const needing = (id: string): object => plain({ env: { MARK: mark, KEY: `\${input:${id}}` } });
const input = (id: string, value: string): object => ({ type: 'promptString', id, default: value });

let computer: Computer;
let notices: string[];
const start = async (config: object): Promise<void> => {
  notices = [];
  const onNotice = (text: string): void => void notices.push(text);
  ({ computer } = await endingComputer(mark, { config: foreign(config), onNotice }));
};
const runs = async (tool = 'echo'): Promise<boolean> =>
  (await computer.callTool(tool, { text: 'x' })).outcome === 'succeeded';
const stateOf = (name: string): string | undefined =>
  computer.status().servers.find((each) => each.name === name)?.state;

describe('setServers, which means the whole config', () => {
  const approving = { mcpServers: { a: plain() }, a2c: { autoApprove: ['all'] } };
  it.each([[{}], [{ a2c: {} }], [{ a2c: null }]])(
    'sets the settings that are not in it back to their defaults: %j',
    async (a2c) => {
      await start(approving);
      expect(await runs()).toBe(true);
      await computer.servers.set(foreign({ mcpServers: { a: plain() }, ...a2c }));
      expect(await runs()).toBe(false);
      await computer.servers.set(approving);
      expect(await runs()).toBe(true);
    },
  );
  it.each([[{}], [{ inputs: [] }], [{ inputs: null }]])(
    'leaves no value to inputs that are not in it: %j',
    async (inputs) => {
      await start({ mcpServers: { a: needing('key') }, inputs: [input('key', 'v')] });
      expect(stateOf('a')).toBe('ready');
      await computer.servers.set(foreign({ mcpServers: { b: needing('key') }, ...inputs }));
      await expect(computer.servers.start('b')).rejects.toMatchObject({ code: 'InputNotFound' });
      expect(stateOf('b')).toBe('needsInput');
    },
  );
});

describe('addOrUpdateServer, which takes what stands around its server', () => {
  it('takes the settings that it names, for all servers; the others stay', async () => {
    await start({ mcpServers: { a: plain() }, a2c: { onConflict: 'prefix' } });
    expect(await runs()).toBe(false);
    await computer.servers.add({ mcpServers: { b: plain() }, a2c: { autoApprove: ['all'] } });
    expect(await runs('a_echo')).toBe(true);
    expect(await runs('b_echo')).toBe(true);
    await computer.servers.add({ mcpServers: { b: plain() }, a2c: {} });
    expect(await runs('a_echo')).toBe(true);
  });
  it('takes the inputs that it names, in the place of those with their ids; the others stay', async () => {
    await start({ mcpServers: {}, inputs: [input('one', '1')] });
    const both = { mcpServers: { b: needing('two') }, inputs: [input('two', '2')] };
    expect(await computer.servers.add(foreign(both))).toMatchObject({ state: 'ready' });
    const c = { mcpServers: { c: needing('one') } };
    expect(await computer.servers.add(c)).toMatchObject({ state: 'ready' });
    const two = { mcpServers: { d: plain(), e: plain() } };
    await expect(computer.servers.add(two)).rejects.toThrow('expected one server');
    // An input that the computer already defines causes no warning.
    expect(notices.filter((text) => text.includes('input'))).toEqual([]);
  });
});

describe('a warning of a config', () => {
  const args = ['x', '${file:a}', '$A2C_NOT_SET'];
  const odd = { mcpServers: { a: { ...plain(), colour: 'red', args, command: 'no-such' } } };
  const said = [
    'config: mcpServers.a.colour: unknown key, ignored',
    'config: mcpServers.a: ${file:a} is passed on as it stands: only ${input:…}, variables and ${env:…} are filled in',
  ];
  const atStart = "server 'a': $A2C_NOT_SET is not set, and is passed on as it is typed";
  it('reaches onNotice once from createComputer', async () => {
    await start(odd);
    expect(notices.toSorted()).toEqual([...said, atStart].toSorted());
  });
  it('reaches onNotice once from setServers and addOrUpdateServer', async () => {
    await start({ mcpServers: {} });
    await computer.servers.set(odd);
    expect(notices.toSorted()).toEqual([...said, atStart].toSorted());
    notices.length = 0;
    await computer.servers.add(odd);
    expect(notices.toSorted()).toEqual(said.toSorted());
  });
});

describe('the output of a command', () => {
  const folder = testFolder('whole');
  it.each([['tools'], ['status']])('has what there is to warn of: %s --json', async (word) => {
    const file = join(folder, 'odd.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { a: plain({ colour: 'red' }) } }));
    const { code, out } = await commandLine([word, '--json', '-c', file]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ warnings: ['mcpServers.a.colour: unknown key, ignored'] });
  });
});
