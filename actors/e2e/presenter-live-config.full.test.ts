import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { createPresenter } from '../presenter/index.ts';
import { presentingEach } from '../../scenarios/fixtures/presenting.ts';

/** Tests of a config file that people and other programs edit while its presenter runs. */
const each = presentingEach();
const { open, opened, server } = each;
const pidOf = (name: string): number[] => pidsOf(`MARK=${each.mark}\0NAME=${name}\0`);
const named = (name: string, more: object = {}): object =>
  server({ env: { MARK: each.mark, NAME: name }, ...more });

describe('a config that is edited by hand', () => {
  it('stops nothing with a mistake and says where it is; mended, only what changed starts again', async () => {
    const one = await opened({ mcpServers: { a: named('a'), b: named('b') } });
    const { presenter, until, of, write, text } = one;
    await until(() => presenter.isServerRunning('a') && presenter.isServerRunning('b'));
    const [a, b] = [pidOf('a'), pidOf('b')];
    const good = text();
    write(good.replace('"args": [', '"args": 7, "args_": ['));
    await until(() => presenter.configStatus().state === 'mistaken');
    const [mistake] = presenter.configStatus().mistakes;
    expect(mistake).toMatchObject({ path: 'mcpServers.a.args', line: 5 });
    expect(of('notification').at(-1)?.message).toContain(`${one.file}: 5:`);
    expect([pidOf('a'), pidOf('b')]).toEqual([a, b]);
    await expect(presenter.addMcpServer('c', { command: 'x' })).rejects.toMatchObject({
      code: 'ConfigInvalid',
    });
    write(good.replace('{', '{,'));
    await until(() => presenter.configStatus().mistakes[0]?.column === 2);
    expect(presenter.configStatus().mistakes).toMatchObject([
      { path: '', line: 1, column: 2, message: 'is not valid JSON: value expected' },
    ]);
    expect(of('mcp:config-changed')).toEqual([]);
    write(good);
    await until(() => of('mcp:config-changed').length === 1);
    expect(presenter.configStatus()).toMatchObject({ state: 'inForce', mistakes: [] });
    expect([pidOf('a'), pidOf('b')]).toEqual([a, b]);
    write({ mcpServers: { a: named('a'), b: named('b', { cwd: one.folder }) } });
    await until(
      () =>
        presenter.configStatus().state === 'inForce' &&
        pidOf('b')[0] !== b[0] &&
        presenter.isServerRunning('b'),
    );
    expect(pidOf('a')).toEqual(a);
    expect(pidOf('b')).toHaveLength(1);
  });
  it('keeps its comments, commas and the keys of others through every change of ours', async () => {
    const { presenter, text, file } = await opened(
      '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x", "theirs": 1, }, // first\n  },\n  "defaultServers": [],\n}\n',
    );
    const before = text();
    await presenter.addMcpServer('b', { command: 'y' });
    await presenter.setMcpEnabled(true);
    await presenter.updateMcpServer('b', { icons: '!' });
    await presenter.removeMcpServer('b');
    expect(text()).toContain('"a": { "command": "x", "theirs": 1, }, // first');
    expect(text()).toContain('// mine');
    expect(readFileSync(`${file}.bak`, 'utf8')).toContain('"b"');
    expect(before).not.toContain('mcpEnabled');
  });
  it.each<[string, (file: string, text: string) => void, string]>([
    ['deleted', (file) => rmSync(file), 'does not exist any more'],
    ['emptied', (file) => writeFileSync(file, ''), 'is empty'],
    ['blank', (file) => writeFileSync(file, ' \r\n'), 'is empty'],
    ['a byte order mark alone', (file) => writeFileSync(file, '\uFEFF'), 'is empty'],
    ['{}', (file) => writeFileSync(file, '{}\n'), 'has no servers'],
    ['cut off', (file, text) => writeFileSync(file, text.slice(0, 40)), 'is cut off'],
  ])(
    'stops nothing when it is %s, says so, and the next change writes all that is in force',
    async (_, lose, why) => {
      const { presenter, until, of, file, text } = await opened(
        `{\n  // mine\n${JSON.stringify({ mcpServers: { a: named('a'), b: named('b') } }, null, 2).slice(2)}\n`,
      );
      await until(() => presenter.isServerRunning('a') && presenter.isServerRunning('b'));
      const [pids, before] = [[...pidOf('a'), ...pidOf('b')], text()];
      lose(file, before);
      await until(() => of('notification').some(({ message }) => message.includes(why)));
      expect(of('notification').at(-1)).toMatchObject({
        title: expect.stringMatching(/^The config (is gone|has mistakes)$/) as string,
        message: expect.stringMatching(/^\//) as string,
      });
      expect(await presenter.addMcpServer('d', { command: 'x', disable: true })).toBe(true);
      for (const kept of ['"a"', '"b"', '"d"', '// mine']) expect(text()).toContain(kept);
      expect(readFileSync(`${file}.bak`, 'utf8').replace('\uFEFF', '')).toBe(before);
      expect([...pidOf('a'), ...pidOf('b')]).toEqual(pids);
    },
  );
});

describe('a config file', () => {
  it('stays a symbolic link when it is one, and what it points to is written', async () => {
    const one = await opened({ mcpServers: {} });
    const link = join(one.folder, 'link.json');
    symlinkSync(one.file, link);
    await using other = await createPresenter({ file: link, stateDir: false });
    await other.addMcpServer('a', { command: 'x', disable: true });
    expect([lstatSync(link).isSymbolicLink(), Object.keys(one.json()['mcpServers'] as object)]).toEqual([
      true,
      ['a'],
    ]);
  });
  it('need not exist, and is made with its folders by the first change', async () => {
    const one = await opened({ mcpServers: {} });
    const file = join(one.folder, 'deep', 'er', 'a2c.json');
    await using other = await createPresenter({ file, stateDir: false });
    await other.initialize();
    expect(other.configStatus().state).toBe('lost');
    expect(await other.addMcpServer('a', { command: 'x', disable: true })).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      mcpServers: { a: { command: 'x', disable: true } },
    });
  });
  it.each([
    ['cut off', '{"mcpServers": {"a": ', '1:22: is not valid JSON: '],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'is UTF-16'],
    ['2 MiB', Buffer.alloc(2 * 1024 * 1024, ' '), 'is larger than 1 MiB'],
    ['with a key twice', '{"mcpServers": {}, "mcpServers": {}}', 'stands twice'],
    ['a list', '[]', 'expected an object'],
    ['without a map of servers', '{"theme": "dark"}', 'has no servers'],
  ])('starts nothing when it is %s, and says so', async (_, content, why) => {
    const { file } = await open({ mcpServers: {} });
    writeFileSync(file, content);
    await using other = await createPresenter({ file, stateDir: false });
    await expect(other.initialize()).rejects.toThrow(why);
    await expect(other.addMcpServer('a', { command: 'x' })).rejects.toMatchObject({ code: 'ConfigInvalid' });
  });
  it.each([
    ['empty', '', 'is empty'],
    ['blank', ' \n\t', 'is empty'],
    ['{}', '{}', 'has no servers'],
  ])(
    'starts nothing when it is %s at first and says so, and is written by the first change',
    async (_, text, why) => {
      const { presenter, json } = await open(text);
      await expect(presenter.initialize()).rejects.toThrow(why);
      expect(await presenter.addMcpServer('a', { command: 'x', disable: true })).toBe(true);
      expect(json()).toEqual({ mcpServers: { a: { command: 'x', disable: true } } });
    },
  );
  it('says so when it is a folder', async () => {
    const one = await opened({ mcpServers: {} });
    mkdirSync(join(one.folder, 'sub'));
    await using other = await createPresenter({ file: join(one.folder, 'sub'), stateDir: false });
    await expect(other.initialize()).rejects.toThrow('is a folder');
  });
  it.skipIf(process.getuid?.() === 0)(
    'fails the change when it cannot be written, and nothing is another',
    async () => {
      const one = await opened({ mcpServers: {} });
      chmodSync(one.folder, 0o500);
      await expect(one.presenter.addMcpServer('a', { command: 'x' })).rejects.toThrow('could not be written');
      chmodSync(one.folder, 0o700);
      expect(Object.keys(one.presenter.getMcpServers())).not.toContain('a');
    },
  );
});
it('settings in memory need no file, and can be changed', async () => {
  await using presenter = await createPresenter({ settings: { mcpServers: {} }, stateDir: false });
  await presenter.initialize();
  expect(await presenter.addMcpServer('a', { command: 'x', disable: true })).toBe(true);
  expect(presenter.configStatus()).toEqual({ file: null, state: 'inForce', mistakes: [] });
});
