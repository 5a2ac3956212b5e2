import { CallPorts } from './call-ports.ts';
import type { Runtime } from './runtime.ts';
import { serversKinds } from '../kinds/servers.ts';
import type { Part, Ports, Question } from '../runtime/part.ts';
import type { Reach } from '../servers/launch-specs.ts';
import { ServerOutput } from '../servers/server-output.ts';
import type { Answers } from '../../adapters/mcp/messages/answers.ts';
import type { ServerLog } from '../../adapters/mcp/messages/notifications.ts';
import { sessionPortOf, type SessionPort } from '../../adapters/mcp/port.ts';
import { processPortOf } from '../../adapters/process/launch.ts';
import { createLedger, type Ledger } from '../../adapters/process/reaper/ledger.ts';
import { sweepLeftovers } from '../../adapters/process/reaper/state-file.ts';
import { clientKind, specPort } from '../../machines/client/client.events.ts';
import type { Config } from '../../machines/config/parse.ts';
import { secretsOfConfig } from '../../machines/secrets/shown.ts';
import type { Address } from '../../machines/kernel/effects.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import { version } from '../../machines/version.ts';

const ofServer = new RegExp(`(^|/)${clientKind}:`);

/** MCP servers: their processes, sessions and calls. `close` ends every process group that is still alive. */
export class ServersPart implements Part {
  readonly kinds = serversKinds;
  readonly ports: Ports;
  readonly ledger: Ledger;
  readonly calls: CallPorts;
  readonly output: ServerOutput;
  readonly draws = {
    judge: (a: Address, params: object): unknown => this.calls.judge(a, params),
  };
  specs: RequestPort | undefined;
  /** A method that is left out is not declared to servers. */
  answers: Answers = {};
  log: (server: string, entry: ServerLog) => void = () => {};
  /** Each notification of a server but progress. */
  heard: (server: string, method: string, params: unknown) => void = () => {};
  readonly #runtime: Runtime;
  readonly #sessions: SessionPort;
  #swept: Promise<void> | undefined;
  /** By server and by the number of the launch spec. */
  readonly #reaches = new Map<string, Map<number, Reach>>();

  constructor(runtime: Runtime) {
    const { redacted, secrets, options } = runtime;
    this.#runtime = runtime;
    this.ledger = createLedger(options);
    this.output = new ServerOutput((text) => secrets.redactor.text(text));
    this.calls = new CallPorts(
      (address) => {
        const ref = runtime.directory.find(address)?.ref;
        return () => ref?.getSnapshot().context as unknown;
      },
      (server, text) => this.#sessions.noticed(server, text),
    );
    this.#sessions = this.#openSessions(runtime);
    const processes = processPortOf({
      ledger: this.ledger,
      launchOf: (server, spec) => this.#reachOf(server, spec)?.process,
      launcher: options.launcher,
      wrote: (server, chunk) => this.output.wrote(server, chunk),
    });
    this.ports = { process: redacted.process(processes), session: redacted.session(this.#sessions.open) };
    runtime.linesOf = (server) => this.output.linesOf(server);
  }
  readonly asked = ({ target, limiter }: Question): RequestPort | undefined => {
    if (limiter !== undefined) return this.#limited;
    if (target === specPort) return this.#hidden(this.specs);
    if (this.calls.has(target)) return this.#hidden((...asked) => this.calls.request(...asked));
    return ofServer.test(target) ? this.#session : undefined;
  };
  readonly #session: RequestPort = (from, request, emit) =>
    this.#sessions.request(from, request, this.#runtime.hidden(request, emit));
  readonly #limited: RequestPort = (from, request, emit) =>
    this.calls.limited(request, emit, (answer) => this.#session(from, request, answer));
  readonly #hidden = (port: RequestPort | undefined): RequestPort | undefined =>
    port && ((from, request, emit) => port(from, request, this.#runtime.hidden(request, emit)));
  /** Hides the secrets in traces and failures from now on. */
  introduce(server: string, spec: number, reach: Reach, secrets: readonly string[] = []): void {
    const reaches = this.#reaches.get(server) ?? new Map<number, Reach>();
    this.#reaches.set(server, reaches.set(spec, reach));
    this.hide(server, secrets);
  }
  /** Also those of servers that are never started. */
  accepted(config: Config): void {
    this.#runtime.secrets.hide(secretsOfConfig(config), ...config.servers.map(({ name }) => name));
  }
  readonly hide = (server: string, secrets: readonly string[]): void =>
    this.#runtime.secrets.hide(secrets, server);
  readonly answer: Runtime['answer'] = (...asked) => this.#runtime.answer(...asked);
  forget(server: string, before: number): void {
    const reaches = this.#reaches.get(server);
    for (const spec of reaches?.keys() ?? []) if (spec < before) reaches?.delete(spec);
  }
  #reachOf(server: string, spec: number): Reach | undefined {
    return this.#reaches.get(server)?.get(spec);
  }
  #openSessions(runtime: Runtime): SessionPort {
    const { secrets, frames, tracing } = runtime;
    const of = (): ServersPart => this;
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
      tracing,
      reqIdOf: (call) => (runtime.contextOf(call) as { reqId?: string } | undefined)?.reqId,
      log: (server, entry) => {
        this.output.logged(server, entry);
        this.log(server, runtime.redact(entry));
      },
      heard: (server, method, params) => this.heard(server, method, secrets.redactor.details(params)),
      redact: (text) => secrets.redactor.text(text),
      hideSession: (secret) => secrets.hideSession(secret),
      frame: (at, dir, message, by) => frames.take(at, 'mcp', dir, message, by),
    });
  }
  /** Counts the output of a server that could not be parsed. */
  readonly noiseOf: SessionPort['noiseOf'] = (server) => this.#sessions.noiseOf(server);
  /** Sends a request of MCP to a server as it is; its failures have no secrets. */
  readonly forward: SessionPort['forward'] = (server, request, emit) =>
    this.#sessions.forward(server, request, this.#runtime.redacted.answer(emit));
  announceRoots(): void {
    this.#sessions.announceRoots();
  }
  pidOf(client: Address): number | undefined {
    return this.ledger.list().find(({ key }) => key.startsWith(`${client}#`) || key.startsWith(`${client}/`))
      ?.pid;
  }
  /** Ends what earlier, killed hosts have left behind. Once, before the first server is launched. */
  sweep(): Promise<void> {
    return (this.#swept ??= this.#sweep());
  }
  async #sweep(): Promise<void> {
    const { stateDir, notice } = this.#runtime.options;
    const ended = await sweepLeftovers({ stateDir, notice });
    const names = [...new Set(ended.map(({ command, pid }) => command || `pid ${pid}`))].join(', ');
    if (ended.length > 0)
      notice?.(`ended ${ended.length} processes that a killed host had left behind: ${names}`);
  }
  async close(): Promise<void> {
    this.ledger.killAll();
    await Promise.all([this.ledger.closed(), this.#sessions.closed()]);
  }
}
export const serversPart = (runtime: Runtime): ServersPart => new ServersPart(runtime);
