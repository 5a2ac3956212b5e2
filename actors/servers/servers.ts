import { givenConfig, shownConfig, type GivenConfig } from '../plans/given-config.ts';
import { fingerprintOf, isNaming, planOf, type Policy } from '../plans/plan.ts';
import type { Inputs } from './inputs.ts';
import { LaunchSpecs, type LaunchSpecsOptions, type SpecResolved } from './launch-specs.ts';
import { Programs } from './programs.ts';
import { mostCalls } from '../../adapters/index.ts';
import { defaultLimits, noLimits, type CallLimits } from '../../machines/call/policy/index.ts';
import { isUsable } from '../../machines/catalog/tool-table.ts';
import type { Lists } from '../../machines/catalog/entries.ts';
import type { ServerPlan } from '../../machines/computer/computer.machine.ts';
import { launchSettingsOf, type LaunchSettings, type ServerConfig } from '../../machines/config/schemas.ts';
import type { Config } from '../../machines/config/parse.ts';
import { launchConfigOf } from '../../machines/config/launch-config.ts';
import { placeholdersIn, variablesIn } from '../../machines/config/placeholders.ts';
import type { Transformer } from '../../machines/call/transform.ts';
import type { Failure } from '../../machines/protocol/index.ts';

interface ServersOptions extends LaunchSpecsOptions {
  readonly inputs: Inputs;
  readonly policy: Policy;
  /** Called with each config that is accepted, before anything of it is used. */
  readonly accepted: (config: Config) => void;
  /** Checker of the VRL programs in a config; without one each check starts its own thread. */
  readonly transformer?: Pick<Transformer, 'check'>;
  /** Returns the lists of a server from its last good run. */
  readonly cachedOf: (fingerprint: string) => Promise<Lists | null>;
}
interface KnownServer {
  readonly server: ServerConfig;
  readonly fingerprint: string;
  /** Number of the server's launch config; each change makes the next one. */
  readonly generation: number;
  /** Count of events that can change values in the launch config, such as a new answer to an input. */
  readonly values: number;
  readonly cached: Lists | null;
  /** Names of the tools that the server listed in its last run; null while the names of offered tools do not depend on them. */
  readonly lastTools: readonly string[] | null;
}
/** Ways in which a server leaves the config that is in force. */
type Leaving = 'disabled' | 'removed';
/** Config that was prepared and can be put in force. Until then nothing has changed. */
interface Prepared {
  readonly config: Config;
  readonly known: ReadonlyMap<string, KnownServer>;
}

/** Servers of one computer according to its config, with their generations and launch specs. */
export class Servers {
  readonly #options: ServersOptions;
  readonly #programs: Programs;
  readonly #specs: LaunchSpecs;
  readonly #uses: InputUses;
  /** Servers that have left the config and whose clients are still closing, with the reason. */
  readonly #leaving = new Map<string, Leaving>();
  readonly #generations = new Map<string, number>();
  #known: ReadonlyMap<string, KnownServer> = new Map();
  /** Former configs of a server, as long as one of its changes may be rolled back. */
  readonly #before = new Map<string, readonly KnownServer[]>();
  #config: Config;

