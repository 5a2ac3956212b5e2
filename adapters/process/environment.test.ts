import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { localLauncher } from './local-launcher.ts';
import type { LaunchSpec } from './launcher.ts';
import { describeLaunch, environmentOf, systemProgram, type SystemProgram } from './environment.ts';

const spec = (env: Record<string, string> = {}): LaunchSpec => ({ command: 'npx', args: [], env });
/** Folders that every child gets in PATH on Linux when it has no home folder. */
const usual = '/usr/local/bin:/usr/bin:/bin';
const bare = { PATH: '/bin:/usr/local/bin:/usr/bin', A2C_INSTANCE: 'me' };
const onLinux = (config: Record<string, string>, host: Record<string, string>) =>
  environmentOf(spec(config), 'me', { platform: 'linux', env: host });
const onWindows = (config: Record<string, string>, host: Record<string, string>) =>
  environmentOf(spec(config), 'me', { platform: 'win32', env: host });

describe('the environment of a child', () => {
  it('has the folders of its config before those of the host, and none twice', () => {
    expect(onLinux({ PATH: '/user/bin:/sys/bin' }, { PATH: '/sys/bin:/bin:/sys/bin' })['PATH']).toBe(
      '/user/bin:/sys/bin:/bin:/usr/local/bin:/usr/bin',
    );
    expect(onLinux({}, { PATH: '/a::/b' })['PATH'], 'when the config says nothing').toBe(`/a:/b:${usual}`);
    expect(onLinux({ PATH: '/a:/b' }, { PATH: '/a:/b' })['PATH']).toBe(`/a:/b:${usual}`);
  });

  it('has in its PATH its own, the settings, the host, the login shell, the usual ones, in this order', () => {
    const inherit = { folders: ['/setting/bin', '/runtime/bin'], loginPath: '/login/bin:/sys/bin' };
    const env = { PATH: '/sys/bin', HOME: '/home/u' };
    const { PATH } = environmentOf({ ...spec({ PATH: '/user/bin' }), inherit }, 'me', {
      platform: 'linux',
      env,
    });
    expect(PATH).toBe(
      `/user/bin:/setting/bin:/runtime/bin:/sys/bin:/login/bin:${usual}:/home/u/.local/bin:/home/u/.cargo/bin`,
    );
    expect(environmentOf(spec(), 'me', { platform: 'darwin', env })['PATH']).toContain('/opt/homebrew/bin');
    const onC = { Path: 'C:\\sys', USERPROFILE: 'C:\\Users\\u' };
    expect(onWindows({}, onC)['Path']).toBe('C:\\sys;C:\\Users\\u\\.local\\bin;C:\\Users\\u\\.cargo\\bin');
  });

  it('has a PATH when the host has none', () => {
    expect(onLinux({}, {})['PATH']).toBe(usual);
    expect(onLinux({ PATH: '/user/bin' }, {})['PATH']).toBe(`/user/bin:${usual}`);
  });

  it('has of the host what a setting names, or all of it, but no shell function', () => {
    const host = { HOME: '/h', FOO: '1', Bar: '2', fn: '() { :; }' };
    const made = (inherit: LaunchSpec['inherit'], platform = 'linux') =>
      Object.keys(environmentOf({ ...spec(), ...(inherit && { inherit }) }, 'me', { platform, env: host }));
    const least = ['HOME', 'PATH', 'A2C_INSTANCE'];
    expect(made(undefined)).toEqual(least);
    expect(made({ pass: ['FOO', 'bar', 'fn', '__proto__'] }).toSorted()).toEqual(
      [...least, 'FOO'].toSorted(),
    );
    expect(made({ base: 'full' }).toSorted()).toEqual([...least, 'FOO', 'Bar'].toSorted());
    expect(made({ pass: ['BAR'] }, 'win32'), 'names on Windows have no case').toContain('BAR');
  });

  it('finds certificates, the SSH agent and the desktop of its user', () => {
    const host = {
      ...{ NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '/all.pem', SSL_CERT_DIR: '/certs' },
      SSH_AUTH_SOCK: '/run/agent',
      ...{ DISPLAY: ':0', WAYLAND_DISPLAY: 'w', XDG_RUNTIME_DIR: '/run/user/1' },
    };
    expect(onLinux({}, host)).toMatchObject(host);
    expect(onLinux({ DISPLAY: ':9' }, host)).toMatchObject({ DISPLAY: ':9' });
    const without = { SSH_AUTH_SOCK: '', DISPLAY: '' };
    expect(onLinux(without, host), 'its config takes them away').toMatchObject(without);
    const bus = 'DBUS_SESSION_BUS_ADDRESS';
    expect(onLinux({}, { [bus]: 'unix:path=/bus' })).not.toHaveProperty(bus);
  });

  it('has one PATH on Windows, called Path, however it was written', () => {
    const { Path, ...rest } = onWindows({ PATH: 'C:\\user' }, { Path: 'C:\\sys;C:\\user' });
    expect(Path).toBe('C:\\user;C:\\sys');
    expect(Object.keys(rest).filter((name) => name.toLowerCase() === 'path')).toEqual([]);
    expect(onWindows({ path: 'C:\\user' }, { PATH: 'C:\\sys' })['Path']).toBe('C:\\user;C:\\sys');
    expect(onLinux({ Path: 'mine' }, { PATH: '/bin' })).toMatchObject({ ...bare, Path: 'mine' });
  });

  it('a process has each variable once on Windows, spelled as its config has it', () => {
    const only = { Temp: 'D:\\tmp', A2C_INSTANCE: 'me' };
    expect(onWindows({ Temp: 'D:\\tmp' }, { TEMP: 'C:\\tmp' })).toEqual(only);
  });

  it('knows where home is', () => {
    expect(onLinux({}, { HOME: '/home/me', PATH: '/bin' })).toMatchObject({ HOME: '/home/me' });
    const alike = { USERPROFILE: 'C:\\me', APPDATA: 'C:\\me\\AppData\\Roaming', TEMP: 'C:\\Temp' };
    const windows = { ...alike, SystemRoot: 'C:\\Windows' };
    expect(onWindows({}, windows)).toMatchObject({ ...alike, SYSTEMROOT: 'C:\\Windows' });
  });

  it('keeps the proxy that its config names, and has none of the host', () => {
    const host = { http_proxy: 'http://host', HTTPS_PROXY: 'http://host', PATH: '/bin' };
    expect(onLinux({ http_proxy: 'http://own' }, host)).toEqual({ ...bare, http_proxy: 'http://own' });
  });

  it('inherits no exported shell function, and hides from no sweep', () => {
    expect(onLinux({ A2C_INSTANCE: 'nobody' }, { TERM: '() { :; }', PATH: '/bin' })).toEqual(bare);
  });
});

