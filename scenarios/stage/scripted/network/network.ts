import { registerUnreached } from '../../../../machines/office/rooms/register.ts';
import type { Emit, RequestPort } from '../../../../machines/kernel/ports.ts';
import type { LinkInput } from '../../../../machines/ports/link.ts';
import type { OfficeFact, OfficeInput, OfficeCommand } from '../../../../machines/ports/office.ts';
import { readDenial, LinkRegistry } from '../../../../adapters/connections/link-connection.ts';
import type { Parts } from '../../../../adapters/connections/link-requests.ts';
import {
  isLoopback,
  listenFailure,
  notLoopback,
  officeUrl,
} from '../../../../machines/office/rooms/loopback.ts';
import { type Timers, oversized } from '../../../../machines/office/rooms/pending.ts';
import type { RelayTiming } from '../../../../machines/office/rooms/relay.ts';
import { denies, type Denial } from '../../../../machines/office/rooms/entry.ts';
import { timing } from '../../../../machines/kernel/timing.ts';
import { type ClusterOptions, Cluster } from '../../../../adapters/connections/nodes/cluster.ts';
import { ScriptedRegister } from './scripted-register.ts';
import { notices, events } from '../../../../machines/protocol/protocol.ts';
import { sizes } from '../../../../machines/protocol/sizes.ts';
import { OfficeConnections } from '../../../../adapters/connections/office-connections.ts';
import type { LocalOffice } from '../../../../adapters/connections/nodes/questions.ts';
import type { OfficeWire } from '../../../../adapters/connections/office-wire.ts';
import { extended } from '../../../../machines/kernel/objects.ts';
import type { StagePorts } from '../../ports.ts';

/** Timers of the same moment fire in the order in which they were set. */
export interface Clock {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
export type Ack = (...args: unknown[]) => void;

export interface CableEnd {
  /** `onAck` receives the arguments of the other side's ack, as in Socket.IO. A closed end sends nothing. */
  emit(event: string, body: unknown, onAck?: Ack): void;
  /** `heard` gets the arguments, with the ack function last if one is wanted. */
  listen(heard: (event: string, args: unknown[]) => void, closed: (reason: string) => void): void;
  /** Messages sent before still arrive, then the other side hears of the end. */
  close(reason: string): void;
}
export interface Cable {
  readonly peer: CableEnd;
  readonly office: CableEnd;
  /** Nothing more arrives, and both sides hear it at once. */
  cut(reason: string): void;
}

/** At once, late, or never. */
export type PassAck = (pass: () => void) => void;
const atOnce: PassAck = (pass) => pass();

class Side implements CableEnd {
  heard: (event: string, args: unknown[]) => void = () => {};
  closed: (reason: string) => void = () => {};
  isOpen = true;
  other!: Side;
  readonly #clock: Clock;
  readonly #latencyMs: () => number;
  readonly #onEnd: () => void;
  readonly #passAck: PassAck;
  readonly #arriving: (() => void)[] = [];
  readonly #acks = new Map<number, Ack>();
  #lastAck = 0;
  #lastAt = 0;

  constructor(clock: Clock, latencyMs: () => number, onEnd: () => void, passAck: PassAck) {
    this.#passAck = passAck;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#onEnd = onEnd;
  }

  listen(heard: Side['heard'], closed: Side['closed']): void {
    this.heard = heard;
    this.closed = closed;
  }

  emit(event: string, body: unknown, onAck?: Ack): void {
    if (!this.isOpen) return;
    const id = onAck && ++this.#lastAck;
    if (id && onAck) this.#acks.set(id, onAck);
    this.#send([body], (args, other) => other.heard(event, id ? [...args, this.#ackOf(other, id)] : args));
  }

  close(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#onEnd();
    this.other.#arrive(() => this.other.end(reason));
  }

  end(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#onEnd();
    this.closed(reason);
  }

  /** Works once; a second call is ignored, as in Socket.IO. */
  #ackOf(other: Side, id: number): Ack {
    let given = false;
    return (...ack) => {
      if (given || !other.isOpen) return;
      given = true;
      const arrived = (args: unknown[]): void => {
        const onAck = this.#acks.get(id);
        this.#acks.delete(id);
        onAck?.(...args);
      };
      this.#passAck(() => other.#send(ack, arrived));
    };
  }

