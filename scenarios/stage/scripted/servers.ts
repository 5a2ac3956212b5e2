import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type {
  Emit,
  PortInstance,
  ListKind,
  Ports,
  ProcessCommand,
  ProcessFact,
  SessionLost,
} from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { announce, Answering, whyNotAsked } from './answering.ts';
import { ChildTime } from './child-time.ts';
import { happen, type Hands } from './happenings.ts';
import { Remote } from './network/remote.ts';
import { Replies } from './replies.ts';
import {
  isSome,
  lostFailure,
  initialContext,
  notToday,
  silence,
  toolsOnly,
  waitsMs,
  type Child,
  type Death,
  type Pending,
  type Script,
  type Session,
} from './script.ts';

/** A member of a dead group holds the pipes: so long the real launcher waits for their end, then it cuts them. */
const pumpMs = 50;

/** Fakes of the ports `process` and `session`, and of the questions to sessions, on one virtual clock. */
export class ScriptedServers {
  readonly #clock: VirtualClock;
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #children = new Map<Address, Child>();
  readonly #sessions = new Map<Address, Session>();
  readonly #starts = new Map<string, number>();
  #pids = 100;
  /** What the servers were sent, for scenarios to look at: `cancelled tools/call at fs`. */
  readonly heard: string[] = [];
  /** Processes that were started while an older one of the same client lived. */
  readonly doubled: Address[] = [];
  readonly #time: ChildTime;
  readonly #hands: Hands;
  readonly #answering: Answering;
  readonly #remote: Remote;

