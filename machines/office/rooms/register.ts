import type { SeatFacts } from '../../kernel/ports.ts';

/** A seat, and which connection of which node has it. */
export interface Holder {
  readonly node: string;
  readonly socket: string;
  readonly seat: SeatFacts;
  /** The version of the protocol that it was opened with. */
  readonly version?: string;
  /** Grows with each claim in the whole register: the larger one is the later one. */
  readonly fence: number;
}
export type Wanted = Omit<Holder, 'fence' | 'node'>;
export type ClaimAnswer =
  | { readonly ok: true; readonly fence: number }
  /** Somebody of a node that lives has it. */
  | { readonly ok: false; readonly holder: Holder }
  /** The lease of this node has ended. */
  | { readonly ok: false; readonly holder?: undefined };

/** What one node says to another. Each may come late, twice, or never. */
export type NodeMessage =
  | {
      readonly type: 'ask';
      /** Of the question, at the node that asks. */
      readonly id: number;
      readonly socket: string;
      readonly fence: number;
      readonly event: string;
      readonly body: object;
    }
  /** `ack` is left out where nobody sits there any more: it was not asked. */
  | { readonly type: 'answer'; readonly id: number; readonly ack?: readonly unknown[] }
  | { readonly type: 'notify'; readonly socket: string; readonly event: string; readonly body: object }
  | {
      readonly type: 'broadcast';
      readonly office: string;
      readonly except: string;
      readonly event: string;
      readonly body: object;
    };
export type RegisterNews =
  | { readonly type: 'taken'; readonly holder: Holder }
  | { readonly type: 'freed'; readonly seat: SeatFacts; readonly fence: number }
  | { readonly type: 'message'; readonly from: string; readonly message: NodeMessage }
  /** This node has closed its office: nobody sits there any more. */
  | { readonly type: 'ended'; readonly node: string }
  /** It could not be reached for a while: news may have been missed. */
  | { readonly type: 'resumed' };

/**
 * Where the nodes of one office agree on who sits where, and reach each other. A claim is atomic, and holds as long as its node
 * renews its lease. Every method may reject: then nobody knows whether it was done.
 */
export interface Register {
  /** This node; another name at each start. */
  readonly node: string;
  /** From now on news come, until `close`. */
  listen(hear: (news: RegisterNews) => void): Promise<void>;
  claim(wanted: Wanted): Promise<ClaimAnswer>;
  /** Frees the seat if this claim still holds it. Also for a node that lives no more. */
  release(seat: SeatFacts, fence: number): Promise<void>;
  /** False: it had ended before, so others may hold what this node held; it begins anew. */
  renew(): Promise<boolean>;
  /** Those of these nodes whose lease has ended. */
  dead(nodes: readonly string[]): Promise<readonly string[]>;
  /** Who sits where; of one office, or of all. */
  seats(office?: string): Promise<readonly Holder[]>;
  /** False: nobody listens there, and nothing was sent. */
  send(node: string, message: NodeMessage): Promise<boolean>;
  /** Ends the lease at once, tells the others, and closes what is open. Never rejects. */
  close(): Promise<void>;
}
/** What can be held once: a name among the computers of an office, or its one agent. */
export const placeOf = ({ role, name }: SeatFacts): string =>
  role === 'agent' ? 'agent' : `computer:${name}`;