  constructor(config: Config, options: ServersOptions) {
    this.#config = config;
    this.#options = options;
    this.#programs = new Programs(options.transformer);
    this.#specs = new LaunchSpecs(options);
    this.#uses = new InputUses(options.inputs);
  }
  get config(): Config {
    return this.#config;
  }
  /** Names of all servers of the config. */
  names(): Iterable<string> {
    return this.#known.keys();
  }
  get(name: string): KnownServer | undefined {
    return this.#known.get(name);
  }
  /** Rejects when a VRL program of the config cannot be run. Called before values of inputs are asked for and machines get the config. */
  check({ servers }: Config): Promise<void> {
    return this.#programs.mustBeRight(servers);
  }
  /** Returns the program that transforms the results of a server, or null. */
  programOf(name: string): string | null {
    return this.#known.get(name)?.server.vrl ?? null;
  }
  /**
   * Prepares a config: collects facts about new and changed servers, and keeps unchanged ones. Rejects as `check`
   * does.
   */
  async prepare(config: Config): Promise<Prepared> {
    await this.check(config);
    this.#options.accepted(config);
    const all = await Promise.all(config.servers.map(async (server) => this.#prepared(server, config)));
    return { config, known: new Map(all.map((known) => [known.server.name, known])) };
  }
  /** Puts a prepared config in force. Returns the names of removed servers that have no client which would report their end. */
  take({ config, known }: Prepared): readonly string[] {
    this.#config = config;
    const now = new Map([...known].map(([name, one]) => [name, this.#taken(name, one)]));
    const gone = [...this.#known.values()].filter(({ server: { name } }) => !now.has(name));
    for (const { server } of this.#known.values()) {
      const { name } = server;
      const next = now.get(name)?.server;
      const isLeaving = !server.disabled || this.#leaving.has(name);
      if (isLeaving && (!next || next.disabled)) this.#leaving.set(name, next ? 'disabled' : 'removed');
    }
    this.#known = now;
    this.#uses.keep(new Set(now.keys()));
    return gone.map(({ server }) => server.name).filter((name) => !this.#leaving.has(name));
  }
  #taken(name: string, one: KnownServer): KnownServer {
    const before = this.#known.get(name);
    if (before && before.generation !== one.generation)
      this.#before.set(name, [...(this.#before.get(name) ?? []), before]);
    if (before?.server.disabled === true && !one.server.disabled) this.#uses.askAgain(name);
    return this.#uses.hasOtherGrounds(name, this.#launchSettings(one.server))
      ? { ...one, values: one.values + 1 }
      : one;
  }
  /**
   * Records that the client of a server has ended. Returns the way in which the server left the config, or
   * undefined when it is enabled again.
   */
  left(name: string): Leaving | undefined {
    const leaving = this.#leaving.get(name) ?? 'removed';
    this.#leaving.delete(name);
    return leaving === 'disabled' && this.get(name)?.server.disabled !== true ? undefined : leaving;
  }
  /**
   * Records that a server runs well, so that its former configs are dropped. Returns true when other servers still use
   * an older answer to one of its inputs, and have to use the present one.
   */
  proven(name: string): boolean {
    this.#before.delete(name);
    const outdated = this.#uses.outdatedBy(name);
    if (outdated.length === 0) return false;
    this.#known = new Map(
      [...this.#known].map(([other, known]) => [
        other,
        outdated.includes(other) ? { ...known, values: known.values + 1 } : known,
      ]),
    );
    return true;
  }
  /** Makes the next start of a server ask for the values of its inputs again. */
  askAgain(name: string): void {
    this.#uses.askAgain(name);
  }
  /**
   * Asks the host again for the values of the inputs that a running server uses. Resolves with the failure that would
   * prevent a start now, if any.
   */
  async renew(name: string, signal: AbortSignal): Promise<Failure | undefined> {
    const server = this.#known.get(name)?.server;
    return server && this.#specs.renew(server, this.#launchSettings(server), signal);
  }
  /** Resolves the launch spec of a server, from its present config or a former one. */
  async resolve(name: string, generation: number, signal: AbortSignal): Promise<SpecResolved> {
    const all = [this.#known.get(name), ...(this.#before.get(name) ?? [])];
    const server = all.find((known) => known?.generation === generation)?.server;
    if (!server)
      return { ok: false, failure: { code: 404, message: `Server '${name}' is not in the config` } };
    const settings = this.#launchSettings(server);
    this.#uses.began(server, settings);
    const resolved = await this.#specs.resolve(server, settings, signal);
    if (resolved.ok) this.#uses.ended(name);
    return resolved;
  }
  #launchSettings(server: ServerConfig): LaunchSettings {
    return launchSettingsOf(server, this.#config.settings);
  }
  /** Resolves the launch spec of a server from its present config. */
  resolveNow(name: string, signal: AbortSignal): Promise<SpecResolved> {
    return this.resolve(name, this.#known.get(name)?.generation ?? 0, signal);
  }
  /** Tells whether a server has another launch config than the one in force. */
  isOther(server: ServerConfig): boolean {
    const known = this.#known.get(server.name);
    return known !== undefined && known.fingerprint !== fingerprintOf(server);
  }
  /** Puts a former config of one server back into the config. */
  rollBack(name: string, generation: number): void {
    const before = this.#before.get(name)?.find((known) => known.generation === generation);
    if (!before) return;
    this.#known = new Map([...this.#known, [name, before]]);
    const servers = this.#config.servers.map((s) => (s.name === name ? before.server : s));
    this.#config = { ...this.#config, servers };
  }
  plans(): ServerPlan[] {
    return [...this.#known.keys()].flatMap((name) => this.plan(name) ?? []);
  }
  /** Returns the plan of a server; undefined when it is disabled or not in the config. */
  plan(name: string): ServerPlan | undefined {
    const known = this.#known.get(name);
    if (!known || known.server.disabled) return undefined;
    const { server, ...facts } = known;
    return planOf(server, this.#config.settings, this.#options.policy, facts);
  }
  /** Returns the limits of a server's calls: how many may run at once, and how many may wait. */
  limitsOf(name: string): CallLimits {
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
  /** Returns the limits for the calls of all servers together. */
  totalLimits(): CallLimits {
    const { totalConcurrency = noLimits.concurrency, totalQueue = defaultLimits.queue } =
      this.#config.settings;
    return { concurrency: totalConcurrency, queue: totalQueue };
  }
  /** Returns the config as `client:get_config` shows it, without secrets. */
  shown(): object {
    return shownConfig(this.#config);
  }
  /** Returns the config as it was given, with the known facts about its servers, for a trace. */
  given(): GivenConfig {
    const known = [...this.#known].map(([name, { server: _, ...facts }]) => [name, facts] as const);
    return givenConfig(this.#config, this.#options.policy, Object.fromEntries(known));
  }

  /** Returns the tools that a server listed in its last run, where names of tools depend on them. */
  async #lastTools(
    { disabled }: ServerConfig,
    fingerprint: string,
    known: KnownServer | undefined,
  ): Promise<readonly string[]> {
    if (disabled) return [];
    const isSame = known?.fingerprint === fingerprint && !known.server.disabled;
    if (isSame && known.lastTools) return known.lastTools;
    const { tools = [] } = (await this.#options.cachedOf(fingerprint)) ?? {};
    return tools.filter(isUsable).map(({ name }) => name);
  }
  async #prepared(server: ServerConfig, config: Config): Promise<KnownServer> {
    const { settings } = config;
    const fingerprint = fingerprintOf(server);
    const known = this.#known.get(server.name);
    const lastTools = isNaming(config) ? await this.#lastTools(server, fingerprint, known) : null;
    const isSame = known?.fingerprint === fingerprint;
    if (isSame && known.server.disabled === server.disabled) return { ...known, server, lastTools };
    const generation = isSame ? known.generation : (this.#generations.get(server.name) ?? 0) + 1;
    this.#generations.set(server.name, generation);
    const isLazy = !server.disabled && (server.settings.start ?? settings.start) === 'lazy';
    const cached = isLazy ? await this.#options.cachedOf(fingerprint) : null;
    return { server, fingerprint, generation, values: known?.values ?? 0, cached, lastTools };
  }
}

interface Use {
  readonly inputs: readonly string[];
  readonly variables: readonly string[];
  /** Definitions, variables and settings with which the launch spec was made, as text. */
  grounds: string;
  /** Revision of the answer to each input with which the launch spec was made. */
  answers: ReadonlyMap<string, number>;
}
type WantedInputs = Pick<Inputs, 'groundsOf' | 'revisionOf' | 'askAgain' | 'forgetAnswers'>;

/** Values from which the launch specs of servers were made. They show which servers are affected by a changed value. */
class InputUses {
  readonly #inputs: WantedInputs;
  readonly #uses = new Map<string, Use>();

  constructor(inputs: WantedInputs) {
    this.#inputs = inputs;
  }
  /** Records the values from which a launch spec is being resolved. */
  began(server: ServerConfig, settings: LaunchSettings): void {
    const facts = launchConfigOf(server);
    const [inputs, variables] = [placeholdersIn(facts), [...variablesIn(facts), ...(settings.passEnv ?? [])]];
    const grounds = this.#grounds(inputs, variables, settings);
    this.#uses.set(server.name, { inputs, variables, grounds, answers: this.#answersTo(inputs) });
  }
  ended(name: string): void {
    const use = this.#uses.get(name);
    if (use) use.answers = this.#answersTo(use.inputs);
  }
  /** Tells whether a definition, a variable or a setting of a server has changed since the last call. */
  hasOtherGrounds(name: string, settings: LaunchSettings): boolean {
    const use = this.#uses.get(name);
    const grounds = use && this.#grounds(use.inputs, use.variables, settings);
    if (!use || grounds === undefined || grounds === use.grounds) return false;
    use.grounds = grounds;
    return true;
  }
  /** Returns the servers that were started with another answer to an input of this server, and records the present answers for them. */
  outdatedBy(name: string): readonly string[] {
    const ids = this.#uses.get(name)?.inputs ?? [];
    if (ids.length === 0) return [];
    const isOutdated = ([other, { inputs, answers }]: [string, Use]): boolean =>
      other !== name &&
      ids.some((id) => inputs.includes(id) && answers.get(id) !== this.#inputs.revisionOf(id));
    const outdated = [...this.#uses].filter(isOutdated).map(([other]) => other);
    for (const other of outdated) this.ended(other);
    return outdated;
  }
  /** Drops the answers to a server's inputs before a person starts it again, so that they are asked for again. */
  askAgain(name: string): void {
    this.#inputs.askAgain(this.#uses.get(name)?.inputs ?? []);
  }
  /** Keeps the values of these servers only, and forgets answers that no server uses any more. */
  keep(names: ReadonlySet<string>): void {
    const all = this.#inputsInUse();
    for (const name of [...this.#uses.keys()]) if (!names.has(name)) this.#uses.delete(name);
    const left = this.#inputsInUse();
    this.#inputs.forgetAnswers([...all].filter((id) => !left.has(id)));
  }
  #grounds(inputs: readonly string[], variables: readonly string[], settings: LaunchSettings): string {
    return JSON.stringify([this.#inputs.groundsOf(inputs, variables), settings]);
  }
  #inputsInUse(): ReadonlySet<string> {
    return new Set([...this.#uses.values()].flatMap(({ inputs }) => inputs));
  }
  #answersTo(ids: readonly string[]): ReadonlyMap<string, number> {
    return new Map(ids.map((id) => [id, this.#inputs.revisionOf(id)]));
  }
}
