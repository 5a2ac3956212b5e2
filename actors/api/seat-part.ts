import { linksPart, type LinksPart } from './links-part.ts';
import type { Runtime } from './runtime.ts';
import { Seat, type LinkListeners, type SeatMachine } from './seat.ts';
import { seatKinds } from '../kinds/seat.ts';
import type { Part } from '../runtime/part.ts';

/** What a computer has only in an office. It is loaded with the first one. */
export class SeatPart implements Part {
  readonly kinds = seatKinds;
  readonly links: LinksPart;

  constructor(runtime: Runtime) {
    this.links = runtime.use(linksPart);
  }
  seatOf(name: string, listeners: LinkListeners, machine: Omit<SeatMachine, 'show'>): Seat<'computer'> {
    const show: SeatMachine['show'] = (url, shown) => this.links.show(url, shown);
    return new Seat('computer', name, listeners, { ...machine, show });
  }
}
export const seatPart = (runtime: Runtime): SeatPart => new SeatPart(runtime);
