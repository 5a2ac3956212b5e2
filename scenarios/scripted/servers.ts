import { nameOf, type Address } from '../../machines/address.ts';
import type { Leaf, Ports, ProcessCommand } from '../../machines/ports.ts';
import { wireCodes, type Failure } from '../../machines/wire/failure.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import {
  lostFailure,
  toolOf,
  type Act,
  type Child,
  type Death,
  type Pending,
  type Script,
  type Session,
} from './script.ts';

export type { Act, Death, Script, ScriptedCall } from './script.ts';

const isSome = (child: Child): boolean => child.isAlive || child.members > 0;

/** Fakes of the ports `process` and `session`, and of the questions to sessions, on one virtual clock. */
export class ScriptedServers {
  readonly #clock: VirtualClock;
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #resultBytes: number;
  readonly #children = new Map<Address, Child>();
  readonly #sessions = new Map<Address, Session>();
  readonly #starts = new Map<string, number>();
  #pids = 100;
  /** What the servers were sent, for scenarios to look at: `cancelled tools/call at fs`. */
  readonly heard: string[] = [];
  /** Processes that were started while an older one of the same client lived. */
  readonly doubled: Address[] = [];

  /** An answer above `resultBytes` fails its question. */
  constructor(
    clock: VirtualClock,
    scripts: Readonly<Record<string, Script>>,
    { resultBytes = Infinity }: { readonly resultBytes?: number } = {},
  ) {
    this.#clock = clock;
    this.#scripts = scripts;
    this.#resultBytes = resultBytes;
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
  startsOf(server: string): number {
    return this.#starts.get(server) ?? 0;
  }

  // ── what a scenario does to them ───────────────────────────────────────────────────────────────────
  kill(server: string, death: Death): void {
    for (const child of this.#children.values())
      if (child.server === server && child.isAlive) this.#die(child, death);
  }
  announce(server: string): void {
    for (const s of this.#sessions.values()) if (s.child.server === server) this.#announce(s);
  }
  breakStream(server: string): void {
    for (const s of this.#sessions.values())
      if (s.child.server === server) this.#lose(s, 'stdout was closed');
  }

  // ── the ports ──────────────────────────────────────────────────────────────────────────────────────
  readonly process: Ports['process'] = (_at, { server, key }, give): Leaf<ProcessCommand> => {
    for (const older of this.#children.values())
      if (nameOf(older.key) === nameOf(key) && isSome(older)) this.doubled.push(key);
    const n = this.startsOf(server) + 1;
    this.#starts.set(server, n);
    const base = this.#scripts[server] ?? {};
    const script = { ...base, ...base.later?.[n] };
    const { missing, crashes, startMs = 1 } = script;
    const child: Child = {
      key,
      server,
      script,
      give,
      pid: (this.#pids += 1),
      isAlive: !missing,
      members: missing ? 0 : (script.leaves?.count ?? 0),
      session: undefined,
      lists: 0,
      timers: new Set(),
    };
    this.#children.set(key, child);
    this.#after(child, startMs, () => {
      if (missing) give({ type: 'child.failed', message: `command not found: ${server}` });
      else if (child.isAlive) give({ type: 'child.started', pid: child.pid });
    });
    if (crashes) this.#after(child, startMs + crashes.afterMs, () => this.#die(child, crashes));
    return { tell: (command) => this.#command(child, command), close: () => this.#destroy(child) };
  };
  readonly session: Ports['session'] = (_at, { key, process }, give): Leaf => {
    const child = this.#children.get(process);
    if (!child?.isAlive) {
      const failure = lostFailure('its process is gone');
      const timer = this.#clock.setTimeout(() => give({ type: 'session.failed', failure }), 0);
      return { tell() {}, close: () => this.#clock.clearTimeout(timer) };
    }
    const session: Session = { child, key, give, pending: new Set(), state: 'connecting' };
    child.session = session;
    this.#sessions.set(key, session);
    const { initialize = 1 } = child.script;
    if (initialize !== 'never')
      this.#after(child, typeof initialize === 'number' ? initialize : 1, () =>
        this.#initialize(session, initialize),
      );
    return { tell() {}, close: () => this.#leave(session) };
  };
  readonly ask: Ports['ask'] = (_from, { id, session: key, method, params }, give) => {
    const session = this.#sessions.get(key);
    if (session?.state !== 'open') {
      const failure: Failure = { code: 'ServerNotActive', message: `no session ${key}` };
      give({ type: 'ask.refused', id, sent: false, failure });
      return () => {};
    }
    const asked: Pending = { id, give };
    session.pending.add(asked);
    if (method === 'tools/list') this.#list(session, asked);
    else this.#call(session, asked, params as { name: string; arguments?: Record<string, unknown> });
    return () => {
      if (!session.pending.delete(asked)) return;
      this.heard.push(`cancelled ${method} at ${session.child.server}`);
      asked.withdrawn?.();
    };
  };

  #initialize(session: Session, how: Script['initialize']): void {
    const { child, give } = session;
    if (session.state !== 'connecting') return;
    if (how === 'dies') return this.#die(child, { code: 4 });
    if (how === 'error') {
      const failure: Failure = {
        code: wireCodes.toolFailed,
        message: 'initialize was refused: not today',
        details: { code: -32600 },
      };
      this.#leave(session);
      return give({ type: 'session.failed', failure });
    }
    session.state = 'open';
    const said = { name: child.server, version: '1', protocolVersion: '2025-11-25', hasTools: true };
    give({ type: 'session.opened', info: { ...said, ...child.script.info } });
  }
  #announce({ state, give }: Session): void {
    if (state === 'open') give({ type: 'tools.changed' });
  }
  #list(session: Session, asked: Pending): void {
    const { child } = session;
    const { script } = child;
    const n = (child.lists += 1);
    const names = script.lists?.(n) ?? Object.keys(script.tools ?? {});
    const { listMs = 1, malformed } = script;
    if (listMs === 'never') return;
    this.#after(child, listMs === 'error' ? 1 : listMs, () =>
      listMs === 'error'
        ? this.#refuse(session, asked, 'no list today')
        : this.#answer(session, asked, { tools: names.map(toolOf), ...(malformed && { malformed }) }),
    );
  }
  #call(
    session: Session,
    asked: Pending,
    { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> },
  ): void {
    const { child } = session;
    const { tools = {} } = child.script;
    let act: Act = (Object.hasOwn(tools, name) && tools[name]) || { errors: `no tool ${name}` };
    this.heard.push(`call ${name} at ${child.server}`);
    while (typeof act === 'function')
      act = act({ arguments: given, announce: () => this.#announce(session) });
    this.#perform(session, asked, act);
  }
  #perform(session: Session, asked: Pending, act: Exclude<Act, (...args: never) => unknown>): void {
    const { child } = session;
    if ('never' in act) {
      asked.withdrawn = () => {
        const late = act.cancelled?.();
        if (late !== undefined) this.#after(child, 1, () => this.#answer(session, asked, late));
      };
      return;
    }
    if ('hangsUp' in act) return this.#after(child, 1, () => this.#lose(session, 'stdout was closed'));
    this.#after(child, act.afterMs ?? 1, () => {
      if ('dies' in act) this.#die(child, act.dies);
      else if ('errors' in act) this.#refuse(session, asked, act.errors, act.code);
      else this.#answer(session, asked, act.answers);
    });
  }
  #answer(session: Session, asked: Pending, result: unknown): void {
    const limit = this.#resultBytes;
    if (!session.pending.delete(asked))
      return void this.heard.push(`late answer of ${session.child.server} dropped`);
    const { id, give } = asked;
    const bytes = limit === Infinity ? 0 : JSON.stringify(result).length;
    if (bytes <= limit) return give({ type: 'ask.answered', id, result });
    const failure: Failure = {
      code: wireCodes.tooLarge,
      message: `the answer has ${bytes} bytes`,
      details: { bytes, limit },
      remedy: 'ask for less at once',
    };
    give({ type: 'ask.refused', id, sent: true, failure });
  }
  #refuse(session: Session, asked: Pending, message: string, code = -32603): void {
    if (!session.pending.delete(asked)) return;
    const failure: Failure = { code: wireCodes.toolFailed, message, details: { code } };
    asked.give({ type: 'ask.refused', id: asked.id, sent: true, failure });
  }

  /** A signal goes to the whole group, the end of stdin to the leader. */
  #command(child: Child, command: ProcessCommand): void {
    const { ignores = [], leaves } = child.script;
    const name = command.type === 'child.closeStdin' ? 'stdin' : command.signal;
    const isKill = name === 'SIGKILL';
    if (child.isAlive && (isKill || !ignores.includes(name)))
      this.#after(child, 1, () => this.#die(child, name === 'stdin' ? { code: 0 } : { signal: name }));
    if (child.members > 0 && name !== 'stdin' && (isKill || !leaves?.stubborn))
      this.#after(child, 1, () => this.#empty(child));
  }
  #empty(child: Child): void {
    if (child.members === 0) return;
    child.members = 0;
    if (!child.isAlive) child.give({ type: 'group.emptied' });
  }
  #die(child: Child, { code, signal, stderr = '' }: Death): void {
    if (!child.isAlive) return;
    child.isAlive = false;
    if (child.session && !child.script.exitsFirst) this.#lose(child.session, 'stdout ended');
    const end = { code: code ?? null, signal: signal ?? null, stderr, left: child.members };
    child.give({ type: 'child.exited', ...end });
  }
  /** Whoever waits is refused first; a handshake that was not done fails. */
  #lose(session: Session, reason: string): void {
    const { state, give } = session;
    if (state === 'over') return;
    const pending = [...session.pending];
    this.#leave(session);
    if (state === 'connecting') {
      const failure = lostFailure(`${reason} before the handshake was done`);
      return give({ type: 'session.failed', failure });
    }
    for (const { id, give: refuse } of pending)
      refuse({ type: 'ask.refused', id, sent: true, lost: true, failure: lostFailure(reason) });
    give({ type: 'session.lost', reason });
  }
  #leave(session: Session): void {
    session.state = 'over';
    session.pending.clear();
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
    session.child.session = undefined;
  }
  /** Final: nothing of the group lives on, and nothing is said any more. */
  #destroy(child: Child): void {
    for (const timer of child.timers) this.#clock.clearTimeout(timer);
    child.timers.clear();
    child.isAlive = false;
    child.members = 0;
    this.#children.delete(child.key);
  }
  #after(child: Child, ms: number, run: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      child.timers.delete(timer);
      run();
    }, ms);
    child.timers.add(timer);
  }
}
