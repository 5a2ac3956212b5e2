/** Port `office`: the Socket.IO server. */
import { callbackPort, type OpenPort } from '../kernel/ports.ts';

export interface OfficeInput {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly requireVersion?: boolean;
  /** One of several nodes; a seat is granted only after the shared register agreed. */
  readonly isShared?: boolean;
}
/** Seat in an office: room, role and name. */
export interface SeatFacts {
  /** Id of the room. One office server has many rooms, and messages stay inside their room. */
  readonly office: string;
  /** Role of the peer. A room has one agent and any number of computers. */
  readonly role: 'agent' | 'computer';
  /** Name that the peer gives itself; unique among the computers of its room. */
  readonly name: string;
}
/** A peer asks for a seat. */
export interface SeatClaim {
  readonly socket: string;
  readonly ticket: string;
  readonly seat: SeatFacts;
}
export type OfficeCommand =
  /** Two-argument acknowledgement `(ok, text | null)` of a join or a leave. */
  | {
      readonly type: 'office.answer';
      readonly ticket: string;
      readonly ok: boolean;
      readonly text: string | null;
    }
  /** Asks the shared register of all nodes; `office.unclaim` returns a seat that is not taken after all. */
  | ({ readonly type: 'office.claim' } & SeatClaim)
  | { readonly type: 'office.unclaim'; readonly socket: string; readonly seat: SeatFacts }
  /** From now on it receives routed messages and broadcasts. */
  | { readonly type: 'office.seat'; readonly socket: string; readonly seat: SeatFacts }
  /** Refuses all that is new; `office.drained` follows once no answer is pending. */
  | { readonly type: 'office.drain' }
  /** Calls that wait for this peer are answered at once. */
  | { readonly type: 'office.unseat'; readonly socket: string }
  | {
      readonly type: 'office.broadcast';
      readonly office: string;
      readonly except: string;
      readonly event: 'notify:enter_office' | 'notify:leave_office';
      readonly body: object;
    };
export type OfficeFact =
  /** Sent only while the socket exists. `text`: reason of a refusal. */
  | ({ readonly type: 'claim.settled'; readonly text: string | null } & SeatClaim)
  | { readonly type: 'office.opened'; readonly url: string; readonly port: number }
  | { readonly type: 'office.failed'; readonly message: string }
  | { readonly type: 'office.drained' }
  | {
      readonly type: 'socket.opened';
      readonly socket: string;
      /** And its declared version; both absent for a peer that has all features. */
      readonly misses?: readonly string[];
      readonly version?: string;
    }
  | { readonly type: 'socket.closed'; readonly socket: string; readonly reason: string }
  | ({ readonly type: 'socket.joins' } & SeatClaim)
  | {
      readonly type: 'socket.leaves';
      readonly socket: string;
      readonly ticket: string;
      readonly office: string;
    };
export const officePort = callbackPort<OfficeInput, OfficeCommand>('office');
export type OpenOffice = OpenPort<OfficeInput, OfficeCommand, OfficeFact>;
