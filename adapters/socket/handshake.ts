import { ServerResponse, type IncomingMessage } from 'node:http';
import { denies, type Denial } from '../../machines/office/rooms/version.ts';
import { toWireError, type Failure } from '../../machines/protocol/failure.ts';
import { addressOf } from './entry/address.ts';
import type { OfficeServer } from './entry/entrants.ts';
import type { OfficeGate } from './gate.ts';

export interface EngineRequest extends IncomingMessage {
  readonly _query?: { readonly sid?: string; readonly a2c_version?: unknown };
}
/** One that is there twice is none that can be read. */
export const versionOf = ({ a2c_version: version }: { readonly a2c_version?: unknown }): string | undefined =>
  typeof version === 'string' ? version : JSON.stringify(version);

const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
/** What a request is answered that opens nothing. */
type Answer = Omit<Denial, 'status'> & { readonly status: number };
/** A web socket has no response of its own: the same answer is written by hand. */
function deny(request: IncomingMessage, response: unknown, { status, headers, body }: Answer): void {
  const sent = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  if (response instanceof ServerResponse) return void response.writeHead(status, sent).end(body);
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  request.socket.end([`HTTP/1.1 ${status} ${statusTexts[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
const denialOf = (failure: Failure): Answer => ({
  status: Number(failure.code),
  headers: { 'Content-Type': 'application/json', 'Retry-After': '5' },
  body: JSON.stringify(toWireError(failure)),
});

export interface Door {
  readonly requireVersion: boolean;
  /** Proxies that stand before the office. */
  readonly proxies: number;
  readonly gate: OfficeGate;
}
/** The first request of a connection says which version its peer speaks, and is refused where there is no room for it. */
export function checkHandshakes(io: OfficeServer, { requireVersion, proxies, gate }: Door): void {
  io.engine.use((request: EngineRequest, response: unknown, next: () => void) => {
    const query = request._query ?? {};
    if (query.sid !== undefined) return next();
    const failure = gate.connecting(addressOf(request, proxies));
    const denial = failure ? denialOf(failure) : denies(versionOf(query), requireVersion);
    if (denial) deny(request, response, denial);
    else next();
  });
  interface Connection {
    readonly request: IncomingMessage;
    once(event: 'close', heard: () => void): void;
  }
  io.engine.on('connection', (connection: Connection) => {
    const address = addressOf(connection.request, proxies);
    gate.connected(address);
    connection.once('close', () => gate.gone(address));
  });
}
