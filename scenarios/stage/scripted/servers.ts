import { nameOf, type Address } from '../../../machines/kernel/effects.ts';
import type { Emit, PortInstance, RequestPort } from '../../../machines/kernel/ports.ts';
import type { ListKind } from '../../../machines/ports/session.ts';
import type { ProcessCommand, ProcessFact } from '../../../machines/ports/process.ts';
import { sessionPortOf, type SessionPort } from '../../../adapters/mcp/port.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { Answering, ChildTime, happen, type Hands, Replies } from './answering.ts';
import { Remote } from './network/remote.ts';
import {
  isSome,
  initialContext,
  toolsOnly,
  type Child,
  type Death,
  type Pending,
  type RemoteEnd,
  type Script,
  type Session,
} from './script.ts';
import { listChanged, Pipes, resourceUpdated, type Message, type News } from './wires.ts';
import type { StagePorts } from '../ports.ts';
import { loadWeb } from '../../../adapters/mcp/transports.ts';

// Beforehand, because loading takes real time.
await loadWeb();

/** For the end of pipes that a member of a dead group still holds; then the launcher cuts them. */
const pumpMs = 50;

/** Turns of the event loop without an event after which no promise has work left. */
const quietTurns = 2;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** With the servers at the far end of real sessions, on one virtual clock: behind pipes, or at a URL. */
export class ScriptedServers {
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #children = new Map<Address, Child>();
  readonly #pipes = new Map<Address, Pipes>();
  readonly #sessions = new Set<Session>();
  readonly #starts = new Map<string, number>();
  #pids = 100;
  /** Such as `cancelled tools/call at fs`. */
  readonly heard: string[] = [];
  /** Started while an older one of the same client lived. */
  readonly doubled: Address[] = [];
  readonly #time: ChildTime;
  readonly #hands: Hands;
  readonly #answering: Answering;
  readonly #remote: Remote;

  #isQuiet = true;
  readonly #port: SessionPort;
  /** With whether the session is one over HTTP. */
  readonly #clients = new Map<Address, boolean>();

