import type { SeatFacts } from '../../kernel/ports.ts';
import { dropFrom, entriesOf, getIn, putIn, type Trie } from '../../kernel/trie.ts';
import { seatKey, isSameSeat } from './register.ts';

/**
 * Claims to the seats of an office server: a computer is identified by room and name, a room has one agent, and a
 * connection keeps its first role for life. The cost of a join does not grow with the number of seats. Claims are
 * immutable plain data; a refused claim changes nothing, so a computer that fails to switch keeps its seat (a2c-wire
 * §2.4, §7.1 no. 5–10). Socket ids never appear in texts for peers.
 */
export interface Claims {
  /** First role of each socket, kept after it leaves, and its current seat. */
  readonly sockets: Trie<{ readonly role: SeatFacts['role']; readonly seat: SeatFacts | null }>;
  /** Socket that holds each place, by the key of the place. */
  readonly places: Trie<string>;
}
export type Claimed =
  | {
      readonly ok: true;
      readonly claims: Claims;
      /** Seat that was given up for the new one; the members of its room must be told. */
      readonly left?: SeatFacts;
      /** True when the socket already had this seat, so nothing is announced. */
      readonly repeated?: true;
    }
  | { readonly ok: false; readonly text: string };

export const noClaims: Claims = { sockets: {}, places: {} };

export const seatOf = (claims: Claims, socket: string): SeatFacts | undefined =>
  getIn(claims.sockets, socket)?.seat ?? undefined;
/** Lists the taken seats with their sockets. */
export const seatsIn = (claims: Claims): (readonly [socket: string, seat: SeatFacts])[] =>
  entriesOf(claims.sockets).flatMap(([socket, { seat }]) => (seat ? [[socket, seat] as const] : []));

/** Builds the refusal of a taken seat, in words that peers search for. */
export const takenText = ({ role, name, office }: SeatFacts, holder: string | undefined): string =>
  role === 'computer'
    ? `Computer with name '${name}' already exists in room '${office}'`
    : `Agent already in room: '${office}' has the agent '${holder}'`;

/** Returns the reason why a socket may not take a seat, or undefined. */
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
  /** Seat that became free, if the socket had one. */
  readonly left?: SeatFacts;
}

/** Frees the seat of a socket that stays connected; its role is kept. */
export function release(claims: Claims, socket: string): Released {
  const left = seatOf(claims, socket);
  if (!left) return { claims };
  const sockets = putIn(claims.sockets, socket, { role: left.role, seat: null });
  return { claims: { sockets, places: dropFrom(claims.places, seatKey(left)) }, left };
}

/** Removes a disconnected socket: its seat becomes free and its role is forgotten. */
export function forget(claims: Claims, socket: string): Released {
  const { claims: freed, left } = release(claims, socket);
  const sockets = dropFrom(freed.sockets, socket);
  return { claims: { sockets, places: freed.places }, ...(left && { left }) };
}

/**
 * Claims a seat for a socket. A computer that sits elsewhere, or a peer with a new name, switches seats, and `left`
 * is the old one; an agent must leave first. Refusals keep the words that peers search for (`already exists`, `Role
 * mismatch`, `Agent already in room`, `Agent sid already in room`).
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
