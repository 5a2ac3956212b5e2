import type { Inputs } from './inputs.ts';
import type { ServerSpec } from './render.ts';
import { fastestRegistry, keepChosen, readChosen } from '../../adapters/index.ts';
import type { LaunchSettings } from '../../machines/config/schemas.ts';

/** Time limit in ms for all probes of registries together. */
const limitMs = 3_000;
/** Time in ms for which the fastest registry is used, and for which the first of a list is when none has answered. */
const keepMs = 24 * 3_600_000;
const retryMs = 60_000;

interface RegistriesOptions {
  /** Folder in which the fastest registry is kept for the next run; `false` keeps none. */
  readonly stateDir: string | false;
  /** Returns the time in ms since 1970. */
  now(): number;
  /** Called with the warning that no registry has answered. */
  notice(text: string): void;
  /** Finds the first of a list that answers as a registry. */
  readonly fastestOf?: typeof fastestRegistry;
}
interface Choice {
  readonly registry: string | undefined;
  /** Time in ms since 1970 until which it is used. */
  readonly until: number;
}

/** Finder of the fastest npm registry of a list: all are asked at once, and the first answer is remembered. */
export class Registries {
  readonly #options: RegistriesOptions;
  readonly #end = new AbortController();
  /** Last list that was asked for, and what was chosen of it. */
  #last: { readonly list: string; readonly choice: Promise<Choice> } | undefined;
  #isWarned = false;

  constructor(options: RegistriesOptions) {
    this.#options = options;
  }
  /** Resolves with the fastest registry within 3 s; with undefined when the runtime is closing. */
  async fastest(list: readonly string[]): Promise<string | undefined> {
    const last = this.#last;
    const asked = list.join(' ');
    if (last?.list === asked) {
      const { registry, until } = await last.choice;
      if (this.#options.now() < until || this.#end.signal.aborted) return registry;
      if (this.#last !== last) return this.fastest(list);
    }
    const choice = this.#choose([...new Set(list)]);
    this.#last = { list: asked, choice };
    return (await choice).registry;
  }
  /** Aborts all probes. */
  close(): void {
    this.#end.abort();
  }
  async #choose(list: readonly string[]): Promise<Choice> {
    const { stateDir, now, fastestOf = fastestRegistry } = this.#options;
    const kept = await this.#keptOf(list);
    if (kept) return kept;
    const found = await fastestOf(list, AbortSignal.any([this.#end.signal, AbortSignal.timeout(limitMs)]));
    if (this.#end.signal.aborted) return { registry: undefined, until: 0 };
    if (found === undefined) return { registry: this.#first(list), until: now() + retryMs };
    // Without credentials: the file is for the next run, which has them in its config.
    const chosen = { list: list.map(withoutCredentials), registry: withoutCredentials(found), at: now() };
    if (stateDir !== false) keepChosen(stateDir, chosen).catch(() => {});
    return { registry: found, until: now() + keepMs };
  }
  /** Returns what an earlier run has chosen of this list. A clock that was set back makes it old, never fresh. */
  async #keptOf(list: readonly string[]): Promise<Choice | undefined> {
    const { stateDir, now } = this.#options;
    const kept = this.#last || stateDir === false ? null : await readChosen(stateDir);
    const age = now() - (kept?.at ?? 0);
    const isSame = kept?.list.join(' ') === list.map(withoutCredentials).join(' ');
    if (!kept || !isSame || age < 0 || age >= keepMs) return undefined;
    const registry = list.find((url) => withoutCredentials(url) === kept.registry);
    return { registry, until: kept.at + keepMs };
  }
  /** Returns the first of the list, and warns once: otherwise every server that uses npm would repeat it. */
  #first([first, ...rest]: readonly string[]): string | undefined {
    if (first === undefined || this.#isWarned) return first;
    this.#isWarned = true;
    const all = [first, ...rest].map(withoutCredentials).join(', ');
    this.#options.notice(
      `no npm registry of ${all} has answered as one within ${limitMs / 1_000} s: ${withoutCredentials(first)} is used, or name one in a2c.npmRegistry`,
    );
    return first;
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
