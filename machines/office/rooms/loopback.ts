const loopbackNames: ReadonlySet<string> = new Set(['localhost', '::1', '[::1]']);

/** An office without authentication listens on these only. */
export const isLoopback = (host: string): boolean =>
  loopbackNames.has(host.toLowerCase()) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

const hostOf = (authority: string): string => authority.replace(/:\d*$/, '');

/** Refuses a foreign `Origin` (web pages) and a foreign `Host` (DNS rebinding); programs send no `Origin`. */
export function isNeighbour(headers: { readonly host?: string; readonly origin?: string }): boolean {
  if (headers.host !== undefined && !isLoopback(hostOf(headers.host))) return false;
  if (headers.origin === undefined) return true;
  const origin = /^https?:\/\/([^/]+)$/i.exec(headers.origin);
  return origin?.[1] !== undefined && isLoopback(hostOf(origin[1]));
}

/** Pages of other sites are refused, under whatever host name the office is reachable. */
export const isSameOrigin = (headers: { readonly host?: string; readonly origin?: string }): boolean =>
  headers.origin === undefined ||
  (headers.host !== undefined && /^https?:\/\/([^/]+)$/i.exec(headers.origin)?.[1] === headers.host);

const listenTexts: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'needs rights that this program does not have; use one above 1023',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no address of this machine',
};

export const listenFailure = (host: string, port: number, code: string | undefined): string =>
  `Port ${port} on ${host} ${(code && listenTexts[code]) ?? `cannot be listened on (${code ?? 'no reason given'})`}`;

export const notLoopback = (host: string): string =>
  `An office that asks for no token listens on loopback only, not on ${host}; give --token, A2C_TOKEN or auth, or use 127.0.0.1`;

export const officeUrl = (host: string, port: number, isTls = false): string =>
  `http${isTls ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;

export const socketPathOf = (pathname: string): string => {
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return path.endsWith('/socket.io') ? path : `${path}/socket.io`;
};

export const noOffice = 'no office is at';
