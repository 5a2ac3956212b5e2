/** Supervised transports at work: a runtime with one client machine for each. Loaded by the first `start`. */
import type { AnyEventObject } from 'xstate';
import { openRuntime, type HostedMachine, type Runtime } from '../api/runtime.ts';
import { serversPart, type ServersPart } from '../api/servers-part.ts';
import { A2cError } from '../kernel/errors.ts';
import { deferred, escaping } from '../kernel/listeners.ts';
import { defaultTiming } from '../plans/plan.ts';
import type { Inspection, InspectOptions } from '../api/page.ts';
import { openInMemory, specAsk, type Reach } from '../servers/launch-specs.ts';
import { processFacts } from '../../adapters/clock.ts';
import { proxyFromEnvironment } from '../../adapters/mcp/http/proxy.ts';
import { Relay } from '../../adapters/mcp/relay.ts';
import { RelaySession } from '../../adapters/mcp/relay-session.ts';
import type { OwnSpec } from '../../adapters/mcp/http/remote.ts';
import {
  clientKind,
  loginPort,
  type ClientChanged,
  type ClientNews,
  type ClientStart,
} from '../../machines/client/client.events.ts';
import { keyOf } from '../../machines/kernel/effects.ts';
import { keptByDefault } from '../recording/reasons.ts';
import { timing, timingOf } from '../../machines/kernel/timing.ts';
import { unauthorized } from '../../machines/process/server-failure.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { secretsOfLaunch } from '../../machines/secrets/shown.ts';
import type {
  ForeignTransport,
  ServerCommand,
  SupervisedOptions,
  SupervisedServer,
  SupervisorOptions,
} from './options.ts';

const mebi = 1024 * 1024;
/** Each message is kept whole, because a recorded server is played from them. */
const frames = { held: 16 * mebi, mostChars: Infinity, leastChars: Infinity, share: 0 };
const onlySpec = 1;
const defaultAttempts = 5;
const webLimits = { timeoutMs: 30_000, sseReadTimeoutMs: 300_000 };

export interface SupervisionEvents {
  deliver(message: object): void;
  failed(error: Error): void;
  over(): void;
}

/** A state machine starts and ends the server, and a relay carries the messages. */
export class Supervision {
  readonly name: string;
  readonly relay: Relay;
  readonly #runtime: Runtime;
  readonly #servers: ServersPart;
  readonly #events: SupervisionEvents;
  readonly #options: SupervisedOptions;
  readonly #resumes: boolean;
  readonly #hasProcess: boolean;
  readonly #started = deferred();
  #hosted: HostedMachine | undefined;
  #stage: ClientChanged['stage'] | undefined;
  #wasReady = false;
  #isClosing = false;
  #ended: Promise<void> | undefined;

