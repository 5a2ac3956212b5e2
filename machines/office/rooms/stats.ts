import type { SeatFacts } from '../../kernel/ports.ts';
import type { LimitName } from './limits.ts';

/** What an office holds now, and what it has refused since it was opened. */
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
  /** It was answered, with this code of the protocol if it failed, after so many seconds. */
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
  /** Where it sits; undefined: nowhere. */
  readonly seat?: SeatFacts | undefined;
  /** The version of the protocol that it has named. */
  readonly version?: string | undefined;
  /** Milliseconds since 1970, when it connected. */
  readonly since: number;
}
