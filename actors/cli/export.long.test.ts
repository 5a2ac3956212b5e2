import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apps, places } from '../../machines/applications/apps.ts';
import { fingerprintText } from '../../machines/config/launch-config.ts';
import { parseConfigText } from '../../machines/config/parse-text.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';

/** Tests that servers which `a2c export` wrote are the same after `a2c import`. */
const home = mkdtempSync(join(tmpdir(), 'a2c-export-'));
beforeAll(() => {
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});
const ours = join(home, 'ours.json');
const mcpServers = {
  files: { command: 'npx', args: ['-y', 'pkg', '~/a b'], env: { TOKEN: 'canary', LEVEL: '"1"\n' } },
  placed: { command: 'node', cwd: '/srv', a2c: { tools: ['t'] }, disabledTools: ['u'] },
  bare: { command: 'bare', disabled: true, a2c: { timeouts: { callTotalMs: 90_000 } }, autoApprove: ['v'] },
  far: { url: 'https://h/mcp', headers: { Authorization: 'Bearer canary', 'X-Team': 'é' } },
  old: { type: 'sse', url: 'https://h/sse' },
  文件: { command: 'x' },
};
const exported = async (
  ...more: readonly string[]
): Promise<{ readonly out: string; readonly err: string }> => {
  const told = await commandLine(['export', '-c', ours, ...more]);
  expect(told.code).toBe(0);
  return told;
};
/** Reads the launch command of every server of a config file, by server name. */
const launches = (file: string): Readonly<Record<string, string>> => {
  const parsed = parseConfigText(readFileSync(file, 'utf8'));
  if (!parsed.ok) throw new Error('the file has mistakes');
  return Object.fromEntries(parsed.config.servers.map((server) => [server.name, fingerprintText(server)]));
};

describe.skipIf(process.platform !== 'linux')('export and import again', () => {
  it.each(apps.map(({ id }) => [id]))(
    'an export that is read again gives the same servers for %s',
    async (id) => {
      writeFileSync(ours, JSON.stringify({ mcpServers }));
      const first = await exported('--for', id, '--secrets');
      const own = places.filter(({ app, base }) => app === id && base !== 'LOCALAPPDATA');
      const place = own.find(({ base }) => base !== '.') ?? own[0];
      const theirs = join(
        home,
        ...(place?.base === '~' || place?.base === '.' ? [] : ['.config']),
        place?.path ?? '',
      );
      mkdirSync(dirname(theirs), { recursive: true });
      writeFileSync(theirs, first.out);
      const back = join(home, `${id}.back.json`);
      const told = await commandLine(['import', id, '--yes', '-c', back], { folder: home });
      expect({ code: told.code, err: told.err }).toEqual({ code: 0, err: '' });
      const again = await commandLine(['export', '-c', back, '--for', id, '--secrets']);
      expect(again.out).toBe(first.out);
      // Servers that the output does not name as left out must be launched as before.
      const before = launches(ours);
      const lost = Object.keys(before).filter((name) =>
        first.err
          .split('\n')
          .some((line) => line.startsWith(`left: "${name}": `) && /left out: |cwd/.test(line)),
      );
      const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !lost.includes(name)));
      expect(launches(back)).toMatchObject(kept);
      expect(Object.keys(kept)).toEqual(expect.arrayContaining(['files', '文件']));
      rmSync(theirs);
    },
  );
});

describe('a2c export', () => {
  it.each([['codex'], ['opencode'], ['cursor']])(
    'writes for %s variables so that they are the same when they come back',
    async (id) => {
      const some = {
        run: { command: 'x', env: { MINE: '${env:MINE}', OWN: '1' } },
        far: {
          url: 'https://h/mcp',
          headers: { Authorization: 'Bearer ${env:HUB}', 'X-T': '${env:T}', 'X-U': 'u' },
        },
      };
      writeFileSync(ours, JSON.stringify({ mcpServers: some }));
      const { out } = await exported('--for', id, '--secrets');
      const theirs = join(home, id === 'codex' ? 'vars.toml' : `${id}.vars.json`);
      writeFileSync(theirs, out);
      const back = join(home, `${id}.vars.back.json`);
      await commandLine(['import', theirs, '--yes', '-c', back], { folder: home });
      expect(launches(back)).toEqual(launches(ours));
    },
  );
  it('writes mcpServers without our keys, and says what is left out', async () => {
    writeFileSync(ours, JSON.stringify({ mcpServers }));
    const { out, err } = await exported('--secrets');
    const value = JSON.parse(out) as { mcpServers: Record<string, object> };
    expect(Object.keys(value.mcpServers)).toEqual(Object.keys(mcpServers));
    expect(value.mcpServers['files']).toEqual(mcpServers.files);
    expect(out).not.toContain('a2c');
    expect(err).toContain('left: "placed": a2c.tools is left out');
  });
  it.each([['plain'], ...apps.map(({ id }) => [id])])(
    'shows for %s no secret without --secrets',
    async (id) => {
      const secret = {
        args: { command: 'x', args: ['--token', 'canary', '--api-key=canary', 'plain'] },
        env: { command: 'x', env: { ANY: 'canary', SAID: '${env:MINE}' } },
        far: { url: 'https://h/mcp?api_key=canary', headers: { 'X-Any': 'canary' } },
        login: { url: 'https://u:canary@h/mcp', oauth: { clientId: 'c', clientSecret: 'canary' } },
        signed: {
          url: 'https://h/mcp',
          oauth: {
            ...{ grant: 'jwt_bearer', clientId: 'c', privateKey: 'canary', assertion: 'canary' },
            ...{ idpTokenEndpoint: 'https://idp/token', idpClientId: 'i', idpClientSecret: 'canary' },
          },
        },
      };
      const inputs = [{ type: 'promptString', id: 'p', password: true, default: 'canary' }];
      writeFileSync(ours, JSON.stringify({ mcpServers: secret, inputs }));
      const { out, err } = await exported(...(id === 'plain' ? [] : ['--for', id]));
      expect(out + err).not.toContain('canary');
      expect(out).toContain('ANY');
      expect(err).toContain('--secrets');
    },
  );
  it('knows no other application', async () => {
    const { code, err } = await commandLine(['export', '--for', 'emacs', '-c', ours]);
    expect({ code, err }).toEqual({ code: 64, err: expect.stringContaining('claude-desktop') });
  });
});
