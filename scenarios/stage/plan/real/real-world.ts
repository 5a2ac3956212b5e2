import { LazyLogins } from '../../../../actors/api/lazy-logins.ts';
import type { AnyEventObject } from 'xstate';
import type { Recorder } from '../../../../actors/recording/recorder.ts';
import { defaultLimits } from '../../../../machines/call/policy/call-limiters.ts';
import type { Confirm } from '../../../../actors/api/computer-options.ts';
import { agentPart } from '../../../../actors/api/agent-part.ts';
import { computerPart } from '../../../../actors/api/computer-part.ts';
import { officePart } from '../../../../actors/api/office-part.ts';
import { Runtime, type HostedMachine } from '../../../../actors/api/runtime.ts';
import { Tap } from '../../../../actors/runtime/directory.ts';
import type { Permission } from '../../../../machines/call/policy/permission.ts';
import type { DirectoryRecord } from '../../../../machines/trace/record.ts';
import { type Fault, wordOf } from '../../../fault-server/words/fault.ts';
import type { SeenRecord } from '../../../invariants/invariant.ts';
import { recorderOf } from '../../recording.ts';
import { ScriptedSpecs } from '../../scripted/host-ports.ts';
import { randomOf } from '../../virtual-clock.ts';
import { Observed } from '../observations.ts';
import {
  personIn,
  type OutsideSignal,
  type PermissionData,
  type PersonData,
  type Plan,
  type Root,
  type Behaviour,
  type ServerData,
} from '../plan.ts';
import { agentOf, computerOf, seedOf, type Wait, type Waits, type World } from '../world.ts';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startRemote, type RemoteServer } from '../../../fixtures/remote-server.ts';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServersPart } from '../../../../actors/api/servers-part.ts';

const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
};
const takesSignals = (group: number): boolean => {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
};
/** A process that is dead but not reaped answers signals too; without /proc the two cannot be told apart. */
const isMember = (group: number) => (pid: string) => {
  const stat = statOf(pid);
  const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(pgrp) === group && state !== 'Z' && state !== 'X';
};

/** Does not use the adapters, because they are under test. */
export function livesGroup(group: number): boolean {
  if (!takesSignals(group)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some(isMember(group));
}

const faultServer = fileURLToPath(new URL('../../../fault-server/fault-server.mjs', import.meta.url));

/** Then a fault server ends by itself, even when the test run has died. */
const lifeMs = 60_000;
const unstartable: Readonly<Record<string, string>> = {
  ENOENT: 'no-such-command-anywhere',
  EACCES: tmpdir(),
};

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function behaviourAt(
  { tools = {}, faults = [], later = {} }: ServerData,
  start: number,
): Required<Behaviour> {
  const steps = Object.entries(later).toSorted(([a], [b]) => Number(a) - Number(b));
  const [, step] = steps.findLast(([from]) => Number(from) <= start) ?? [];
  return { tools: step?.tools ?? tools, faults: step?.faults ?? faults };
}
/** Each start is launched with its own faults, so a crash loop is a series of starts that crash. */
const inStart =
  (start: number) =>
  (fault: Fault): Fault[] => {
    if (fault.fault !== 'proc.crashLoop') return wordOf(fault.fault)?.where === 'server' ? [fault] : [];
    const { n, ...rest } = fault;
    return start <= Number(n) ? [{ ...rest, fault: 'proc.exit' }] : [];
  };

export function launchAt(server: ServerData, start: number): Launch {
  const { tools, faults } = behaviourAt(server, start);
  const unstarted = faults.find(({ fault }) => fault === 'proc.spawnError');
  const slow = faults.find(({ fault }) => fault === 'proc.spawnSlow');
  if (unstarted) {
    const command = unstartable[String(unstarted['errno'])];
    if (command === undefined) throw new Error(`${String(unstarted['errno'])} cannot be had for real`);
    return { command, args: [], env: {} };
  }
  const config = JSON.stringify({
    name: server.name,
    tools,
    faults: faults.flatMap(inStart(start)),
    lifeMs,
    ...(server.resources && { resources: server.resources }),
  });
  const args = [faultServer, config];
  if (!slow) return { command: process.execPath, args, env: {} };
  const seconds = (Number(slow['ms']) / 1000).toFixed(3);
  return {
    command: 'sh',
    args: ['-c', `sleep ${seconds}; exec "$0" "$@"`, process.execPath, ...args],
    env: {},
  };
}

const configOf = ({ name, tools = {}, faults = [], later = {}, resources = [] }: ServerData) => ({
  name,
  tools,
  faults,
  later,
  resources,
  lifeMs,
});

export class RealRemotes {
  readonly #plan: Plan;
  readonly #part: ServersPart;
  readonly #servers = new Map<string, RemoteServer>();
  /** Each rejects when its server does not start. */
  #starting: readonly Promise<void>[] = [];

  constructor(plan: Plan, part: ServersPart) {
    this.#plan = plan;
    this.#part = part;
  }
  get #wanted(): readonly ServerData[] {
    return this.#plan.servers.filter(({ isRemote }) => isRemote);
  }
  get areUp(): boolean {
    return this.#servers.size === this.#wanted.length;
  }
  /** `told` is called each time that one is up. */
  start(told: () => void): void {
    this.#starting = this.#wanted.map(async (server) => {
      this.#servers.set(server.name, await startRemote(configOf(server)));
      told();
    });
    // Errors are reported at the end, when the starts are awaited.
    for (const each of this.#starting) each.catch(() => {});
  }
  /** Sets the fault server that the next connection to this URL belongs to. */
  introduce(name: string, spec: number): void {
    const url = this.#servers.get(name)?.url;
    if (url === undefined) return;
    // Time limits of the handshake are set by the machines.
    const timing = { timeoutMs: 0, sseReadTimeoutMs: 0 };
    const remote = { kind: 'streamable', url, headers: {}, terminateOnClose: true, ...timing } as const;
    this.#part.introduce(name, spec, { remote });
  }
  async close(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await Promise.all(this.#starting);
  }
}