  constructor(clock: VirtualClock, scripts: Readonly<Record<string, Script>>) {
    this.#scripts = scripts;
    this.#time = new ChildTime(clock);
    this.#hands = {
      now: () => clock.now(),
      after: (child, ms, run) => this.#time.after(child, ms, run),
      die: (child, death) => this.#die(child, death),
      lose: (session) => session.end(),
    };
    this.#remote = new Remote({
      ...this.#hands,
      stir: () => (this.#isQuiet = false),
      begin: (server, remote) => this.#begin(server, remote),
      hear: (session, message, read) => this.#hear(session, message, read),
      leave: (session) => {
        this.#time.stop(session.child);
        this.#leave(session);
      },
    });
    this.#answering = new Answering(this.#hands, new Replies(this.#hands), this.#time, this.heard);
    this.#port = sessionPortOf({
      clientInfo: { name: 'stage', version: '1' },
      ledger: { streamsOf: (process) => this.#pipes.get(process) },
      remoteOf: this.#remote.specOf,
      openRequest: this.#remote.openRequest,
      timers: {
        setTimeout: (fire, ms) =>
          clock.setTimeout(() => {
            this.#isQuiet = false;
            fire();
          }, ms),
        clearTimeout: clock.clearTimeout,
      },
      now: () => clock.now(),
    });
  }
  get alive(): number {
    let n = 0;
    for (const child of this.#children.values()) n += (child.isAlive ? 1 : 0) + child.members;
    return n;
  }
  get groups(): number {
    return [...this.#children.values()].filter(isSome).length;
  }
  get openSessions(): number {
    return this.#clients.size;
  }
  /** Waits for two quiet turns, because a client over HTTP may end its session a turn later. */
  async settled(): Promise<void> {
    for (let quiet = this.#isQuiet ? quietTurns : 0; quiet < quietTurns;) {
      this.#isQuiet = true;
      await turn();
      quiet = this.#isQuiet ? quiet + 1 : 0;
    }
  }
  #stir(client: Address): void {
    if (this.#clients.get(client)) this.#isQuiet = false;
  }
  has(key: Address): boolean {
    return this.#clients.has(key);
  }
  behind(server: string): Script | undefined {
    const isOpen = ({ child, state }: Session): boolean => child.server === server && state === 'open';
    return [...this.#sessions].findLast(isOpen)?.child.script;
  }
  startsOf(server: string): number {
    return this.#starts.get(server) ?? 0;
  }

  kill(server: string, death: Death): void {
    const remote = this.#of(server).flatMap(({ child, remote: end }) => (end ? [child] : []));
    for (const child of [...this.#children.values(), ...remote])
      if (child.server === server) this.#die(child, death);
  }
  announce(server: string, list: ListKind = 'tools'): void {
    this.#say(server, listChanged(list));
  }
  update(server: string, uri: string): void {
    this.#say(server, resourceUpdated(uri));
  }
  expire(server: string): void {
    for (const s of this.#of(server)) this.#remote.forget(s);
  }
  readonly breakStream = (server: string): void => {
    for (const s of this.#of(server)) s.end();
  };
  #say(server: string, news: News): void {
    for (const s of this.#of(server)) if (s.state === 'open') s.write(news);
  }
  #of(server: string): Session[] {
    return [...this.#sessions].filter(({ child }) => child.server === server);
  }

  readonly process: StagePorts['process'] = (_at, { server, key }, emit): PortInstance<ProcessCommand> => {
    for (const older of this.#children.values())
      if (nameOf(older.key) === nameOf(key) && isSome(older)) this.doubled.push(key);
    const child = this.#born(server, key, emit);
    const { missing, crashes, startMs = 1 } = child.script;
    this.#children.set(key, child);
    if (child.isAlive) this.#pipes.set(key, this.#pipesTo(child));
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
  readonly secrets = (): readonly string[] => Object.values(this.#scripts).flatMap((s) => s.secrets ?? []);
  #born(server: string, key: Address, emit: Emit<ProcessFact>): Child {
    const n = this.startsOf(server) + 1;
    this.#starts.set(server, n);
    const base = this.#scripts[server] ?? {};
    const script = { ...base, ...base.later?.[n], ...base.at?.(n) };
    return initialContext({ key, server, script, emit, pid: (this.#pids += 1) });
  }
  readonly session: StagePorts['session'] = (at, input, emit): PortInstance => {
    const { key } = input;
    this.#clients.set(key, input.process === null);
    this.#stir(key);
    const { tell, close } = this.#port.open(at, input, emit);
    return {
      tell,
      close: () => {
        this.#stir(key);
        this.#clients.delete(key);
        close();
      },
    };
  };
  readonly request: RequestPort = (...asked) => {
    const [, { target }] = asked;
    this.#stir(target);
    const withdraw = this.#port.request(...asked);
    return () => {
      this.#stir(target);
      withdraw();
    };
  };

  #pipesTo(child: Child): Pipes {
    const pipes = new Pipes((message) => {
      if (child.isInputClosed) pipes.break();
      else this.#hear(session, message);
    });
    const session: Session = {
      child,
      pending: new Map(),
      state: 'connecting',
      write: (message) => pipes.write(JSON.stringify(message)),
      end: () => {
        this.#leave(session);
        pipes.end();
      },
    };
    child.session = session;
    this.#sessions.add(session);
    return pipes;
  }
  #begin(server: string, remote: RemoteEnd): Session {
    const child = this.#born(server, `remote ${server}`, () => {});
    const { write, end } = remote;
    const session: Session = { remote, child, pending: new Map(), state: 'connecting', write, end };
    child.session = session;
    this.#sessions.add(session);
    const { crashes } = child.script;
    if (crashes) this.#time.after(child, crashes.afterMs, () => this.#die(child, crashes));
    return session;
  }
  #hear(session: Session, message: Message, read = (): void => {}): void {
    this.#time.read(session.child, () => {
      this.#read(session, message);
      read();
    });
  }
  #read(session: Session, { id, method, params = {} }: Message): void {
    const { child, pending } = session;
    if (session.state === 'over') return;
    if (method === 'notifications/cancelled') return this.#cancel(session, params);
    if (method === 'notifications/initialized') {
      session.state = 'open';
      happen(this.#hands, child, 'ready');
    }
    if (id === undefined) return;
    const asked: Pending = { id, method };
    const request = (lateMs = 0): void => {
      if (method === 'initialize') return this.#greet(session, asked, lateMs);
      if (lateMs > 0) asked.lateMs = lateMs;
      this.#answering.ask(session, asked, params);
    };
    if (method !== 'initialize') pending.set(id, asked);
    if (session.remote) this.#remote.meet(session, asked, params, request);
    else request();
  }
  #greet(session: Session, asked: Pending, lateMs: number): void {
    const { child } = session;
    if (happen(this.#hands, child, 'initialize')) return;
    const { initialize = 1 } = child.script;
    const { afterMs = 1 } = typeof initialize === 'object' ? initialize : {};
    const ms = typeof initialize === 'number' ? initialize : afterMs;
    if (initialize === 'never') return;
    this.#time.after(child, ms + lateMs, () => this.#initialize(session, asked, initialize));
  }
  #cancel({ child, pending }: Session, { requestId }: Readonly<Record<string, unknown>>): void {
    const asked = pending.get(Number(requestId));
    if (!asked) return;
    pending.delete(asked.id);
    this.heard.push(`cancelled ${asked.method} at ${child.server}`);
    asked.withdrawn?.();
  }
  #initialize(session: Session, asked: Pending, how: NonNullable<Script['initialize']>): void {
    const { child } = session;
    if (session.state !== 'connecting' || child.isSilent) return;
    if (how === 'dies') return this.#die(child, { code: 4 });
    const word = how === 'error' ? { errors: 'not today' } : typeof how === 'object' ? how : undefined;
    if (word && ('status' in word || 'resets' in word)) return;
    const answer =
      word && 'errors' in word
        ? { error: { code: word.code ?? -32600, message: word.errors } }
        : { result: word ? word.answers : greetingOf(child) };
    session.write({ jsonrpc: '2.0', id: asked.id, ...answer });
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
      if (!child.script.exitsFirst) child.session?.end();
      const said = (text: string): string => [text, ...(child.script.secrets ?? [])].join('\n').trim();
      const words = { stderr: said(stderr), ...(recent !== undefined && { recent: said(recent) }) };
      child.emit({ type: 'child.exited', code, signal, ...words, left: child.members });
    };
    if (!child.areHeld) return tell();
    this.#time.stop(child);
    this.#time.after(child, pumpMs, tell, true);
  }
  #leave(session: Session): void {
    session.state = 'over';
    session.pending.clear();
    this.#sessions.delete(session);
    session.child.session = undefined;
  }
  /** Nothing is reported any more. */
  #destroy(child: Child): void {
    this.#time.stop(child);
    child.isAlive = false;
    child.members = 0;
    if (child.session) this.#leave(child.session);
    this.#children.delete(child.key);
    this.#pipes.delete(child.key);
  }
}

function greetingOf({ server, script: { info = {} } }: Child): object {
  const { name = server, version = '1', protocolVersion = '2025-11-25', capabilities = toolsOnly } = info;
  const { tools, resources, prompts, completions, logging } = capabilities;
  const { icons, descriptions } = info.shown ?? {};
  return {
    protocolVersion,
    capabilities: {
      ...(tools && { tools }),
      ...(resources && { resources }),
      ...(prompts && { prompts }),
      ...(completions && { completions: {} }),
      ...(logging && { logging: {} }),
    },
    serverInfo: {
      name,
      version,
      ...(icons !== undefined && { icons: [{ src: icons }] }),
      ...(descriptions !== undefined && { description: descriptions }),
    },
  };
}
