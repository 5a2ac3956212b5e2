/** Servers of a config in force: generations, plans for machines, and the inputs that each uses. */
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { givenConfig, shownConfig, type GivenConfig } from '../plans/given-config.ts';
import { fingerprintOf, isNaming, planOf, type Policy } from '../plans/plan.ts';
import type { Inputs } from './inputs.ts';
import { LaunchSpecs, type LaunchSpecsOptions, type SpecResolved } from './launch-specs.ts';
import type { Programs } from './programs.ts';
import { during } from '../../adapters/clock.ts';
import { defaultLimits, noLimits, type CallLimits } from '../../machines/call/policy/call-limiters.ts';
import { isUsable } from '../../machines/catalog/tool-table.ts';
import type { Lists } from '../../machines/catalog/entries.ts';
import type { ServerPlan } from '../../machines/computer/computer.machine.ts';
import { launchSettingsOf, type LaunchSettings, type ServerConfig } from '../../machines/config/schemas.ts';
import type { Config } from '../../machines/config/parse.ts';
import { launchConfigOf } from '../../machines/config/launch-config.ts';
import { placeholdersIn, variablesIn } from '../../machines/config/placeholders.ts';
import type { Transformer } from '../../machines/call/transform.ts';

/** Calls to a URL at once; more wait in the call limiter of their server, where they are visible. */
const mostCalls = 32;

interface ServersOptions extends LaunchSpecsOptions {
  readonly inputs: Inputs;
  readonly policy: Policy;
  readonly accepted: (config: Config) => void;
  /** Without it each check starts its own thread. */
  readonly transformer?: Pick<Transformer, 'check'>;
  readonly cachedOf: (fingerprint: string) => Promise<Lists | null>;
}
interface KnownServer {
  readonly server: ServerConfig;
  readonly fingerprint: string;
  readonly generation: number;
  /** Count of events that can change values in the launch config, such as a new answer to an input. */
  readonly values: number;
  readonly cached: Lists | null;
  /** From its last run; null while the names of offered tools do not depend on them. */
  readonly lastTools: readonly string[] | null;
}
type Leaving = 'disabled' | 'removed';
/** Until it is put in force nothing has changed. */
interface Prepared {
  readonly config: Config;
  readonly known: ReadonlyMap<string, KnownServer>;
}

export class Servers {
  readonly #options: ServersOptions;
  #programs: Promise<Programs> | undefined;
  readonly #specs: LaunchSpecs;
  readonly #uses: InputUses;
  /** Servers whose clients are still closing, with the reason. */
  readonly #leaving = new Map<string, Leaving>();
  readonly #generations = new Map<string, number>();
  #known: ReadonlyMap<string, KnownServer> = new Map();
  readonly #before = new Map<string, readonly KnownServer[]>();
  #config: Config;