  /** Through JSON, so that no object is shared; a message that is too large closes the connection. */
  #send(args: unknown[], deliver: (args: unknown[], other: Side) => void): void {
    const text = JSON.stringify(args);
    const { other } = this;
    other.#arrive(() => {
      if (text.length <= sizes.officePayloadBytes) return deliver(JSON.parse(text) as unknown[], other);
      other.end(oversized);
      this.end('transport close');
    });
  }

  #arrive(run: () => void): void {
    this.#lastAt = Math.max(this.#lastAt, this.#clock.now() + this.#latencyMs());
    this.#arriving.push(run);
    this.#clock.setTimeout(() => {
      const next = this.#arriving.shift();
      if (this.isOpen) next?.();
    }, this.#lastAt - this.#clock.now());
  }
}

/** Each direction keeps its order. `onEnd` may be called twice; `toPeer` decides whether an answer passes. */
export function createCable(
  clock: Clock,
  latencyMs: () => number,
  onEnd: () => void,
  toPeer: PassAck = atOnce,
): Cable {
  const peer = new Side(clock, latencyMs, onEnd, toPeer);
  const office = new Side(clock, latencyMs, onEnd, atOnce);
  peer.other = office;
  office.other = peer;
  return {
    peer,
    office,
    cut(reason) {
      office.end(reason);
      peer.end(reason);
    },
  };
}

interface Seated {
  readonly cable: Cable;
}

export class ScriptedOffice {
  readonly #sockets = new Map<string, Seated>();
  readonly #officeConnections: OfficeConnections;
  #isKilled = false;

  readonly requiresVersion: boolean;
  /** Its name in the register; undefined when the office is a single process. */
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
    // Timers of a killed office do not fire.
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
  get isCurrent(): boolean {
    return this.#officeConnections.cluster?.isCurrent !== false;
  }
  /** `started` is called when the office is a node of the register, or single. */
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

  /** Nothing is answered, and its machine hears nothing. */
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
      // No credentials exist in virtual time, so none are checked.
      probe: (_, onAlive) => onAlive(),
      cut: (socket) => this.#sockets.get(socket)?.cable.cut('transport close'),
      notify: (socket, event, body) => end(socket)?.emit(event, body),
      deliver: (sockets, event, body) => {
        for (const socket of sockets) end(socket)?.emit(event, body);
      },
    };
  }
}

export interface Heard {
  readonly event: string;
  readonly body: unknown;
}
export class Peer {
  readonly #end: CableEnd;
  readonly heard: Heard[] = [];
  readonly ended: string[] = [];

  /** `answers` maps an event to its reaction to body and ack; other events are never answered. */
  constructor(end: CableEnd, answers: Readonly<Record<string, (body: unknown, ack: Ack) => void>> = {}) {
    this.#end = end;
    end.listen(
      (event, args) => {
        const last = args.at(-1);
        const ack = typeof last === 'function' ? (last as Ack) : (): void => {};
        this.heard.push({ event, body: args[0] });
        answers[event]?.(args[0], ack);
      },
      (reason) => this.ended.push(reason),
    );
  }
  /** The acks are filled in when they come. */
  ask(event: string, body: unknown): unknown[][] {
    const acks: unknown[][] = [];
    this.#end.emit(event, body, (...ack) => acks.push(ack));
    return acks;
  }
  say(event: string, body: unknown): void {
    this.#end.emit(event, body);
  }
  join(role: 'agent' | 'computer', name: string, office = 'o'): unknown[][] {
    return this.ask(events.joinOffice, { role, name, office_id: office });
  }
  leave(office = 'o'): unknown[][] {
    return this.ask(events.leaveOffice, { office_id: office });
  }
  close(): void {
    this.#end.close('client namespace disconnect');
  }
}

