import type { Inputs } from './inputs.ts';
import type { ServerSpec } from './render.ts';
import type { LaunchSettings } from '../../machines/config/schemas.ts';

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
