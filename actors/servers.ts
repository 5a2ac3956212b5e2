import {
  mostCalls,
  type InMemorySpec,
  type LaunchSpec,
  type OwnSpec,
  type RemoteSpec,
} from '../adapters/index.ts';
import { defaultLimits, noLimits, type LaneLimits } from '../machines/calls/index.ts';
import type { Lists, ToolRules } from '../machines/catalog/index.ts';
import type { ServerPlan } from '../machines/computer.machine.ts';
import {
  shownServer,
  toProtocol,
  type Config,
  type OwnFacts,
  type OwnType,
  type ServerConfig,
} from '../machines/config/index.ts';
import type { Transformer } from '../machines/ports.ts';
import type { Failure } from '../machines/wire/index.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Inputs } from './inputs.ts';
import { isNaming, planOf, rulesOf, type Policy } from './plan.ts';
import { Programs } from './programs.ts';
import { renderServer, type ServerSpec } from './render.ts';

/** What is launched or reached: a process, or anything that needs none. */
export type Reach =
  | { readonly process: LaunchSpec; readonly remote?: never }
  | { readonly remote: RemoteSpec; readonly process?: never };
/** Our end of a linked pair, as the MCP SDK has it (`Transport`): what is sent here comes out at the other end. */
export interface LinkedEnd {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}
/** A server inside the host, by the name that it has in the config: called for each session. */
export type InMemoryServer = (facts: {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}) => LinkedEnd | Promise<LinkedEnd>;
/** A server of a kind that the host brings: what its config says. */
export interface CarrierSpec {
  /** Its name in the config. */
  readonly server: string;
  /** Its `server_parameters`, placeholders filled in. */
  readonly facts: OwnFacts;
  /** Aborts when nobody wants the connection any more and it is not there yet: time is up, or the server is stopped. */
  readonly signal: AbortSignal;
}
/**
 * Reaches servers of one type (`own:…`): called for each session, and gives our end of a connection with the server.
 * `start` of that end, or what makes it, rejects with an `Error` when there is none; `isFinal: true` on that error:
 * trying again without a change cannot help. `send` rejects only where nothing of the message has left; after
 * `onclose` the session counts as lost. `close` lets what was sent go out, and ends it within 2 s.
 */
export type CarrierMaker = (spec: CarrierSpec) => LinkedEnd | Promise<LinkedEnd>;

export interface ServersOptions {
  readonly inputs: Pick<Inputs, 'resolve' | 'variable'>;
  readonly policy: Policy;
  readonly inMemory: Readonly<Record<string, InMemoryServer>>;
  readonly carriers: Readonly<Record<OwnType, CarrierMaker>>;
  /** Checks the programs of a config. Without it each check of some has a thread of its own. */
  readonly transformer?: Pick<Transformer, 'check'>;
  /** From the last good run. */
  readonly keptOf: (fingerprint: string) => Promise<Lists | null>;
  /** The launch facts of a generation, before anybody asks for them. */
  readonly introduce: (server: string, generation: number, reach: Reach, secrets: readonly string[]) => void;
  /** Nobody will want those of generations before this one. */
  readonly forget: (server: string, before: number) => void;
}
interface Known {
  readonly server: ServerConfig;
  readonly fingerprint: string;
  /** Of its launch facts; 0 while there are none that could be used. */
  readonly generation: number;
  readonly kept: Lists | null;
  /** Names of the tools that it listed in its last run; null while nobody's name depends on them. */
  readonly lastTools: readonly string[] | null;
  /** Inputs without a value. */
  readonly needs: readonly string[];
  readonly failure: Failure | null;
}
/** A config that may be taken: everything in it is filled in, and nothing has happened yet. */
export interface Prepared {
  readonly config: Config;
  readonly known: ReadonlyMap<string, Known>;
}