export interface NetworkOptions {
  /** Of each message in each direction, 1 by default. */
  readonly latencyMs?: number;
  readonly timing?: Partial<RelayTiming>;
}
export interface NetworkFaults {
  /** Both sides hear it at once, messages under way are lost. */
  dropLink(name: string): void;
  refuseConnects(n: number): void;
  speakOnly(version: string): void;
  /** Of every office by default, silently: connections are cut, ports are free, its machine hears nothing. */
  killOffice(url?: string): void;
  setLatency(ms: number): void;
  keepAway(name: string, ms: number): void;
  holdAck(name: string, ms: number | 'lost'): void;
  clearFaults(): void;
}
export interface Network {
  readonly office: StagePorts['office'];
  readonly link: StagePorts['link'];
  readonly request: RequestPort;
  readonly partOf: (ticket: string) => Uint8Array | undefined;
  readonly holdPart: (ticket: string, bytes: Uint8Array) => void;
  readonly parts: Parts;
  has(key: string): boolean;
  /** For messages that a real link would not send; undefined when no office listens there. */
  connect(url: string, name?: string): CableEnd | undefined;
  readonly faults: NetworkFaults;
  readonly register: ScriptedRegister;
  isCurrent(url: string): boolean;
  /** Both are 0 at the end of a scenario. */
  audit(): { readonly connections: number; readonly inFlight: number };
}

const firstFreePort = 41_000;
export const leaseMs = 6_000;
const keyOf = (url: string): string => url.replace(/\/+$/, '').replace('//localhost', '//127.0.0.1');

class ScriptedNetwork implements Network {
  readonly #clock: Clock;
  readonly #limits: RelayTiming;
  readonly #timers: Timers;
  readonly #offices = new Map<string, ScriptedOffice>();
  readonly #cables = new Map<Cable, string>();
  readonly #registry: LinkRegistry;
  readonly register: ScriptedRegister;
  readonly request: RequestPort;
  readonly partOf: Network['partOf'];
  readonly holdPart: Network['holdPart'];
  readonly parts: Parts = new Map();
  readonly #away = new Map<string, number>();
  readonly #heldAcks = new Map<string, number | 'lost'>();
  readonly #usualMs: number;
  #latencyMs: number;
  #refusals = 0;
  #foreign: string | undefined;
  #sockets = 0;
  #uploads = 0;
  #nextPort = firstFreePort;

