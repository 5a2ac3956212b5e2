import type { Runtime } from './runtime.ts';
import { officeKinds } from '../kinds/office.ts';
import type { Part, Ports } from '../runtime/part.ts';
import { systemClock } from '../../adapters/clock.ts';
import type { Authenticate } from '../../adapters/socket/entry/auth.ts';
import type { OfficeControl } from '../../adapters/socket/entry/control.ts';
import type { RefusedPeer } from '../../adapters/socket/entry/refusing.ts';
import { createOffices, type OfficeSettings } from '../../adapters/socket/office.ts';
import { noStats, type OfficeMeter, type OfficeStats } from '../../machines/office/rooms/limits.ts';

/** The Socket.IO server. What peers show is kept here, outside of machines, so that no trace contains credentials. */
export class OfficePart implements Part {
  readonly kinds = officeKinds;
  readonly ports: Ports;
  readonly close: () => Promise<void>;
  #authenticate: Authenticate | undefined;
  /** Set before the office is opened. */
  settings: Partial<OfficeSettings> = {};
  /** Undefined before the office is opened. */
  control: OfficeControl | undefined;
  meter: OfficeMeter | undefined;
  /** Number of incidents that last or that nobody has looked at, by kind. */
  readonly incidents: () => ReadonlyMap<string, number>;
  refused: (peer: RefusedPeer) => void = () => {};

  constructor({ tracing, hostLog, frames, incidents }: Runtime) {
    this.incidents = () => incidents.open;
    const offices = createOffices({
      tracing,
      answered: hostLog?.answered.bind(hostLog),
      clock: hostLog?.isTelling ? systemClock.now : undefined,
      auth: () => this.#authenticate,
      refused: (peer) => this.refused(peer),
      settings: () => this.settings,
      meter: () => this.meter,
      watched: (control) => void (this.control = control),
      frame: () => frames.ofSeats,
      called: (dir, told) => frames.take('office', 'relay', dir, told),
    });
    this.ports = { office: offices.open };
    this.close = offices.closed;
  }
  /** Used from the next connection on. */
  admit(authenticate: Authenticate | undefined): void {
    this.#authenticate = authenticate;
  }
  readonly stats = (): OfficeStats => this.control?.stats() ?? noStats;
}
export const officePart = (runtime: Runtime): OfficePart => new OfficePart(runtime);
