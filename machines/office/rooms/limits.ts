import { wireCodes, type Failure } from '../../protocol/failure.ts';
import { mostInFlight, sizes } from '../../protocol/protocol.ts';
import type { SeatFacts } from '../../kernel/ports.ts';

/** Rate limit of events: a long-term rate, and a larger number at once after a pause. */
export interface Rate {
  /** Number of events per second in the long run. */
  readonly perSecond: number;
  /** Number of events allowed at once, after a pause of `burst / perSecond` seconds. */
  readonly burst: number;
}
const rate = (perSecond: number, burst: number): Rate => ({ perSecond, burst });

/**
 * Default limits of an office, by the names used in refusals (`details.limit`). Zero: no limit. Limits per address do
 * not apply to loopback addresses, because all peers behind a local proxy share one (`trustProxy`).
 */
export const officeLimits = {
  /** Largest number of simultaneous connections, in total and (`connectionsPerAddress`) for each address. */
  connections: 20_000,
  connectionsPerAddress: 1_000,
  /**
   * Largest number of bytes that a connection may send before its peer is admitted, and (`entryMs`) the longest time
   * in ms that admission may take.
   */
  entryBytes: 16_384,
  entryMs: 10_000,
  /** Largest number of seats in one room. */
  seatsPerOffice: 5_000,
  /** Largest rates of joins: of one connection, address or room. Every join is announced to the whole room. */
  joinsPerSocket: rate(2, 20),
  joinsPerAddress: rate(50, 1_000),
  joinsPerOffice: rate(100, 5_000),
  /**
   * Largest rates of events, joins included: of one connection, address or room, and of the whole office. For its
   * connection a message counts as one more for each 16 KiB, and for each 50 lists, objects and members in it.
   */
  eventsPerSocket: rate(1_000, 20_000),
  eventsPerAddress: rate(5_000, 100_000),
  eventsPerOffice: rate(5_000, 100_000),
  events: rate(20_000, 400_000),
  /** Largest rate of change notices of one kind from one computer; excess notices are merged and sent later. */
  noticesPerSocket: rate(10, 20),
  /** Largest rates of notice deliveries (one for each receiver) in one room and in all rooms; excess deliveries are sent later. */
  deliveriesPerOffice: rate(10_000, 10_000),
  deliveries: rate(40_000, 40_000),
  /** Largest number of pending questions of one connection, one room, and all rooms. */
  callsPerSocket: mostInFlight,
  callsPerOffice: 2 * mostInFlight,
  calls: 8 * mostInFlight,
  /** Largest size of one message in bytes. */
  payloadBytes: sizes.officePayloadBytes,
  /** Largest number of bytes that are buffered for one connection while it does not read them. */
  unreadBytes: 4 * sizes.officePayloadBytes,
} as const;
/** Name of a limit, as used in options, refusals and statistics. */
export type LimitName = keyof typeof officeLimits;
/** Limits of an office; each is a number or a rate per second with a burst. Zero: no limit. */
export type OfficeLimits = {
  readonly [K in LimitName]: (typeof officeLimits)[K] extends number ? number : Rate;
};
/** Limits as set by the host; omitted ones have their defaults. */
export type GivenLimits = { readonly [K in LimitName]?: OfficeLimits[K] | 0 | undefined };
export const limitNames = Object.keys(officeLimits) as LimitName[];
export const isRate = (limit: number | Rate): limit is Rate => typeof limit !== 'number';

const noRate = rate(0, 0);
/** Fills in the defaults of limits that the host has not set; a rate of 0 is no limit. */
export const limitsWith = (given: GivenLimits): OfficeLimits => {
  const set = Object.entries(given).filter(([, limit]) => limit !== undefined);
  return {
    ...officeLimits,
    ...Object.fromEntries(
      set.map(([name, limit]) => [
        name,
        limit === 0 && isRate(officeLimits[name as LimitName]) ? noRate : limit,
      ]),
    ),
  };
};

