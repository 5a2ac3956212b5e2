import type { AnyEventObject, EventObject } from 'xstate';
import { deferred } from '../kernel/listeners.ts';
import type { Inputs } from './inputs.ts';
import type { ServerSpec } from './render.ts';
import { keepChosen, readChosen, registryProber, type ChosenRegistry } from '../../adapters/index.ts';
import type { LaunchSettings } from '../../machines/config/schemas.ts';
import type { Address } from '../../machines/kernel/effects.ts';
import type { Ports } from '../../machines/kernel/ports.ts';
import {
  registryPort,
  type RegistryChosen,
  type RegistryStart,
  type RegistryWanted,
} from '../../machines/process/registry.machine.ts';

/** Time limit in ms for all probes of registries together. */
const limitMs = 3_000;
const keepMs = 24 * 3_600_000;
const retryMs = 60_000;

/** Parts of the runtime that run the machine which chooses a registry. */
interface RegistryHost {
  readonly directory: { find(address: Address): unknown; send(address: Address, event: EventObject): void };
  /** Ports that answer requests, by name. */
  readonly others: Map<string, Ports['request']>;
  start(kind: string, input: object, hear: (event: AnyEventObject) => void): { readonly address: Address };
}
interface RegistriesOptions {
  readonly runtime: RegistryHost;
  /** Folder in which the fastest registry is kept for the next run; `false` keeps none. */
  readonly stateDir: string | false;
  /** Returns the time in ms since 1970. */
  now(): number;
  /** Called with the warning that no registry has answered. */
  notice(text: string): void;
}

interface Waiting {
  readonly list: readonly string[];
  readonly resolve: (registry: string | undefined) => void;
}

/** Finder of the fastest npm registry of a list. Its machine starts with the first question. */
export class Registries {
  readonly #options: RegistriesOptions;
  /** Whole URLs of registries, which may hold credentials, by the URLs without them. Machines see only the latter. */
  readonly #urls = new Map<string, string>();
  readonly #waiting = new Map<string, Waiting>();
  #hosted: Promise<ReturnType<RegistryHost['start']>> | undefined;
  #asked = 0;
  #isWarned = false;
  #kept: ChosenRegistry | null = null;

