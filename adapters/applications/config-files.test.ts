import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { findConfig, readConfig } from './config-files.ts';

const good = '{"mcpServers": {"a": {"command": "x"}}}';
const folder = testFolder('config');

const written = async (content: string | Buffer): Promise<string> => {
  const file = join(folder, 'a2c.json');
  await writeFile(file, content);
  return file;
};
const mistakeIn = async (file: string): Promise<string | undefined> => {
  const parsed = await readConfig(file);
  if (parsed.ok) return undefined;
  const said = parsed.mistakes.map(({ message, line, column }) =>
    line === undefined ? message : `${line}:${column}: ${message}`,
  );
  return said.join(' | ');
};

describe('a config file', () => {
  it('is read, with or without a BOM, and remembers where it came from', async () => {
    const file = await written(`\uFEFF${good}`);
    expect(await readConfig(file)).toMatchObject({ ok: true, config: { file, servers: [{ name: 'a' }] } });
  });

  it('says line and column when it is no JSON, and nothing of its text', async () => {
    expect(await mistakeIn(await written('{"token": "hunter2"\n  "b": 1}'))).toBe(
      '2:3: is not valid JSON: comma expected',
    );
    expect(await mistakeIn(await written(''))).toContain('is not valid JSON: value expected');
  });

  it('is refused when it names a server twice, for JSON itself would drop the first', async () => {
    const file = await written('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y", "args": 1}}}');
    const parsed = await readConfig(file);
    expect(parsed.ok ? [] : parsed.mistakes.map(({ path }) => path)).toEqual([
      'mcpServers.a',
      'mcpServers.a.args',
    ]);
  });

  it('says so when it is in another encoding', async () => {
    expect(await mistakeIn(await written(Buffer.from(`\uFEFF${good}`, 'utf16le')))).toBe('is UTF-16');
    expect(await mistakeIn(await written(Buffer.from([0x22, 0xff, 0x22])))).toBe('is not UTF-8 text');
  });

  it('is not read above 1 MiB; 1 MiB is', async () => {
    expect(await mistakeIn(await written(good.padEnd(1024 * 1024)))).toBeUndefined();
    expect(await mistakeIn(await written(good.padEnd(1024 * 1024 + 1)))).toBe('is larger than 1 MiB');
  });

  // Windows has neither devices in folders nor, without rights, links.
  it.skipIf(process.platform === 'win32')(
    'says so when it is missing, a folder, a device or a loop',
    async () => {
      const at = (name: string) => join(folder, name);
      await mkdir(at('sub'));
      await symlink(at('loop'), at('loop'));
      expect(await mistakeIn(at('none.json'))).toBe('does not exist');
      expect(await mistakeIn(join(await written(good), 'below.json'))).toContain('not a directory');
      expect(await mistakeIn(at('sub'))).toBe('is a folder');
      expect(await mistakeIn(at('loop'))).toContain('too many symbolic links');
      expect(await mistakeIn('/dev/null')).toBe('is neither a file nor a pipe');
      expect(await mistakeIn('a\0b')).toBe('cannot be read: ERR_INVALID_ARG_VALUE');
    },
  );

  // Windows has no modes.
  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'says so when it may not be read',
    async () => {
      const file = await written(good);
      await chmod(file, 0o000);
      expect(await mistakeIn(file)).toBe('cannot be read: permission denied (EACCES)');
      await rm(file);
    },
  );

  // Windows has no pipes in folders.
  it.skipIf(process.platform === 'win32')('may be a pipe, as a shell makes for <(…)', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [parsed] = await Promise.all([readConfig(pipe), writeFile(pipe, good)]);
    expect(parsed.ok).toBe(true);
  });
});

describe('the first config that exists', () => {
  const user = (): string => join(folder, 'user.json');
  it('is a file asked for by name, whether it exists or not', async () => {
    const folder = testFolder('first');
    await writeFile(join(folder, 'a2c.json'), '[]');
    expect(await findConfig('mine.json', folder, user())).toEqual({
      file: join(folder, 'mine.json'),
      from: 'option',
    });
  });
  it('is then a2c.json, .mcp.json, mcp.json of the folder, then that of the user, then none', async () => {
    const folder = testFolder('first');
    expect(await findConfig(undefined, folder, user())).toBeUndefined();
    await writeFile(user(), '[]');
    expect(await findConfig(undefined, folder, user())).toMatchObject({ from: 'user' });
    for (const name of ['mcp.json', '.mcp.json', 'a2c.json']) {
      await writeFile(join(folder, name), '[]');
      expect(await findConfig(undefined, folder, user())).toEqual({
        file: join(folder, name),
        from: 'folder',
      });
    }
  });
});
