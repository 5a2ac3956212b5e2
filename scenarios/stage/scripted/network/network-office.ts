import type { Emit, OfficeCommand, OfficeFact } from '../../../../machines/kernel/ports.ts';
import { OfficeConnections } from '../../../../adapters/connections/office-connections.ts';
import { Cluster, type ClusterOptions } from '../../../../adapters/connections/nodes/cluster.ts';
import type { LocalOffice } from '../../../../adapters/connections/nodes/questions.ts';
import type { OfficeWire } from '../../../../adapters/connections/office-wire.ts';
import type { Timers } from '../../../../machines/office/rooms/pending.ts';
import type { RelayTiming } from '../../../../machines/office/rooms/relay.ts';
import { notices } from '../../../../machines/protocol/events.ts';
import { extended } from '../../../../machines/kernel/objects.ts';
import type { Cable } from './network-cable.ts';

interface Seated {
  readonly cable: Cable;
}

/** The transport of one office in virtual time; what it does with an event is the real desk's business. */
export class ScriptedOffice {
  readonly #sockets = new Map<string, Seated>();
  readonly #officeConnections: OfficeConnections;
  #isKilled = false;

  readonly requiresVersion: boolean;
  /** Under which its register knows it; undefined: it is alone. */
  readonly node: string | undefined;

  constructor(
    timers: Timers,
    emit: Emit<OfficeFact>,
    limits: RelayTiming,
    requiresVersion = false,
    others?: Pick<ClusterOptions, 'register' | 'now' | 'leaseMs'>,
  ) {
    this.requiresVersion = requiresVersion;
    this.node = others?.register.node;
    // Of one that was killed nothing goes on.
    const living: Timers = extended(timers, {
      setTimer: (run: () => void, ms: number) => timers.setTimer(() => void (this.#isKilled || run()), ms),
    });
    const cluster =
      others && ((local: LocalOffice) => new Cluster(extended(others, { timers: living }), local));
    this.#officeConnections = new OfficeConnections(this.#wire(), timers, emit, limits, { cluster });
  }

  get inFlight(): number {
    return this.#officeConnections.inFlight;
  }
  /** Whether it may relay what it has seated. */
  get isCurrent(): boolean {
    return this.#officeConnections.cluster?.isCurrent !== false;
  }
  /** `started`: it is one of the nodes, or alone. */
  start(started: (isReached: boolean) => void): void {
    const { cluster } = this.#officeConnections;
    if (cluster) cluster.start(started);
    else started(true);
  }
  tell(command: OfficeCommand): void {
    this.#officeConnections.tell(command);
  }

  accept(socket: string, cable: Cable, version?: string): void {
    this.#sockets.set(socket, { cable });
    cable.office.listen(
      (event, args) => this.#officeConnections.received(socket, event, args),
      (reason) => {
        this.#sockets.delete(socket);
        this.#officeConnections.closed(socket, reason);
      },
    );
    this.#officeConnections.opened(socket, version, version !== undefined);
  }

  close(): void {
    this.#officeConnections.close();
    void this.#officeConnections.cluster?.close();
    for (const { cable } of this.#sockets.values()) cable.office.close('io server disconnect');
    this.#sockets.clear();
  }

  /** Nobody is answered, and the machine hears of nothing. */
  kill(): void {
    this.#isKilled = true;
    for (const { cable } of this.#sockets.values()) {
      cable.office.listen(
        () => {},
        () => {},
      );
      cable.cut('transport close');
    }
    this.#sockets.clear();
    this.#officeConnections.close();
  }

  #wire(): OfficeWire {
    const end = (socket: string): Cable['office'] | undefined => this.#sockets.get(socket)?.cable.office;
    return {
      send: (socket, event, body, onAck) => end(socket)?.emit(event, body, onAck),
      part: (socket, { code, message }) => {
        const there = end(socket);
        there?.emit(notices.disconnecting, { code, message });
        there?.close('transport close');
      },
      // Nobody shows a credential in virtual time, so nobody is asked.
      probe: (_, onAlive) => onAlive(),
      cut: (socket) => this.#sockets.get(socket)?.cable.cut('transport close'),
      notify: (socket, event, body) => end(socket)?.emit(event, body),
      deliver: (sockets, event, body) => {
        for (const socket of sockets) end(socket)?.emit(event, body);
      },
    };
  }
}
