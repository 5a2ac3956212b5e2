import { describe, expect, it } from 'vitest';
import type { LaunchSettings } from '../../machines/config/schemas.ts';
import type { ServerSpec } from './render.ts';
import { fetchesPackages, registryChoice, usualRegistries, withoutCredentials } from './registries.ts';

const spec = (command = 'npx', env: Record<string, string> = {}, cwd?: string): ServerSpec => ({
  ...{ kind: 'stdio', command, args: ['-y', 'pkg'], env },
  ...(cwd !== undefined && { cwd }),
});
const choice = (
  of: ServerSpec,
  settings: Partial<LaunchSettings> = {},
  variables: Readonly<Record<string, string>> = {},
  npmrc: string[] = [],
) =>
  registryChoice(
    of,
    { expand: false, ...settings },
    {
      inputs: { variables: () => Object.keys(variables), variable: (name) => variables[name] },
      isInNpmrc: (folders) => folders.some((folder) => npmrc.includes(folder)),
      home: '/u',
    },
  );

describe('a registry', () => {
  it('is chosen for what fetches packages, by the name of its program alone', () => {
    const yes = ['npx', '/usr/bin/npx', String.raw`C:\node\npx.CMD`, 'pnpm', 'bunx', 'yarn', 'npm'];
    expect(yes.filter((command) => !fetchesPackages(command, []))).toEqual([]);
    expect(fetchesPackages('cmd', ['/c', 'npx', '-y', 'x'])).toBe(true);
    const no = ['node', 'python', 'npx-like', '/npx/run', 'uvx', 'cmd', ''];
    expect(no.filter((command) => fetchesPackages(command, ['npx', '--node-id', '3']))).toEqual([]);
    expect(choice({ kind: 'inmemory', args: [], env: {} }, { npmRegistry: 'auto' })).toBeUndefined();
  });
  it('is that of its own env, then of the setting, then of the host, then of .npmrc, then the fastest', () => {
    const host = { NPM_CONFIG_REGISTRY: 'http://host/' };
    expect(
      choice(spec('npx', { Npm_Config_Registry: 'http://own/' }), { npmRegistry: 'http://user/' }, host),
    ).toBeUndefined();
    expect(choice(spec(), { npmRegistry: 'http://user/' }, host)).toEqual({ named: 'http://user/' });
    expect(choice(spec(), { npmRegistry: 'auto' }, host)).toEqual({ named: 'http://host/' });
    expect(choice(spec(), {}, host)).toEqual({ named: 'http://host/' });
    expect(choice(spec(), { npmRegistry: 'auto' }, {}, ['/u'])).toBeUndefined();
    expect(choice(spec('npx', {}, '/c'), { npmRegistry: 'auto' }, {}, ['/c'])).toBeUndefined();
    expect(choice(spec(), { npmRegistry: 'auto' })).toEqual({ among: usualRegistries });
    expect(choice(spec(), { npmRegistry: 'auto', npmRegistries: ['http://a/'] })).toEqual({
      among: ['http://a/'],
    });
  });
  it('is none where nobody wants one', () => {
    expect(choice(spec())).toBeUndefined();
    expect(choice(spec(), { npmRegistry: 'off' }, { npm_config_registry: 'http://host/' })).toBeUndefined();
  });
  it('is shown without its credentials, which are secrets', () => {
    expect(withoutCredentials('https://me:p%2Fw@h/npm/')).toBe('https://***@h/npm/');
    expect(withoutCredentials('https://h/@scope/')).toBe('https://h/@scope/');
  });
});
