import type { AnyEventObject, InspectionEvent } from 'xstate';
import { assemble } from '../actors/assemble.ts';
import { Directory } from '../actors/directory.ts';
import type { DirectoryRecord } from '../actors/records.ts';
import { Tap } from '../actors/tap.ts';
import type { AgentStart } from '../machines/agent.machine.ts';
import type { ToolMeta } from '../machines/catalog/index.ts';
import type { ComputerStart, ServerPlan } from '../machines/computer.machine.ts';
import type { AskFact, Give, Ports } from '../machines/ports.ts';
import type { CallSettled } from '../machines/settlement.ts';
import { timing, type Timing } from '../machines/timing.ts';
import { takenBy } from './charts.ts';
import { createNetwork, type Network } from './scripted/network.ts';
import { ScriptedServers, type Script } from './scripted/servers.ts';
import { lineOf, stepLine } from './trace.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface ServerOptions {
  readonly autoStart?: boolean;
  readonly restart?: boolean;
  readonly budget?: number;
  readonly meta?: ToolMeta | null;
  readonly toolMeta?: Readonly<Record<string, ToolMeta>>;
  readonly forbidden?: readonly string[];
}
export type Person = (question: { reqId: string; tool: string }) => boolean | 'never' | 'nobody';
export interface StageOptions {
  readonly servers?: Readonly<Record<string, Script>>;
  readonly options?: Readonly<Record<string, ServerOptions>>;
  readonly timing?: Partial<Timing>;
  /** Who confirms; by default nobody has to, because all tools apply by themselves. */
  readonly person?: Person;
  /** The order of timers that are due at one instant. */
  readonly seed?: number;
  /** Leaves and machines of a scenario's own making. */
  readonly mend?: (ports: Ports) => Ports;
  readonly kinds?: Parameters<typeof assemble>[1];
}
export interface AskedCall {
  readonly ticket: string;
  readonly settled: CallSettled[];
  cancel(): void;
}
const officeUrl = 'http://127.0.0.1:41000';

/** One whole system on virtual time: what a scenario plays on. Everything it does is written down as it happens. */
export class Stage {
  readonly clock: VirtualClock;
  readonly servers: ScriptedServers;
  readonly network: Network;
  readonly directory: Directory;
  readonly timing: Timing;
  readonly trace: string[] = [];
  readonly records: DirectoryRecord[] = [];
  readonly taken = new Set<string>();
  readonly calls: AskedCall[] = [];
  /** What the hosts of computer, agent and office heard. */
  readonly news: { readonly at: number; readonly who: string; readonly event: AnyEventObject }[] = [];
  readonly #options: StageOptions;
  readonly #started: string[] = [];

