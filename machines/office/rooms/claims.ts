import type { SeatFacts } from '../../kernel/ports.ts';
import { isSameSeat } from './seating.ts';

/**
 * Who may sit where in an office server: computers are keyed by (office, name), an office has one agent, and a
 * connection keeps its first role for life. Claims are immutable plain data; a refusal changes nothing, so a
 * failed switch leaves the computer where it was (a2c-wire §2.4, §7.1 no. 5–10). Sockets are named by ids that
 * never appear in a text.
 */
export interface Claims {
  /** Socket → its seat. */
  readonly seats: Readonly<Record<string, SeatFacts>>;
  /** Socket → the role that it took first, also after it left. */
  readonly roles: Readonly<Record<string, SeatFacts['role']>>;
  /** Office → who holds its places, by socket. An empty office has no entry. */
  readonly offices: Readonly<Record<string, Places>>;
}
export interface Places {
  readonly agent?: string;
  /** Name → socket. */
  readonly computers: Readonly<Record<string, string>>;
}
export type Claimed =
  | {
      readonly ok: true;
      readonly claims: Claims;
      /** The seat that was given up for the new one: say so there. */
      readonly left?: SeatFacts;
      /** It sat there already: nothing to announce. */
      readonly repeated?: true;
    }
  | { readonly ok: false; readonly text: string };

export const noClaims: Claims = { seats: {}, roles: {}, offices: {} };

/** Names come from strangers: `constructor` and `__proto__` are names like others. */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
const without = <T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([k]) => k !== key));

export const seatOf = (claims: Claims, socket: string): SeatFacts | undefined => own(claims.seats, socket);

/** Said to whoever wants a seat that somebody has, in the words that peers look for. */
export const takenText = ({ role, name, office }: SeatFacts, holder: string | undefined): string =>
  role === 'computer'
    ? `Computer with name '${name}' already exists in room '${office}'`
    : `Agent already in room: '${office}' has the agent '${holder}'`;

/** Why this socket may not sit there, or undefined. */
function objection(claims: Claims, socket: string, seat: SeatFacts): string | undefined {
  const role = own(claims.roles, socket);
  if (role !== undefined && role !== seat.role)
    return `Role mismatch: this connection is ${role === 'agent' ? 'an agent' : 'a computer'} and cannot join as ${seat.role}`;
  const places = own(claims.offices, seat.office);
  if (seat.role === 'computer') {
    const holder = places && own(places.computers, seat.name);
    if (holder === undefined || holder === socket) return undefined;
    return takenText(seat, seat.name);
  }
  const current = seatOf(claims, socket);
  if (current && current.office !== seat.office)
    return `Agent sid already in room: leave '${current.office}' before joining '${seat.office}'`;
  if (places?.agent === undefined || places.agent === socket) return undefined;
  return takenText(seat, seatOf(claims, places.agent)?.name);
}

function emit(claims: Claims, socket: string, seat: SeatFacts): Claims {
  const places = own(claims.offices, seat.office) ?? { computers: {} };
  const taken: Places =
    seat.role === 'agent'
      ? { ...places, agent: socket }
      : { ...places, computers: { ...places.computers, [seat.name]: socket } };
  return {
    seats: { ...claims.seats, [socket]: seat },
    roles: own(claims.roles, socket) === seat.role ? claims.roles : { ...claims.roles, [socket]: seat.role },
    offices: { ...claims.offices, [seat.office]: taken },
  };
}

export interface Released {
  readonly claims: Claims;
  /** The seat that is free now, if it had one. */
  readonly left?: SeatFacts;
}

/** The socket gives up its seat and stays connected: its role is kept. */
export function release(claims: Claims, socket: string): Released {
  const left = seatOf(claims, socket);
  if (!left) return { claims };
  const { agent, computers } = own(claims.offices, left.office) ?? { computers: {} };
  const rest: Places =
    left.role === 'agent'
      ? { computers }
      : { ...(agent !== undefined && { agent }), computers: without(computers, left.name) };
  const isEmpty = rest.agent === undefined && Object.keys(rest.computers).length === 0;
  const offices = isEmpty ? without(claims.offices, left.office) : { ...claims.offices, [left.office]: rest };
  return { claims: { ...claims, seats: without(claims.seats, socket), offices }, left };
}

/** The socket is gone: its seat is free and its role is forgotten. */
export function forget(claims: Claims, socket: string): Released {
  const released = release(claims, socket);
  return { ...released, claims: { ...released.claims, roles: without(released.claims.roles, socket) } };
}

/**
 * A socket asks for a seat. A computer that sits elsewhere, and whoever renames itself, switches: `left` is the
 * old seat. An agent has to leave first. Texts keep the words that peers look for (`already exists`,
 * `Role mismatch`, `Agent already in room`, `Agent sid already in room`).
 */
export function claim(claims: Claims, socket: string, seat: SeatFacts): Claimed {
  const text = objection(claims, socket, seat);
  if (text !== undefined) return { ok: false, text };
  const current = seatOf(claims, socket);
  if (current && isSameSeat(current, seat)) return { ok: true, claims, repeated: true };
  const { claims: freed, left } = release(claims, socket);
  return { ok: true, claims: emit(freed, socket, seat), ...(left && { left }) };
}
