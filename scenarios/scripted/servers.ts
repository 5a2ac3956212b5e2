import type { Address } from '../../machines/address.ts';
import type { McpTool } from '../../machines/catalog/index.ts';
import type {
  AskFact,
  Give,
  Leaf,
  Ports,
  ProcessCommand,
  ProcessFact,
  SessionFact,
} from '../../machines/ports.ts';
import { wireCodes } from '../../machines/wire/failure.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** What a tool of a scripted server does when it is called. */
export type Act =
  | { readonly answers: unknown; readonly afterMs?: number }
  | { readonly errors: string; readonly afterMs?: number }
  | { readonly never: true }
  /** The process ends before it answers. */
  | { readonly dies: Death; readonly afterMs?: number };
export interface Death {
  readonly code?: number;
  readonly signal?: string;
  readonly stderr?: string;
}
/** A stdio MCP server that behaves, or misbehaves, as it is told. All times in virtual ms. */
export interface Script {
  readonly tools?: Readonly<Record<string, Act>>;
  /** Instead of one list for ever: what the n-th `tools/list` answers. */
  readonly lists?: (n: number) => readonly string[];
  readonly missing?: true;
  readonly startMs?: number;
  readonly initialize?: 'never' | 'error' | number;
  readonly listMs?: number | 'never' | 'error';
  readonly ignores?: readonly ('stdin' | 'SIGTERM')[];
  /** It leaves this many members of its group behind when its leader ends; they obey SIGTERM unless stubborn. */
  readonly leaves?: { readonly count: number; readonly stubborn?: true };
  /** From its n-th start on it behaves like this. */
  readonly later?: Readonly<Record<number, Script>>;
}

interface Child {
  readonly key: Address;
  readonly server: string;
  readonly script: Script;
  readonly give: Give<ProcessFact>;
  readonly pid: number;
  isAlive: boolean;
  /** Living members of the group besides the leader. */
  left: number;
  session: Session | undefined;
  lists: number;
  readonly timers: Set<number>;
}
interface Session {
  readonly child: Child;
  readonly key: Address;
  readonly give: Give<SessionFact>;
  readonly pending: Map<object, { readonly id: string; readonly give: Give<AskFact> }>;
  isOpen: boolean;
}

export const toolOf = (name: string): McpTool => ({
  name,
  description: `scripted ${name}`,
  inputSchema: { type: 'object' },
});

/** Fakes of the ports `process` and `session`, and of the questions to sessions, on one virtual clock. */
export class ScriptedServers {
  readonly #clock: VirtualClock;
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #children = new Map<Address, Child>();
  readonly #sessions = new Map<Address, Session>();
  readonly #starts = new Map<string, number>();
  #pids = 100;
  /** What the servers were sent, for scenarios to look at: `cancelled r1`. */
  readonly heard: string[] = [];

