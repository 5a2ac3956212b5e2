/**
 * Packages that npm does not install with ours, because few hosts need them. Each is loaded when it is needed. The text behind a name
 * is the version to ask npm for, where its newest one may not do: package.json has the same range as a peer.
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

/** True where Node would find the package. Loads nothing. */
export function isInstalled(name: OptionalPackage): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Sentence about a package that is not installed. `purpose` is its subject, such as `--log`. */
export const missingText = (name: OptionalPackage, purpose: string): string =>
  `${purpose} needs the package ${name}, which is not installed`;

/** Command that makes a package available. `npx` runs us from a folder of its own, where `npm install` puts nothing. */
export function installCommand(name: OptionalPackage): string {
  const asked = name + optionalPackages[name];
  const isByNpx = import.meta.url.includes('/_npx/');
  return isByNpx ? `npx -p a2c-actors -p ${asked} a2c …` : `npm install ${asked}`;
}

/** Sentence that says what to install; undefined where the package is there. */
export const missingPackage = (name: OptionalPackage, purpose: string): string | undefined =>
  isInstalled(name) ? undefined : `${missingText(name, purpose)}: ${installCommand(name)}`;

export class PackageMissing extends Error {}
/** Loads an optional package by `load`. Rejects with `PackageMissing`, whose message says what to install. */
export async function optionalPackage<Module>(
  name: OptionalPackage,
  purpose: string,
  load: () => Promise<Module>,
): Promise<Module> {
  const missing = missingPackage(name, purpose);
  if (missing !== undefined) throw new PackageMissing(missing);
  return load();
}
