/**
 * Packages that npm does not install together with this one, because few hosts need them; each is loaded when it is first needed.
 * The value is the version suffix for `npm install`, given where the newest version may not work; the peer range in package.json
 * is the same.
 */
export const optionalPackages = {
  '@bpinternal/verel': '@0.2.0',
  '@e965/xlsx': '',
  '@napi-rs/keyring': '',
  '@opentelemetry/api': '',
  '@statelyai/inspect': '@0.7',
  ioredis: '',
  mammoth: '',
  'pdfjs-dist': '@5.6',
  pino: '',
  'prom-client': '',
} as const;
export type OptionalPackage = keyof typeof optionalPackages;

/**
 * Tells whether Node would find the package, without loading it. True as well where the program cannot find out, as in a bundle
 * that is CommonJS.
 */
export function isInstalled(name: OptionalPackage): boolean {
  if (typeof import.meta.resolve !== 'function') return true;
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a sentence that says that a package is not installed. `purpose` is the subject of the sentence, such as
 * `--log`.
 */
export const missingText = (name: OptionalPackage, purpose: string): string =>
  `${purpose} needs the package ${name}, which is not installed`;

/** Facts about how this program was started and loaded, from which a command to install packages is made. */
interface Surroundings {
  /** URL of a module of this package; absent in a bundle that is CommonJS. */
  readonly url: string | undefined;
  /** Path of the program, such as `node_modules/.bin/a2c`, and its arguments. */
  readonly argv: readonly string[];
  readonly platform?: NodeJS.Platform;
}
const here = (): Surroundings => ({ url: import.meta.url, argv: process.argv.slice(1) });
const isByNpx = ({ url = '' }: Surroundings): boolean => url.includes('/_npx/');
/** Quotes a word for a shell, because a name from a server may contain any character. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
/**
 * Quotes a word for `cmd.exe` and PowerShell. PowerShell also takes typographic quotes for quotes, and runs what `$` begins:
 * a backtick prevents that, and `cmd.exe` passes it on. Nothing keeps `cmd.exe` from filling in `%NAME%`.
 */
const quotedOnWindows = (word: string): string =>
  /^[\w+=:./\\…-][\w@+=:./\\…-]*$/.test(word)
    ? word
    : `"${word
        .replaceAll(/(?<!\\)\\+(?=["“”„]|$)/g, '$&$&')
        .replaceAll(/["“”„]/g, '$&$&')
        .replaceAll(/[$`]/g, '`$&')}"`;
/** Returns a command line that can be copied to a shell. */
export const typedInShell = (
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string => words.map(platform === 'win32' ? quotedOnWindows : quoted).join(' ');

/** Returns the words that start the command `a2c` the way it was started: by npx from its cache, by npx in a project, or by name. */
export function ownCommand(where: Surroundings = here()): readonly string[] {
  if (isByNpx(where)) return ['npx', '-p', 'a2c-actors', 'a2c'];
  return /[\\/]node_modules[\\/]\.bin[\\/]a2c$/.test(where.argv[0] ?? '') ? ['npx', 'a2c'] : ['a2c'];
}
/**
 * Returns the command that installs a package. A program started by `npx` runs from a folder of its own that `npm install`
 * does not reach, so the command is then the same call with that package added. A global program finds global packages.
 */
export function installCommand(name: OptionalPackage, where: Surroundings = here()): string {
  const asked = name + optionalPackages[name];
  if (isByNpx(where))
    return typedInShell(
      ['npx', '-p', 'a2c-actors', '-p', asked, 'a2c', ...where.argv.slice(1)],
      where.platform,
    );
  const isGlobal = /\/(?:lib|npm)\/node_modules\/a2c-actors\//.test(where.url ?? '');
  return `npm install ${isGlobal ? '-g ' : ''}${asked}`;
}

/** Returns a sentence with the command that installs a missing package; undefined when the package is installed. */
export const missingPackage = (name: OptionalPackage, purpose: string): string | undefined =>
  isInstalled(name) ? undefined : `${missingText(name, purpose)}: ${installCommand(name)}`;

export class PackageMissing extends Error {}
/**
 * Loads an optional package. Its name is no literal of `import`, so that a bundler leaves it outside: most hosts lack most of these
 * packages. Rejects with `PackageMissing`, whose message has the command to install it.
 */
export async function optionalPackage<Module>(name: OptionalPackage, purpose: string): Promise<Module> {
  const missing = new PackageMissing(`${missingText(name, purpose)}: ${installCommand(name)}`);
  if (!isInstalled(name)) throw missing;
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`) ? missing : error;
  }
}
