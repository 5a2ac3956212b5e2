import { wireCodes, type Failure } from '../../protocol/failure.ts';
import { mostInFlight } from '../../protocol/protocol.ts';
import { sizes } from '../../protocol/sizes.ts';
import type { SeatFacts } from '../../ports/office.ts';

/** Rate limit of events: a long-term rate, and a larger number at once after a pause. */
export interface Rate {
  /** Number of events per second in the long run. */
  readonly perSecond: number;
  /** Number of events allowed at once, after a pause of `burst / perSecond` seconds. */
  readonly burst: number;
}
const rate = (perSecond: number, burst: number): Rate => ({ perSecond, burst });

/** Named in refusals (`details.limit`). Zero: no limit. Those per address do not apply to loopback. */
export const officeLimits = {
  connections: 20_000,
  connectionsPerAddress: 1_000,
  /** `entryBytes` and `entryMs`: what a connection may send, and how long, before its peer is admitted. */
  entryBytes: 16_384,
  entryMs: 10_000,
  seatsPerOffice: 5_000,
  /** Every join is announced to the whole room. */
  joinsPerSocket: rate(2, 20),
  joinsPerAddress: rate(50, 1_000),
  joinsPerOffice: rate(100, 5_000),
  /** Joins included; for its connection a message counts one more per 16 KiB, and per 50 parts in it. */
  eventsPerSocket: rate(1_000, 20_000),
  eventsPerAddress: rate(5_000, 100_000),
  eventsPerOffice: rate(5_000, 100_000),
  events: rate(20_000, 400_000),
  /** Excess notices are merged and sent later. */
  noticesPerSocket: rate(10, 20),
  /** One delivery for each receiver; excess ones are sent later. */
  deliveriesPerOffice: rate(10_000, 10_000),
  deliveries: rate(40_000, 40_000),
  callsPerSocket: mostInFlight,
  callsPerOffice: 2 * mostInFlight,
  calls: 8 * mostInFlight,
  payloadBytes: sizes.officePayloadBytes,
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
/** Kinds of refusals of peers and seats, beside the limits. */
export const refusalKinds = [
  ...(['credential', 'unchecked', 'certificate'] as const),
  ...(['wrongOffice', 'wrongRole', 'wrongName', 'nameTaken', 'agentTaken', 'outOfTurn'] as const),
  ...(['version', 'malformed', 'otherSite', 'closing', 'register', 'failed'] as const),
] as const;
/** Why a peer or a seat was refused: one of these kinds (docs/office.md has a table), or a limit. */
export type RefusalKind = (typeof refusalKinds)[number] | LimitName;
const isKind = (name: unknown): name is RefusalKind =>
  typeof name === 'string' && (Object.hasOwn(officeLimits, name) || refusalKinds.includes(name as never));
const byCode: Readonly<Partial<Record<Failure['code'], RefusalKind>>> = {
  400: 'malformed',
  401: 'credential',
  413: 'malformed',
  503: 'unchecked',
};
export const refusalKindOf = ({ code, details }: Failure): RefusalKind =>
  [details?.['limit'], details?.['reason']].find(isKind) ?? byCode[code] ?? 'failed';
export const limitNames = Object.keys(officeLimits) as LimitName[];
export const isRate = (limit: number | Rate): limit is Rate => typeof limit !== 'number';

const noRate = rate(0, 0);
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

const textOf = (limit: number | Rate): string =>
  isRate(limit) ? `${limit.perSecond} each second, ${limit.burst} at once` : String(limit);
export const overLimit = (name: LimitName, limit: number | Rate, retryAfterMs?: number): Failure => ({
  code: wireCodes.tooMany,
  message: `The limit ${name} of this office is reached (at most ${textOf(limit)})`,
  details: {
    reason: 'limit',
    limit: name,
    most: isRate(limit) ? limit.perSecond : limit,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  },
});

export interface Gate {
  event(socket: string, office: string | undefined): Failure | undefined;
  join(socket: string, office: string, taken: number): Failure | undefined;
  /** Returns the time in ms after which a change notice of this kind may be sent. */
  notice(socket: string, event: string): number;
  /** How many of the `wanted` deliveries may be sent now, and when to ask again for the rest. */
  deliver(office: string, wanted: number): { readonly now: number; readonly waitMs: number };
  /** For deliveries that are made at once; they reduce what `deliver` permits afterwards. */
  delivered(office: string, count: number): void;
  broadcast(office: string, count: number): Failure | undefined;
  refused(kind: RefusalKind): void;
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
  /** Number of refusals: of peers and seats by their kind (see `RefusalKind`), of all else by the name of the limit. */
  readonly refusals: Readonly<Partial<Record<RefusalKind, number>>>;
}
export const noStats: OfficeStats = { connections: 0, seats: 0, offices: 0, inFlight: 0, refusals: {} };

/** For metrics. Its methods must not throw. */
export interface OfficeMeter {
  received(event: string): void;
  answered(event: string, code: number | undefined, seconds: number): void;
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
