import type { SeatFacts } from '../../kernel/ports.ts';

export interface Member {
  readonly socket: string;
  readonly seat: SeatFacts;
}
/** Lookups of the relay about the members of a room. */
export interface Lookup {
  agent(office: string): string | undefined;
  computer(office: string, name: string): string | undefined;
  members(office: string): readonly Member[];
  versionOf(socket: string): string | undefined;
}

export const isSameSeat = (a: SeatFacts, b: SeatFacts): boolean =>
  a.office === b.office && a.role === b.role && a.name === b.name;

const keyOf = (seat: SeatFacts): string => `${seat.role}:${seat.name}`;

/**
 * Index of the seats that are currently taken, read for every routed call. The office machine decides on seats in
 * `claims.ts`; this index only follows.
 */
export class Seating implements Lookup {
  readonly #seats = new Map<string, SeatFacts>();
  readonly #versions = new Map<string, string>();
  readonly #ours = new Set<string>();
  readonly #agents = new Map<string, string>();
  readonly #offices = new Map<string, Map<string, Member>>();

  opened(socket: string, version: string | undefined, isOurs: boolean): void {
    if (version !== undefined) this.#versions.set(socket, version);
    if (isOurs) this.#ours.add(socket);
  }
  closed(socket: string): void {
    this.#versions.delete(socket);
    this.#ours.delete(socket);
  }
  /** Tells whether a peer uses the Python SDK before 0.3, which ignores notices of changed tools. */
  hearsConfigOnly(socket: string): boolean {
    const version = this.#versions.get(socket) ?? '0.1.0';
    return !this.#ours.has(socket) && Number(version.split('.')[1]) < 3;
  }
  versionOf(socket: string): string | undefined {
    return this.#versions.get(socket);
  }
  seatOf(socket: string): SeatFacts | undefined {
    return this.#seats.get(socket);
  }
  agent(office: string): string | undefined {
    return this.#agents.get(office);
  }
  computer(office: string, name: string): string | undefined {
    return this.#offices.get(office)?.get(`computer:${name}`)?.socket;
  }
  holderOf(seat: SeatFacts): string | undefined {
    return this.#offices.get(seat.office)?.get(keyOf(seat))?.socket;
  }
  members(office: string): readonly Member[] {
    return [...(this.#offices.get(office)?.values() ?? [])];
  }
  sizeOf(office: string): number {
    return this.#offices.get(office)?.size ?? 0;
  }
  /** Number of seats in all rooms, and of rooms that are not empty. */
  get counts(): { readonly seats: number; readonly offices: number } {
    return { seats: this.#seats.size, offices: this.#offices.size };
  }
  seat(socket: string, seat: SeatFacts): void {
    this.unseat(socket);
    this.#seats.set(socket, seat);
    const places = this.#offices.get(seat.office) ?? new Map<string, Member>();
    this.#offices.set(seat.office, places.set(keyOf(seat), { socket, seat }));
    if (seat.role === 'agent') this.#agents.set(seat.office, socket);
  }
  unseat(socket: string): SeatFacts | undefined {
    const seat = this.#seats.get(socket);
    if (!seat) return undefined;
    this.#seats.delete(socket);
    const places = this.#offices.get(seat.office);
    // Another socket may already hold the same name, so only the socket's own entry is deleted.
    if (places?.get(keyOf(seat))?.socket === socket) places.delete(keyOf(seat));
    if (places?.size === 0) this.#offices.delete(seat.office);
    if (this.#agents.get(seat.office) === socket) this.#agents.delete(seat.office);
    return seat;
  }
}
