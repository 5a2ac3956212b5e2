import type { SeatFacts } from '../../machines/kernel/ports.ts';
import type { Lookup, Member, Seating } from '../../machines/office/rooms/seating.ts';
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
  /** Goes on when it is known whether the computer that this is for is there. */
  known(_asker: SeatFacts | undefined, _payload: unknown, then: () => void): void {
    then();
  }
}

/** Who sits at any node: at this one first, which needs no register. */
export class LookupOfAll extends LookupHere {
  readonly #cluster: Cluster;
  /** What came of an asker while it waits, in order, so that nothing overtakes. */
  readonly #waiting = new Map<SeatFacts, (() => void)[]>();

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
  override known(asker: SeatFacts | undefined, payload: unknown, then: () => void): void {
    if (!asker) return then();
    const before = this.#waiting.get(asker);
    if (before) return void before.push(() => this.known(asker, payload, then));
    const name = (payload as { readonly computer?: unknown } | null | undefined)?.computer;
    if (typeof name !== 'string' || this.computer(asker.office, name) !== undefined) return then();
    const later: (() => void)[] = [];
    this.#waiting.set(asker, later);
    this.#cluster.refresh(asker.office, () => {
      this.#waiting.delete(asker);
      then();
      for (const next of later) next();
    });
  }
}
