/** Directory, recording, page and parts that the hosts of one program share. */
import type { AnyEventObject } from 'xstate';
import type { PlayedOffice } from './seat.ts';
import type { HostOptions } from './handles.ts';
import { tracingOf } from './tracing.ts';
import type { Pages, ShownRuntime } from './page.ts';
import { extra } from '../extras.ts';
import { deferred } from '../kernel/listeners.ts';
import type { HostLog } from '../logging/host-log.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import { FlightRecorder, notRecorded, type FlightOptions } from '../recording/flight-recorder.ts';
import { KnownSecrets } from '../secrets/known-secrets.ts';
import { Frames } from '../recording/frames.ts';
import { HostIncidents } from '../recording/host-incidents.ts';
import { RedactedPorts } from '../secrets/redacted-ports.ts';
import { assemble } from '../runtime/assemble.ts';
import { Directory, unanswered, Tap } from '../runtime/directory.ts';
import type { Kinds, Part, Question } from '../runtime/part.ts';
import { during, liveOnClock, systemClock } from '../../adapters/clock.ts';
import type { LedgerOptions } from '../../adapters/process/reaper/ledger.ts';
import type { Launcher } from '../../adapters/process/launcher.ts';
import { guardOf } from '../../adapters/guard.ts';
import { addressFor, type Address, type AddressFor, type OwnedEnded } from '../../machines/kernel/effects.ts';
import type { Emit, OpenPort, RequestFact, RequestPort } from '../../machines/kernel/ports.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';

/** Wait for the operating system to finish processes and sockets, after all machines have ended. */
const leftoverMs = 3_000;

export interface RuntimeOptions extends LedgerOptions, LogOptions, Pick<FlightOptions, 'record' | 'frames'> {
  readonly tap?: Tap;
  readonly tracing?: Tracing | undefined;
  /** Loaded for a host with a `log`. */
  readonly HostLog?: typeof HostLog;
  /** Default: child processes of this process. */
  readonly launcher?: Launcher | undefined;
  /** Default: over sockets. */
  readonly links?: PlayedOffice | undefined;
}
/** Makes a part for a runtime. Each is made once for a runtime, at its first use. */
export type PartOf<P extends Part> = (runtime: Runtime) => P;

/** Runs the machines of one or several hosts, with the parts that these use. `close` leaves nothing behind. */
export class Runtime {
  readonly options: RuntimeOptions;
  readonly directory: Directory;
  readonly flight: FlightRecorder | undefined;
  readonly tracing: Tracing | undefined;
  readonly hostLog: HostLog | undefined;
  /** Kept after the end of a server, because later texts may still quote its secrets. */
  readonly secrets: KnownSecrets;
  readonly redacted: RedactedPorts;
  readonly incidents = new HostIncidents({
    now: () => Date.now(),
    hide: (value) => this.redact(value),
    later: systemClock.setTimeout,
  });
  readonly frames = new Frames();
  readonly #parts = new Map<PartOf<Part>, Part>();
  #kinds: Kinds = {};
  readonly #opens: Record<string, OpenPort> = {};
  readonly #answers = new Map<string, RequestPort>();
  readonly started = new Date().toISOString();
  #inspections: Promise<Pages> | undefined;
  /** Lines that a server wrote lately; empty in a host without servers. */
  linesOf: (server: string) => readonly unknown[] = () => [];
  #marked: (text: string) => void = () => {};
  retell: ShownRuntime['retell'];
  readonly #leaveClock: () => void;
  #hosts = 0;

