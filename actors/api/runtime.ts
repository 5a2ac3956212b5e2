import type { AnyEventObject } from 'xstate';
import { CallPorts } from './call-ports.ts';
import { OfficeAccess } from './office-settings.ts';
import { linksOf, type PlayedOffice } from './seat.ts';
import type { HostOptions } from './handles.ts';
import { tracingOf } from './tracing.ts';
import { Frames, LiveStream } from '../inspector/live-stream.ts';
import { Inspections } from '../inspector/inspections.ts';
import { deferred } from '../kernel/listeners.ts';
import { HostLog } from '../logging/host-log.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import {
  FlightRecorder,
  notRecorded,
  type FlightOptions,
  KnownSecrets,
} from '../recording/flight-recorder.ts';
import { RedactedPorts } from '../recording/redaction.ts';
import { assemble } from '../runtime/assemble.ts';
import { Directory, unanswered, type Root, Tap } from '../runtime/directory.ts';
import type { Reach } from '../servers/launch-specs.ts';
import { ServerOutput } from '../servers/server-output.ts';
import { version } from '../../machines/version.ts';
import { BlobStore } from '../../adapters/storage/blob-store.ts';
import type { Parts } from '../../adapters/connections/link-requests.ts';
import { createLedger, type Ledger, type LedgerOptions } from '../../adapters/process/reaper/ledger.ts';
import { during, systemClock, liveOnClock } from '../../adapters/clock.ts';
import { guardOf } from '../../adapters/guard.ts';
import { lazyLinks, lazyOffices } from '../../adapters/socket/lazy.ts';
import { processPortOf } from '../../adapters/process/launch.ts';
import { sessionPortOf, type SessionPort } from '../../adapters/mcp/port.ts';
import { sweepLeftovers } from '../../adapters/process/reaper/state-file.ts';
import type { Launcher } from '../../adapters/process/environment.ts';
import type { Answers } from '../../adapters/mcp/messages/answers.ts';
import type { Links } from '../../adapters/socket/link.ts';
import type { Offices } from '../../adapters/socket/office.ts';
import type { ServerLog } from '../../adapters/mcp/messages/notifications.ts';
import { blobsPort } from '../../machines/blobs/blobs.rules.ts';
import { handing } from '../../machines/blobs/hand.ts';
import { specPort } from '../../machines/client/client.events.ts';
import type { Config } from '../../machines/config/parse.ts';
import { secretsOfConfig } from '../../machines/config/shown.ts';
import { addressFor, type Address, type AddressFor, type OwnedEnded } from '../../machines/kernel/effects.ts';
import type { Emit, Ports, RequestFact } from '../../machines/kernel/ports.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';

/** Wait for the operating system to finish processes and sockets, after all machines have ended. */
const leftoverMs = 3_000;

export interface RuntimeOptions extends LedgerOptions, LogOptions, Pick<FlightOptions, 'record' | 'frames'> {
  readonly tap?: Tap;
  readonly tracing?: Tracing | undefined;
  /** Default: child processes of this process. */
  readonly launcher?: Launcher | undefined;
  /** Default: over sockets. */
  readonly links?: Links | undefined;
}
/** `close` leaves nothing behind: it ends every process group that is still alive. */
export class Runtime {
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly flight: FlightRecorder | undefined;
  readonly tracing: Tracing | undefined;
  readonly hostLog: HostLog | undefined;
  /** Kept after the end of a server, because later texts may still quote its secrets. */
  readonly secrets: KnownSecrets;
  /** By server and by the number of the launch spec. */
  readonly #reaches = new Map<string, Map<number, Reach>>();
  readonly #redacted: RedactedPorts;
  readonly calls = new CallPorts(
    (address) => {
      const ref = this.directory.find(address)?.ref;
      return () => ref?.getSnapshot().context as unknown;
    },
    (server, text) => this.noticed(server, text),
  );
  specs: Ports['request'] = unanswered;
  readonly parts: Parts = new Map();
  /** Ports that parts of a host add by name, such as the skill folders. */
  readonly others = new Map<string, Ports['request']>();
  /** A method that is left out is not declared to servers. */
  answers: Answers = {};
  log: (server: string, entry: ServerLog) => void = () => {};
  /** Each notification of a server but progress. */
  heard: (server: string, method: string, params: unknown) => void = () => {};
  readonly output = new ServerOutput((text) => this.secrets.redactor.text(text));
  readonly inspections: Inspections;
  readonly #offices: Offices;
  readonly access: OfficeAccess;
  readonly #links: Links;
  readonly #frames = new Frames();
  readonly #sessions: SessionPort;
  readonly #survival: LedgerOptions;
  #blobs: BlobStore | undefined;
  readonly #leaveClock: () => void;
  #hosts = 0;