  constructor(
    runtime: Runtime,
    name: string,
    reach: Reach,
    options: SupervisedOptions,
    events: SupervisionEvents,
  ) {
    this.name = name;
    this.#runtime = runtime;
    this.#events = events;
    this.#options = options;
    this.#resumes = (options.reconnect ?? false) !== false;
    this.#hasProcess = reach.process !== undefined;
    const client = {
      deliver: (message: object) => events.deliver(message),
      failed: (error: Error) => events.failed(error),
      connected: () => this.#started.resolve(),
    };
    this.relay = new Relay(name, client, this.#resumes);
    this.#servers = runtime.use(serversPart);
    this.#servers.introduce(
      name,
      onlySpec,
      { ...reach, relay: (...opening) => new RelaySession(this.relay, ...opening) },
      secretsOfLaunch({ ...reach.process, ...reach.remote }),
    );
  }
  get #address(): string {
    return `${clientKind}:${keyOf(this.name)}`;
  }
  get pid(): number | undefined {
    return this.#servers.pidOf(this.#address);
  }
  /** Resolves when the server takes messages. */
  start(): Promise<void> {
    this.#hosted = this.#runtime.start(this.#address, this.#input(), (event) => this.#hear(event));
    return this.#started.promise;
  }
  #input(): ClientStart {
    const { reconnect, connectMs, stdinGraceMs, termGraceMs } = this.#options;
    const { attempts = defaultAttempts, firstMs, longestMs } = typeof reconnect === 'object' ? reconnect : {};
    return {
      server: this.name,
      generation: 1,
      values: 0,
      hasProcess: this.#hasProcess,
      start: 'eager',
      restart: this.#resumes ? 'always' : 'never',
      budget: attempts,
      hearsChanges: false,
      refreshFailures: 0,
      isTransformed: false,
      resultBytes: 0,
      isRelayed: true,
      cached: null,
      spent: { attempt: 0, failure: null },
      timing: timingOf.client({
        ...defaultTiming(),
        pingMs: 0,
        trialMs: 0,
        connectMs: connectMs ?? timing.connectMs,
        stdinGraceMs: stdinGraceMs ?? timing.stdinGraceMs,
        termGraceMs: termGraceMs ?? timing.termGraceMs,
        backoffMs: firstMs ?? timing.backoffMs,
        longestBackoffMs: longestMs ?? timing.longestBackoffMs,
      }),
    };
  }
  #hear(event: AnyEventObject): void {
    const news = event as unknown as ClientNews;
    if (news.type === 'permit.wanted')
      this.#runtime.directory.send(this.#address, { type: 'permit.granted' });
    else if (this.#isClosing) return;
    else if (news.type === 'client.changed') this.#changed(news);
    // Ends the transport when its state machine fails, because nothing else would end it then.
    else if (event.type === 'owned.ended')
      this.#giveUp({ code: wireCodes.internal, message: `Server '${this.name}': its machine failed` });
  }
  #changed({ stage, failure, nextTryMs }: ClientChanged): void {
    const before = this.#stage;
    this.#stage = stage;
    const why: Failure = failure ?? { code: 'ServerLost', message: `Server '${this.name}' has ended` };
    this.#wasReady ||= stage === 'ready';
    if (stage === 'recovering') {
      // A loss is reported when the exit of the process is known, which explains it and may come later.
      if (!this.#hasProcess || before === 'recovering' || why.details?.['exit_code'] !== undefined)
        this.relay.lose(why);
    } else if (stage === 'waiting' && this.#hasProcess && !this.#wasReady) this.#giveUp(why);
    else if (stage === 'waiting') {
      this.relay.lose(why);
      const again = nextTryMs === null ? '' : `; next try within ${nextTryMs} ms`;
      this.#events.failed(new A2cError({ ...why, message: `${why.message}${again}` }));
    } else if (stage === 'connecting' && before === 'ready') this.#forgotten();
    else if (stage === 'open' || stage === 'idle' || stage === 'unauthorized') this.#giveUp(why);
  }
  /** HTTP 404: with `reconnect` only its open requests fail, else the transport ends. */
  #forgotten(): void {
    const message = `Server '${this.name}' has forgotten its session`;
    const failure: Failure = { code: 'ServerLost', message, details: { server_name: this.name } };
    if (this.#resumes) this.relay.lose(failure);
    else this.#giveUp({ ...failure, remedy: 'Connect again, or set reconnect.' });
  }
  #giveUp(failure: Failure): void {
    const error = new A2cError(failure);
    this.#started.reject(error);
    this.relay.end(failure);
    this.#events.failed(error);
    void this.close();
    this.#events.over();
  }
  /** Resolves when no process of it is left. */
  close(): Promise<void> {
    this.#isClosing = true;
    return (this.#ended ??= this.#end());
  }
  async #end(): Promise<void> {
    const closed: Failure = { code: 'ServerNotActive', message: `The transport to '${this.name}' is closed` };
    this.#started.reject(new A2cError(closed));
    if (this.#hosted) await this.#runtime.end(this.#hosted, timing.shutdownMs);
    this.relay.end(closed);
    this.#servers.forget(this.name, Infinity);
  }
}