  constructor(options: RuntimeOptions = {}) {
    const {
      tap = new Tap(),
      record,
      log,
      logLevel,
      tracing,
      stateDir,
      notice,
      frames,
      HostLog: Logging,
    } = options;
    this.options = options;
    this.hostLog = log && Logging && new Logging(log, (value) => this.redact(value), logLevel);
    if (this.hostLog) tap.add(this.hostLog);
    tap.add(this.incidents);
    this.tracing = tracing;
    const { secrets, redact } = record || {};
    this.secrets = new KnownSecrets(secrets, redact, notice);
    this.redacted = new RedactedPorts(this.secrets.redactor);
    const recording = {
      ...{ record, stateDir, notice, frames },
      marked: (text: string) => this.#marked(text),
      traced: (...traced: Parameters<HostIncidents['traced']>) => this.incidents.traced(...traced),
    };
    this.flight = record === false ? undefined : new FlightRecorder(recording, this.secrets, tap);
    this.frames.kept = (frame, weight) => {
      this.flight?.frame(frame, weight);
      if (frame.via === 'relay') this.incidents.relayed(frame);
    };
    const ports = {
      open: (port: string, ...opening: Parameters<OpenPort>) => this.#open(port, opening),
      request: (...asked: Parameters<RequestPort>) => this.#request(...asked),
    };
    this.directory = new Directory({ ...systemClock, ports, draw: (...drawn) => this.#draw(...drawn) }, tap);
    this.#leaveClock = liveOnClock(() => {
      const own = [...this.directory.roots].filter(({ owner }) => !owner);
      return own.map(({ name }) => name).join(' and ') || 'a host';
    });
  }
  use<P extends Part>(of: PartOf<P>): P {
    const known = this.#parts.get(of);
    if (known) return known as P;
    const part = of(this);
    this.#parts.set(of, part);
    this.#kinds = { ...this.#kinds, ...part.kinds };
    Object.assign(this.#opens, part.ports);
    assemble(this.directory, this.#kinds);
    return part;
  }
  /** Answers questions of machines under this name, such as those of skill folders. */
  answer(target: string, port: RequestPort): void {
    this.#answers.set(target, port);
  }
  #open(port: string, opening: Parameters<OpenPort>): ReturnType<OpenPort> {
    const open = this.#opens[port];
    if (!open) throw new Error(`this host has no port ${port}`);
    return open(...opening);
  }
  #draw(a: Address, port: string, params: object): unknown {
    for (const { draws } of this.#parts.values()) if (draws?.[port]) return draws[port](a, params);
    return null;
  }
  #request(...[from, question, emit]: Parameters<RequestPort>): () => void {
    const own = question.limiter === undefined ? this.#answers.get(question.target) : undefined;
    if (own) return own(from, question, this.hidden(question, emit));
    for (const part of this.#parts.values()) {
      const port = part.asked?.(question);
      if (port) return port(from, question, emit);
    }
    return unanswered(from, question, emit);
  }
  /** Without secrets, which failures of servers and of the host may quote. A question on whose answer the host fails is refused. */
  hidden({ id }: Question, emit: Emit<RequestFact>): Emit<RequestFact> {
    return guardOf((message) =>
      emit({ type: 'ask.refused', id, sent: true, failure: { code: wireCodes.internal, message } }),
    )(this.redacted.answer(emit));
  }
  /** As plain JSON, without launch secrets and without values under names of secrets. */
  redact<T>(value: T): T {
    return this.secrets.redactor.value(value);
  }
  contextOf(address: Address): unknown {
    return this.directory.find(address)?.ref.getSnapshot().context as unknown;
  }
  /** The page and what it needs are loaded with the first call. */
  async inspections(): Promise<Pages> {
    return (this.#inspections ??= this.#openInspections());
  }
  async #openInspections(): Promise<Pages> {
    const { Inspections } = await extra('page');
    const inspections = new Inspections(this);
    this.#marked = (text) => inspections.mark(text);
    return inspections;
  }
  async writeTrace(dir: string): Promise<string> {
    if (!this.flight) throw notRecorded;
    // Lets the current input end first, because a trace that is cut within an input would look incomplete.
    await Promise.resolve();
    return this.flight.write('asked', dir);
  }
  /** `ended` resolves when the machine ends; `given` is the input as the host gave it, for the trace. */
  start(kind: string, input: object, hear: (event: AnyEventObject) => void, given?: object): HostedMachine {
    const host = addressFor(`host:${kind}.${(this.#hosts += 1)}`);
    const { directory } = this;
    const { promise: ended, resolve } = deferred<OwnedEnded>();
    directory.listen(host, (event) => {
      if (event.type === 'owned.ended') resolve(event as OwnedEnded);
      hear(event);
    });
    directory.start(kind, input, host, given);
    return { address: kind, host, ended };
  }
  /** By force when the machine has not ended within `patienceMs`. */
  async end(
    { address, ended }: HostedMachine,
    patienceMs: number,
    order: AnyEventObject = { type: 'close' },
  ): Promise<void> {
    if (this.directory.find(address)) this.directory.send(address, order);
    const timer = systemClock.setTimeout(() => this.directory.abandon(address), patienceMs);
    await systemClock.drive(ended);
    systemClock.clearTimeout(timer);
  }
  /** Afterwards no process, socket or timer is left. Takes a few seconds at most. */
  async close(): Promise<void> {
    for (const root of [...this.directory.roots]) if (!root.owner) this.directory.abandon(root.name);
    let timer: unknown;
    const bound = new Promise<void>((resolve) => (timer = systemClock.setTimeout(resolve, leftoverMs)));
    const closed = Promise.all([...this.#parts.values()].map(async (part) => part.close?.()));
    await systemClock.drive(Promise.race([bound, closed]));
    systemClock.clearTimeout(timer);
    this.tracing?.close();
    await (await this.#inspections)?.close();
    this.flight?.close(this.directory.size === 0);
    this.#leaveClock();
  }
}
export interface HostedMachine {
  readonly address: Address;
  readonly host: AddressFor<unknown>;
  readonly ended: Promise<OwnedEnded>;
}

export type HostedOptions = Omit<RuntimeOptions, 'tracing' | 'HostLog'> & Pick<HostOptions, 'tracing'>;
/** Loads what the options ask for: the log, and OpenTelemetry. Rejects where its package is not installed. */
export async function openRuntime({ tracing, ...options }: HostedOptions): Promise<Runtime> {
  const logging = options.log && (await during(import('../logging/host-log.ts')));
  return new Runtime({ ...options, tracing: await tracingOf(tracing), ...logging });
}
/** For a host that launches nothing. */
export const runtimeOf = async (
  { record, log, logLevel, links, tracing }: HostedOptions,
  shared: Runtime | undefined,
): Promise<Runtime> => shared ?? openRuntime({ record, log, logLevel, links, tracing });
