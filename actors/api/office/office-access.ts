import { noStats, type OfficeMeter, type OfficeStats } from '../../../machines/office/rooms/stats.ts';
import {
  defaultStateDir,
  keptOfficeToken,
  type Authenticate,
  type OfficeControl,
  type OfficeSettings,
  type PeerCredential,
  type RefusedPeer,
} from '../../../adapters/index.ts';

/** What offices ask for and what peers show them. It is held here, where no machine sees it and no trace holds it. */
export class OfficeAccess {
  readonly #stateDir: string | false;
  readonly #shown = new Map<string, PeerCredential>();
  #authenticate: Authenticate | undefined;
  /** How much the office of this runtime takes, from its opening on. */
  settings: Partial<OfficeSettings> = {};
  /** How it is looked at and acted on, once it was opened. */
  control: OfficeControl | undefined;
  /** Hears of its events, from its opening on. */
  meter: OfficeMeter | undefined;
  /** Hears of connections to the office of this runtime that were not let in. */
  refused: (peer: RefusedPeer) => void = () => {};

  constructor(stateDir: string | false = defaultStateDir()) {
    this.#stateDir = stateDir;
  }
  /** For the office of this runtime, from the next connection on. */
  admit(authenticate: Authenticate | undefined): void {
    this.#authenticate = authenticate;
  }
  /** What it holds. */
  readonly stats = (): OfficeStats => this.control?.stats() ?? noStats;
  readonly authenticate = (): Authenticate | undefined => this.#authenticate;
  /** To the office at this address, from the next connection on. */
  show(url: string, { auth, headers, tls }: PeerCredential): void {
    this.#shown.delete(url);
    if ((auth ?? headers ?? tls) !== undefined)
      this.#shown.set(url, {
        ...(auth !== undefined && { auth }),
        ...(headers && { headers }),
        ...(tls && { tls }),
      });
  }
  /** Without a credential of its own a peer shows what an office of the same user on this machine keeps for it. */
  readonly credential = (url: string): PeerCredential => {
    const { auth = this.#kept(url), ...others } = this.#shown.get(url) ?? {};
    return { ...(auth !== undefined && { auth }), ...others };
  };
  #kept = (url: string): string | undefined =>
    this.#stateDir === false ? undefined : keptOfficeToken(this.#stateDir, url);
}