const said: Readonly<Record<LimitName, string>> = {
  connections: 'This office has as many connections as it takes',
  connectionsPerAddress: 'Your address has as many connections to this office as it may have',
  entryBytes: 'You send too much before you are let in',
  entryMs: 'You did not show in time who you are',
  seatsPerOffice: 'All seats of this office are taken',
  joinsPerSocket: 'You join too often',
  joinsPerAddress: 'Your address joins too often',
  joinsPerOffice: 'Too many join this office now',
  eventsPerSocket: 'You send too many events, or too large ones',
  eventsPerAddress: 'Your address sends too many events',
  eventsPerOffice: 'Your office sends too many events',
  events: 'All offices here send too many events',
  noticesPerSocket: 'You tell of changes too often',
  deliveriesPerOffice: 'Your office tells too many too much',
  deliveries: 'All offices here tell too many too much',
  callsPerSocket: 'You have too many questions in flight',
  callsPerOffice: 'Your office has too many questions in flight',
  calls: 'All offices here have too many questions in flight',
  payloadBytes: 'That message is too large',
  unreadBytes: 'You do not read what you are sent',
};
const textOf = (limit: number | Rate): string =>
  isRate(limit) ? `${limit.perSecond} each second, ${limit.burst} at once` : String(limit);
/** Failure of a request that exceeded a limit, with the limit and the time after which to try again. */
export const overLimit = (name: LimitName, limit: number | Rate, retryAfterMs?: number): Failure => ({
  code: wireCodes.tooMany,
  message: `${said[name]} (at most ${textOf(limit)})`,
  details: {
    reason: 'limit',
    limit: name,
    most: isRate(limit) ? limit.perSecond : limit,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  },
});

/** Gate of an office: applies the rate limits before an event is handled. */
export interface Gate {
  /** Checks one event, including joins; `office` is the room of the sender. */
  event(socket: string, office: string | undefined): Failure | undefined;
  /** Checks one join that the credential allows; `taken` is the number of taken seats in the room. */
  join(socket: string, office: string, taken: number): Failure | undefined;
  /** Returns the time in ms after which a change notice of this kind may be sent. */
  notice(socket: string, event: string): number;
  /**
   * Requests deliveries in a room that can wait; returns how many may be sent now, and when to ask again for the
   * rest.
   */
  deliver(office: string, wanted: number): { readonly now: number; readonly waitMs: number };
  /** Counts deliveries in a room that are made at once; they reduce the number that `deliver` permits afterwards. */
  delivered(office: string, count: number): void;
  /** Checks a message to the room, with `count` receivers, whose sender can be told of a refusal. */
  broadcast(office: string, count: number): Failure | undefined;
  /** Counts a request that another part of the office has refused because of this limit. */
  refused(limit: LimitName): void;
}
/** Gate without any limits, for virtual time and for tests of other parts. */
export const openGate: Gate = {
  event: () => undefined,
  join: () => undefined,
  notice: () => 0,
  deliver: (_, wanted) => ({ now: wanted, waitMs: 0 }),
  delivered: () => {},
  broadcast: () => undefined,
  refused: () => {},
};

/** Statistics of an office: its current load, and its refusals since it was opened. */
export interface OfficeStats {
  /** Number of connections, with or without a seat. */
  readonly connections: number;
  /** Number of taken seats in all rooms. */
  readonly seats: number;
  /** Number of rooms that are not empty. */
  readonly offices: number;
  /** Number of pending questions to computers. */
  readonly inFlight: number;
  /** Number of refusals, by the name of the limit. */
  readonly refusals: Readonly<Partial<Record<LimitName, number>>>;
}
export const noStats: OfficeStats = { connections: 0, seats: 0, offices: 0, inFlight: 0, refusals: {} };

/** Receiver of every event, for metrics. Its methods must not throw. */
export interface OfficeMeter {
  /** Counts an event that a socket sent. */
  received(event: string): void;
  /** Counts an answer to an event, with its error code if it failed, and its duration in seconds. */
  answered(event: string, code: number | undefined, seconds: number): void;
  /** Counts a connection that was not admitted. */
  refused(): void;
}

/** Connected peer, as the operator of an office sees it. */
export interface OfficePeer {
  /** Id of the connection, as used by `disconnect`, and called `peer` in logs. */
  readonly id: string;
  /** IP address of the peer. */
  readonly address: string;
  /** Owner of the credential: the `label` of a token, the `sub` of a JWT. */
  readonly subject?: string | undefined;
  /** Seat of the peer; undefined when it has none. */
  readonly seat?: SeatFacts | undefined;
  /** Protocol version that the peer declared. */
  readonly version?: string | undefined;
  /** Features that a peer of this version lacks; empty for peers of ours. */
  readonly misses: readonly string[];
  /** Time of the connection in milliseconds since 1970. */
  readonly since: number;
}