  constructor(options: StageOptions) {
    this.#options = options;
    this.clock = new VirtualClock(options.seed);
    this.servers = new ScriptedServers(this.clock, options.servers ?? {});
    this.network = createNetwork(this.clock);
    this.timing = { ...timing, ...options.timing };
    const tap = new Tap((error) => {
      throw error;
    });
    tap.add({ record: (r) => this.#record(r), inspect: (e) => this.#step(e) });
    const ports: Ports = {
      process: this.servers.process,
      session: this.servers.session,
      link: this.network.link,
      office: this.network.office,
      ask: (from, question, give) => this.#ask(from, question, give),
    };
    const { setTimeout, clearTimeout } = this.clock;
    const platform = {
      now: () => this.clock.now(),
      setTimeout,
      clearTimeout,
      ports: options.mend?.(ports) ?? ports,
    };
    this.directory = assemble(new Directory(platform, tap), options.kinds);
  }
  #record(record: DirectoryRecord): void {
    this.records.push(record);
    this.trace.push(lineOf(this.clock.now(), record));
  }
  #step(event: InspectionEvent): void {
    for (const transition of takenBy(event)) this.taken.add(transition);
    const line = stepLine(this.clock.now(), event);
    if (line !== null) this.trace.push(line);
  }
  #ask(...[from, question, give]: Parameters<Ports['ask']>): () => void {
    if (question.session === 'confirm') return this.#confirm(question, give);
    const port = this.servers.has(question.session) ? this.servers : this.network;
    return port.ask(from, question, give);
  }
  #confirm({ id, params }: { id: string; params?: unknown }, give: Give<AskFact>): () => void {
    const answer = this.#options.person?.(params as { reqId: string; tool: string }) ?? 'nobody';
    if (answer === 'never') return () => {};
    const failure = { code: 4005, message: 'nobody is here to confirm' } as const;
    const timer = this.clock.setTimeout(
      () =>
        give(
          answer === 'nobody'
            ? { type: 'ask.refused', id, sent: false, failure }
            : { type: 'ask.answered', id, result: answer },
        ),
      5,
    );
    return () => this.clock.clearTimeout(timer);
  }

  // ── who is on stage ────────────────────────────────────────────────────────────────────────────────
  #start(kind: string, input: object): void {
    const host = `host:${kind}`;
    this.directory.listen(host, (event) => {
      this.news.push({ at: this.clock.now(), who: kind, event });
      if (event.type === 'call.settled') {
        const settled = event as CallSettled;
        this.calls.find((c) => c.ticket === settled.ticket)?.settled.push(settled);
      }
    });
    this.directory.start(kind, input, host);
    this.#started.push(kind);
  }
  /** A second root of a kind, under a name of its own. */
  alias(name: string, kind: string): void {
    const machine = this.directory.kinds[kind];
    if (machine) this.directory.kinds = { ...this.directory.kinds, [name]: machine };
  }
  office(): void {
    this.#start('office', { host: '127.0.0.1', port: 41_000 });
    this.run(1);
  }
  computer({ name = 'c1', linked = false }: { name?: string; linked?: boolean } = {}): void {
    const input: ComputerStart = {
      servers: Object.keys(this.#options.servers ?? {}).map((server) => this.#plan(server)),
      link: linked ? { url: officeUrl, role: 'computer', name, office: 'o' } : null,
      timing: this.timing,
    };
    this.#start('computer', input);
  }
  agent(name = 'a1'): void {
    const input: AgentStart = { link: { url: officeUrl, name, office: 'o' }, timing: this.timing };
    this.#start('agent', input);
  }
  #plan(server: string): ServerPlan {
    const o = this.#options.options?.[server] ?? {};
    const { person } = this.#options;
    return {
      rules: {
        server,
        forbiddenTools: o.forbidden ?? [],
        toolMeta: o.toolMeta ?? {},
        defaultToolMeta: o.meta === undefined ? { auto_apply: person === undefined } : o.meta,
      },
      client: {
        autoStart: o.autoStart ?? true,
        restart: o.restart ?? true,
        budget: o.budget ?? 5,
        timing: this.timing,
      },
    };
  }

  // ── what happens ───────────────────────────────────────────────────────────────────────────────────
  run(ms: number): void {
    this.clock.advance(ms);
  }
  /** A call of the computer's own host. */
  call(tool: string, { reqId = `r${this.calls.length + 1}`, timeoutMs = 60_000 } = {}): AskedCall {
    const ticket = `host.${this.calls.length + 1}.${reqId}`;
    const call = { ticket, reqId, tool, params: {}, timeoutMs };
    return this.#asked('computer', ticket, { type: 'tool.call', call, replyTo: 'host:computer' });
  }
  /** A call of the agent's host, through the office. */
  agentCall(
    tool: string,
    { reqId = `r${this.calls.length + 1}`, timeoutMs = 60_000, computer = 'c1' } = {},
  ): AskedCall {
    const ticket = reqId;
    const call = { type: 'agent.call', ticket, reqId, computer, tool, params: {}, timeoutMs };
    return this.#asked('agent', ticket, { ...call, replyTo: 'host:agent' });
  }
  #asked(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): AskedCall {
    const settled: CallSettled[] = [];
    const cancel = (): void =>
      this.directory.send(who, { type: 'call.cancel', ticket, reason: 'asked' } as AnyEventObject);
    const asked = { ticket, settled, cancel };
    this.calls.push(asked);
    this.directory.send(who, event);
    return asked;
  }
  order(who: string, event: AnyEventObject): void {
    this.directory.send(who, event);
  }
  close(who?: string): void {
    for (const kind of who === undefined ? this.#started.toReversed() : [who])
      if (this.directory.find(kind)) this.directory.send(kind, { type: 'close' });
  }

  // ── what there is to see ───────────────────────────────────────────────────────────────────────────
  /** The state value of whoever lives there now, as compact JSON; undefined when nobody does. */
  state(address: string): string | undefined {
    const snapshot = this.directory.find(address)?.ref.getSnapshot() as { value: unknown } | undefined;
    return snapshot && JSON.stringify(snapshot.value).replaceAll('"', '');
  }
  heard(who: string, type: string): AnyEventObject[] {
    return this.news.filter((n) => n.who === who && n.event.type === type).map((n) => n.event);
  }
}
