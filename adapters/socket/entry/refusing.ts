import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { refusalKindOf, type RefusalKind } from '../../../machines/office/rooms/limits.ts';
import type { SeatFacts } from '../../../machines/ports/office.ts';
import { toWireError, wireCodes, type Failure, type WireCode } from '../../../machines/protocol/failure.ts';
import { NAMESPACE } from '../../../machines/protocol/protocol.ts';
import type { JoinRefused } from '../../connections/office-wire.ts';
import type { OfficeGate } from '../gate.ts';
import { addressOf, type OfficeServer } from './entrants.ts';

/** Record of a peer that was refused: its connection, or the seat that it wanted. */
export interface RefusedPeer {
  /** IP address of the peer. */
  readonly address: string;
  /**
   * Number that the peer was told. 401: the peer may not enter. 403: its credential is not for this seat, or it is a page of another
   * site. 409: the seat is taken. 400, 4008: its version. 429: a limit. 503: the office is closing, or could not decide,
   * for example because keys are unavailable; not the fault of the peer.
   */
  readonly code: WireCode;
  /** Kind of the refusal, as `stats().refusals` and the metrics count it; for 429 the name of the limit. */
  readonly kind: RefusalKind;
  /** Reason of the refusal, as the peer was told. */
  readonly reason: string;
  /** Details about the credential, which the peer is not given because they could help to forge one. */
  readonly detail: string;
  /** Owner of the credential: the `label` of a token, the `sub` of a JWT; undefined before it is known. */
  readonly subject?: string | undefined;
  /** Seat that the peer wanted; undefined when its connection was refused. */
  readonly seat?: SeatFacts | undefined;
}
interface Parts {
  readonly io: OfficeServer;
  readonly http: HttpServer;
  readonly gate: OfficeGate;
  readonly proxies: number;
  readonly refused: ((peer: RefusedPeer) => void) | undefined;
}
/** Every refusal of a peer or a seat comes here once: it is counted, and told to who runs the office. */
export interface Refusing {
  connection(address: string, failure: Failure, more?: Partial<RefusedPeer>): void;
  request(request: Pick<IncomingMessage, 'headers' | 'socket'>, failure: Failure, kind?: RefusalKind): void;
  readonly join: JoinRefused;
}
export function refusing({ io, http, gate, proxies, refused }: Parts): Refusing {
  const tell: Refusing['connection'] = (address, failure, more) => {
    const { code, message: reason } = toWireError(failure);
    const peer = { address, code, kind: refusalKindOf(failure), reason, detail: reason, ...more };
    // A limit was counted where it was met.
    if (!Object.hasOwn(gate.limits, peer.kind)) gate.refused(peer.kind);
    refused?.(peer);
  };
  const request: Refusing['request'] = (asked, failure, kind) =>
    tell(addressOf(asked, proxies), failure, kind && { kind });
  refuseOthers(io, http, request);
  return {
    request,
    connection: tell,
    join: (socket, failure, seat) => {
      const { address = '', grant } = io.of(NAMESPACE).sockets.get(socket)?.data ?? {};
      tell(address, failure, { subject: grant?.subject, seat });
    },
  };
}

const noCertificate = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';
/** `_parent`: the connection below, whose address is known when that of a destroyed socket is not. */
type RefusedTls = TLSSocket & { readonly _parent?: NetSocket };
/** Codes of Engine.IO; its others stand for broken requests and lost sessions. */
const [foreignPage, otherEngine] = [4, 5];
interface HandshakeError {
  readonly req: IncomingMessage;
  readonly code: number;
  readonly message: string;
  readonly context: { readonly message?: string };
}
function refuseOthers(io: OfficeServer, http: HttpServer, refuse: Refusing['request']): void {
  // Refuses the default namespace, because its events would never be answered.
  io.use(({ request }, next) => {
    const message = `Use the namespace ${NAMESPACE}`;
    refuse(request, { code: wireCodes.badRequest, message });
    next(new Error(message));
  });
  io.engine.on('connection_error', ({ req, code, message, context }: HandshakeError) => {
    if (code === foreignPage)
      refuse(req, { code: wireCodes.notAllowed, message: context.message ?? message }, 'otherSite');
    if (code === otherEngine) refuse(req, { code: wireCodes.badRequest, message }, 'version');
  });
  http.on('tlsClientError', ({ code }: NodeJS.ErrnoException, peer: RefusedTls) => {
    const { authorizationError: why, _parent: socket = peer } = peer;
    if (!why && code !== noCertificate) return;
    const message = why ? `Its certificate is not trusted: ${why}` : 'It shows no certificate';
    refuse({ headers: {}, socket }, { code: wireCodes.tokenRefused, message }, 'certificate');
  });
}