/** The servers of one computer as its config has them: their generations, and what is missing to start them. */
export class Servers {
  readonly #options: ServersOptions;
  readonly #programs: Programs;
  readonly #generations = new Map<string, number>();
  #known: ReadonlyMap<string, Known> = new Map();
  /** By server: what it was before its changes, as long as one of them may be rolled back. */
  readonly #before = new Map<string, readonly Known[]>();
  #config: Config;

  constructor(config: Config, options: ServersOptions) {
    this.#config = config;
    this.#options = options;
    this.#programs = new Programs(options.transformer);
  }
  get config(): Config {
    return this.#config;
  }
  get(name: string): Known | undefined {
    return this.#known.get(name);
  }
  /** Rejects when a program cannot be run: before anybody is asked for anything, or told of anything. */
  check({ servers }: Config): Promise<void> {
    return this.#programs.mustBeRight(servers);
  }
  /** What a server makes of its results; null: nothing. */
  programOf(name: string): string | null {
    return this.#known.get(name)?.server.vrl ?? null;
  }
  /**
   * Fills in what is new or changed; what is as it was stays as it is. Takes as long as whoever gives the inputs.
   * Rejects as `check` does.
   */
  async prepare(config: Config): Promise<Prepared> {
    await this.check(config);
    const all = await Promise.all(config.servers.map(async (server) => this.#prepared(server, config)));
    return { config, known: new Map(all.map((known) => [known.server.name, known])) };
  }
  take({ config, known }: Prepared): void {
    for (const [name, { generation }] of known) {
      const before = this.#known.get(name);
      if (before && before.generation !== generation && before.generation > 0)
        this.#before.set(name, [...(this.#before.get(name) ?? []), before]);
    }
    this.#config = config;
    this.#known = known;
  }
  /** It runs as it is: nothing before that is wanted any more. */
  proven(name: string): void {
    this.#before.delete(name);
    this.#options.forget(name, this.#known.get(name)?.generation ?? 0);
  }
  /** Whether it has other launch facts than now; a server that could not be filled in has none. */
  isOther(server: ServerConfig): boolean {
    const known = this.#known.get(server.name);
    return known !== undefined && known.generation > 0 && known.fingerprint !== fingerprintOf(server);
  }
  /** The config once more with this server as it was. */
  rollBack(name: string, generation: number): void {
    const before = this.#before.get(name)?.find((known) => known.generation === generation);
    if (!before) return;
    this.#known = new Map([...this.#known, [name, before]]);
    const servers = this.#config.servers.map((s) => (s.name === name ? before.server : s));
    this.#config = { ...this.#config, servers };
  }
  plans(): ServerPlan[] {
    return [...this.#known.values()].flatMap(({ server, ...facts }) =>
      facts.generation === 0 || server.disabled
        ? []
        : [planOf(server, this.#config.settings, this.#options.policy, facts)],
    );
  }
  /** How many calls of a server may run at once, and how many may wait for that. */
  limitsOf(name: string): LaneLimits {
    const { settings: top } = this.#config;
    const server = this.get(name)?.server;
    const own = server?.settings;
    const wanted = own?.concurrency ?? top.concurrency ?? defaultLimits.concurrency;
    const isHttp = server?.kind === 'streamable' || server?.kind === 'sse';
    return {
      concurrency: isHttp ? Math.min(wanted || mostCalls, mostCalls) : wanted,
      queue: own?.queue ?? top.queue ?? defaultLimits.queue,
    };
  }
  /** The same of all servers together. */
  totalLimits(): LaneLimits {
    const { totalConcurrency = noLimits.concurrency, totalQueue = defaultLimits.queue } =
      this.#config.settings;
    return { concurrency: totalConcurrency, queue: totalQueue };
  }
  /** Of those that are enabled and cannot be started as they are, where names depend on what they last had. */
  unstarted(): ToolRules[] {
    return [...this.#known.values()].flatMap(({ server, generation, lastTools }) =>
      generation > 0 || server.disabled || !lastTools
        ? []
        : [rulesOf(server, this.#config.settings, lastTools)],
    );
  }
  /** What it lists will be wanted at the next start, before it is there. */
  isKept(name: string): boolean {
    const { settings } = this.#config;
    return (this.get(name)?.server.settings.start ?? settings.start) === 'lazy' || isNaming(this.#config);
  }
  /** As `client:get_config` shows it: secrets hidden. */
  shown(): object {
    const servers = this.#config.servers.map((s) => ({ ...s, raw: shownServer(s.raw) }));
    return toProtocol({ servers, inputs: this.#config.inputs });
  }

  /** What it listed in its last run, where names depend on that. */
  async #lastTools(
    { disabled }: ServerConfig,
    fingerprint: string,
    known: Known | undefined,
  ): Promise<readonly string[]> {
    if (disabled) return [];
    const isSame = known?.fingerprint === fingerprint && !known.server.disabled;
    if (isSame && known.lastTools) return known.lastTools;
    const { tools = [] } = (await this.#options.keptOf(fingerprint)) ?? {};
    return tools.map(({ name }) => name);
  }
  async #prepared(server: ServerConfig, config: Config): Promise<Known> {
    const { settings } = config;
    const fingerprint = fingerprintOf(server);
    const known = this.#known.get(server.name);
    const lastTools = isNaming(config) ? await this.#lastTools(server, fingerprint, known) : null;
    if (known?.fingerprint === fingerprint && known.generation > 0) return { ...known, server, lastTools };
    const none = { server, fingerprint, generation: 0, kept: null, lastTools, needs: [], failure: null };
    if (server.disabled) return none;
    const rendered = await renderServer(server, this.#options.inputs);
    if (!rendered.ok) return { ...none, needs: rendered.needs, failure: rendered.failure };
    const reach = this.#reach(server, rendered.spec);
    if (!reach) return { ...none, failure: this.#notGiven(server) };
    const generation = (this.#generations.get(server.name) ?? 0) + 1;
    this.#generations.set(server.name, generation);
    this.#options.introduce(server.name, generation, reach, rendered.secrets);
    const isLazy = (server.settings.start ?? settings.start) === 'lazy';
    return { ...none, generation, kept: isLazy ? await this.#options.keptOf(fingerprint) : null };
  }
  #reach({ name }: ServerConfig, spec: ServerSpec): Reach | undefined {
    if (spec.kind === 'stdio') return { process: spec };
    const { inMemory, carriers } = this.#options;
    if (spec.kind === 'own') {
      const { facts, type } = spec;
      const make = Object.hasOwn(carriers, type) ? carriers[type] : undefined;
      const connect = (signal: AbortSignal): ReturnType<OwnSpec['connect']> =>
        make?.({ server: name, facts, signal }) as ReturnType<OwnSpec['connect']>;
      return make && { remote: { kind: 'own', connect } };
    }
    if (spec.kind !== 'inmemory') return { remote: spec };
    const { args, env } = spec;
    const connect = Object.hasOwn(inMemory, name) ? inMemory[name] : undefined;
    const open = (): ReturnType<InMemorySpec['connect']> =>
      connect?.({ args, env }) as ReturnType<InMemorySpec['connect']>;
    return connect && { remote: { kind: 'inmemory', connect: open } };
  }
  #notGiven(server: ServerConfig): Failure {
    const { name } = server;
    const [what, option, key, given] =
      server.kind === 'own'
        ? [`is of the type ${server.own.type}`, 'carriers', server.own.type, this.#options.carriers]
        : ['lives inside the host', 'inMemory', name, this.#options.inMemory];
    const has = Object.keys(given).join(', ');
    return {
      code: 'NotStartable',
      message: `Server '${name}' ${what}, and this host has none of that name${has && ` (it has ${has})`}`,
      details: { server_name: name },
      remedy: `Give it to createComputer: ${option}: { ${JSON.stringify(key)}: … }`,
    };
  }
}
