import { withoutSecretParts } from './shown.ts';

/** Subcommands before the package name. An option in `withValue` takes a value in any of these programs. */
const runners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['run', 'tool', 'x'],
  pipx: ['run'],
  deno: ['run'],
  docker: ['run', 'container'],
  podman: ['run', 'container'],
};
const named = /^(?:-p|--package|--from|--spec|--with-editable)(?:=(.*))?$/s;
const withValue = new Set(
  [
    ...[
      '-e',
      '--env',
      '-v',
      '--volume',
      '--mount',
      '--name',
      '--network',
      '--net',
      '--env-file',
      '-w',
      '--workdir',
    ],
    ...[
      '-u',
      '--user',
      '--platform',
      '--entrypoint',
      '-l',
      '--label',
      '--add-host',
      '-h',
      '--hostname',
      '--pull',
      '--security-opt',
    ],
    ...[
      '--python',
      '--directory',
      '--project',
      '--with',
      '--index',
      '--index-url',
      '--extra-index-url',
      '-c',
    ],
    ...['--registry', '--cache', '--prefix', '--userconfig', '--call', '--port', '--publish'],
  ].flat(),
);
const nameOf = (path: string): string =>
  (/[^/\\]*$/.exec(path)?.[0] ?? '').replace(/\.(exe|cmd|bat|ps1)$/i, '').toLowerCase();

/** Without a login in it; undefined when the command is no runner such as `npx` or `docker`. */
export function packageOf(command: string, args: readonly string[]): string | undefined {
  const program = nameOf(command);
  if (program === 'cmd') {
    const [inner, ...rest] = args.filter((arg, n) => n > 2 || !/^\/[a-z]$/i.test(arg));
    return inner === undefined ? undefined : packageOf(inner, rest);
  }
  const words = Object.hasOwn(runners, program) ? runners[program] : undefined;
  if (words === undefined) return undefined;
  let at = 0;
  // At most two, as in `uv tool run`.
  while (at < 2 && words.includes(args[at] ?? '')) at += 1;
  if (words.length > 0 && at === 0) return undefined;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const [isNamed, value = args[at + 1]] = named.exec(arg) ?? [];
    if (isNamed !== undefined && program !== 'docker' && program !== 'podman') return safe(value);
    if (withValue.has(arg) || (['-p', '--publish'].includes(arg) && program !== 'npx')) at += 1;
    else if (!arg.startsWith('-')) return safe(arg);
  }
  return undefined;
}
const safe = (name: string | undefined): string | undefined => name && withoutSecretParts(name, () => '***');
