import type { Runtime } from '../../../../actors/api/runtime.ts';
import { startRemote, type RemoteServer } from '../../../fixtures/remote-server.ts';
import type { Plan, ServerData } from '../plan.ts';

/** They end by themselves after so long, whatever becomes of us. */
const lifeMs = 60_000;
const configOf = ({ name, tools = {}, faults = [], later = {}, resources = [] }: ServerData) => ({
  name,
  tools,
  faults,
  later,
  resources,
  lifeMs,
});

/** The servers of a plan that are reached over HTTP, each a fault server at a URL. */
export class RealRemotes {
  readonly #plan: Plan;
  readonly #runtime: Runtime;
  readonly #servers = new Map<string, RemoteServer>();
  /** Each rejects when its server does not stand. */
  #starting: readonly Promise<void>[] = [];

  constructor(plan: Plan, runtime: Runtime) {
    this.#plan = plan;
    this.#runtime = runtime;
  }
  get #wanted(): readonly ServerData[] {
    return this.#plan.servers.filter(({ isRemote }) => isRemote);
  }
  get areUp(): boolean {
    return this.#servers.size === this.#wanted.length;
  }
  /** `told` is called whenever one stands. */
  start(told: () => void): void {
    this.#starting = this.#wanted.map(async (server) => {
      this.#servers.set(server.name, await startRemote(configOf(server)));
      told();
    });
    // Told when all is over: until then they are waited for.
    for (const each of this.#starting) each.catch(() => {});
  }
  /** Whoever connects asks for the URL after this. */
  introduce(name: string, spec: number): void {
    const url = this.#servers.get(name)?.url;
    if (url === undefined) return;
    // What bounds a handshake is the machines' business.
    const timing = { timeoutMs: 0, sseReadTimeoutMs: 0 };
    const remote = { kind: 'streamable', url, headers: {}, terminateOnClose: true, ...timing } as const;
    this.#runtime.introduce(name, spec, { remote });
  }
  async close(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await Promise.all(this.#starting);
  }
}
