import { describe, expect, it } from 'vitest';
import { edited, type Edit } from '../config/json-edits.ts';
import { readJson } from '../config/json-text.ts';
import { mistakeLine } from '../config/mistake.ts';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import { reset, computerConfig, shownConfig, migrationsOf, topMistakes } from './host-config.ts';
import { isOfFuture } from '../settings/file-version.ts';

const here = { home: '/home/me', documents: (folder: string) => ({ command: 'docs', args: [folder] }) };
type Json = Readonly<Record<string, unknown>>;
const migrated = (file: Json): Json => changedBy(file, migrationsOf(file));
const changedBy = (file: Json, edits: readonly Edit[]): Json => {
  const made = edited(JSON.stringify(file), edits);
  if (!made.ok) throw new Error(JSON.stringify(made.mistakes));
  const read = readJson(made.text);
  return read.ok ? (read.value as Json) : {};
};
const startsOf = (file: Json): unknown => {
  const { servers } = readConfig(computerConfig(file, here));
  return Object.fromEntries(
    servers
      .filter(({ name }) => name.length === 1)
      .map((s) => [s.name, s.disabled ? 'disabled' : s.settings.autoConnect === false ? 'byHand' : 'starts']),
  );
};
const servers = { a: { command: 'x' }, b: { command: 'x', disable: true }, c: { command: 'x' } };