  constructor(config: Config, options: ServersOptions) {
    this.#config = config;
    this.#options = options;
    this.#specs = new LaunchSpecs(options);
    this.#uses = new InputUses(options.inputs);
  }
  get config(): Config {
    return this.#config;
  }
  names(): Iterable<string> {
    return this.#known.keys();
  }
  get(name: string): KnownServer | undefined {
    return this.#known.get(name);
  }
  /** Called before values of inputs are asked for and machines get the config. */
  async check({ servers }: Config): Promise<void> {
    if (servers.every(({ vrl }) => vrl === null)) return;
    this.#programs ??= during(import('./programs.ts')).then((m) => new m.Programs(this.#options.transformer));
    await (await this.#programs).mustBeRight(servers);
  }
  programOf(name: string): string | null {
    return this.#known.get(name)?.server.vrl ?? null;
  }
  async prepare(config: Config): Promise<Prepared> {
    await this.check(config);
    this.#options.accepted(config);
    const all = await Promise.all(config.servers.map(async (server) => this.#prepared(server, config)));
    return { config, known: new Map(all.map((known) => [known.server.name, known])) };
  }
  /** Returns the removed servers that have no client which would report their end. */
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
  /** Returns how the server left the config; undefined when it is enabled again. */
  left(name: string): Leaving | undefined {
    const leaving = this.#leaving.get(name) ?? 'removed';
    this.#leaving.delete(name);
    return leaving === 'disabled' && this.get(name)?.server.disabled !== true ? undefined : leaving;
  }
  /** Drops former configs. */
  proven(name: string): void {
    this.#before.delete(name);
  }
  askAgain(name: string): void {
    this.#uses.askAgain(name);
  }
  /** Resolves with the failure that would prevent a start now, if any. */
  async renew(name: string, signal: AbortSignal): Promise<Failure | undefined> {
    const server = this.#known.get(name)?.server;
    return server && this.#specs.renew(server, this.#launchSettings(server), signal);
  }
  async resolve(name: string, generation: number, signal: AbortSignal): Promise<SpecResolved> {
    const all = [this.#known.get(name), ...(this.#before.get(name) ?? [])];
    const server = all.find((known) => known?.generation === generation)?.server;
    if (!server)
      return {
        ok: false,
        failure: { code: wireCodes.notFound, message: `Server '${name}' is not in the config` },
      };
    const settings = this.#launchSettings(server);
    this.#uses.began(server, settings);
    return this.#specs.resolve(server, settings, signal);
  }
  #launchSettings(server: ServerConfig): LaunchSettings {
    return launchSettingsOf(server, this.#config.settings);
  }
  resolveNow(name: string, signal: AbortSignal): Promise<SpecResolved> {
    return this.resolve(name, this.#known.get(name)?.generation ?? 0, signal);
  }
  isOther(server: ServerConfig): boolean {
    const known = this.#known.get(server.name);
    return known !== undefined && known.fingerprint !== fingerprintOf(server);
  }
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
  plan(name: string): ServerPlan | undefined {
    const known = this.#known.get(name);
    if (!known || known.server.disabled) return undefined;
    const { server, ...facts } = known;
    return planOf(server, this.#config.settings, this.#options.policy, facts);
  }
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
  totalLimits(): CallLimits {
    const { totalConcurrency = noLimits.concurrency, totalQueue = defaultLimits.queue } =
      this.#config.settings;
    return { concurrency: totalConcurrency, queue: totalQueue };
  }
  shown(): object {
    return shownConfig(this.#config);
  }
  given(): GivenConfig {
    const known = [...this.#known].map(([name, { server: _, ...facts }]) => [name, facts] as const);
    return givenConfig(this.#config, this.#options.policy, Object.fromEntries(known));
  }

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
    const lists = isLazy ? await this.#options.cachedOf(fingerprint) : null;
    // Without its tools nothing would start it.
    const cached = lists?.tools ? lists : null;
    return { server, fingerprint, generation, values: known?.values ?? 0, cached, lastTools };
  }
}

interface Use {
  readonly inputs: readonly string[];
  readonly variables: readonly string[];
  grounds: string;
}
type WantedInputs = Pick<Inputs, 'groundsOf' | 'askAgain' | 'forgetAnswers'>;

class InputUses {
  readonly #inputs: WantedInputs;
  readonly #uses = new Map<string, Use>();

  constructor(inputs: WantedInputs) {
    this.#inputs = inputs;
  }
  began(server: ServerConfig, settings: LaunchSettings): void {
    const facts = launchConfigOf(server);
    const [inputs, variables] = [placeholdersIn(facts), [...variablesIn(facts), ...(settings.passEnv ?? [])]];
    const grounds = this.#grounds(inputs, variables, settings);
    this.#uses.set(server.name, { inputs, variables, grounds });
  }
  /** Changed since the last call. */
  hasOtherGrounds(name: string, settings: LaunchSettings): boolean {
    const use = this.#uses.get(name);
    const grounds = use && this.#grounds(use.inputs, use.variables, settings);
    if (!use || grounds === undefined || grounds === use.grounds) return false;
    use.grounds = grounds;
    return true;
  }
  askAgain(name: string): void {
    this.#inputs.askAgain(this.#uses.get(name)?.inputs ?? []);
  }
  /** Forgets answers that no server uses any more. */
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
}
