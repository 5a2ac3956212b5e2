import { createHash } from 'node:crypto';
import type { Server, Socket } from 'socket.io';
import { entryTexts, type Admitted, type Entrant, type Grant } from '../../../machines/office/rooms/entry.ts';
import { notices } from '../../../machines/protocol/events.ts';
import { toWireError, wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import { longestTimeoutMs, NAMESPACE } from '../../../machines/protocol/protocol.ts';
import type { ClientToServer, ServerToClient } from '../../../machines/protocol/messages/socket-events.ts';
import { addressOf } from './address.ts';
import { certificateOf } from '../http.ts';
import { cutOff } from './engine.ts';
import { entrantOf, entryOf, isRefused, type Authenticate, type Refused } from './auth.ts';

/** What the office knows of a socket beside its seat. */
export interface PeerData {
  /** What its credential lets it do. */
  grant?: Admitted;
  /** Where it comes from. */
  address?: string;
}
type Nothing = Record<string, never>;
export type OfficeServer = Server<ClientToServer, ServerToClient, Nothing, PeerData>;
export type PeerSocket = Socket<ClientToServer, ServerToClient, Nothing, PeerData>;

/** A connection that was not let in. */
export interface RefusedPeer {
  /** The IP address it came from. */
  readonly address: string;
  /** 401: it may not enter. 503: nobody could say whether it may, such as while keys cannot be had; no fault of the peer. */
  readonly code: 401 | 503;
  /** What it was told. */
  readonly reason: string;
  /** What is wrong with its credential, which it is not told: it could learn from that how to make one. */
  readonly detail: string;
}
export interface EntrantsOptions {
  /** Who may enter, asked for each connection; undefined: every program of this machine, and the office listens on loopback only. */
  readonly auth?: () => Authenticate | undefined;
  /** Hears of each connection that was not let in. */
  readonly refused?: (peer: RefusedPeer) => void;
}

/** The error that every Socket.IO client hears as `connect_error`. */
const denialOf = ({ reason: message, code }: Refused): Error =>
  Object.assign(new Error(message), { data: { code, message } });

/** Whoever shows the same is the same: by the name that it stands for, else by itself. */
function credentialOf({ token, certificate }: Entrant, { subject }: Grant): Pick<Admitted, 'credential'> {
  if (subject !== undefined) return { credential: `subject ${subject}` };
  if (certificate) return { credential: `certificate ${certificate.fingerprint256}` };
  if (token !== null) return { credential: `token ${createHash('sha256').update(token).digest('hex')}` };
  return {};
}

/** Who has connected, and what it has shown. */
export const entrantBy = ({ handshake, request, data }: PeerSocket, proxies: number): Entrant =>
  entrantOf({
    ...handshake,
    address: data.address ?? addressOf(request, proxies),
    certificate: certificateOf(request.socket),
  });
/** Refuses who may not enter, before any event of it is handled. */
export function checkEntrants(io: OfficeServer, { auth, refused }: EntrantsOptions, proxies: number): void {
  io.of(NAMESPACE).use((socket, next) => {
    socket.data.address = addressOf(socket.request, proxies);
    const authenticate = auth?.();
    if (!authenticate) return next();
    const entrant = entrantBy(socket, proxies);
    void entryOf(authenticate, entrant).then((entry) => {
      if (isRefused(entry)) {
        const { code, reason, detail = reason } = entry;
        refused?.({ address: entrant.address, code, reason, detail });
        return next(denialOf(entry));
      }
      socket.data.grant = { ...entry, ...credentialOf(entrant, entry) };
      next();
    });
  });
}

/** A peer that does not read what it was sent before has so long to do so. */
const partingMs = 10_000;
/**
 * Closes a connection, and says why first. A peer that knows the notice tells its user. False: it is closing already, and has
 * heard why.
 */
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

/** A credential ends while its holder is connected: so does the connection. */
export function partAtExpiry(socket: PeerSocket): void {
  const { expiresAt } = socket.data.grant ?? {};
  if (expiresAt === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const ms = expiresAt - Date.now();
    // A timer of more than 24 days would fire at once.
    if (ms > 0) timer = setTimeout(wait, Math.min(ms, longestTimeoutMs));
    else partWith(socket, { code: wireCodes.unauthorized, message: entryTexts.expired });
  };
  wait();
  socket.on('disconnect', () => clearTimeout(timer));
}
