import { describe, expect, it } from 'vitest';
import { parseConfig } from './index.ts';

/** What a config with these settings at its top says, or its mistakes. */
const read = (a2c: object): unknown => {
  const parsed = parseConfig({ servers: [], a2c });
  return parsed.ok ? parsed.config.settings : parsed.mistakes.map(({ path }) => path);
};

describe('a setting of what servers are launched with', () => {
  it.each([
    ['npmRegistry', 'nowhere'],
    ['npmRegistry', 'ftp://h/'],
    ['npmRegistry', 'https://h/?q'],
    ['npmRegistries', []],
    ['npmRegistries', ['auto']],
    ['proxy', true],
    ['proxy', 'socks5://h:1'],
    ['proxy', 'proxy:3128'],
    ['proxy', 'ENV'],
    ['noProxy', ['a b']],
    ['baseEnv', 'legacy'],
    ['passEnv', ['A=1']],
    ['passEnv', ['']],
    ['path', ['bin']],
    ['runtimes', ['']],
    ['expand', 'yes'],
  ])('%s: %j is a mistake, named by its place', (key, value) => {
    expect(read({ [key]: value })).toEqual([expect.stringMatching(new RegExp(`^a2c\\.${key}`))]);
  });
  it.each([
    [{ npmRegistry: ' http://x ' }, { npmRegistry: 'http://x/' }],
    [{ npmRegistries: ['http://x//', 'HTTPS://y/z'] }, { npmRegistries: ['http://x/', 'HTTPS://y/z/'] }],
    [{ path: ['~', '~/bin', '/opt', String.raw`C:\bin`] }, undefined],
    [{ proxy: 'http://me:pw@h:3128/', noProxy: ['.corp', '*'], npmRegistry: 'off' }, undefined],
  ])('%j is taken, a registry without blanks and with a slash (case 6)', (given, wanted) => {
    expect(read(given)).toEqual(wanted ?? given);
  });
  it('of all servers together is a mistake in one of them', () => {
    const server = { name: 'a', type: 'inmemory', a2c: { npmRegistries: ['http://x/'] } };
    expect(parseConfig([server])).toMatchObject({ ok: false, mistakes: [{ path: '[0].a2c.npmRegistries' }] });
  });
});
