import type { SeatFacts } from '../../kernel/ports.ts';
import { dropFrom, entriesOf, getIn, putIn, type Trie } from '../../kernel/trie.ts';
import { seatKey } from './register.ts';
import { isSameSeat } from './seating.ts';

/**
 * Claims to seats in an office server: computers are keyed by (office, name), an office has one agent, and a
 * connection keeps its first role for life. What a join costs does not grow with the number of seats. Claims are immutable plain data; a refusal changes nothing, so a
 * failed switch leaves the computer where it was (a2c-wire §2.4, §7.1 no. 5–10). Sockets are named by ids that
 * never appear in a text.
 */
export interface Claims {
  /** By socket: the role that it took first, also after it left, and its seat. */
  readonly sockets: Trie<{ readonly role: SeatFacts['role']; readonly seat: SeatFacts | null }>;
  /** By place: the socket that has it. */
  readonly places: Trie<string>;
}
export type Claimed =
  | {
      readonly ok: true;
      readonly claims: Claims;
      /** The seat that was given up for the new one: say so there. */
      readonly left?: SeatFacts;
      /** Seat that it had already: nothing to announce. */
      readonly repeated?: true;
    }
  | { readonly ok: false; readonly text: string };

export const noClaims: Claims = { sockets: {}, places: {} };

export const seatOf = (claims: Claims, socket: string): SeatFacts | undefined =>
  getIn(claims.sockets, socket)?.seat ?? undefined;
/** Seats that are taken, by socket. */
export const seatsIn = (claims: Claims): (readonly [socket: string, seat: SeatFacts])[] =>
  entriesOf(claims.sockets).flatMap(([socket, { seat }]) => (seat ? [[socket, seat] as const] : []));

/** Refusal of a seat that is taken, in the words that peers look for. */
export const takenText = ({ role, name, office }: SeatFacts, holder: string | undefined): string =>
  role === 'computer'
    ? `Computer with name '${name}' already exists in room '${office}'`
    : `Agent already in room: '${office}' has the agent '${holder}'`;

/** Why this socket may not sit there, or undefined. */
function objection(claims: Claims, socket: string, seat: SeatFacts): string | undefined {
  const { role = seat.role, seat: current = null } = getIn(claims.sockets, socket) ?? {};
  if (role !== seat.role)
    return `Role mismatch: this connection is ${role === 'agent' ? 'an agent' : 'a computer'} and cannot join as ${seat.role}`;
  if (role === 'agent' && current && current.office !== seat.office)
    return `Agent sid already in room: leave '${current.office}' before joining '${seat.office}'`;
  const holder = getIn(claims.places, seatKey(seat));
  if (holder === undefined || holder === socket) return undefined;
  return takenText(seat, seatOf(claims, holder)?.name);
}

interface Released {
  readonly claims: Claims;
  /** The seat that is free now, if it had one. */
  readonly left?: SeatFacts;
}

/** The socket gives up its seat and stays connected: its role is kept. */
export function release(claims: Claims, socket: string): Released {
  const left = seatOf(claims, socket);
  if (!left) return { claims };
  const sockets = putIn(claims.sockets, socket, { role: left.role, seat: null });
  return { claims: { sockets, places: dropFrom(claims.places, seatKey(left)) }, left };
}

/** The socket is gone: its seat is free and its role is forgotten. */
export function forget(claims: Claims, socket: string): Released {
  const { claims: freed, left } = release(claims, socket);
  const sockets = dropFrom(freed.sockets, socket);
  return { claims: { sockets, places: freed.places }, ...(left && { left }) };
}

/**
 * A socket asks for a seat. A computer that sits elsewhere, and a peer that renames itself, switches: `left` is the
 * old seat. An agent has to leave first. Texts keep the words that peers look for (`already exists`,
 * `Role mismatch`, `Agent already in room`, `Agent sid already in room`).
 */
export function claim(claims: Claims, socket: string, seat: SeatFacts): Claimed {
  const text = objection(claims, socket, seat);
  if (text !== undefined) return { ok: false, text };
  const current = seatOf(claims, socket);
  if (current && isSameSeat(current, seat)) return { ok: true, claims, repeated: true };
  const { claims: freed, left } = release(claims, socket);
  const taken: Claims = {
    sockets: putIn(freed.sockets, socket, { role: seat.role, seat }),
    places: putIn(freed.places, seatKey(seat), socket),
  };
  return { ok: true, claims: taken, ...(left && { left }) };
}
