import type { LinkStage } from '../../machines/link/link.machine.ts';

/** Where the seat of an agent or a computer in its office stands. */
export interface LinkStatus {
  /**
   * `connecting`: it connects, or asks for its seat. `joined`: it sits there. `waiting`: it was refused or lost its
   * connection, and tries again by itself (`linkBackoffMs`). `closed`: it tries no more.
   */
  readonly state: LinkStage;
  /** Why it is not joined, in the words of the office or the network; null: there is nothing to say. */
  readonly reason: string | null;
}