describe('a program of Windows', () => {
  const env = { SystemRoot: 'D:\\Win' };
  it.each<[SystemProgram, Readonly<Record<string, string>>, string]>([
    ['taskkill', env, 'D:\\Win\\System32\\taskkill.exe'],
    ['rundll32', { SYSTEMROOT: 'D:/Win/' }, 'D:\\Win\\System32\\rundll32.exe'],
    ['cmd', { systemroot: 'C:\\Windows' }, 'C:\\Windows\\System32\\cmd.exe'],
    ['wmic', env, 'D:\\Win\\System32\\wbem\\WMIC.exe'],
    ['powershell', env, 'D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'],
  ])('%s with %j is %s', (program, variables, file) => {
    expect(systemProgram(program, variables)).toBe(file);
  });
  it.each([undefined, '', '.', 'Win', '\\Win', '\\\\host\\share', 'C:'])(
    'is that of C:\\Windows where the root is %j',
    (root) => {
      const variables = root === undefined ? {} : { SystemRoot: root };
      expect(systemProgram('taskkill', variables)).toBe('C:\\Windows\\System32\\taskkill.exe');
    },
  );
});

// Windows has other names and no modes: local-launcher.test.ts shows them.
describe.skipIf(process.platform === 'win32')('what a launch would run', () => {
  const folder = testFolder('described');
  const at = (name: string): string => join(folder, name);
  mkdirSync(at('bin'));
  writeFileSync(at('bin/tool'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  writeFileSync(at('plain'), 'text', { mode: 0o644 });
  const env = { PATH: `/elsewhere:${at('bin')}`, TOKEN: 'hunter2' };
  const described = (command: string, cwd?: string) =>
    describeLaunch({ command, args: [], env: {}, ...(cwd !== undefined && { cwd }) }, env);

  it('is told as a file, with where it was looked for and the names of its variables', () => {
    expect(described('tool', folder)).toEqual({
      executable: at('bin/tool'),
      lookedIn: ['/elsewhere', at('bin')],
      folder,
      variables: ['PATH', 'TOKEN'],
    });
    expect(localLauncher.describe?.({ command: 'tool', args: [], env: {} }, env)).toMatchObject({
      executable: at('bin/tool'),
    });
  });

  it('is looked for from its own folder when it is a path, and is null when there is none', () => {
    expect(described('./bin/tool', folder)).toMatchObject({ executable: at('bin/tool'), lookedIn: [] });
    expect(described('nothing')).toMatchObject({ executable: null });
    expect(described('../plain', at('bin')), 'which may not be executed').toMatchObject({ executable: null });
    expect(described('').executable).toBeNull();
  });

  it('is looked for in Path on Windows', () => {
    const told = describeLaunch({ command: 'app', args: [], env: {} }, { Path: 'C:\\bin;D:\\' }, 'win32');
    expect(told).toMatchObject({ lookedIn: ['C:\\bin', 'D:\\'], executable: null });
  });
});
