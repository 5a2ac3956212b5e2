/** What passes between the machine of an office and the server that its sockets are at. */

export interface OfficeInput {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Peers that do not say which version of the protocol they speak are not let in. */
  readonly requireVersion?: boolean;
  /** It is one of several nodes: a seat is granted when their register has said so. */
  readonly isShared?: boolean;
}
/** One seat in an office. */
export interface SeatFacts {
  /** The id of the room: one office has many, and what is said in one is not heard in others. */
  readonly office: string;
  /** A room has one agent and any number of computers. */
  readonly role: 'agent' | 'computer';
  /** What it calls itself; unique among the computers of its room. */
  readonly name: string;
}
export type OfficeCommand =
  /** Join and leave: the two-argument ack `(ok, text | null)`. */
  | {
      readonly type: 'office.answer';
      readonly ticket: string;
      readonly ok: boolean;
      readonly text: string | null;
    }
  /** Of a node among others: asks their register for this seat, and gives it back when it is not taken up after all. */
  | {
      readonly type: 'office.claim';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
    }
  | { readonly type: 'office.unclaim'; readonly socket: string; readonly seat: SeatFacts }
  /** From now on this socket sits here: it is routed to and hears broadcasts. */
  | { readonly type: 'office.seat'; readonly socket: string; readonly seat: SeatFacts }
  /** From now on nobody comes, joins or asks; `office.drained` follows once nothing waits for an answer. */
  | { readonly type: 'office.drain' }
  /** From now on it sits nowhere: calls that wait for it are answered at once. */
  | { readonly type: 'office.unseat'; readonly socket: string }
  | {
      readonly type: 'office.broadcast';
      readonly office: string;
      readonly except: string;
      readonly event: 'notify:enter_office' | 'notify:leave_office';
      readonly body: object;
    };
export type OfficeFact =
  /** The answer to `office.claim`, as long as the socket is there. `text`: why not. */
  | {
      readonly type: 'claim.settled';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
      readonly text: string | null;
    }
  | { readonly type: 'office.opened'; readonly url: string; readonly port: number }
  | { readonly type: 'office.failed'; readonly message: string }
  /** After `office.drain`: every question was answered. */
  | { readonly type: 'office.drained' }
  | { readonly type: 'socket.opened'; readonly socket: string }
  | { readonly type: 'socket.closed'; readonly socket: string; readonly reason: string }
  | {
      readonly type: 'socket.joins';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
    }
  | {
      readonly type: 'socket.leaves';
      readonly socket: string;
      readonly ticket: string;
      readonly office: string;
    };
