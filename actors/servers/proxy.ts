import { proxyFromEnvironment } from '../../adapters/index.ts';
import type { LaunchSettings } from '../../machines/config/index.ts';
import type { Inputs } from './inputs/inputs.ts';

type Asked = Pick<LaunchSettings, 'proxy' | 'noProxy'>;
type Texts = Readonly<Record<string, string>>;
/** What nobody wants to have sent to a proxy: this machine. */
const here = ['localhost', '127.0.0.1', '::1'];
const isHere = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
/** As in `no_proxy`: a host itself, and with a point before it all below it. */
const isIn = (host: string, list: readonly string[]): boolean =>
  list.some((one) => {
    const name = one.toLowerCase().replace(/^\*?(?=\.)/, '');
    return name === '*' || name === host || (name.startsWith('.') && host.endsWith(name));
  });

/** Through which proxy a URL is reached, when one is asked for; undefined: directly. */
export function proxyFor(url: string, { proxy, noProxy = [] }: Asked): string | undefined {
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
/**
 * The variables by which a child knows its proxy, when one is asked for, always with `no_proxy`. None for one whose own
 * `env` says anything of a proxy.
 */
export function proxyVariables(
  { proxy, noProxy = [] }: Asked,
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
