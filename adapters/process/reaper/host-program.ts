export const reaperMark = 'A2C_REAPER';

export const reaperProof = 'a2c-reaper\n';

export interface HostProgram {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly main: string | undefined;
  /** Tells whether the program reports itself as a single executable file (Node SEA, `deno compile`). */
  readonly isSingleFile: boolean;
}

function hostProgram(): HostProgram {
  // Loads `node:sea` only where it exists, because other runtimes may lack it.
  const sea = process.getBuiltinModule?.('node:sea');
  const { Deno: deno } = globalThis as { Deno?: { build?: { standalone?: boolean } } };
  return {
    env: process.env,
    versions: process.versions,
    main: process.argv[1],
    isSingleFile: [sea?.isSea?.(), deno?.build?.standalone].includes(true),
  };
}

/** Path of the virtual folder in which `bun build --compile` keeps the files of its program. */
const insideBun = /^(\/\$bunfs\/|[a-z]:[\\/]~BUN[\\/])/i;

/** First version of Bun whose programs run a script when `BUN_BE_BUN` is set. */
const bunRunsScripts = [1, 2, 16];
const isOlder = (version: string): boolean => {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const at = bunRunsScripts.findIndex((part, n) => part !== parts[n]);
  return at !== -1 && (parts[at] ?? 0) < (bunRunsScripts[at] ?? 0);
};

/** Tells whether the program is one file, so that `process.execPath` with a script starts the program and not the script. */
export const isSingleProgram = ({ versions, main, isSingleFile }: HostProgram = hostProgram()): boolean =>
  isSingleFile || (versions['bun'] !== undefined && insideBun.test(main ?? ''));

export const isPlainNode = (host: HostProgram = hostProgram(), path = process.execPath): boolean =>
  !isSingleProgram(host) &&
  host.versions['bun'] === undefined &&
  host.versions['electron'] === undefined &&
  /[\\/]node[\d.]*(\.exe)?$/.test(path);

/** Undefined when `process.execPath` with a script runs the script, and not this host again. */
export function whyNoReaper(host: HostProgram = hostProgram()): string | undefined {
  const { env, versions } = host;
  if (env[reaperMark]) return `this program was itself started as one (${reaperMark} is set)`;
  const { bun } = versions;
  if (isSingleProgram(host) && (bun === undefined || isOlder(bun)))
    return 'this program is a single file, which would start itself again';
  // Refuses Electron, because its fuse RunAsNode may be off and a program cannot find that out.
  if (versions['electron'] && !env['ELECTRON_RUN_AS_NODE'])
    return 'this program is an Electron app, which might start itself again';
  return undefined;
}
