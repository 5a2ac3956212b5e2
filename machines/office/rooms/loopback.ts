const loopbackNames: ReadonlySet<string> = new Set(['localhost', '::1', '[::1]']);

/** Without authentication an office listens on these only. */
export const isLoopback = (host: string): boolean =>
  loopbackNames.has(host.toLowerCase()) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** `127.0.0.1:3000` → `127.0.0.1`, `[::1]:3000` → `[::1]`. */
const hostOf = (authority: string): string => authority.replace(/:\d*$/, '');

/**
 * May this HTTP request talk to an office on loopback? A page of any web site can reach a port of the own machine
 * through the visitor's browser, so a foreign `Origin` is refused, and so is a foreign `Host` (a name that was
 * rebound to 127.0.0.1). Programs send no `Origin`.
 */
export function isNeighbour(headers: { readonly host?: string; readonly origin?: string }): boolean {
  if (headers.host !== undefined && !isLoopback(hostOf(headers.host))) return false;
  if (headers.origin === undefined) return true;
  const origin = /^https?:\/\/([^/]+)$/i.exec(headers.origin);
  return origin?.[1] !== undefined && isLoopback(hostOf(origin[1]));
}

/** The same of an office that others reach, under whatever name: a page of another site is refused. */
export const isSameOrigin = (headers: { readonly host?: string; readonly origin?: string }): boolean =>
  headers.origin === undefined ||
  (headers.host !== undefined && /^https?:\/\/([^/]+)$/i.exec(headers.origin)?.[1] === headers.host);

const listenTexts: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use; choose another port, or 0 for any free one',
  EACCES: 'needs rights that this program does not have; choose a port above 1023',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no address of this machine',
};

/** Why an office could not listen, for a person. */
export const listenFailure = (host: string, port: number, code: string | undefined): string =>
  `Port ${port} on ${host} ${(code && listenTexts[code]) ?? `cannot be listened on (${code ?? 'no reason given'})`}`;

/** Refuses to open an office to others while there is no authentication. */
export const notLoopback = (host: string): string =>
  `An office that asks for no token listens on loopback only, not on ${host}; give --token, A2C_TOKEN or auth, or use 127.0.0.1`;

export const officeUrl = (host: string, port: number, isTls = false): string =>
  `http${isTls ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Path at which Socket.IO is reached, below the path of the address of an office. The address may also name it itself. */
export const socketPathOf = (pathname: string): string => {
  const path = pathname.replace(/\/+$/, '');
  return path.endsWith('/socket.io') ? path : `${path}/socket.io`;
};

/** Begins the reason of a link that has reached something else. */
export const noOffice = 'no office is at';
