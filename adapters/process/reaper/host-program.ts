/** Stands in the environment of what is started as a reaper. */
export const reaperMark = 'A2C_REAPER';

/** The first that a reaper says on its stdout, and no other program. */
export const reaperProof = 'a2c-reaper\n';

/** The program that this host runs in, as far as it decides what `process.execPath` would start. */
export interface HostProgram {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly versions: Readonly<Record<string, string | undefined>>;
  /** The file that the runtime was started with. */
  readonly main: string | undefined;
  /** It says of itself that it is a single file: Node SEA, `deno compile`. */
  readonly isSingleFile: boolean;
}

function hostProgram(): HostProgram {
  // Other runtimes need not have it.
  const sea = process.getBuiltinModule?.('node:sea');
  const { Deno: deno } = globalThis as { Deno?: { build?: { standalone?: boolean } } };
  return {
    env: process.env,
    versions: process.versions,
    main: process.argv[1],
    isSingleFile: [sea?.isSea?.(), deno?.build?.standalone].includes(true),
  };
}

/** Where `bun build --compile` keeps the files of its program. */
const insideBun = /^(\/\$bunfs\/|[a-z]:[\\/]~BUN[\\/])/i;

/** Why `process.execPath` with a script would start this host again, not the script; undefined: it would not. */
export function whyNoReaper(host: HostProgram = hostProgram()): string | undefined {
  const { env, versions, main, isSingleFile } = host;
  if (env[reaperMark]) return `this program was itself started as one (${reaperMark} is set)`;
  if (isSingleFile || (versions['bun'] && insideBun.test(main ?? '')))
    return 'this program is a single file, which would start itself again';
  // The fuse RunAsNode may be off, and nothing in the program tells.
  if (versions['electron'] && !env['ELECTRON_RUN_AS_NODE'])
    return 'this program is an Electron app, which might start itself again';
  return undefined;
}
