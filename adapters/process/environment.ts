import type { Environment, LaunchSpec } from './launcher.ts';

/**
 * What a child inherits at least, beside what its config gives: the list of the MCP SDK, what Unix tools need, and
 * what a program needs to find certificates, the SSH agent and the desktop of its user.
 */
const inherited = {
  posix: [
    'HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR',
    'NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR',
  ].flatMap((names) => names.split(' ')),
  windows: [
    'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP',
    'USERNAME USERPROFILE PROGRAMFILES',
    // Without COMSPEC and PATHEXT there is no `cmd /c npx`.
    'COMSPEC PATHEXT TMP NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK',
  ].flatMap((names) => names.split(' ')),
};
/** Where programs are, for a host whose own PATH does not say so; `~` is the home folder of the child. */
const usualFolders = {
  linux: '/usr/local/bin /usr/bin /bin ~/.local/bin ~/.cargo/bin'.split(' '),
  darwin: [
    '/opt/homebrew/bin /opt/homebrew/sbin /usr/local/bin /usr/local/sbin /opt/local/bin /usr/bin /bin',
    '~/.local/bin ~/.cargo/bin',
  ].flatMap((folders) => folders.split(' ')),
  win32: ['~\\.local\\bin', '~\\.cargo\\bin'],
};
const usualOf = (platform: string): readonly string[] =>
  platform === 'win32' || platform === 'darwin' ? usualFolders[platform] : usualFolders.linux;

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

/** All folders from left to right, none twice. */
const joined = (paths: readonly string[], separator: string): string =>
  [...new Set(paths.flatMap((path) => path.split(separator)).filter(Boolean))].join(separator);

/** A value that begins with () is an exported shell function, which old shells would run. */
const isFunction = (value: string): boolean => value.startsWith('()');

/**
 * The whole environment of a child: what it inherits, then what its config gives. PATH has all folders that anybody
 * names, none twice, in this order: the server's own `env`, the settings, the host, the login shell, the usual ones.
 * The marker is last: no config can hide a child from the next start.
 */
export function environmentOf(
  spec: LaunchSpec,
  instance: string,
  { platform, env }: Surroundings = here(),
): Environment {
  const { base = 'minimal', pass = [], folders = [], loginPath = '', added = {} } = spec.inherit ?? {};
  const host = variablesOf(platform);
  for (const [name, value] of Object.entries(env)) if (value !== undefined) host.set(name, value);
  const child = variablesOf(platform);
  const least = inherited[platform === 'win32' ? 'windows' : 'posix'];
  for (const name of [...(base === 'full' ? Object.keys(host.values) : least), ...pass]) {
    const value = host.get(name);
    if (value !== undefined && !isFunction(value)) child.set(name, value);
  }
  const path = child.get('PATH') ?? '';
  for (const [name, value] of [...Object.entries(added), ...Object.entries(spec.env)]) child.set(name, value);
  const own = child.get('PATH') ?? '';
  const home = child.get(platform === 'win32' ? 'USERPROFILE' : 'HOME');
  const usual = usualOf(platform).filter((folder) => home || !folder.startsWith('~'));
  const all = [
    ...(own === path ? [] : [own]),
    ...folders,
    path,
    loginPath,
    ...usual.map((folder) => folder.replace(/^~/, () => home ?? '')),
  ];
  const whole = joined(all, pathSeparator(platform));
  if (whole !== '') child.set('PATH', whole);
  child.set('A2C_INSTANCE', instance);
  return child.values;
}
