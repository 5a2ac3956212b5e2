import type { SeatFacts } from '../../machines/kernel/ports.ts';
import type { Lookup, Member, Seating } from '../../machines/office/rooms/seating.ts';
import type { Cluster } from './cluster.ts';

/** Who sits at this node. */
export class LookupHere implements Lookup {
  protected readonly here: Seating;

  constructor(here: Seating) {
    this.here = here;
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
  /** What an asker's event waits for, so that the next one does not overtake it. */
  readonly #waiting = new Map<SeatFacts, Promise<void>>();

  constructor(here: Seating, cluster: Cluster) {
    super(here);
    this.#cluster = cluster;
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
    const name = (payload as { readonly computer?: unknown } | null | undefined)?.computer;
    const isKnown = typeof name !== 'string' || this.computer(asker.office, name) !== undefined;
    if (isKnown && !before) return then();
    const read = isKnown ? Promise.resolve() : this.#cluster.refresh(asker.office);
    const turn = Promise.all([before, read]).then(then);
    const over = turn.then(() => {
      if (this.#waiting.get(asker) === over) this.#waiting.delete(asker);
    });
    this.#waiting.set(asker, over);
  }
}
