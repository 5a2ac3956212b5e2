import type { SeatFacts } from '../../../machines/kernel/ports.ts';
import type { Lookup, Member, Seating } from '../../../machines/office/rooms/seating.ts';
import type { Cluster } from './cluster.ts';

/** Who sits at this node. */
export class LookupHere implements Lookup {
  protected readonly here: Seating;

  constructor(here: Seating) {
    this.here = here;
  }
  agent(office: string): string | undefined {
    return this.here.agent(office);
  }
  computer(office: string, name: string): string | undefined {
    return this.here.computer(office, name);
  }
  members(office: string): readonly Member[] {
    return this.here.members(office);
  }
  versionOf(socket: string): string | undefined {
    return this.here.versionOf(socket);
  }
  /** Goes on when it is known whether the computer that this is for is there; false: that cannot be known now. */
  known(_asker: SeatFacts | undefined, _payload: unknown, then: (isKnown: boolean) => void): void {
    then(true);
  }
}

/** Who sits at any node: at this one first, which needs no register. */
export class LookupOfAll extends LookupHere {
  readonly #cluster: Cluster;
  /** What came of an asker while it waits, in order, so that nothing overtakes. */
  readonly #waiting = new Map<SeatFacts, ((isRead: boolean) => void)[]>();

  constructor(here: Seating, cluster: Cluster) {
    super(here);
    this.#cluster = cluster;
  }
  override agent(office: string): string | undefined {
    return this.here.agent(office) ?? this.#cluster.seating.agent(office);
  }
  override computer(office: string, name: string): string | undefined {
    return this.here.computer(office, name) ?? this.#cluster.seating.computer(office, name);
  }
  override members(office: string): readonly Member[] {
    return [...this.here.members(office), ...this.#cluster.seating.members(office)];
  }
  override versionOf(socket: string): string | undefined {
    return this.here.versionOf(socket) ?? this.#cluster.seating.versionOf(socket);
  }
  override known(asker: SeatFacts | undefined, payload: unknown, then: (isKnown: boolean) => void): void {
    if (!asker) return then(true);
    const before = this.#waiting.get(asker);
    // One that cannot be read now is not tried again for each that waited for it: that would take as often its time.
    const later = (isRead: boolean): void =>
      isRead ? this.known(asker, payload, then) : then(!this.#unknown(asker, payload));
    if (before) return void before.push(later);
    const wanted = this.#unknown(asker, payload);
    if (!wanted) return then(true);
    const waiting: ((isRead: boolean) => void)[] = [];
    this.#waiting.set(asker, waiting);
    this.#cluster.refresh(wanted, (isRead) => {
      this.#waiting.delete(asker);
      then(isRead);
      for (const next of waiting) next(isRead);
    });
  }
  /** Whom this is for, where nobody here knows who that is. */
  #unknown({ office }: SeatFacts, payload: unknown): SeatFacts | undefined {
    const name = (payload as { readonly computer?: unknown } | null | undefined)?.computer;
    const isKnown = typeof name !== 'string' || this.computer(office, name) !== undefined;
    return isKnown ? undefined : { office, role: 'computer', name };
  }
}
