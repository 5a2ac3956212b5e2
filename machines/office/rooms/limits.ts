import { z } from 'zod';
import { wireCodes, type Failure } from '../../protocol/failure.ts';
import { mostInFlight, sizes } from '../../protocol/protocol.ts';
import type { SeatFacts } from '../../kernel/ports.ts';

/** Rate of events: so many each second in the long run, and so many at once after a pause. */
export interface Rate {
  /** Events each second. */
  readonly perSecond: number;
  /** Events at once, after a pause of `burst / perSecond` seconds. */
  readonly burst: number;
}
const rate = (perSecond: number, burst: number): Rate => ({ perSecond, burst });

/**
 * Default limits of an office, by the names that its refusals have (`details.limit`). Zero: without limit. Loopback
 * addresses are not limited by address: behind a proxy all peers have the same (`trustProxy`).
 */
export const officeLimits = {
  /** Connections at once. */
  connections: 20_000,
  connectionsPerAddress: 1_000,
  /** Bytes that a connection may send, and time that it may stay, until its peer is let in. */
  entryBytes: 16_384,
  entryMs: 10_000,
  /** Seats in one room. */
  seatsPerOffice: 5_000,
  /** Joins of one connection: each is told to everybody in its room. */
  joinsPerSocket: rate(2, 20),
  joinsPerAddress: rate(50, 1_000),
  joinsPerOffice: rate(100, 5_000),
  /** Events, joins included. */
  eventsPerSocket: rate(1_000, 20_000),
  eventsPerAddress: rate(5_000, 100_000),
  eventsPerOffice: rate(5_000, 100_000),
  events: rate(20_000, 400_000),
  /** Notices of one computer of one kind: what is over it is told later, once. */
  noticesPerSocket: rate(10, 20),
  /** Deliveries to a room, one for each hearer: those over the limit come later. */
  deliveriesPerOffice: rate(10_000, 10_000),
  deliveries: rate(40_000, 40_000),
  /** Questions on their way. */
  callsPerSocket: mostInFlight,
  callsPerOffice: 2 * mostInFlight,
  calls: 8 * mostInFlight,
  /** Bytes of one message. */
  payloadBytes: sizes.officePayloadBytes,
  /** Bytes that wait for one connection that does not read. */
  unreadBytes: 4 * sizes.officePayloadBytes,
} as const;
/** Name of a limit, in options, in refusals and in counts. */
export type LimitName = keyof typeof officeLimits;
/** All limits of an office; a rate is what comes each second, and at once after a pause. Zero: without limit. */
export type OfficeLimits = {
  readonly [K in LimitName]: (typeof officeLimits)[K] extends number ? number : Rate;
};
/** Limits as they are given: those that are left out are the defaults. */
export type GivenLimits = { readonly [K in LimitName]?: OfficeLimits[K] | 0 };
export const limitNames = Object.keys(officeLimits) as LimitName[];
export const isRate = (limit: number | Rate): limit is Rate => typeof limit !== 'number';

const count = z.number().int().min(0);
const rateSchema = z.union([
  z.literal(0).transform((): Rate => ({ perSecond: 0, burst: 0 })),
  z.strictObject({ perSecond: z.number().positive(), burst: z.number().int().min(1) }),
]);
const schema = z.strictObject(
  Object.fromEntries(
    limitNames.map((name) => [name, (isRate(officeLimits[name]) ? rateSchema : count).optional()]),
  ),
);
/** Limits that a host or a person has given, on top of the defaults; or what is wrong with them. */
export function readLimits(given: unknown): OfficeLimits | { readonly problem: string } {
  const read = schema.safeParse(given);
  if (read.success) return { ...officeLimits, ...read.data };
  const [issue] = read.error.issues;
  const at = issue?.path[0] === undefined ? '' : `${String(issue.path[0])}: `;
  return { problem: `limits: ${at}${issue?.message ?? 'they cannot be read'}` };
}

const said: Readonly<Record<LimitName, string>> = {
  connections: 'This office has as many connections as it takes',
  connectionsPerAddress: 'Your address has as many connections to this office as it may have',
  entryBytes: 'You send too much before you are let in',
  entryMs: 'You did not show in time who you are',
  seatsPerOffice: 'All seats of this office are taken',
  joinsPerSocket: 'You join too often',
  joinsPerAddress: 'Your address joins too often',
  joinsPerOffice: 'Too many join this office now',
  eventsPerSocket: 'You send too many events',
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
/** A refusal, with the limit that was met and when to try again. */
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

/** Gate of an office: asked before an event of a socket is handled. */
export interface Gate {
  /** Asked for each event, joins included; `office`: the room of its seat. */
  event(socket: string, office: string | undefined): Failure | undefined;
  /** Asked for each join that the credential allows; `taken`: seats of the room that are taken. */
  join(socket: string, office: string, taken: number): Failure | undefined;
  /** A computer has a notice of this kind: after so many ms it may go out. */
  notice(socket: string, event: string): number;
  /** Asks for deliveries in a room that may wait: how many may go now, and when to ask for the others. */
  deliver(office: string, wanted: number): { readonly now: number; readonly waitMs: number };
  /** Counts deliveries in a room that do not wait. Those over the limit are taken from what waits. */
  delivered(office: string, count: number): void;
  /** Asked for something that is told to so many, and can be refused. */
  broadcast(office: string, count: number): Failure | undefined;
  /** Another part of the office has refused something. */
  refused(limit: LimitName): void;
}
/** In virtual time, and in tests of something else. */
export const openGate: Gate = {
  event: () => undefined,
  join: () => undefined,
  notice: () => 0,
  deliver: (_, wanted) => ({ now: wanted, waitMs: 0 }),
  delivered: () => {},
  broadcast: () => undefined,
  refused: () => {},
};

/** Counts of an office: what it holds now, and what it has refused since it was opened. */
export interface OfficeStats {
  /** Connections, with a seat or without. */
  readonly connections: number;
  /** Seats in all rooms. */
  readonly seats: number;
  /** Rooms with somebody in them. */
  readonly offices: number;
  /** Questions on their way to computers. */
  readonly inFlight: number;
  /** By the name of the limit, how often it was met. */
  readonly refusals: Readonly<Partial<Record<LimitName, number>>>;
}
export const noStats: OfficeStats = { connections: 0, seats: 0, offices: 0, inFlight: 0, refusals: {} };

/** Hears of each event, for counts. It must not throw. */
export interface OfficeMeter {
  /** A socket has sent this event. */
  received(event: string): void;
  /** Answer to an event, with this code of the protocol if it failed, after so many seconds. */
  answered(event: string, code: number | undefined, seconds: number): void;
  /** A connection was not let in. */
  refused(): void;
}

/** A peer that is connected, as who runs an office sees it. */
export interface OfficePeer {
  /** Connection of the peer: what `disconnect` takes, and what logs call `peer`. */
  readonly id: string;
  /** The IP address it comes from. */
  readonly address: string;
  /** Owner of its credential: the `label` of a token, the `sub` of a JWT. */
  readonly subject?: string | undefined;
  /** Seat of the peer; undefined: it has none. */
  readonly seat?: SeatFacts | undefined;
  /** The version of the protocol that it has named. */
  readonly version?: string | undefined;
  /** Milliseconds since 1970, when it connected. */
  readonly since: number;
}
