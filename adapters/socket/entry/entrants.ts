import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'socket.io';
import {
  entryTexts,
  type Admitted,
  type Entrant,
  type Grant,
  peerAddress,
} from '../../../machines/office/rooms/entry.ts';
import { toWireError, wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import type { ClientToServer, ServerToClient } from '../../../machines/protocol/messages/socket-events.ts';
import { notices, longestTimeoutMs, NAMESPACE } from '../../../machines/protocol/protocol.ts';
import { certificateOf } from '../http.ts';
import { entrantOf, entryOf, isRefused, type Authenticate, type Refused } from './auth.ts';
import { cutOff } from './engine.ts';

export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: number,
): string => peerAddress(socket.remoteAddress ?? '', headers['x-forwarded-for'], proxies);

interface PeerData {
  grant?: Admitted;
  address?: string;
}
type Nothing = Record<string, never>;
export type OfficeServer = Server<ClientToServer, ServerToClient, Nothing, PeerData>;
export type PeerSocket = Socket<ClientToServer, ServerToClient, Nothing, PeerData>;

export interface EntrantsOptions {
  /** Undefined: all programs of this machine may enter, and the office listens on loopback only. */
  readonly auth?: () => Authenticate | undefined;
}

const denialOf = ({ reason: message, code }: Refused): Error =>
  Object.assign(new Error(message), { data: { code, message } });

/** The subject, or else a hash of certificate or token. Peers with the same identity share a credential. */
function credentialOf({ token, certificate }: Entrant, { subject }: Grant): Pick<Admitted, 'credential'> {
  if (subject !== undefined) return { credential: `subject ${subject}` };
  if (certificate) return { credential: `certificate ${certificate.fingerprint256}` };
  if (token !== null) return { credential: `token ${createHash('sha256').update(token).digest('hex')}` };
  return {};
}

export const entrantBy = ({ handshake, request, data }: PeerSocket, proxies: number): Entrant =>
  entrantOf({
    ...handshake,
    address: data.address ?? addressOf(request, proxies),
    certificate: certificateOf(request.socket),
  });
export function checkEntrants(
  io: OfficeServer,
  auth: EntrantsOptions['auth'],
  refused: (address: string, failure: Failure, more: { readonly detail: string }) => void,
  proxies: number,
): void {
  io.of(NAMESPACE).use((socket, next) => {
    socket.data.address = addressOf(socket.request, proxies);
    const authenticate = auth?.();
    if (!authenticate) return next();
    const entrant = entrantBy(socket, proxies);
    void entryOf(authenticate, entrant).then((entry) => {
      if (isRefused(entry)) {
        const { code, reason, detail = reason } = entry;
        refused(entrant.address, { code, message: reason }, { detail });
        return next(denialOf(entry));
      }
      socket.data.grant = { ...entry, ...credentialOf(entrant, entry) };
      next();
    });
  });
}

/** Time in ms that a peer gets to read pending messages before its connection is cut. */
const partingMs = 10_000;
/** False when the connection is already closing. */
export function partWith(socket: PeerSocket, failure: Failure): boolean {
  const { code, message } = toWireError(failure);
  const { conn } = socket;
  if (conn.readyState !== 'open') return false;
  socket.emit(notices.disconnecting, { code, message });
  const timer = setTimeout(() => cutOff(conn), partingMs).unref();
  conn.once('close', () => clearTimeout(timer));
  conn.close();
  return true;
}

export function partAtExpiry(socket: PeerSocket): void {
  const { expiresAt } = socket.data.grant ?? {};
  if (expiresAt === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const ms = expiresAt - Date.now();
    // Splits the wait, because a timer of more than 24 days would fire at once.
    if (ms > 0) timer = setTimeout(wait, Math.min(ms, longestTimeoutMs));
    else partWith(socket, { code: wireCodes.tokenRefused, message: entryTexts.expired });
  };
  wait();
  socket.on('disconnect', () => clearTimeout(timer));
}