export class SupervisorHost {
  readonly #runtime: Runtime;
  readonly #servers: ServersPart;
  readonly #options: SupervisorOptions;
  readonly #swept: Promise<void>;
  readonly #names = new Set<string>();

  static async open(options: SupervisorOptions): Promise<SupervisorHost> {
    const { stateDir, reaper, onNotice, launcher, log, logLevel } = options;
    const notice = escaping(onNotice);
    // At each loss: a trace at giving up alone would miss the losses after which the server came back.
    const record = options.record !== false && {
      on: [...keptByDefault, 'serverLost' as const],
      ...options.record,
    };
    return new SupervisorHost(
      options,
      await openRuntime({ record, stateDir, reaper, notice, launcher, log, logLevel, frames }),
    );
  }
  private constructor(options: SupervisorOptions, runtime: Runtime) {
    this.#options = options;
    this.#runtime = runtime;
    this.#servers = runtime.use(serversPart);
    this.#servers.specs = specAsk(async () => ({ ok: true, spec: onlySpec }));
    runtime.answer(loginPort, (_from, { id, params }, emit) => {
      const { server } = params as { readonly server: string };
      emit({ type: 'ask.refused', id, sent: false, failure: unauthorized(server) });
      return () => {};
    });
    this.#swept = this.#servers.sweep();
  }
  async supervise(
    wanted: string,
    server: SupervisedServer,
    options: SupervisedOptions,
    events: SupervisionEvents,
  ): Promise<Supervision> {
    await this.#swept;
    let name = wanted;
    for (let n = 2; this.#names.has(name); n += 1) name = `${wanted}-${n}`;
    this.#names.add(name);
    return new Supervision(this.#runtime, name, this.#reachOf(name, server, options), options, events);
  }
  #reachOf(name: string, server: SupervisedServer, { headers = {} }: SupervisedOptions): Reach {
    if (isCommand(server)) return { process: launchOf(server) };
    const { inMemory = {} } = this.#options;
    const played = Object.hasOwn(inMemory, name) ? inMemory[name] : undefined;
    if (played)
      return {
        remote: {
          kind: 'inmemory',
          connect: () => openInMemory(played, { args: [], env: {} }) as ReturnType<OwnSpec['connect']>,
        },
      };
    if (typeof server === 'string' || server instanceof URL) {
      const url = String(server);
      const proxy = proxyFromEnvironment(url);
      const web = { url, headers, ...webLimits, ...(proxy !== undefined && { proxy }) };
      return { remote: { kind: 'streamable', terminateOnClose: true, fallbackToSse: true, ...web } };
    }
    return { remote: { kind: 'own', connect: connectOf(name, server) } };
  }
  leave(name: string): void {
    this.#names.delete(name);
  }
  async inspect(options: InspectOptions | undefined): Promise<Inspection> {
    const { name = processFacts.program } = this.#options;
    return (await this.#runtime.inspections()).open({ kind: 'supervisor', name }, options);
  }
  writeTrace(dir: string): Promise<string> {
    return this.#runtime.writeTrace(dir);
  }
  close(): Promise<void> {
    return this.#runtime.close();
  }
}

const isCommand = (server: SupervisedServer): server is ServerCommand =>
  typeof server === 'object' && 'command' in server;
function launchOf({ command, args = [], env = {}, cwd }: ServerCommand) {
  const given = Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined);
  return { command, args, env: Object.fromEntries(given), ...(cwd !== undefined && { cwd }) };
}
function connectOf(
  name: string,
  server: ForeignTransport | (() => ForeignTransport | Promise<ForeignTransport>),
): OwnSpec['connect'] {
  let isUsed = false;
  const connect = (): ForeignTransport | Promise<ForeignTransport> => {
    if (typeof server === 'function') return server();
    if (!isUsed) {
      isUsed = true;
      return server;
    }
    const message = `the transport of '${name}' cannot be started twice: give a function that makes one`;
    throw Object.assign(new Error(message), { isFinal: true });
  };
  return connect as OwnSpec['connect'];
}
