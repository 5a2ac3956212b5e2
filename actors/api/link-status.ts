import type { PeerCredential } from '../../adapters/index.ts';
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
  /** Under which name it sits there. Default: that of the computer. */
  readonly name?: string;
  /**
   * What it shows the office: a token, which is sent as `{ token }` in the Socket.IO handshake, or the whole `auth` object of it. A
   * function is asked at each connection. By default, and of an office on this machine only, the token that it keeps for
   * other programs of the same user. It stands in no trace, and agents never see it.
   */
  readonly auth?: NonNullable<PeerCredential['auth']>;
  /** HTTP headers of the connection, such as `{ 'x-api-key': '…' }`. */
  readonly headers?: NonNullable<PeerCredential['headers']>;
  /** Of an `https` office: whom to trust (`ca`), and the own certificate (`cert`, `key`), each in PEM. */
  readonly tls?: NonNullable<PeerCredential['tls']>;
}
