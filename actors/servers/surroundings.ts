import type { LaunchSpec } from '../../adapters/index.ts';
import type { LaunchSettings } from '../../machines/config/index.ts';
import { secretsIn } from '../../machines/trace/index.ts';
import { inheritedOf } from './inherited.ts';
import type { Inputs } from './inputs/inputs.ts';
import { proxyFor, proxyVariables } from './proxy.ts';
import { registryChoice, registryVariable, type RegistrySource } from './registry/registry-choice.ts';
import type { RemoteSpec, ServerSpec } from './render.ts';

type Texts = Readonly<Record<string, string>>;
/** What of this machine servers are launched and reached with. */
export interface HostPlaces {
  /** The folder of the user, which `~` means, and the one that `${workspaceFolder}` means. Left out: none is expanded. */
  readonly places?: { readonly home: string; readonly workspace: string };
  /** The fastest registry of a list, and what of this machine names one. Left out: nobody chooses one. */
  readonly registries?: RegistrySource;
  /** The PATH of the user's login shell, where this process may not have it. */
  readonly loginPath?: () => Promise<string | undefined>;
}
interface Options extends HostPlaces {
  readonly inputs: Pick<Inputs, 'variable' | 'variables'>;
}
/** What joins the launch spec of a server, and what of that nobody may see. */
export interface Surroundings {
  readonly spec: Pick<LaunchSpec, 'inherit'> & Pick<RemoteSpec, 'proxy'>;
  readonly secrets: readonly string[];
  /** Variables that were found out on the network. */
  readonly found: Texts;
}

/** By the settings of a server. Takes as long as the login shell and the registries may, and never rejects. */
export async function surroundingsOf(
  spec: ServerSpec,
  settings: LaunchSettings,
  options: Options,
): Promise<Surroundings> {
  if (spec.kind === 'stdio') return ofChild(spec, settings, options);
  const proxy = 'url' in spec ? proxyFor(spec.url, settings) : undefined;
  return { spec: proxy === undefined ? {} : { proxy }, secrets: secretsIn({}, [proxy ?? '']), found: {} };
}
async function ofChild(
  spec: Extract<ServerSpec, { kind: 'stdio' }>,
  settings: LaunchSettings,
  { inputs, places, loginPath, registries }: Options,
): Promise<Surroundings> {
  const choice = registries && registryChoice(spec, settings, { inputs, home: places?.home, ...registries });
  const [login, fastest] = await Promise.all([
    loginPath?.(),
    choice?.among && registries?.fastest(choice.among),
  ]);
  const inherit = inheritedOf(settings, places?.home ?? '~', login);
  const proxy = proxyVariables(settings, spec.env, inputs);
  const added: Texts = { ...proxy, ...(choice?.named !== undefined && { [registryVariable]: choice.named }) };
  const whole = Object.keys(added).length === 0 ? inherit : { ...inherit, added };
  const { base, pass = [] } = inherit;
  const passed = [...(base === 'full' ? inputs.variables() : []), ...pass];
  const held = Object.fromEntries(passed.map((name) => [name, inputs.variable(name) ?? '']));
  const urls = [...(choice?.among ?? []), ...Object.values(added)];
  return {
    spec: Object.keys(whole).length === 0 ? {} : { inherit: whole },
    secrets: secretsIn(held, urls),
    found: fastest === undefined ? {} : { [registryVariable]: fastest },
  };
}

/** The spec with what was found out: that makes no other spec of it. */
export const withFound = (facts: ServerSpec, found: Texts): ServerSpec =>
  facts.kind === 'stdio' && Object.keys(found).length > 0
    ? { ...facts, inherit: { ...facts.inherit, added: { ...facts.inherit?.added, ...found } } }
    : facts;