  constructor(options: RegistriesOptions) {
    this.#options = options;
  }
  /** Resolves with the fastest registry within 3 s; with undefined when the runtime is closing. */
  async fastest(list: readonly string[]): Promise<string | undefined> {
    const { directory } = this.#options.runtime;
    const shown = [...new Set(list.map((url) => this.#shown(url)))];
    const { address } = await (this.#hosted ??= this.#start());
    if (!directory.find(address)) return undefined;
    const ticket = `registry.${(this.#asked += 1)}`;
    const { promise, resolve } = deferred<string | undefined>();
    this.#waiting.set(ticket, { list: shown, resolve });
    const wanted: RegistryWanted = { type: 'registry.want', ticket, list: shown };
    directory.send(address, wanted);
    return promise;
  }
  #shown(url: string): string {
    const shown = withoutCredentials(url);
    this.#urls.set(shown, url);
    return shown;
  }
  async #start(): Promise<ReturnType<RegistryHost['start']>> {
    const { runtime, stateDir, now } = this.#options;
    runtime.others.set(
      registryPort,
      registryProber((shown) => this.#urls.get(shown) ?? shown),
    );
    this.#kept = stateDir === false ? null : await readChosen(stateDir);
    const known = this.#isFresh() ? this.#kept : null;
    const forMs = keepMs - (now() - (known?.at ?? 0));
    const input: RegistryStart = { limitMs, keepMs, retryMs, known: known && { ...known, forMs } };
    return runtime.start('registry', input, (event) => this.#hear(event));
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'owned.ended') {
      for (const { resolve } of this.#waiting.values()) resolve(undefined);
      this.#waiting.clear();
    }
    if (event.type !== 'registry.chosen') return;
    const { ticket, registry, isFastest } = event as unknown as RegistryChosen;
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    waiting?.resolve(registry === null ? undefined : (this.#urls.get(registry) ?? registry));
    if (!waiting || registry === null) return;
    if (isFastest) this.#keep(waiting.list, registry);
    else this.#warn(waiting.list, registry);
  }
  /** Warns once that no registry answered. Otherwise every server that uses npm would repeat it. */
  #warn(list: readonly string[], registry: string): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const all = list.join(', ');
    this.#options.notice(
      `no npm registry of ${all} has answered as one within ${limitMs / 1_000} s: ${registry} is used, or name one in a2c.npmRegistry`,
    );
  }
  /** Tells whether the kept registry is fresh. A clock that was set back makes it old, never fresh. */
  #isFresh(): boolean {
    const age = this.#options.now() - (this.#kept?.at ?? 0);
    return this.#kept !== null && age >= 0 && age < keepMs;
  }
  /** Writes the fastest registry for the next run, which would otherwise probe again. */
  #keep(list: readonly string[], registry: string): void {
    const { stateDir, now } = this.#options;
    if (stateDir === false || (this.#kept?.registry === registry && this.#isFresh())) return;
    this.#kept = { list, registry, at: now() };
    keepChosen(stateDir, this.#kept).catch(() => {});
  }
}

/** Removes the credentials from a URL, for people and traces. */
export const withoutCredentials = (url: string): string => url.replace(/^(https?:\/\/)[^/]*@/i, '$1***@');

/** Names of commands that fetch packages and read the variables of npm. */
const fetching = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx']);
const nameOf = (command: string): string =>
  (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(cmd|exe|ps1|bat)$/, '');
/** Tells whether a launch fetches packages of npm, by the name of its program, also after `cmd /c`. */
export const fetchesPackages = (command: string, args: readonly string[]): boolean => {
  if (nameOf(command) !== 'cmd') return fetching.has(nameOf(command));
  const [option = '', program = ''] = args;
  return option.toLowerCase() === '/c' && fetching.has(nameOf(program));
};

export const registryVariable = 'npm_config_registry';
/** Tells whether a variable names the registry; npm ignores the case. */
const isVariable = (name: string): boolean => name.toLowerCase() === registryVariable;

/** URLs of the registries to choose from by default; the first is npm's own. */
export const usualRegistries: readonly string[] = [
  'https://registry.npmjs.org/',
  'https://r.cnpmjs.org/',
  'https://registry.npmmirror.com/',
];

/** Source of npm registries: the fastest of a list, and the ones in `.npmrc` files. */
export interface RegistrySource {
  /** Resolves with the fastest registry of a list within 3 s; with undefined when the runtime is closing. */
  fastest(list: readonly string[]): Promise<string | undefined>;
  /** Tells whether an `.npmrc` in one of these folders names a registry. */
  isInNpmrc(folders: readonly string[]): boolean;
}
interface Host extends Pick<RegistrySource, 'isInNpmrc'> {
  /** Environment variables of this process. */
  readonly inputs: Pick<Inputs, 'variables' | 'variable'>;
  readonly home?: string | undefined;
}
/** Choice of a registry: a named one, or the fastest of a list; undefined when there is no preference. */
export type RegistryChoice =
  | { readonly named: string; readonly among?: never }
  | { readonly among: readonly string[]; readonly named?: never }
  | undefined;

/**
 * Chooses the registry for a child process: its own `env` comes first (nothing is done), then the setting, then
 * the variable of the host, then the `.npmrc` that npm reads itself, and last the fastest of a list.
 */
export function registryChoice(
  spec: ServerSpec,
  { npmRegistry: wanted, npmRegistries = usualRegistries }: LaunchSettings,
  { inputs, home, isInNpmrc }: Host,
): RegistryChoice {
  if (spec.kind !== 'stdio' || !fetchesPackages(spec.command, spec.args)) return undefined;
  if (wanted === 'off' || Object.keys(spec.env).some(isVariable)) return undefined;
  if (wanted !== undefined && wanted !== 'auto') return { named: wanted };
  const names = inputs.variables().filter(isVariable);
  const inherited = names.map((name) => inputs.variable(name)).find(Boolean);
  if (inherited !== undefined) return { named: inherited };
  if (wanted !== 'auto' || isInNpmrc([home, spec.cwd].filter((folder) => folder !== undefined)))
    return undefined;
  return { among: npmRegistries };
}