  constructor({
    tap = new Tap(),
    record,
    launcher,
    links,
    log,
    logLevel,
    tracing,
    ...survival
  }: RuntimeOptions = {}) {
    this.hostLog = log && new HostLog(log, (value) => this.redact(value), logLevel);
    if (this.hostLog) tap.add(this.hostLog);
    this.access = new OfficeAccess(survival.stateDir);
    this.tracing = tracing;
    const { credential } = this.access;
    this.#links =
      links ??
      lazyLinks({
        tracing,
        credential,
        frame: this.#frames.ofSocket,
        parts: this.parts,
      });
    this.#offices = this.#openOffices();
    this.#survival = survival;
    this.calls.hand = this.#handing();
    const { secrets, redact, key } = record || {};
    this.secrets = new KnownSecrets(secrets, redact, survival.notice);
    this.#redacted = new RedactedPorts(this.secrets.redactor);
    this.flight =
      record === false
        ? undefined
        : new FlightRecorder(
            {
              record,
              ...survival,
              alive: () => this.directory.roots,
              marked: (text) => this.inspections.mark(text),
            },
            this.secrets,
            tap,
          );
    this.#frames.kept = this.flight?.frame;
    this.ledger = createLedger(survival);
    this.#sessions = this.#openSessions();
    const ports = this.#ports(launcher);
    this.directory = assemble(
      new Directory({ ...systemClock, ports, draw: (a, _port, params) => this.calls.judge(a, params) }, tap),
    );
    const { stateDir, notice = () => {} } = survival;
    this.inspections = new Inspections({
      stream: new LiveStream(this.directory, () => this.secrets.recording('full', key), this.#frames),
      messages: (wanted) => this.#frames.find(wanted, this.secrets.recording('full', key)),
      started: new Date().toISOString(),
      stateDir,
      notice,
      linesOf: (server) => this.output.linesOf(server),
      past: () => this.flight?.past(),
      trace: () => {
        if (!this.flight) throw notRecorded;
        return this.flight.text();
      },
    });
    this.#leaveClock = liveOn(() => this.directory.roots);
  }
  #ports(launcher: RuntimeOptions['launcher']): Ports {
    return {
      process: this.#redacted.process(
        processPortOf({
          ledger: this.ledger,
          launchOf: (server, spec) => this.#reachOf(server, spec)?.process,
          launcher,
          wrote: (server, chunk) => this.output.wrote(server, chunk),
        }),
      ),
      session: this.#redacted.session(this.#sessions.open),
      link: this.#links.open,
      office: this.#offices.open,
      request: (from, request, emit) => this.#request(from, request, emit),
    };
  }
  /** Contents too large for an answer, until agents have read them. */
  get blobs(): BlobStore {
    return (this.#blobs ??= new BlobStore({
      ...this.#survival,
      give: (...held) => this.#links.holdPart(...held),
    }));
  }
  #handing(): CallPorts['hand'] {
    return handing({
      contextOf: (address) => this.directory.find(address)?.ref.getSnapshot().context as unknown,
      ask: (...asked) => this.#links.request(...asked),
      keep: ({ base64, mimeType }, reader, done) =>
        void during(this.blobs.keep(Buffer.from(base64, 'base64'), mimeType, reader)).then(done),
    });
  }
  #request(...[from, request, emit]: Parameters<Ports['request']>): () => void {
    if (request.limiter !== undefined)
      return this.calls.limited(request, emit, (answer) => this.#askSession(from, request, answer));
    // Failures of a host's rule or confirmation may quote launch values.
    const hidden = this.#surely(request.id, emit);
    if (request.target === specPort) return this.specs(from, request, hidden);
    if (request.target === blobsPort) return this.blobs.request(from, request, hidden);
    const other = this.others.get(request.target);
    if (other) return other(from, request, hidden);
    if (this.calls.has(request.target)) return this.calls.request(from, request, hidden);
    if (!this.#sessions.has(request.target)) return this.#links.request(from, request, emit);
    return this.#askSession(from, request, emit);
  }
  #askSession(...[from, request, emit]: Parameters<Ports['request']>): () => void {
    return this.#sessions.request(from, request, this.#surely(request.id, emit));
  }
  /** A question on whose answer the host fails is refused. */
  #surely(id: string, emit: Emit<RequestFact>): Emit<RequestFact> {
    return guardOf((message) =>
      emit({ type: 'ask.refused', id, sent: true, failure: { code: wireCodes.internal, message } }),
    )(this.#redacted.answer(emit));
  }
  /** As plain JSON, without launch secrets and without values under names of secrets. */
  redact<T>(value: T): T {
    return this.secrets.redactor.value(value);
  }

  /** Its secrets never appear in a trace or a failure. */
  introduce(server: string, spec: number, reach: Reach, secrets: readonly string[] = []): void {
    const reaches = this.#reaches.get(server) ?? new Map<number, Reach>();
    this.#reaches.set(server, reaches.set(spec, reach));
    this.hide(server, secrets);
  }
  /** Also those of servers that are never started. */
  accepted(config: Config): void {
    this.secrets.hide(secretsOfConfig(config), ...config.servers.map(({ name }) => name));
  }
  hide(server: string, secrets: readonly string[]): void {
    this.secrets.hide(secrets, server);
  }
  forget(server: string, before: number): void {
    const reaches = this.#reaches.get(server);
    for (const spec of reaches?.keys() ?? []) if (spec < before) reaches?.delete(spec);
  }
  #reachOf(server: string, spec: number): Reach | undefined {
    return this.#reaches.get(server)?.get(spec);
  }
  #openOffices(): Offices {
    return lazyOffices({
      tracing: this.tracing,
      answered: this.hostLog?.answered.bind(this.hostLog),
      clock: this.hostLog?.isTelling ? systemClock.now : undefined,
      auth: this.access.authenticate,
      refused: (peer) => this.access.refused(peer),
      settings: () => this.access.settings,
      meter: () => this.access.meter,
      watched: (control) => void (this.access.control = control),
      frame: () => this.#frames.ofSeats,
      called: (dir, told) => this.#frames.take('office', 'relay', dir, told),
    });
  }
  #openSessions(): SessionPort {
    const of = (): Runtime => this;
    return sessionPortOf({
      ledger: this.ledger,
      clientInfo: { name: 'a2c-actors', version },
      remoteOf: (server, spec) => this.#reachOf(server, spec)?.remote,
      relayOf: (server, spec) => this.#reachOf(server, spec)?.relay,
      settledKind: (server, spec, kind) => {
        const reach = this.#reachOf(server, spec);
        if (reach?.remote?.kind !== 'streamable' || kind !== 'sse') return;
        const { terminateOnClose: _, fallbackToSse: __, ...web } = reach.remote;
        const { relay } = reach;
        this.#reaches.get(server)?.set(spec, { remote: { ...web, kind }, ...(relay && { relay }) });
      },
      get answers() {
        return of().answers;
      },
      tracing: this.tracing,
      reqIdOf: (call) => (this.directory.find(call)?.ref.getSnapshot().context as { reqId?: string })?.reqId,
      log: (server, entry) => {
        this.output.logged(server, entry);
        this.log(server, this.redact(entry));
      },
      heard: (server, method, params) => this.heard(server, method, this.secrets.redactor.details(params)),
      redact: (text) => this.secrets.redactor.text(text),
      hideSession: (secret) => this.secrets.hideSession(secret),
      frame: (at, dir, message, by) => this.#frames.take(at, 'mcp', dir, message, by),
    });
  }
  /** Undefined once the agent got an answer. */
  readonly partOf = (ticket: string): Uint8Array | undefined => this.#links.partOf(ticket);
  /** Counts the output of a server that could not be parsed. */
  readonly noiseOf: SessionPort['noiseOf'] = (server) => this.#sessions.noiseOf(server);
  /** Sends a request of MCP to a server as it is; its failures have no secrets. */
  readonly forward: SessionPort['forward'] = (server, request, emit) =>
    this.#sessions.forward(server, request, this.#redacted.answer(emit));
  readonly noticed = (server: string, text: string): void => this.#sessions.noticed(server, text);
  announceRoots(): void {
    this.#sessions.announceRoots();
  }
  async writeTrace(dir: string): Promise<string> {
    if (!this.flight) throw notRecorded;
    // Lets the current input end first, because a trace that is cut within an input would look incomplete.
    await Promise.resolve();
    return this.flight.write('asked', dir);
  }
  pidOf(client: Address): number | undefined {
    return this.ledger.list().find(({ key }) => key.startsWith(`${client}#`) || key.startsWith(`${client}/`))
      ?.pid;
  }
  /** Left behind by earlier, killed hosts. Called before the first server is launched. */
  async sweep(): Promise<void> {
    const { stateDir, notice } = this.#survival;
    const ended = await sweepLeftovers({ stateDir, notice });
    const names = [...new Set(ended.map(({ command, pid }) => command || `pid ${pid}`))].join(', ');
    if (ended.length > 0)
      notice?.(`ended ${ended.length} processes that a killed host had left behind: ${names}`);
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
    this.ledger.killAll();
    let timer: unknown;
    const bound = new Promise<void>((resolve) => (timer = systemClock.setTimeout(resolve, leftoverMs)));
    const closed = Promise.all([this.ledger.closed(), this.#offices.closed(), this.#sessions.closed()]);
    await systemClock.drive(Promise.race([bound, closed]));
    systemClock.clearTimeout(timer);
    this.tracing?.close();
    await this.#blobs?.close();
    await this.inspections.close();
    this.flight?.close(this.directory.size === 0);
    this.#leaveClock();
  }
}
export interface HostedMachine {
  readonly address: Address;
  readonly host: AddressFor<unknown>;
  readonly ended: Promise<OwnedEnded>;
}

/** For a host that launches nothing. */
export async function runtimeOf(
  options: HostOptions & { readonly links?: PlayedOffice | undefined },
  shared: Runtime | undefined,
): Promise<Runtime> {
  const { record, log, logLevel } = options;
  const links = linksOf(options);
  return shared ?? new Runtime({ record, log, logLevel, links, tracing: await tracingOf(options) });
}

/** Registers a running host with the clock, by the names of its root machines; the returned function removes it. */
const liveOn = (roots: () => Iterable<Root>): (() => void) =>
  liveOnClock(() => {
    const own = [...roots()].filter(({ owner }) => !owner);
    return own.map(({ name }) => name).join(' and ') || 'a host';
  });