  /** An answer above `resultBytes` fails its question. */
  constructor(
    clock: VirtualClock,
    scripts: Readonly<Record<string, Script>>,
    { resultBytes = Infinity }: { readonly resultBytes?: number } = {},
  ) {
    this.#clock = clock;
    this.#scripts = scripts;
    this.#time = new ChildTime(clock, (session) => this.#lose(session, { reason: 'stdin was closed' }));
    this.#hands = {
      now: () => clock.now(),
      after: (child, ms, run) => this.#time.after(child, ms, run),
      die: (child, death) => this.#die(child, death),
      lose: (session, lost) => this.#lose(session, lost),
    };
    this.#remote = new Remote({
      ...this.#hands,
      fail: (session, failure) => this.#fail(session, failure),
      sessions: () => this.#sessions.values(),
    });
    const replies = new Replies(this.#hands, resultBytes, this.heard);
    this.#answering = new Answering(this.#hands, replies, this.#time, this.heard);
  }
  /** Processes that live, members of groups counted. */
  get alive(): number {
    let n = 0;
    for (const child of this.#children.values()) n += (child.isAlive ? 1 : 0) + child.members;
    return n;
  }
  /** Children of which anything lives. */
  get groups(): number {
    return [...this.#children.values()].filter(isSome).length;
  }
  get openSessions(): number {
    return this.#sessions.size;
  }
  has(key: Address): boolean {
    return this.#sessions.has(key);
  }
  /** How whoever has an open session behaves. */
  behind(server: string): Script | undefined {
    const isOpen = ({ child, state }: Session): boolean => child.server === server && state === 'open';
    return [...this.#sessions.values()].find(isOpen)?.child.script;
  }
  startsOf(server: string): number {
    return this.#starts.get(server) ?? 0;
  }

  // ── what a scenario does to them ───────────────────────────────────────────────────────────────────
  kill(server: string, death: Death): void {
    const remote = [...this.#sessions.values()].filter((s) => s.isRemote).map((s) => s.child);
    for (const child of [...this.#children.values(), ...remote])
      if (child.server === server && child.isAlive) this.#die(child, death);
  }
  announce(server: string, list: ListKind = 'tools'): void {
    for (const s of this.#sessions.values())
      if (s.child.server === server) announce(s, { type: 'list.changed', list });
  }
  update(server: string, uri: string): void {
    for (const s of this.#sessions.values())
      if (s.child.server === server) announce(s, { type: 'resource.updated', uri });
  }
  /** A remote server knows the session no more. */
  expire(server: string): void {
    this.#loseAll(server, { reason: 'the server has forgotten this session', isExpired: true });
  }
  readonly breakStream = (server: string): void => this.#loseAll(server, { reason: 'stdout was closed' });
  #loseAll(server: string, lost: SessionLost): void {
    // Who hears of it may open another one at once.
    for (const s of [...this.#sessions.values()]) if (s.child.server === server) this.#lose(s, lost);
  }

  // ── the ports ──────────────────────────────────────────────────────────────────────────────────────
  readonly process: Ports['process'] = (_at, { server, key }, emit): PortInstance<ProcessCommand> => {
    for (const older of this.#children.values())
      if (nameOf(older.key) === nameOf(key) && isSome(older)) this.doubled.push(key);
    const child = this.#born(server, key, emit);
    const { missing, crashes, startMs = 1 } = child.script;
    this.#children.set(key, child);
    this.#time.after(child, startMs, () => {
      if (missing === true)
        emit({ type: 'child.failed', message: `command not found: ${server}`, isFinal: true });
      else if (missing) emit({ type: 'child.failed', message: `no descriptor is left for ${server}` });
      else if (child.isAlive) {
        happen(this.#hands, child, 'start');
        emit({ type: 'child.started', pid: child.pid });
      }
    });
    if (crashes) this.#time.after(child, startMs + crashes.afterMs, () => this.#die(child, crashes));
    return { tell: (command) => this.#command(child, command), close: () => this.#destroy(child) };
  };
  /** What any of them was launched with. */
  readonly secrets = (): readonly string[] => Object.values(this.#scripts).flatMap((s) => s.secrets ?? []);
  #born(server: string, key: Address, emit: Emit<ProcessFact>): Child {
    const n = this.startsOf(server) + 1;
    this.#starts.set(server, n);
    const base = this.#scripts[server] ?? {};
    const script = { ...base, ...base.later?.[n], ...base.at?.(n) };
    return initialContext({ key, server, script, emit, pid: (this.#pids += 1) });
  }
  readonly session: Ports['session'] = (_at, { server, key, process }, emit): PortInstance => {
    const isRemote = process === null;
    const unreached = isRemote ? this.#remote.whyNotReached(server) : undefined;
    const child = isRemote ? !unreached && this.#born(server, key, () => {}) : this.#children.get(process);
    if (!child || !child.isAlive) {
      const failure =
        unreached ?? lostFailure(isRemote ? 'the server cannot be reached' : 'its process is gone');
      const timer = this.#clock.setTimeout(() => emit({ type: 'session.failed', failure }), 0);
      return { tell() {}, close: () => this.#clock.clearTimeout(timer) };
    }
    const session: Session = { isRemote, child, key, emit, pending: new Set(), state: 'connecting' };
    child.session = session;
    this.#sessions.set(key, session);
    session.patience = this.#clock.setTimeout(() => emit(silence(this.#clock.now(), isRemote)), waitsMs);
    const { crashes, initialize = 1 } = child.script;
    if (isRemote && crashes) this.#time.after(child, crashes.afterMs, () => this.#die(child, crashes));
    this.#time.read(child, () => {
      if (happen(this.#hands, child, 'initialize')) return;
      const { afterMs = 1 } = typeof initialize === 'object' ? initialize : {};
      const ms = typeof initialize === 'number' ? initialize : afterMs;
      const open = (lateMs: number, broken?: Failure): void => {
        if (initialize === 'never') return;
        const how = broken ? { refuses: broken } : initialize;
        this.#time.after(child, ms + lateMs, () => this.#initialize(session, how));
      };
      if (isRemote) this.#remote.greet(session, open);
      else open(0);
    });
    return { tell() {}, close: () => this.#close(session) };
  };
  readonly request: Ports['request'] = (_from, { id, target: key, method, params }, emit) => {
    const session = this.#sessions.get(key);
    if (session?.state !== 'open') {
      const failure: Failure = { code: 'ServerNotActive', message: `no session ${key}` };
      emit({ type: 'ask.refused', id, sent: false, failure });
      return () => {};
    }
    const failure = whyNotAsked(method, session.child.script);
    if (failure) {
      emit({ type: 'ask.refused', id, sent: false, failure });
      return () => {};
    }
    const asked: Pending = { id, method, emit };
    session.pending.add(asked);
    this.#time.read(session.child, () => {
      const request = (): void => this.#answering.ask(session, asked, params);
      if (session.isRemote) this.#remote.meet(session, asked, params, request);
      else request();
    });
    return () => {
      if (session.pending.delete(asked)) this.#cancel(session, asked);
    };
  };
  #cancel({ child }: Session, { method, withdrawn }: Pending): void {
    this.heard.push(`cancelled ${method} at ${child.server}`);
    withdrawn?.();
  }
  /** By us: what is pending is withdrawn while the server can still hear it. */
  #close(session: Session): void {
    if (session.state === 'open') for (const asked of session.pending) this.#cancel(session, asked);
    this.#leave(session);
  }

  #initialize(session: Session, how: Script['initialize']): void {
    const { child, emit } = session;
    if (session.state !== 'connecting' || child.isSilent) return;
    if (how === 'dies') return this.#die(child, { code: 4 });
    if (how === 'error' || typeof how === 'object')
      return this.#fail(session, typeof how === 'object' ? how.refuses : notToday);
    session.state = 'open';
    this.#clock.clearTimeout(session.patience ?? 0);
    const said = { name: child.server, version: '1', protocolVersion: '2025-11-25', capabilities: toolsOnly };
    // The server hears that it is ready before it hears the first question.
    happen(this.#hands, child, 'ready');
    emit({ type: 'session.opened', info: { ...said, ...child.script.info } });
  }
  /** A signal goes to the whole group, the end of stdin to the leader. */
  #command(child: Child, command: ProcessCommand): void {
    const name = command.type === 'child.closeStdin' ? 'stdin' : command.signal;
    if (child.isAlive && name === 'SIGKILL')
      this.#time.after(child, 1, () => this.#die(child, { signal: name }), true);
    else if (child.isAlive && name === 'stdin') this.#time.read(child, () => this.#askToEnd(child, name));
    else if (child.isAlive && name === 'SIGTERM')
      this.#time.resumed(child, () => this.#askToEnd(child, name));
    if (child.members > 0 && name !== 'stdin' && (name === 'SIGKILL' || !child.areStubborn))
      this.#time.after(child, 1, () => this.#empty(child), true);
  }
  #askToEnd(child: Child, name: 'stdin' | 'SIGTERM'): void {
    const { ignores = [], ends } = child.script;
    if (happen(this.#hands, child, name === 'stdin' ? 'stdinEnd' : 'sigterm')) return;
    const ms = ends?.(name) ?? (ignores.includes(name) ? 'never' : 1);
    if (ms === 'never') return;
    child.isSilent = ms > 1;
    this.#time.after(child, ms, () => this.#die(child, name === 'stdin' ? { code: 0 } : { signal: name }));
  }
  #empty(child: Child): void {
    if (child.members === 0) return;
    child.members = 0;
    if (!child.isAlive) child.emit({ type: 'group.emptied' });
  }
  #die(child: Child, { code = null, signal = null, stderr = '', recent }: Death): void {
    if (!child.isAlive) return;
    child.isAlive = false;
    const tell = (): void => {
      if (child.session && !child.script.exitsFirst) this.#lose(child.session, { reason: 'stdout ended' });
      const said = (text: string): string => [text, ...(child.script.secrets ?? [])].join('\n').trim();
      const words = { stderr: said(stderr), ...(recent !== undefined && { recent: said(recent) }) };
      child.emit({ type: 'child.exited', code, signal, ...words, left: child.members });
    };
    if (!child.areHeld) return tell();
    this.#time.stop(child);
    this.#time.after(child, pumpMs, tell, true);
  }
  /** Whoever waits is refused first; a handshake that was not done fails. */
  #lose(session: Session, lost: SessionLost): void {
    const { state, emit } = session;
    if (state === 'over') return;
    const pending = [...session.pending];
    this.#leave(session);
    if (state === 'connecting') {
      const failure = lostFailure(`${lost.reason} before the handshake was done`);
      return emit({ type: 'session.failed', failure });
    }
    for (const { id, emit: refuse } of pending)
      refuse({ type: 'ask.refused', id, sent: true, lost: true, failure: lostFailure(lost.reason) });
    emit({ type: 'session.lost', ...lost });
  }
  #fail(session: Session, failure: Failure): void {
    if (session.state !== 'connecting') return;
    this.#leave(session);
    session.emit({ type: 'session.failed', failure });
  }
  #leave(session: Session): void {
    session.state = 'over';
    this.#clock.clearTimeout(session.patience ?? 0);
    session.pending.clear();
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
    session.child.session = undefined;
    if (session.isRemote) this.#time.stop(session.child);
  }
  /** Final: nothing of the group lives on, and nothing is said any more. */
  #destroy(child: Child): void {
    this.#time.stop(child);
    child.isAlive = false;
    child.members = 0;
    this.#children.delete(child.key);
  }
}
