import { getProxyForUrl } from 'proxy-from-env';

/** By the variables `https_proxy`, `no_proxy` … of this process; undefined when they name none. */
export const proxyFromEnvironment = (url: string): string | undefined => {
  const proxy = getProxyForUrl(url);
  return proxy === '' || !URL.canParse(proxy) ? undefined : proxy;
};