export class Cable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCutUntil = 0;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (performance.now() < this.#isCutUntil) return void near.destroy();
      const far = connect(port, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }
  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port);
    cable.#server.listen(0, '127.0.0.1');
    await once(cable.#server, 'listening');
    return cable;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  /** Both ends notice at once, and no connection succeeds meanwhile. */
  cut(ms: number): void {
    this.#isCutUntil = performance.now() + ms;
    for (const socket of this.#sockets) socket.destroy();
  }
  close(): void {
    this.#server.close();
    this.cut(Infinity);
  }
}

const answers = { yes: 'allow', always: 'allowForSession', no: 'deny' } as const;
function personOf(data: PersonData): Confirm {
  const { word, afterMs = 0 } = personIn(data);
  if (word === 'nobody') return 'deny';
  if (word === 'never') return () => new Promise(() => {});
  return () => new Promise((resolve) => setTimeout(() => resolve(answers[word]), afterMs).unref());
}

const rules: Readonly<Record<PermissionData, Permission>> = {
  allow: () => 'allow',
  ask: () => 'ask',
  deny: () => 'deny',
  throws: () => Promise.reject(new Error('no rule today')),
  never: () => new Promise(() => {}),
};

export class RealWorld implements World {
  readonly isExact = false;
  readonly observed = new Observed();
  readonly seen: SeenRecord[] = [];
  readonly recorder: Recorder;
  readonly runtime: Runtime;
  readonly servers: ServersPart;
  readonly specs = new ScriptedSpecs({ setTimeout, clearTimeout: (timer) => clearTimeout(timer as number) });
  readonly random: () => number;
  readonly blunders: unknown[] = [];
  readonly #plan: Plan;
  readonly #hosted = new Map<Root, HostedMachine>();
  readonly #pids = new Set<number>();
  readonly #starts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  readonly #began = performance.now();
  readonly #cables = new Map<Root, Cable>();
  readonly #remotes: RealRemotes;
  readonly #logins: LazyLogins;
  #isTold = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.random = randomOf(seedOf(plan) ?? 1);
    this.recorder = recorderOf({ now: () => performance.now() }, { kind: 'real' });
    const tap = new Tap((error) => this.blunders.push(error));
    tap.add({ record: (record) => this.#see(record) });
    tap.add(this.recorder);
    // The product's own recorder is not under test here.
    this.runtime = new Runtime({ tap, record: false, reaper: false, stateDir: false });
    this.runtime.use(officePart);
    this.runtime.use(agentPart);
    this.servers = this.runtime.use(computerPart).servers;
    const { servers } = this;
    this.#logins = new LazyLogins(servers, {}, false);
    this.#remotes = new RealRemotes(plan, servers);
    servers.specs = this.specs.request;
    servers.calls.limitsOf = (server) =>
      plan.servers.find(({ name }) => name === server)?.limits ?? defaultLimits;
    const { person, permission, total } = plan;
    if (total) servers.calls.total = () => total;
    if (permission) servers.calls.permission = rules[permission];
    if (person) servers.calls.confirm = personOf(person);
  }
  #see(record: DirectoryRecord): void {
    const seen = { at: performance.now() - this.#began, record };
    this.seen.push(seen);
    this.#launchNext(record);
    const { k, ev } = record as { k: string; ev?: { type: string; pid?: number } };
    if (k === 'in' && ev?.type === 'child.started' && ev.pid !== undefined) this.#pids.add(ev.pid);
    this.observed.take(seen);
    if (this.#isTold) return;
    this.#isTold = true;
    // Waiters are checked after everything that an input leads to is done, not in the middle.
    queueMicrotask(() => {
      this.#isTold = false;
      this.#look();
    });
  }
  #launchNext(record: DirectoryRecord): void {
    if (record.k !== 'out' || record.ev.type !== 'leaf.open') return;
    const { input } = record.ev as unknown as { input: { server: string; spec: number } };
    const { server: name, spec } = input;
    if (record.port === 'session') return this.#remotes.introduce(name, spec);
    if (record.port !== 'process') return;
    const server = this.#plan.servers.find((s) => s.name === name);
    const start = (this.#starts.get(name) ?? 0) + 1;
    this.#starts.set(name, start);
    if (server) this.servers.introduce(name, spec, { process: launchAt(server, start) });
  }
  #start(kind: Root, input: object): void {
    this.#hosted.set(
      kind,
      this.runtime.start(kind, input, () => {}),
    );
  }
  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
  *boot(): Waits {
    this.#remotes.start(() => this.#look());
    yield { what: 'servers at URLs', until: () => this.#remotes.areUp };
    if (!this.#plan.office) return this.#start('computer', computerOf(this.#plan, null));
    this.#start('office', { host: '127.0.0.1', port: 0 });
    const opened = () => this.observed.heardBy('office', 'office.opened')[0]?.event;
    yield { what: 'the office to open', until: () => opened() !== undefined };
    const { url, port } = opened() as unknown as { url: string; port: number };
    for (const who of ['computer', 'agent'] as const)
      void Cable.to(port).then((cable) => {
        this.#cables.set(who, cable);
        this.#look();
      });
    yield { what: 'wires to the office', until: () => this.#cables.size === 2 };
    this.#start('computer', computerOf(this.#plan, this.#cables.get('computer')?.url ?? url));
    this.#start('agent', agentOf(this.#plan, this.#cables.get('agent')?.url ?? url));
  }
  begin(who: Root): never {
    throw new Error(`${who} cannot be started again for real`);
  }
  clearFaults(): void {
    throw new Error('faults of real servers cannot be cleared');
  }
  quiescent(): readonly string[] {
    throw new Error('nobody knows when a real system is quiescent');
  }
  ask(who: 'computer' | 'agent', _ticket: string, event: AnyEventObject): void {
    const replyTo = this.#hosted.get(who)?.host;
    const calling = event['call'] === undefined ? { ...event, replyTo } : { ...event, replyTo };
    this.order(who, calling);
  }
  order(who: Root, event: AnyEventObject): void {
    if (this.runtime.directory.find(who)) this.runtime.directory.send(who, event);
  }
  kill(server: string, signal: OutsideSignal): void {
    const key = this.observed.childOf(server);
    const child = this.servers.ledger.list().find((each) => each.key === key);
    if (child?.pid !== undefined) process.kill(child.pid, signal);
  }
  transfer(): never {
    throw new Error('large contents of a plan are played in virtual time only');
  }
  happen(fault: Fault): void {
    const ms = Number(fault['ms'] ?? 0);
    if (fault.fault === 'host.eventLoopStall')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    else if (fault.fault === 'agent.disconnect') this.#cables.get('agent')?.cut(ms);
    else if (fault.fault === 'net.down') this.#cables.get(fault['who'] as Root)?.cut(ms);
    else throw new Error(`${fault.fault} cannot be played for real`);
  }

  /** Resolves with an explanation after `patienceMs`. */
  wait(wait: Wait, patienceMs: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      if ('act' in wait) throw new Error('code is played in virtual time only');
      if ('ms' in wait) return void setTimeout(() => resolve(undefined), wait.ms);
      if (wait.until()) return resolve(undefined);
      const done = (wrong?: string): void => {
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve(wrong);
      };
      const look = (): void => {
        if (wait.until()) done();
      };
      const timer = setTimeout(() => done(`waited for ${wait.what}, and it never came`), patienceMs);
      this.#waiting.add(look);
    });
  }
  async close(patienceMs: number): Promise<void> {
    for (const hosted of [...this.#hosted.values()].toReversed()) await this.runtime.end(hosted, patienceMs);
    for (const cable of this.#cables.values()) cable.close();
    await this.runtime.close();
    await this.#remotes.close();
    await this.#logins.close();
  }
  get left(): number[] {
    return [...this.#pids].filter(livesGroup);
  }
}
