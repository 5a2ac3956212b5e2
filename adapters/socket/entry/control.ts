import { isDeepStrictEqual } from 'node:util';
import type { Server as HttpsServer } from 'node:https';
import type { Server as HttpServer } from 'node:http';
import type { SeatFacts } from '../../../machines/ports/office.ts';
import type { OfficePeer, OfficeStats } from '../../../machines/office/rooms/limits.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import { NAMESPACE, OUR_CLIENT, missedBy } from '../../../machines/protocol/protocol.ts';
import { withoutUndefined } from '../../../machines/protocol/json.ts';
import { versionOf } from '../handshake.ts';
import { checkTls, type OfficeTls } from '../http.ts';
import { entrantBy, partWith, type EntrantsOptions, type OfficeServer, type PeerSocket } from './entrants.ts';
import { entryOf, isRefused } from './auth.ts';

export interface OfficeControl {
  stats(): OfficeStats;
  peers(): readonly OfficePeer[];
  /** False when no such peer is connected, or it is already being disconnected. */
  disconnect(id: string, why: string): boolean;
  /** Disconnects those that may no longer enter or whose grant has changed; resolves with them. */
  recheck(): Promise<readonly OfficePeer[]>;
  /** From the next TLS handshake on. Throws a `TypeError` for an invalid pair, and for an office without TLS. */
  secure(tls: OfficeTls): void;
}

const changed = 'What your credential allows has changed: connect again';
const unauthorized = (message: string): Failure => ({ code: wireCodes.tokenRefused, message });
interface Parts {
  readonly io: OfficeServer;
  readonly http: HttpServer;
  readonly isSecure: boolean;
  readonly proxies: number;
  readonly stats: () => OfficeStats;
  readonly seatOf: (socket: string) => SeatFacts | undefined;
  readonly options: EntrantsOptions;
}
export function controlOf({ io, http, isSecure, proxies, stats, seatOf, options }: Parts): OfficeControl {
  const sockets = (): readonly PeerSocket[] => [...io.of(NAMESPACE).sockets.values()];
  const shown = (socket: PeerSocket): OfficePeer => {
    const { address = socket.handshake.address, grant } = socket.data;
    const { query, issued: since } = socket.handshake;
    const version = versionOf(query);
    const misses = missedBy(version, query['a2c_client'] === OUR_CLIENT);
    return {
      id: socket.id,
      address,
      subject: grant?.subject,
      seat: seatOf(socket.id),
      version,
      misses,
      since,
    };
  };
  /** Undefined when the peer may stay, or when that cannot be decided now. */
  const objection = async (socket: PeerSocket): Promise<string | undefined> => {
    const authenticate = options.auth?.();
    if (!authenticate) return undefined;
    const entry = await entryOf(authenticate, entrantBy(socket, proxies));
    if (isRefused(entry)) return entry.code === wireCodes.tokenRefused ? entry.reason : undefined;
    const { credential: _, ...before } = socket.data.grant ?? {};
    return isDeepStrictEqual(withoutUndefined(entry), withoutUndefined(before)) ? undefined : changed;
  };
  return {
    stats,
    peers: () => sockets().map(shown),
    disconnect: (id, why) => {
      const socket = io.of(NAMESPACE).sockets.get(id);
      return socket !== undefined && partWith(socket, unauthorized(why));
    },
    recheck: async () => {
      const parted: OfficePeer[] = [];
      const judge = async (socket: PeerSocket): Promise<void> => {
        const why = await objection(socket);
        if (why === undefined || !socket.connected) return;
        const peer = shown(socket);
        if (partWith(socket, unauthorized(why))) parted.push(peer);
      };
      await Promise.all(sockets().map(judge));
      return parted;
    },
    secure: (tls) => {
      if (!isSecure) throw new TypeError('this office was opened without TLS');
      checkTls(tls);
      (http as HttpsServer).setSecureContext(tls);
    },
  };
}
