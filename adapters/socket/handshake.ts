import { ServerResponse, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { denies, type Denial } from '../../machines/office/rooms/entry.ts';
import { toWireError, type Failure } from '../../machines/protocol/failure.ts';
import type { EngineConnection } from './entry/engine.ts';
import type { OfficeServer } from './entry/entrants.ts';
import type { Refusing } from './entry/refusing.ts';
import type { Strangers } from './entry/strangers.ts';

export interface EngineRequest extends IncomingMessage {
  readonly _query?: { readonly sid?: string; readonly a2c_version?: unknown };
}
/** A value that is not one text (a repeated parameter) is returned as JSON, which is no valid version. */
export const versionOf = ({ a2c_version: version }: { readonly a2c_version?: unknown }): string | undefined =>
  typeof version === 'string' ? version : JSON.stringify(version);

const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
/** HTTP answer to a request that is refused. */
type Answer = Omit<Denial, 'status'> & { readonly status: number };
/** Sends a refusal; for a web socket it is written by hand, because such a request has no response object. */
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

export function checkHandshakes(
  io: OfficeServer,
  http: HttpServer,
  requireVersion: boolean,
  strangers: Strangers,
  refused: Refusing['request'],
): void {
  io.engine.use((request: EngineRequest, response: unknown, next: () => void) => {
    const query = request._query ?? {};
    if (query.sid !== undefined) {
      strangers.carries(query.sid, request);
      return next();
    }
    const failure = strangers.asks(request);
    const denial = failure ? denialOf(failure) : denies(versionOf(query), requireVersion);
    if (!denial) return next();
    deny(request, response, denial);
    if (failure) refused(request, failure);
    else refused(request, JSON.parse(denial.body) as Failure, 'version');
  });
  io.engine.on('connection', (conn: EngineConnection) => strangers.opened(conn));
  http.on('connection', (socket) => strangers.accept(socket));
  http.on('request', (request, response) => response.once('finish', () => strangers.answered(request)));
  http.on('upgrade', (request: IncomingMessage) => strangers.upgraded(request));
}
