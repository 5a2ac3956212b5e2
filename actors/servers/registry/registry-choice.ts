import type { ServerSpec } from '../render.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { LaunchSettings } from '../../../machines/config/index.ts';

/** Of npm and of those that read its variables. */
const fetching = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx']);
const nameOf = (command: string): string =>
  (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(cmd|exe|ps1|bat)$/, '');
/** Whether a launch fetches packages of npm: by the name of its program, also behind `cmd /c`. */
export const fetchesPackages = (command: string, args: readonly string[]): boolean => {
  if (nameOf(command) !== 'cmd') return fetching.has(nameOf(command));
  const [option = '', program = ''] = args;
  return option.toLowerCase() === '/c' && fetching.has(nameOf(program));
};

export const registryVariable = 'npm_config_registry';
/** npm does not look at the case. */
const isVariable = (name: string): boolean => name.toLowerCase() === registryVariable;

/** In the order of the registry that npm itself names first. */
export const usualRegistries: readonly string[] = [
  'https://registry.npmjs.org/',
  'https://r.cnpmjs.org/',
  'https://registry.npmmirror.com/',
];

/** Where registries come from beside configs and variables. */
export interface RegistrySource {
  /** The fastest of a list; undefined when the host is at its end. Resolves within 3 s. */
  fastest(list: readonly string[]): Promise<string | undefined>;
  /** Whether an `.npmrc` in one of these folders names one. */
  isInNpmrc(folders: readonly string[]): boolean;
}
interface Host extends Pick<RegistrySource, 'isInNpmrc'> {
  /** The variables of this process. */
  readonly inputs: Pick<Inputs, 'variables' | 'variable'>;
  readonly home?: string | undefined;
}
/** One that is named, or those of which the fastest is wanted; undefined: nobody says anything. */
export type RegistryChoice =
  | { readonly named: string; readonly among?: never }
  | { readonly among: readonly string[]; readonly named?: never }
  | undefined;

/**
 * Which registry a child is to use: its own `env` first (nothing is to be done), then the setting, then the variable of
 * the host, then the `.npmrc` that npm reads itself, and only then the fastest of a list.
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