  constructor(clock: Clock, options: NetworkOptions) {
    this.#clock = clock;
    this.#usualMs = options.latencyMs ?? 1;
    this.#latencyMs = this.#usualMs;
    this.#limits = { ...timing, ...options.timing };
    this.#timers = {
      setTimer: (run, ms) => clock.setTimeout(run, ms),
      clearTimer: (timer) => clock.clearTimeout(timer),
    };
    this.register = new ScriptedRegister(clock, leaseMs);
    this.#registry = new LinkRegistry(this.#timers, {
      newId: () => `upload-${++this.#uploads}`,
      parts: this.parts,
    });
    this.request = this.#registry.request;
    this.partOf = (ticket) => this.#registry.partOf(ticket);
    this.holdPart = (...held) => this.#registry.holdPart(...held);
  }

  readonly faults: NetworkFaults = {
    dropLink: (name) => {
      for (const [cable, whose] of [...this.#cables]) if (whose === name) cable.cut('transport close');
    },
    refuseConnects: (n) => void (this.#refusals = n),
    speakOnly: (version) => void (this.#foreign = version),
    killOffice: (url) => {
      const dying = [...this.#offices].filter(([key]) => url === undefined || key === keyOf(url));
      for (const [key, office] of dying) {
        this.#offices.delete(key);
        if (office.node !== undefined) this.register.kill(office.node);
        office.kill();
      }
    },
    setLatency: (ms) => void (this.#latencyMs = ms),
    keepAway: (name, ms) => {
      this.#away.set(name, this.#clock.now() + ms);
      this.faults.dropLink(name);
    },
    holdAck: (name, ms) => void this.#heldAcks.set(name, ms),
    clearFaults: () => {
      this.#away.clear();
      this.#heldAcks.clear();
      this.#refusals = 0;
      this.#foreign = undefined;
      this.#latencyMs = this.#usualMs;
    },
  };

  has(key: string): boolean {
    return this.#registry.has(key);
  }

  isCurrent(url: string): boolean {
    return this.#offices.get(keyOf(url))?.isCurrent === true;
  }

  audit(): ReturnType<Network['audit']> {
    const inFlight = [...this.#offices.values()].reduce((sum, office) => sum + office.inFlight, 0);
    return { connections: this.#cables.size, inFlight };
  }

  /** A real office refuses by its own rule, a foreign one by version. */
  #denial({ url, version }: LinkInput): Denial | undefined {
    if (this.#foreign !== undefined && version !== this.#foreign)
      return {
        status: 400,
        headers: {},
        body: JSON.stringify({ code: 4008, message: 'Mismatch', server_version: this.#foreign }),
      };
    const isRequired = this.#offices.get(keyOf(url))?.requiresVersion ?? false;
    return denies(version, isRequired);
  }

  connect(url: string, name = '', version?: string): CableEnd | undefined {
    if (this.#refusals > 0) return void this.#refusals--;
    if ((this.#away.get(name) ?? 0) > this.#clock.now()) return undefined;
    const office = this.#offices.get(keyOf(url));
    if (!office) return undefined;
    const end = (): void => void this.#cables.delete(cable);
    const toPeer = (pass: () => void): void => this.#passAck(name, pass);
    const cable: Cable = createCable(this.#clock, () => this.#latencyMs, end, toPeer);
    this.#cables.set(cable, name);
    office.accept(`s${++this.#sockets}`, cable, version);
    return cable.peer;
  }

  readonly link: StagePorts['link'] = (at, input, emit) => {
    let end: CableEnd | undefined;
    let over = false;
    const connection = this.#registry.open(at, input, emit, {
      emit: (event, ...[body, onAck]) => end?.emit(event, body, onAck as Ack | undefined),
      close: () => {
        over = true;
        end?.close('client namespace disconnect');
      },
    });
    this.#later(() => {
      if (over) return;
      const denial = this.#denial(input);
      if (denial) return connection.refused(readDenial(denial.status, denial.body, input.url));
      end = this.connect(input.url, input.name, input.version);
      if (!end) return connection.refused({ reason: `connect ECONNREFUSED ${input.url}` });
      end.listen(
        (event, args) => connection.received(event, args),
        // A wire that breaks before the connection was up counts as a refusal.
        (reason) => (connection.isUp ? connection.down(reason) : connection.refused({ reason })),
      );
      this.#later(() => connection.up());
    });
    return connection;
  };

  readonly office: StagePorts['office'] = (_at, input, emit) => {
    const others = input.isShared === true ? this.#others() : undefined;
    const office = new ScriptedOffice(this.#timers, emit, this.#limits, input.requireVersion, others);
    let over = false;
    let key: string | undefined;
    this.#later(() => {
      if (over) return;
      office.start((isReached) => {
        if (over) return;
        if (isReached) key = this.#listen(input, office, emit);
        else emit({ type: 'office.failed', message: registerUnreached });
      });
    });
    return {
      tell: (command) => office.tell(command),
      close: () => {
        over = true;
        if (key !== undefined && this.#offices.get(key) === office) this.#offices.delete(key);
        office.close();
      },
    };
  };

  #others(): Pick<ClusterOptions, 'register' | 'now' | 'leaseMs'> {
    return { register: this.register.open(), now: () => this.#clock.now(), leaseMs };
  }
  #listen(input: OfficeInput, office: ScriptedOffice, emit: Emit<OfficeFact>): string | undefined {
    const { host } = input;
    const failed = (message: string): void => emit({ type: 'office.failed', message });
    if (!isLoopback(host)) return void failed(notLoopback(host));
    const port = input.port || this.#nextPort++;
    const url = officeUrl(host, port);
    if (this.#offices.has(keyOf(url))) return void failed(listenFailure(host, port, 'EADDRINUSE'));
    this.#offices.set(keyOf(url), office);
    emit({ type: 'office.opened', url, port });
    return keyOf(url);
  }

  #passAck(name: string, pass: () => void): void {
    const held = this.#heldAcks.get(name);
    this.#heldAcks.delete(name);
    if (held === undefined) pass();
    else if (held !== 'lost') this.#clock.setTimeout(pass, held);
  }
  #later(run: () => void): void {
    this.#clock.setTimeout(run, this.#latencyMs);
  }
}

/** Only the transport is scripted, so results about joins, relays and time-outs hold over Socket.IO too. */
export const createNetwork = (clock: Clock, options: NetworkOptions = {}): Network =>
  new ScriptedNetwork(clock, options);
