import { describe, expect, it } from 'vitest';
import type { LaunchSettings } from '../../machines/config/schemas.ts';
import type { ServerSpec } from './render.ts';
import { Registries, withoutCredentials } from './fastest-registry.ts';
import { fetchesPackages, registryChoice, usualRegistries } from './registries.ts';

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

describe('the fastest registry', () => {
  const hourMs = 3_600_000;
  const list = ['https://one/', 'https://me:secret@two/', 'https://three/'];
  const [first, second, third] = list as [string, string, string];
  /** Registries of which the given one answers, on a clock that the test sets. */
  function asking() {
    const world = {
      at: 1_000_000,
      answers: undefined as string | undefined,
      asked: 0,
      notices: [] as string[],
    };
    const registries = new Registries({
      now: () => world.at,
      notice: (text) => world.notices.push(text),
      fastestOf: async () => {
        world.asked += 1;
        return world.answers;
      },
    });
    return { world, registries };
  }

  it('is asked for once in 24 hours, however many servers want it', async () => {
    const { world, registries } = asking();
    world.answers = second;
    expect(await Promise.all([registries.fastest(list), registries.fastest(list)])).toEqual([second, second]);
    world.at += 23 * hourMs;
    expect(await registries.fastest(list)).toBe(second);
    expect(world.asked).toBe(1);
    world.at += hourMs;
    world.answers = third;
    expect(await registries.fastest(list)).toBe(third);
    expect(world.asked).toBe(2);
  });
  it('is the first of the list for a minute where none answers, which is warned of once, without credentials', async () => {
    const { world, registries } = asking();
    expect(await registries.fastest([second, first])).toBe(second);
    world.at += 59_999;
    await registries.fastest([second, first]);
    expect(world.asked).toBe(1);
    world.at += 1;
    await registries.fastest([second, first]);
    expect(world.asked).toBe(2);
    expect(world.notices).toEqual([expect.stringContaining('https://***@two/ is used')]);
  });
  it('is found anew for another list', async () => {
    const { world, registries } = asking();
    world.answers = first;
    await registries.fastest(list);
    world.answers = third;
    expect(await registries.fastest([third])).toBe(third);
  });
  it('is not chosen while the host closes', async () => {
    const { registries } = asking();
    registries.close();
    expect(await registries.fastest(list)).toBeUndefined();
  });
});
