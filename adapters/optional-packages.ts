/** The value is the version suffix for `npm install`; the peer range in package.json is the same. */
export const optionalPackages = {
  '@bpinternal/verel': '@0.2.0',
  '@e965/xlsx': '',
  '@napi-rs/keyring': '',
  '@opentelemetry/api': '',
  ioredis: '',
  mammoth: '',
  'pdfjs-dist': '@5.6',
  'prom-client': '',
} as const;
export type OptionalPackage = keyof typeof optionalPackages;

/** Does not load it. True as well where the program cannot find out, as in a bundle that is CommonJS. */
export function isInstalled(name: OptionalPackage): boolean {
  if (typeof import.meta.resolve !== 'function') return true;
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** `purpose` is the subject of the sentence, such as `--log`. */
export const missingText = (name: OptionalPackage, purpose: string): string =>
  `${purpose} needs the package ${name}, which is not installed`;

interface Surroundings {
  /** URL of a module of this package; absent in a bundle that is CommonJS. */
  readonly url: string | undefined;
  readonly argv: readonly string[];
  readonly platform?: NodeJS.Platform;
}
const here = (): Surroundings => ({ url: import.meta.url, argv: process.argv.slice(1) });
const isByNpx = ({ url = '' }: Surroundings): boolean => url.includes('/_npx/');
/** Quotes a word for a shell, because a name from a server may contain any character. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
/** In PowerShell a backtick disarms `$` and typographic quotes. Nothing keeps `cmd.exe` from filling in `%NAME%`. */
const quotedOnWindows = (word: string): string =>
  /^[\w+=:./\\…-][\w@+=:./\\…-]*$/.test(word)
    ? word
    : `"${word
        .replaceAll(/(?<!\\)\\+(?=["“”„]|$)/g, '$&$&')
        .replaceAll(/["“”„]/g, '$&$&')
        .replaceAll(/[$`]/g, '`$&')}"`;
export const typedInShell = (
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string => words.map(platform === 'win32' ? quotedOnWindows : quoted).join(' ');

export function ownCommand(where: Surroundings = here()): readonly string[] {
  if (isByNpx(where)) return ['npx', '-p', 'a2c-actors', 'a2c'];
  return /[\\/]node_modules[\\/]\.bin[\\/]a2c$/.test(where.argv[0] ?? '') ? ['npx', 'a2c'] : ['a2c'];
}
/** `npx` runs from a folder that `npm install` does not reach, so the same call gets the package added. */
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

export const missingPackage = (name: OptionalPackage, purpose: string): string | undefined =>
  isInstalled(name) ? undefined : `${missingText(name, purpose)}: ${installCommand(name)}`;

export class PackageMissing extends Error {}
/** The name is no literal of `import`, so that a bundler leaves it outside. Rejects with `PackageMissing`. */
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
