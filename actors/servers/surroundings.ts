import type { Inputs } from './inputs.ts';
import { registryChoice, registryVariable, type RegistrySource } from './registries.ts';
import { inheritedOf, type RemoteSpec, type ServerSpec } from './render.ts';
import type { LaunchSpec } from '../../adapters/process/launcher.ts';
import { proxyFromEnvironment } from '../../adapters/mcp/http/proxy.ts';
import type { LaunchSettings } from '../../machines/config/schemas.ts';
import { secretsIn } from '../../machines/secrets/secret-rules.ts';

type Texts = Readonly<Record<string, string>>;
export interface HostPlaces {
  /** Absent when neither is expanded. */
  readonly places?: { readonly home: string; readonly workspace: string };
  readonly registries?: RegistrySource;
  /** For a process that may not have the PATH of the user's login shell. */
  readonly loginPath?: () => Promise<string | undefined>;
}
interface Options extends HostPlaces {
  readonly inputs: Pick<Inputs, 'variable' | 'variables'>;
}
interface Surroundings {
  readonly spec: Pick<LaunchSpec, 'inherit'> & Pick<RemoteSpec, 'proxy' | 'proxies'>;
  readonly secrets: readonly string[];
  readonly found: Texts;
}

/** Waits for the login shell and the registries; never rejects. */
export async function surroundingsOf(
  spec: ServerSpec,
  settings: LaunchSettings,
  options: Options,
): Promise<Surroundings> {
  if (spec.kind === 'stdio') return ofChild(spec, settings, options);
  const { proxy: named, noProxy = [] } = settings;
  if (!('url' in spec) || named === undefined) return { spec: {}, secrets: [], found: {} };
  const proxy = proxyFor(spec.url, settings);
  const more = { proxies: { proxy: named, noProxy }, ...(proxy !== undefined && { proxy }) };
  return { spec: more, secrets: secretsIn({}, [proxy ?? '', named]), found: {} };
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

/** They do not count when two specs are compared. */
export const withFound = (facts: ServerSpec, found: Texts): ServerSpec =>
  facts.kind === 'stdio' && Object.keys(found).length > 0
    ? { ...facts, inherit: { ...facts.inherit, added: { ...facts.inherit?.added, ...found } } }
    : facts;

type ProxySettings = Pick<LaunchSettings, 'proxy' | 'noProxy'>;
/** Hosts of this machine, which are never reached through a proxy. */
const here = ['localhost', '127.0.0.1', '::1'];
const isHere = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
/** By its name, or by a parent domain that begins with a point. */
const isIn = (host: string, list: readonly string[]): boolean =>
  list.some((one) => {
    const name = one.toLowerCase().replace(/^\*?(?=\.)/, '');
    return name === '*' || name === host || (name.startsWith('.') && host.endsWith(name));
  });

export function proxyFor(url: string, { proxy, noProxy = [] }: ProxySettings): string | undefined {
  if (proxy === undefined || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (isHere(hostname) || isIn(hostname, noProxy)) return undefined;
  return proxy === 'env' ? proxyFromEnvironment(url) : proxy;
}

const names = ['http_proxy', 'https_proxy', 'all_proxy'];
const bothCases = (values: Texts): Texts =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [name, value],
      [name.toUpperCase(), value],
    ]),
  );
/** Always with `no_proxy`; none for a server whose own `env` mentions a proxy. */
export function proxyVariables(
  { proxy, noProxy = [] }: ProxySettings,
  own: Texts,
  inputs: Pick<Inputs, 'variable'>,
): Texts {
  const isOwn = Object.keys(own).some((name) => [...names, 'no_proxy'].includes(name.toLowerCase()));
  if (proxy === undefined || isOwn) return {};
  const ofHost = (name: string): string | undefined =>
    inputs.variable(name) || inputs.variable(name.toUpperCase());
  const values =
    proxy === 'env'
      ? Object.fromEntries(names.flatMap((name) => (ofHost(name) ? [[name, ofHost(name) ?? '']] : [])))
      : { http_proxy: proxy, https_proxy: proxy };
  if (Object.keys(values).length === 0) return {};
  const direct = (proxy === 'env' ? (ofHost('no_proxy') ?? '') : '').split(/[,\s]+/);
  const all = [...new Set([...direct, ...noProxy, ...here])].filter(Boolean);
  return bothCases({ ...values, no_proxy: all.join(',') });
}
