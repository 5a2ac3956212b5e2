import type { Runtime } from './runtime.ts';
import { linkKinds } from '../kinds/link.ts';
import type { Part, Ports, Question } from '../runtime/part.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import type { Parts } from '../../adapters/connections/link-requests.ts';
import { lazyLinks } from '../../adapters/socket/lazy.ts';
import type { Links, PeerCredential } from '../../adapters/socket/link.ts';
import { keptOfficeToken } from '../../adapters/storage/office-token.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import { nameOf } from '../../machines/kernel/effects.ts';
import { linkKind } from '../../machines/link/link.events.ts';

/** Seats of this host in offices. Credentials are kept here, outside of machines, so that no trace contains them. */
export class LinksPart implements Part {
  readonly kinds = linkKinds;
  readonly ports: Ports;
  /** Bytes of a file that is sent to a computer, by ticket. */
  readonly parts: Parts = new Map();
  readonly #links: Links;
  readonly #stateDir: string | false;
  readonly #shown = new Map<string, PeerCredential>();

  constructor({ tracing, frames, options: { links, stateDir = defaultStateDir() } }: Runtime) {
    const credential = (url: string): PeerCredential => this.#credential(url);
    const played = links as Links | undefined;
    this.#links = played ?? lazyLinks({ tracing, credential, frame: frames.ofSocket, parts: this.parts });
    this.#stateDir = stateDir;
    this.ports = { link: this.#links.open };
  }
  readonly asked = ({ target }: Question): RequestPort | undefined =>
    nameOf(target).endsWith(`/${linkKind}`) ? this.#links.request : undefined;
  /** Undefined once the agent got an answer. */
  readonly partOf = (ticket: string): Uint8Array | undefined => this.#links.partOf(ticket);
  readonly holdPart: Links['holdPart'] = (...held) => this.#links.holdPart(...held);
  show(url: string, { auth, headers, tls }: PeerCredential): void {
    this.#shown.delete(url);
    if ((auth ?? headers ?? tls) !== undefined)
      this.#shown.set(url, {
        ...(auth !== undefined && { auth }),
        ...(headers && { headers }),
        ...(tls && { tls }),
      });
  }
  /** A peer without its own shows the token that an office of the same user on this machine has stored. */
  #credential(url: string): PeerCredential {
    const kept = this.#stateDir === false ? undefined : keptOfficeToken(this.#stateDir, url);
    const { auth = kept, ...others } = this.#shown.get(url) ?? {};
    return { ...(auth !== undefined && { auth }), ...others };
  }
}
export const linksPart = (runtime: Runtime): LinksPart => new LinksPart(runtime);
