import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apps, places } from '../../machines/applications/apps.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

/**
 * Tests of `a2c import` over a home folder with one realistic file of each application. Expected output and expected
 * config of each are in `import.expected.json`, which A2C_UPDATE_IMPORTS=1 rewrites.
 */
const home = mkdtempSync(join(tmpdir(), 'a2c-import-'));
const expectedFile = fileURLToPath(new URL('import.expected.json', import.meta.url));
beforeAll(() => {
  cpSync(fixtureFile('apps'), home, {
    recursive: true,
  });
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});
let files = 0;
const nextFile = (content?: string): string => {
  const file = join(home, `${(files += 1)}.json`);
  if (content !== undefined) writeFileSync(file, content);
  return file;
};

describe.skipIf(process.platform !== 'linux')('a2c import', () => {
  it.each(apps.map(({ id }) => [id]))(
    'takes, changes and leaves of %s what is expected of it',
    async (id) => {
      const file = nextFile();
      const isOfUser = places.some(({ app, base }) => app === id && base !== '.');
      const folder = isOfUser ? tmpdir() : home;
      const { code, out, err } = await commandLine(['import', id, '--yes', '-c', file], { folder });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).not.toContain('canary');
      const shown = out
        .replaceAll(home, '~')
        .replaceAll(/^wrote.*$/gm, '')
        .trim()
        .split('\n');
      const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const all = JSON.parse(readFileSync(expectedFile, 'utf8')) as Record<string, unknown>;
      if (process.env['A2C_UPDATE_IMPORTS']) {
        all[id] = { shown, written };
        writeFileSync(expectedFile, `${JSON.stringify(all, null, 2)}\n`);
      }
      expect({ shown, written }).toEqual(all[id]);
      // The written config must have no mistake and no warning of an ignored key.
      const read = await commandLine(['list', '--json', '-c', file]);
      const { warnings } = JSON.parse(read.out) as { warnings: readonly string[] };
      expect(warnings.filter((line) => line.includes('ignored'))).toEqual([]);
    },
  );
});
