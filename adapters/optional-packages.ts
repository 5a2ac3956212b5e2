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

/** Sentence that says that a package is not installed. `purpose` is the subject of the sentence, such as `--log`. */
export const missingText = (name: OptionalPackage, purpose: string): string =>
  `${purpose} needs the package ${name}, which is not installed`;

/**
 * Command that installs a package. A program started by `npx` runs from a folder of its own that `npm install` does not reach, so
 * the command is another `npx` call then.
 */
export function installCommand(name: OptionalPackage): string {
  const asked = name + optionalPackages[name];
  const isByNpx = import.meta.url?.includes('/_npx/');
  return isByNpx ? `npx -p a2c-actors -p ${asked} a2c …` : `npm install ${asked}`;
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
