import type { LinkNews, LinkStage, LinkRefusal } from '../../machines/link/link.machine.ts';

/** Where the seat of an agent or a computer in its office stands. */
export interface LinkStatus {
  /**
   * `connecting`: it connects, or asks for its seat. `joined`: it sits there. `waiting`: it was refused or lost its
   * connection, and tries again by itself (`linkBackoffMs`, or `linkRestMs`). `closed`: it tries no more.
   */
  readonly state: LinkStage;
  /** Why it is not joined, in the words of the office or the network; null: there is nothing to say. */
  readonly reason: string | null;
  /** What its office has refused: the seat, our version of the protocol, our credential; null: nothing. */
  readonly refusal: LinkRefusal | null;
}
export const linkStatusOf = ({
  stage,
  reason,
  refusal,
}: Extract<LinkNews, { readonly type: 'link.changed' }>): LinkStatus => ({ state: stage, reason, refusal });
/** Which room of which office a computer sits in. */
export interface OfficeSeat {
  /** Where the office listens, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Default `local`. */
  readonly id?: string;
}
