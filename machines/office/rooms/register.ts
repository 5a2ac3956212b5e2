import type { SeatFacts } from '../../kernel/ports.ts';

/** A seat, and which connection of which node has it. */
export interface Holder {
  readonly node: string;
  readonly socket: string;
  readonly seat: SeatFacts;
  /** The version of the protocol that it was opened with. */
  readonly version?: string;
  /** Grows with each claim, also of a register that was empty meanwhile: the larger one is the later one. */
  readonly fence: number;
}
export interface WantedSeat extends Omit<Holder, 'fence' | 'node'> {
  /** Is the register younger, then others may hold what it does not know of, and this claim is refused. */
  readonly minAgeMs: number;
}
export interface RenewedLease {
  /** Another number than before: it had ended, so others may hold what this node held, and a new one has begun. */
  readonly lease: number;
  /** Age of the register since it was empty. */
  readonly ageMs: number;
}
export type ClaimAnswer =
  | { readonly ok: true; readonly fence: number }
  /** Somebody of a node that lives has it. */
  | { readonly ok: false; readonly holder: Holder }
  /** The lease of this node has ended, or the register is too young. */
  | { readonly ok: false; readonly holder?: undefined };

/** Message from one node to another. It may come late, twice, or never. */
export type NodeMessage =
  | {
      readonly type: 'ask';
      /** Id of the question, at the node that asks. */
      readonly id: number;
      readonly socket: string;
      readonly fence: number;
      readonly event: string;
      readonly body: object;
    }
  /** `ack` is left out where the seat is empty: it was not asked. */
  | { readonly type: 'answer'; readonly id: number; readonly ack?: readonly unknown[] }
  /** Asks which of these questions are no longer on their way to a computer there. */
  | { readonly type: 'check'; readonly ids: readonly number[] }
  /** Answer to `check`: the question never came, or its answer is lost. */
  | { readonly type: 'lost'; readonly id: number }
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
  /** The answer to this question of ours has come, and is large: it follows, or that it is lost. */
  | { readonly type: 'coming'; readonly id: number }
  /** End of a node that has closed its office: its seats are free. */
  | { readonly type: 'ended'; readonly node: string }
  /** Reached again after a while: news may have been missed. */
  | { readonly type: 'resumed' };

/** Called once. Undefined: it failed, or was not answered in time, and may have been done. */
export type RegisterCallback<T> = (result: T | undefined) => void;

/**
 * Register of the nodes of one office: they agree there on who sits where, and reach each other. A claim is atomic, and holds as long as its node
 * renews its lease. Questions of one node are done in their order.
 */
export interface Register {
  /** This node; another name at each start. */
  readonly node: string;
  /** Begins to hear news, until `close`. */
  listen(hear: (news: RegisterNews) => void, told: RegisterCallback<true>): void;
  claim(wanted: WantedSeat, told: RegisterCallback<ClaimAnswer>): void;
  /** Frees the seat if this claim still holds it. Also for a node that lives no more. */
  release(seat: SeatFacts, fence: number, told: RegisterCallback<true>): void;
  /** Begins another lease of this node. */
  renew(told: RegisterCallback<RenewedLease>): void;
  /** Asks which of these nodes have an ended lease. */
  dead(nodes: readonly string[], told: RegisterCallback<readonly string[]>): void;
  /** Asks for all seats. */
  seats(told: RegisterCallback<readonly Holder[]>): void;
  /** Asks for the holder of the place of this seat. */
  at(seat: SeatFacts, told: RegisterCallback<Holder | 'nobody'>): void;
  /**
   * False: no node listens there, and nothing was sent. True: it is on its way, and what is large has come there: so it may take
   * long, and what is small overtakes it, but not at one connection.
   */
  send(node: string, message: NodeMessage, told: RegisterCallback<boolean>): void;
  /** Ends the lease at once, tells the others, and closes what is open. Never rejects. */
  close(): Promise<void>;
}
/** Said where an office does not open, because the register is not reached. */
export const registerUnreached = 'The register of the office cannot be reached';
/** Place that can be held once: a name among the computers of an office, or its one agent. */
export const placeOf = ({ role, name }: SeatFacts): string =>
  role === 'agent' ? 'agent' : `computer:${name}`;
/** The place of a seat among all offices: whatever strangers call themselves, two places never share one. */
export const seatKey = ({ office, role, name }: SeatFacts): string =>
  JSON.stringify(role === 'agent' ? [office] : [office, name]);
