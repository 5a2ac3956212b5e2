import type { Inputs } from './inputs.ts';
import type { ServerSpec } from './render.ts';
import { fastestRegistry } from '../../adapters/npm-registry.ts';
import type { LaunchSettings } from '../../machines/config/schemas.ts';

/** For all probes of registries together. */
const limitMs = 3_000;
/** Time in ms for which the fastest registry is used, and for which the first of a list is when none has answered. */
const keepMs = 24 * 3_600_000;
const retryMs = 60_000;

interface RegistriesOptions {
  now(): number;
  notice(text: string): void;
  readonly fastestOf?: typeof fastestRegistry;
}
interface Choice {
  readonly registry: string | undefined;
  /** In ms since 1970. */
  readonly until: number;
}

/** All registries of a list are asked at once, and the first answer is remembered. */
export class Registries {
  readonly #options: RegistriesOptions;
  readonly #end = new AbortController();
  #last: { readonly list: string; readonly choice: Promise<Choice> } | undefined;
  #isWarned = false;

  constructor(options: RegistriesOptions) {
    this.#options = options;
  }
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
  close(): void {
    this.#end.abort();
  }
  async #choose(list: readonly string[]): Promise<Choice> {
    const { now, fastestOf = fastestRegistry } = this.#options;
    const found = await fastestOf(list, AbortSignal.any([this.#end.signal, AbortSignal.timeout(limitMs)]));
    if (this.#end.signal.aborted) return { registry: undefined, until: 0 };
    if (found === undefined) return { registry: this.#first(list), until: now() + retryMs };
    return { registry: found, until: now() + keepMs };
  }
  /** Warns once: otherwise every server that uses npm would repeat it. */
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

export const withoutCredentials = (url: string): string => url.replace(/^(https?:\/\/)[^/]*@/i, '$1***@');

const fetching = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx']);
const nameOf = (command: string): string =>
  (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(cmd|exe|ps1|bat)$/, '');
/** By the name of its program, also after `cmd /c`. */
export const fetchesPackages = (command: string, args: readonly string[]): boolean => {
  if (nameOf(command) !== 'cmd') return fetching.has(nameOf(command));
  const [option = '', program = ''] = args;
  return option.toLowerCase() === '/c' && fetching.has(nameOf(program));
};

export const registryVariable = 'npm_config_registry';
/** The case is ignored, as in npm. */
const isVariable = (name: string): boolean => name.toLowerCase() === registryVariable;

export const usualRegistries: readonly string[] = [
  'https://registry.npmjs.org/',
  'https://r.cnpmjs.org/',
  'https://registry.npmmirror.com/',
];

export interface RegistrySource {
  /** Within 3 s; undefined when the runtime is closing. */
  fastest(list: readonly string[]): Promise<string | undefined>;
  isInNpmrc(folders: readonly string[]): boolean;
}
interface Host extends Pick<RegistrySource, 'isInNpmrc'> {
  readonly inputs: Pick<Inputs, 'variables' | 'variable'>;
  readonly home?: string | undefined;
}
export type RegistryChoice =
  | { readonly named: string; readonly among?: never }
  | { readonly among: readonly string[]; readonly named?: never }
  | undefined;

/** First `env` of the child, then the setting, the host's variable, `.npmrc`, and the fastest of a list. */
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
