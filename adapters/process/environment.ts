import type { Environment, LaunchSpec } from './launcher.ts';

/** What a child inherits, beside what its config gives: the list of the MCP SDK, and two that Unix tools need. */
const inherited = {
  posix: 'HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR'.split(' '),
  windows: [
    'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP',
    'USERNAME USERPROFILE PROGRAMFILES',
    // Without COMSPEC and PATHEXT there is no `cmd /c npx`.
    'COMSPEC PATHEXT TMP',
  ].flatMap((names) => names.split(' ')),
};
/** For a host that was started without any PATH. */
const defaultPath = { posix: '/usr/local/bin:/usr/bin:/bin', windows: '' };

/** The machine that a child runs on, as far as its environment goes. */
export interface Surroundings {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
const here = (): Surroundings => ({ platform: process.platform, env: process.env });

export const pathSeparator = (platform: string): string => (platform === 'win32' ? ';' : ':');

/** On Windows `PATH` and `Path` are one variable: what comes later takes the place of what came before. */
function variablesOf(platform: string) {
  const names = new Map<string, string>();
  const values: Record<string, string> = {};
  const keyOf = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  return {
    values,
    get: (name: string): string | undefined => values[names.get(keyOf(name)) ?? ''],
    set: (name: string, value: string): void => {
      const before = names.get(keyOf(name));
      if (before !== undefined) delete values[before];
      const written = platform === 'win32' && keyOf(name) === 'PATH' ? 'Path' : name;
      names.set(keyOf(name), written);
      values[written] = value;
    },
  };
}

/** The folders of both, the first one's first, none twice. */
function joined(first: string, second: string, separator: string): string {
  const folders = [first, second].flatMap((path) => path.split(separator));
  return [...new Set(folders.filter(Boolean))].join(separator);
}

/**
 * The whole environment of a child: what it inherits, then what its config gives. A PATH of the config comes
 * before the host's and does not replace it. The marker is last: no config can hide a child from the next start.
 */
export function environmentOf(
  spec: LaunchSpec,
  instance: string,
  { platform, env }: Surroundings = here(),
): Environment {
  const kind = platform === 'win32' ? 'windows' : 'posix';
  const host = variablesOf(platform);
  for (const [name, value] of Object.entries(env)) if (value !== undefined) host.set(name, value);
  const child = variablesOf(platform);
  for (const name of inherited[kind]) {
    const value = host.get(name);
    // A value that begins with () is an exported shell function, which old shells would run.
    if (value !== undefined && !value.startsWith('()')) child.set(name, value);
  }
  const path = child.get('PATH') || defaultPath[kind];
  if (path) child.set('PATH', path);
  for (const [name, value] of Object.entries(spec.env)) child.set(name, value);
  const own = child.get('PATH') ?? '';
  if (own !== path) child.set('PATH', joined(own, path, pathSeparator(platform)));
  child.set('A2C_INSTANCE', instance);
  return child.values;
}
