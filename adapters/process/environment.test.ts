import { describe, expect, it } from 'vitest';
import type { LaunchSpec } from './launcher.ts';
import { environmentOf } from './environment.ts';

const spec = (env: Record<string, string> = {}): LaunchSpec => ({ command: 'npx', args: [], env });
/** Folders that every child gets in PATH on Linux when it has no home folder. */
const usual = '/usr/local/bin:/usr/bin:/bin';
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
    expect(
      environmentOf({ ...spec({ PATH: '/user/bin' }), inherit }, 'me', { platform: 'linux', env })['PATH'],
    ).toBe(
      '/user/bin:/setting/bin:/runtime/bin:/sys/bin:/login/bin:/usr/local/bin:/usr/bin:/bin:/home/u/.local/bin:/home/u/.cargo/bin',
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
    expect(made({ pass: ['FOO', 'bar', 'fn', '__proto__'] })).toEqual([
      'HOME',
      'FOO',
      'PATH',
      'A2C_INSTANCE',
    ]);
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
    expect(onLinux({}, { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus' })).not.toHaveProperty(
      'DBUS_SESSION_BUS_ADDRESS',
    );
  });

  it('has one PATH on Windows, called Path, however it was written', () => {
    const { Path, ...rest } = onWindows({ PATH: 'C:\\user' }, { Path: 'C:\\sys;C:\\user' });
    expect(Path).toBe('C:\\user;C:\\sys');
    expect(Object.keys(rest).filter((name) => name.toLowerCase() === 'path')).toEqual([]);
    expect(onWindows({ path: 'C:\\user' }, { PATH: 'C:\\sys' })['Path']).toBe('C:\\user;C:\\sys');
    expect(onLinux({ Path: 'mine' }, { PATH: '/bin' })).toMatchObject({
      Path: 'mine',
      PATH: '/bin:/usr/local/bin:/usr/bin',
    });
  });

  it('an environment has any variable once on Windows, as its config writes it', () => {
    expect(onWindows({ Temp: 'D:\\tmp' }, { TEMP: 'C:\\tmp' })).toEqual({
      Temp: 'D:\\tmp',
      A2C_INSTANCE: 'me',
    });
  });

  it('knows where home is', () => {
    expect(onLinux({}, { HOME: '/home/me', PATH: '/bin' })).toMatchObject({ HOME: '/home/me' });
    const windows = {
      USERPROFILE: 'C:\\Users\\me',
      APPDATA: 'C:\\Users\\me\\AppData\\Roaming',
      SystemRoot: 'C:\\Windows',
      TEMP: 'C:\\Temp',
    };
    const { SystemRoot, ...alike } = windows;
    expect(onWindows({}, windows)).toMatchObject({ ...alike, SYSTEMROOT: SystemRoot });
  });

  it('keeps the proxy that its config names, and has none of the host', () => {
    const host = { http_proxy: 'http://host', HTTPS_PROXY: 'http://host', PATH: '/bin' };
    expect(onLinux({ http_proxy: 'http://own' }, host)).toEqual({
      PATH: '/bin:/usr/local/bin:/usr/bin',
      http_proxy: 'http://own',
      A2C_INSTANCE: 'me',
    });
  });

  it('inherits no exported shell function, and hides from no sweep', () => {
    expect(onLinux({ A2C_INSTANCE: 'nobody' }, { TERM: '() { :; }', PATH: '/bin' })).toEqual({
      PATH: '/bin:/usr/local/bin:/usr/bin',
      A2C_INSTANCE: 'me',
    });
  });
});
