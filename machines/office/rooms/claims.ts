import type { SeatFacts } from '../../ports/office.ts';
import { dropFrom, entriesOf, getIn, putIn, type Trie } from '../../kernel/trie.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';
import { seatKey, isSameSeat } from './register.ts';

/** A refused claim changes nothing (a2c-wire §2.4, §7.1 no. 5–10). Socket ids never appear in texts for peers. */
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
      /** The members of its room must be told. */
      readonly left?: SeatFacts;
      /** True when the socket already had this seat, so nothing is announced. */
      readonly repeated?: true;
    }
  | { readonly ok: false; readonly text: string };

export const noClaims: Claims = { sockets: {}, places: {} };

export const seatOf = (claims: Claims, socket: string): SeatFacts | undefined =>
  getIn(claims.sockets, socket)?.seat ?? undefined;
export const seatsIn = (claims: Claims): (readonly [socket: string, seat: SeatFacts])[] =>
  entriesOf(claims.sockets).flatMap(([socket, { seat }]) => (seat ? [[socket, seat] as const] : []));

/** Peers search for these words. */
export const takenText = ({ role, name, office }: SeatFacts, holder: string | undefined): string =>
  role === 'computer'
    ? `Computer with name '${name}' already exists in room '${office}'`
    : `Agent already in room: '${office}' has the agent '${holder}'`;
const taken = { 'Computer with name': 'nameTaken', 'Agent already': 'agentTaken' } as const;
/** The refusal that a text of `claim` or of `takenText` stands for; peers and traces have only the text. */
export function refusedClaim(message: string): Failure {
  const [, reason = 'outOfTurn'] = Object.entries(taken).find(([begin]) => message.startsWith(begin)) ?? [];
  return { code: wireCodes.conflict, message, details: { reason } };
}

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
  readonly left?: SeatFacts;
}

/** The socket stays connected and keeps its role. */
export function release(claims: Claims, socket: string): Released {
  const left = seatOf(claims, socket);
  if (!left) return { claims };
  const sockets = putIn(claims.sockets, socket, { role: left.role, seat: null });
  return { claims: { sockets, places: dropFrom(claims.places, seatKey(left)) }, left };
}

export function forget(claims: Claims, socket: string): Released {
  const { claims: freed, left } = release(claims, socket);
  const sockets = dropFrom(freed.sockets, socket);
  return { claims: { sockets, places: freed.places }, ...(left && { left }) };
}

/** An agent must leave before it may switch seats. Refusals keep the words that peers search for. */
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
