import { describe, expect, it } from 'vitest';
import { environmentOf } from './environment.ts';
import type { LaunchSpec } from './launcher.ts';

const spec = (env: Record<string, string> = {}): LaunchSpec => ({ command: 'npx', args: [], env });
const onLinux = (config: Record<string, string>, host: Record<string, string>) =>
  environmentOf(spec(config), 'me', { platform: 'linux', env: host });
const onWindows = (config: Record<string, string>, host: Record<string, string>) =>
  environmentOf(spec(config), 'me', { platform: 'win32', env: host });

describe('the environment of a child', () => {
  it('has the folders of its config before those of the host, and none twice (case 58)', () => {
    expect(onLinux({ PATH: '/user/bin:/sys/bin' }, { PATH: '/sys/bin:/bin:/sys/bin' })['PATH']).toBe(
      '/user/bin:/sys/bin:/bin',
    );
    expect(onLinux({}, { PATH: '/a::/b' })['PATH'], 'as it is, when the config says nothing').toBe('/a::/b');
  });

  it('has a PATH when the host has none (case 58)', () => {
    expect(onLinux({}, {})['PATH']).toBe('/usr/local/bin:/usr/bin:/bin');
    expect(onLinux({ PATH: '/user/bin' }, {})['PATH']).toBe('/user/bin:/usr/local/bin:/usr/bin:/bin');
  });

  it('has one PATH on Windows, called Path, whoever wrote it how (case 59)', () => {
    const { Path, ...rest } = onWindows({ PATH: 'C:\\user' }, { Path: 'C:\\sys;C:\\user' });
    expect(Path).toBe('C:\\user;C:\\sys');
    expect(Object.keys(rest).filter((name) => name.toLowerCase() === 'path')).toEqual([]);
    expect(onWindows({ path: 'C:\\user' }, { PATH: 'C:\\sys' })['Path']).toBe('C:\\user;C:\\sys');
    expect(onLinux({ Path: 'mine' }, { PATH: '/bin' })).toMatchObject({ Path: 'mine', PATH: '/bin' });
  });

  it('has any variable once on Windows, as its config writes it (case 59)', () => {
    expect(onWindows({ Temp: 'D:\\tmp' }, { TEMP: 'C:\\tmp' })).toEqual({
      Temp: 'D:\\tmp',
      A2C_INSTANCE: 'me',
    });
  });

  it('knows where home is (case 60)', () => {
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

  it('keeps the proxy that its config names, and has none of the host (case 63)', () => {
    const host = { http_proxy: 'http://host', HTTPS_PROXY: 'http://host', PATH: '/bin' };
    expect(onLinux({ http_proxy: 'http://own' }, host)).toEqual({
      PATH: '/bin',
      http_proxy: 'http://own',
      A2C_INSTANCE: 'me',
    });
  });

  it('inherits no exported shell function, and hides from no sweep', () => {
    expect(onLinux({ A2C_INSTANCE: 'nobody' }, { TERM: '() { :; }', PATH: '/bin' })).toEqual({
      PATH: '/bin',
      A2C_INSTANCE: 'me',
    });
  });
});
