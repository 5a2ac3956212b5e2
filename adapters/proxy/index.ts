import { getProxyForUrl } from 'proxy-from-env';

/** The proxy that the variables of this process (`https_proxy`, `no_proxy` …) name for a URL; undefined: none. */
export const proxyFromEnvironment = (url: string): string | undefined => {
  const proxy = getProxyForUrl(url);
  return proxy === '' || !URL.canParse(proxy) ? undefined : proxy;
};
