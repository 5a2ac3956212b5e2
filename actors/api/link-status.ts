import type { LinkNews, LinkRefusal, LinkStage } from '../../machines/link/link.events.ts';

/** State of the seat of an agent or a computer in its office. */
export interface LinkStatus {
  /**
   * Stage of the link. `connecting`: connects, or asks for its seat. `joined`: has its seat. `waiting`: was
   * refused or lost its connection, and tries again by itself (`linkBackoffMs` or `linkRestMs`). `closed`: makes
   * no further try.
   */
  readonly state: LinkStage;
  /** Reason for the stage in the words of the office or the network; null when there is none. */
  readonly reason: string | null;
  /**
   * Kind of refusal by the office (seat, version of the protocol, credential); null when the office refused
   * nothing.
   */
  readonly refusal: LinkRefusal | null;
}
export const linkStatusOf = ({
  stage,
  reason,
  refusal,
}: Extract<LinkNews, { readonly type: 'link.changed' }>): LinkStatus => ({ state: stage, reason, refusal });