  constructor(clock: VirtualClock, scripts: Readonly<Record<string, Script>>) {
    this.#clock = clock;
    this.#scripts = scripts;
  }
  /** Processes that live, members of groups counted. */
  get alive(): number {
    let n = 0;
    for (const child of this.#children.values()) n += (child.isAlive ? 1 : 0) + child.left;
    return n;
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
    for (const s of this.#sessions.values()) if (s.child.server === server) s.give({ type: 'tools.changed' });
  }
  breakStream(server: string): void {
    for (const s of this.#sessions.values())
      if (s.child.server === server) this.#lose(s, 'stdout was closed');
  }

  // ── the ports ──────────────────────────────────────────────────────────────────────────────────────
  readonly process: Ports['process'] = (_at, { server, key }, give): Leaf<ProcessCommand> => {
    const n = this.startsOf(server) + 1;
    this.#starts.set(server, n);
    const base = this.#scripts[server] ?? {};
    const script = { ...base, ...base.later?.[n] };
    const child: Child = {
      key,
      server,
      script,
      give,
      pid: (this.#pids += 1),
      isAlive: !script.missing,
      left: 0,
      session: undefined,
      lists: 0,
      timers: new Set(),
    };
    this.#children.set(key, child);
    this.#after(child, script.startMs ?? 1, () => {
      if (script.missing) give({ type: 'child.failed', message: `command not found: ${server}` });
      else if (child.isAlive) give({ type: 'child.started', pid: child.pid });
    });
    return { tell: (command) => this.#command(child, command), close: () => this.#destroy(child) };
  };
  readonly session: Ports['session'] = (_at, { key, process }, give): Leaf => {
    const child = this.#children.get(process);
    if (!child?.isAlive) {
      give({ type: 'session.failed', failure: { code: 'ServerLost', message: 'its process is gone' } });
      return { tell() {}, close() {} };
    }
    const session: Session = { child, key, give, pending: new Map(), isOpen: true };
    child.session = session;
    this.#sessions.set(key, session);
    const { initialize = 1 } = child.script;
    if (initialize !== 'never')
      this.#after(child, initialize === 'error' ? 1 : initialize, () => {
        if (!session.isOpen) return;
        if (initialize === 'error')
          give({
            type: 'session.failed',
            failure: { code: 'ServerLost', message: 'initialize was refused' },
          });
        else
          give({
            type: 'session.opened',
            info: { name: child.server, version: '1', protocolVersion: '2025-11-25', hasTools: true },
          });
      });
    return { tell() {}, close: () => this.#leave(session) };
  };
  readonly ask: Ports['ask'] = (_from, { id, session: key, method, params }, give) => {
    const session = this.#sessions.get(key);
    if (!session?.isOpen) {
      give({
        type: 'ask.refused',
        id,
        sent: false,
        failure: { code: 'ServerNotActive', message: `no session ${key}` },
      });
      return () => {};
    }
    const token = {};
    session.pending.set(token, { id, give });
    if (method === 'tools/list') this.#list(session, token);
    else this.#call(session, token, (params as { name: string }).name);
    return () => {
      if (session.pending.delete(token) && session.isOpen)
        this.heard.push(`cancelled ${method} at ${session.child.server}`);
    };
  };

  #list(session: Session, token: object): void {
    const { child } = session;
    const { script } = child;
    const n = (child.lists += 1);
    const names = script.lists?.(n) ?? Object.keys(script.tools ?? {});
    const { listMs = 1 } = script;
    if (listMs === 'never') return;
    this.#after(child, listMs === 'error' ? 1 : listMs, () =>
      listMs === 'error'
        ? this.#refuse(session, token, 'no list today')
        : this.#answer(session, token, { tools: names.map(toolOf) }),
    );
  }
  #call(session: Session, token: object, tool: string): void {
    const { child } = session;
    const act: Act = child.script.tools?.[tool] ?? { errors: `no tool ${tool}` };
    this.heard.push(`call ${tool} at ${child.server}`);
    if ('never' in act) return;
    this.#after(child, act.afterMs ?? 1, () => {
      if ('dies' in act) this.#die(child, act.dies);
      else if ('errors' in act) this.#refuse(session, token, act.errors);
      else this.#answer(session, token, act.answers);
    });
  }
  #answer(session: Session, token: object, result: unknown): void {
    const asked = session.pending.get(token);
    if (!asked) return void this.heard.push(`late answer of ${session.child.server} dropped`);
    session.pending.delete(token);
    asked.give({ type: 'ask.answered', id: asked.id, result });
  }
  #refuse(session: Session, token: object, message: string): void {
    const asked = session.pending.get(token);
    session.pending.delete(token);
    const failure = { code: wireCodes.toolFailed, message };
    asked?.give({ type: 'ask.refused', id: asked.id, sent: true, failure });
  }

  #command(child: Child, command: ProcessCommand): void {
    const { ignores = [], leaves } = child.script;
    const isKill = command.type === 'child.signal' && command.signal === 'SIGKILL';
    const name = command.type === 'child.closeStdin' ? 'stdin' : command.signal;
    const obeys = isKill || !ignores.some((i) => i === name);
    if (child.isAlive && obeys)
      this.#after(child, 1, () => this.#die(child, name === 'stdin' ? { code: 0 } : { signal: name }));
    if (child.left > 0 && !child.isAlive && name !== 'stdin' && (isKill || !leaves?.stubborn))
      this.#after(child, 1, () => this.#empty(child));
  }
  #empty(child: Child): void {
    if (child.left === 0) return;
    child.left = 0;
    child.give({ type: 'group.emptied' });
  }
  #die(
    child: Child,
    {
      code = null,
      signal = null,
      stderr = '',
    }: { code?: number | null; signal?: string | null; stderr?: string },
  ): void {
    if (!child.isAlive) return;
    child.isAlive = false;
    child.left =
      signal === 'SIGKILL' && child.script.leaves === undefined ? 0 : (child.script.leaves?.count ?? 0);
    if (child.session) this.#lose(child.session, 'stdout ended');
    child.give({ type: 'child.exited', code, signal, stderr, left: child.left });
  }
  #lose(session: Session, reason: string): void {
    if (!session.isOpen) return;
    const pending = [...session.pending.values()];
    session.pending.clear();
    this.#leave(session);
    for (const { id, give } of pending)
      give({
        type: 'ask.refused',
        id,
        sent: true,
        lost: true,
        failure: { code: 'ServerLost', message: reason },
      });
    session.give({ type: 'session.lost', reason });
  }
  #leave(session: Session): void {
    session.isOpen = false;
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
    session.child.session = undefined;
  }
  /** Final: nothing of the group lives on, and nothing is said any more. */
  #destroy(child: Child): void {
    for (const timer of child.timers) this.#clock.clearTimeout(timer);
    child.timers.clear();
    child.isAlive = false;
    child.left = 0;
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
