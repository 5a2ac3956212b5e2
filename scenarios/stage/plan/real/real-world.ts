import { loginsFor } from '../../../../actors/servers/logins.ts';
import type { AnyEventObject } from 'xstate';
import type { Recorder } from '../../../../actors/recording/recorder.ts';
import { defaultLimits } from '../../../../machines/call/policy/index.ts';
import type { Confirm } from '../../../../actors/api/computer-options.ts';
import { Runtime, type HostedMachine } from '../../../../actors/api/runtime.ts';
import { Tap } from '../../../../actors/runtime/tap.ts';
import type { Permission } from '../../../../machines/call/permission.ts';
import type { DirectoryRecord } from '../../../../machines/trace/index.ts';
import type { Fault } from '../../../fault-server/words/fault.ts';
import type { SeenRecord } from '../../../invariants/invariant.ts';
import { recorderOf } from '../../recording.ts';
import { ScriptedSpecs } from '../../scripted/specs.ts';
import { randomOf } from '../../virtual-clock.ts';
import { Cable } from '../virtual/cable.ts';
import { Observed } from '../observations.ts';
import {
  personIn,
  type OutsideSignal,
  type PermissionData,
  type PersonData,
  type Plan,
  type Root,
} from '../plan.ts';
import { livesGroup } from '../living.ts';
import { launchAt } from './real-launch.ts';
import { RealRemotes } from './real-remote.ts';
import { agentOf, computerOf, seedOf, type Wait, type Waits, type World } from '../world.ts';

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

/** A plan played by real processes, pipes and sockets. */
export class RealWorld implements World {
  readonly isExact = false;
  readonly observed = new Observed();
  readonly seen: SeenRecord[] = [];
  readonly recorder: Recorder;
  readonly runtime: Runtime;
  readonly specs = new ScriptedSpecs({ setTimeout, clearTimeout: (timer) => clearTimeout(timer as number) });
  readonly random: () => number;
  /** Errors of those who watch. */
  readonly blunders: unknown[] = [];
  readonly #plan: Plan;
  readonly #hosted = new Map<Root, HostedMachine>();
  readonly #pids = new Set<number>();
  readonly #starts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  readonly #began = performance.now();
  /** The wires of computer and agent to the office. */
  readonly #cables = new Map<Root, Cable>();
  readonly #remotes: RealRemotes;
  #isTold = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.random = randomOf(seedOf(plan) ?? 1);
    this.recorder = recorderOf({ now: () => performance.now() }, { kind: 'real' });
    const tap = new Tap((error) => this.blunders.push(error));
    tap.add({ record: (record) => this.#see(record) });
    tap.add(this.recorder);
    // What the recorder of the product does is not what is played here.
    this.runtime = new Runtime({ tap, record: false, reaper: false, stateDir: false });
    // Nobody is there to log in.
    loginsFor(this.runtime, {}, false);
    this.#remotes = new RealRemotes(plan, this.runtime);
    this.runtime.specs = this.specs.request;
    this.runtime.calls.limitsOf = (server) =>
      plan.servers.find(({ name }) => name === server)?.limits ?? defaultLimits;
    const { person, permission, total } = plan;
    if (total) this.runtime.calls.total = () => total;
    if (permission) this.runtime.calls.permission = rules[permission];
    if (person) this.runtime.calls.confirm = personOf(person);
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
    // Not in the middle of what an input leads to: when all of it is done.
    queueMicrotask(() => {
      this.#isTold = false;
      this.#look();
    });
  }
  /** The launcher asks for the command after this. */
  #launchNext(record: DirectoryRecord): void {
    if (record.k !== 'out' || record.ev.type !== 'leaf.open') return;
    const { input } = record.ev as unknown as { input: { server: string; spec: number } };
    const { server: name, spec } = input;
    if (record.port === 'session') return this.#remotes.introduce(name, spec);
    if (record.port !== 'process') return;
    const server = this.#plan.servers.find((s) => s.name === name);
    const start = (this.#starts.get(name) ?? 0) + 1;
    this.#starts.set(name, start);
    if (server) this.runtime.introduce(name, spec, { process: launchAt(server, start) });
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
  begin(who: Root): void {
    throw new Error(`${who} cannot be started again for real`);
  }
  code(): never {
    throw new Error('code is played in virtual time only');
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
    const child = this.runtime.ledger.list().find((each) => each.key === key);
    if (child?.pid !== undefined) process.kill(child.pid, signal);
  }
  happen(fault: Fault): void {
    const ms = Number(fault['ms'] ?? 0);
    if (fault.fault === 'host.eventLoopStall')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    else if (fault.fault === 'agent.disconnect') this.#cables.get('agent')?.cut(ms);
    else if (fault.fault === 'net.down') this.#cables.get(fault['who'] as Root)?.cut(ms);
    else throw new Error(`${fault.fault} cannot be played for real`);
  }

  // ── time ───────────────────────────────────────────────────────────────────────────────────────────
  /** Resolves when it is there, with what is wrong when it does not come. */
  wait(wait: Wait, patienceMs: number): Promise<string | undefined> {
    return new Promise((resolve) => {
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
  /** Everybody is asked to end; resolves when everything has. */
  async close(patienceMs: number): Promise<void> {
    for (const hosted of [...this.#hosted.values()].toReversed()) await this.runtime.end(hosted, patienceMs);
    for (const cable of this.#cables.values()) cable.close();
    await this.runtime.close();
    await this.#remotes.close();
  }
  /** Groups of processes that we started and of which somebody lives. */
  get left(): number[] {
    return [...this.#pids].filter(livesGroup);
  }
}
