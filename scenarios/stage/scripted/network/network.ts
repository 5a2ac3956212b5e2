import { registerUnreached } from '../../../../machines/office/rooms/register.ts';
import type { Emit, LinkInput, OfficeFact, OfficeInput, Ports } from '../../../../machines/kernel/ports.ts';
import { readDenial } from '../../../../adapters/connections/denial.ts';
import { LinkRegistry } from '../../../../adapters/connections/link-connection.ts';
import {
  isLoopback,
  listenFailure,
  notLoopback,
  officeUrl,
} from '../../../../machines/office/rooms/loopback.ts';
import type { Timers } from '../../../../machines/office/rooms/pending.ts';
import { denies, type Denial } from '../../../../machines/office/rooms/entry.ts';
import type { RelayTiming } from '../../../../machines/office/rooms/relay.ts';
import { timing } from '../../../../machines/kernel/timing.ts';
import { type Ack, type Cable, type CableEnd, type Clock, createCable } from './network-cable.ts';
import { ScriptedOffice } from './network-office.ts';
import type { ClusterOptions } from '../../../../adapters/connections/nodes/cluster.ts';
import { ScriptedRegister } from './scripted-register.ts';

export type { CableEnd, Clock } from './network-cable.ts';

export interface NetworkOptions {
  /** Of each message in each direction; default 1. */
  readonly latencyMs?: number;
  readonly timing?: Partial<RelayTiming>;
}
export interface NetworkFaults {
  /** Cuts the connections of whoever is called this; both sides hear it now, what is under way is lost. */
  dropLink(name: string): void;
  /** The next n attempts to connect fail. */
  refuseConnects(n: number): void;
  /** Every office lets in peers of this version of the protocol only. */
  speakOnly(version: string): void;
  /** Every office, or that at this URL, dies without a word: connections cut, ports free, its machine hears nothing more. */
  killOffice(url?: string): void;
  setLatency(ms: number): void;
  /** Cuts whoever is called this, and nothing of it connects again for so long. */
  keepAway(name: string, ms: number): void;
  /** The next answer to whoever is called this is lost, or so much later. */
  holdAck(name: string, ms: number | 'lost'): void;
  /** Nothing of the above any more. */
  clearFaults(): void;
}
export interface Network {
  readonly office: Ports['office'];
  readonly link: Ports['link'];
  readonly request: Ports['request'];
  has(key: string): boolean;
  /** A stranger's bare connection, for what no link of ours would say; undefined when nobody listens there. */
  connect(url: string, name?: string): CableEnd | undefined;
  readonly faults: NetworkFaults;
  /** Where offices that are nodes of one agree. */
  readonly register: ScriptedRegister;
  /** Whether the office at this URL is there, and may relay what it has seated. */
  isCurrent(url: string): boolean;
  /** What is open: connections, and relayed questions that wait. Both 0 at the end of a scenario. */
  audit(): { readonly connections: number; readonly inFlight: number };
}

const firstFreePort = 41_000;
/** Of the nodes of an office. */
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
  readonly request: Ports['request'];
  readonly #away = new Map<string, number>();
  readonly #heldAcks = new Map<string, number | 'lost'>();
  readonly #usualMs: number;
  #latencyMs: number;
  #refusals = 0;
  #foreign: string | undefined;
  #sockets = 0;
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
    this.#registry = new LinkRegistry(this.#timers);
    this.request = this.#registry.request;
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

  /** The rule of our offices; an office of strangers speaks one version. */
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

  readonly link: Ports['link'] = (at, input, emit) => {
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
        // A wire that breaks before the connection stood is a refusal.
        (reason) => (connection.isUp ? connection.down(reason) : connection.refused({ reason })),
      );
      this.#later(() => connection.up());
    });
    return connection;
  };

  readonly office: Ports['office'] = (_at, input, emit) => {
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

/**
 * Offices and links in virtual time, behind the same doors as the real ones (`machines/office/rooms`): only the transport is
 * scripted, so what a scenario shows of joins, relays and time-outs holds over Socket.IO too.
 */
export const createNetwork = (clock: Clock, options: NetworkOptions = {}): Network =>
  new ScriptedNetwork(clock, options);