describe('the servers that start', () => {
  it.each([
    ['all that are enabled, without defaults', {}, ['starts', 'disabled', 'starts']],
    ['none, with empty defaults', { defaultServers: [] }, ['byHand', 'disabled', 'byHand']],
    ['defaults that are enabled', { defaultServers: ['a', 'b', 'gone'] }, ['starts', 'disabled', 'byHand']],
    ['nobody, with the switch off', { mcpEnabled: false }, ['disabled', 'disabled', 'disabled']],
  ])('are %s', (_, more, [a, b, c]) => {
    expect(startsOf({ mcpServers: servers, ...more })).toEqual({ a, b, c });
  });
  it('leave out one that says autoConnect: false itself, though it is a default', () => {
    const a = { command: 'x', a2c: { autoConnect: false } };
    expect(startsOf({ mcpServers: { a }, defaultServers: ['a'] })).toEqual({ a: 'byHand' });
  });
});
describe('the top of a file', () => {
  const mistakesOf = (file: Json): readonly string[] =>
    topMistakes(file, here).map((one) => mistakeLine(one));
  const wrong = [null, [], '', 0, false, 'x', 1, true];
  it.each<[string, readonly unknown[]]>([
    ['mcpServers', wrong],
    ['servers', [...wrong, [{ name: 'a', type: 'stdio' }]]],
    ['defaultServers', [null, 'a', '', 0, false, { a: true }, [1], [null], [['a']]]],
    ['defaultServer', [['a'], null, 1]],
    ['mcpEnabled', ['false', 'true', 0, 1, null, [], {}]],
    ['a2c', ['x', [], 0, false, { version: '1' }, { version: -1 }, { removedBuiltIns: 'Artifacts' }]],
  ])('is read exactly: %s of another type is a mistake', (key, values) => {
    const base = key === 'servers' ? {} : { mcpServers: servers };
    for (const value of values)
      expect({ value, found: mistakesOf({ ...base, [key]: value }) }).toEqual({
        value,
        found: [expect.stringMatching(new RegExp(`^${key}[^:]*: (expected|must be)`))],
      });
  });
  it.each([
    ['mcpEnable', 'mcpEnabled'],
    ['mcpenabled', 'mcpEnabled'],
    ['defaultserver', 'defaultServers'],
    ['defaulServers', 'defaultServers'],
    ['mcpServer', 'mcpServers'],
    ['input', 'inputs'],
  ])('says what was meant by the misspelt key %s', (key, meant) => {
    expect(mistakesOf({ mcpServers: servers, [key]: [] })).toEqual([
      `${key}: unknown key (did you mean ${meant}?)`,
    ]);
  });
  it('may have the keys of other hosts, and those that DeepChat writes', () => {
    const theirs = {
      $schema: 'x',
      npmRegistry: 'x',
      updatedAt: 1,
      globalShortcut: '',
      removedBuiltInServers: [],
    };
    const file = {
      mcpServers: servers,
      defaultServers: ['a', 'Artifacts'],
      mcpEnabled: true,
      a2c: null,
      ...theirs,
    };
    expect(mistakesOf(file)).toEqual([]);
    expect(mistakesOf({ mcpServers: servers, defaultServer: 'a' })).toEqual([]);
    expect(mistakesOf({ mcpServers: servers, defaultServer: 'a', a2c: { version: 1 } })).toEqual([
      'defaultServer: unknown key (did you mean defaultServers?)',
    ]);
  });
  it('names each default server that does not exist', () => {
    expect(
      mistakesOf({ mcpServers: { one: { command: 'x' } }, defaultServers: ['one', 'onne', 'ghost'] }),
    ).toEqual([
      'defaultServers[1]: no server has this name (did you mean one?)',
      'defaultServers[2]: no server has this name (remove it, or add the server)',
    ]);
  });
});
describe('a reset', () => {
  const a2c = { removedBuiltIns: ['Artifacts'] };
  const mcpServers = { ...servers, buildInFileSystem: { command: 'x' } };
  it.each<[string, Json]>([
    ['without defaults', {}],
    ['with empty defaults', { defaultServers: [] }],
    ['with some defaults', { defaultServers: ['a', 'b'] }],
    ['with a built-in default', { defaultServers: ['buildInFileSystem', 'c'] }],
    ['with the switch off', { mcpEnabled: false }],
  ])('leaves own servers as they are %s, and built-in ones are off', (_, more) => {
    const before: Json = { mcpServers, a2c, ...more };
    const after = changedBy(before, reset(before, here));
    expect(startsOf(after)).toEqual(startsOf(before));
    const shown = shownConfig(after, here);
    for (const name of ['buildInFileSystem', 'Artifacts']) {
      expect(shown.mcpServers[name]?.disable).toBe(true);
      expect(shown.defaultServers).not.toContain(name);
    }
  });
});
describe('a config', () => {
  it('has prefixed names in conflicts and the fastest registry, unless it says otherwise', () => {
    expect(computerConfig({}, here)['a2c']).toEqual({ onConflict: 'prefix', npmRegistry: 'auto' });
    const said = { a2c: { onConflict: 'reject', npmRegistry: 'off', version: 1, removedBuiltIns: [] } };
    expect(computerConfig(said, here)['a2c']).toEqual({ onConflict: 'reject', npmRegistry: 'off' });
  });
  it('has the built-in servers, unless it has or removed them', () => {
    expect(Object.keys(shownConfig({}, here).mcpServers)).toEqual(['buildInFileSystem', 'Artifacts']);
    const other = {
      mcpServers: { Artifacts: { command: 'x' } },
      a2c: { removedBuiltIns: ['buildInFileSystem'] },
    };
    expect(shownConfig(other, here).mcpServers).toEqual(other.mcpServers);
    for (const entry of Object.values(shownConfig({}, here).mcpServers)) expect(entry.disable).toBe(true);
  });
  it('is edited in its map when that is called servers', () => {
    expect(Object.keys(shownConfig({ servers: { a: { command: 'x' } } }, here).mcpServers)).toContain('a');
  });
});
describe('an older file', () => {
  it('gets a list of default servers from its one', () => {
    const now = migrated({ defaultServer: 'x', mcpServers: {} });
    expect(now).toEqual({ defaultServers: ['x'], mcpServers: {}, a2c: { version: 1 } });
    expect(migrationsOf(now)).toEqual([]);
  });
  it('gets documents servers for a filesystem server, one for each folder', () => {
    const args = ['-y', '@modelcontextprotocol/server-filesystem', '/a', '/b'];
    const now = migrated({
      mcpServers: { filesystem: { command: 'npx', args, autoApprove: ['read'] }, x: { command: 'x' } },
      defaultServers: ['filesystem', 'x'],
    });
    expect(now['mcpServers']).toEqual({
      x: { command: 'x' },
      buildInFileSystem: { type: 'inmemory', args: ['/a'], autoApprove: ['read'] },
      'buildInFileSystem-2': { type: 'inmemory', args: ['/b'], autoApprove: ['read'] },
    });
    expect(now['defaultServers']).toEqual(['buildInFileSystem', 'buildInFileSystem-2', 'x']);
    expect(migrated(now)).toEqual(now);
    expect(() => readConfig(computerConfig(now, here))).not.toThrow();
  });
  it('gets the built-in server in the place of a filesystem server without folders', () => {
    const args = ['-y', '@modelcontextprotocol/server-filesystem'];
    expect(migrated({ mcpServers: { filesystem: { command: 'npx', args } } })['mcpServers']).toEqual({});
  });
  it('is not touched when there is nothing to migrate', () => {
    expect(
      migrationsOf({ mcpServers: { filesystem: { command: 'mine', args: ['/a', '/b', '/c'] } } }),
    ).toEqual([]);
  });
  it('is seen as such when it is of the future', () => {
    expect([
      isOfFuture({ a2c: { version: 2 } }),
      isOfFuture({ a2c: { version: 1 } }),
      isOfFuture({}),
    ]).toEqual([true, false, false]);
  });
});
