/** History and events of calls, watched from the messages of a host. */
import { endingOf, endOf, type CallEnding, type CallFacts } from './call-outcome.ts';
import { IdleWaits } from '../kernel/listeners.ts';
import type { Observer } from '../runtime/directory.ts';
import type {
  ComputerCall,
  CallStart,
  CallPhase,
  CallSettled,
  CallContext,
} from '../../machines/call/call.rules.ts';
import { inEnglish } from '../../machines/call/policy/policy.ts';
import { startingServers } from '../../machines/computer/computer.calls.ts';
import { withCall, type KnownCall, type CallWait } from '../../machines/call/history.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import { clientState, type ClientSnapshot } from '../../machines/server-state.ts';
import { stateWords } from '../../machines/server-states.ts';
import { keyOf, nameOf, type Address } from '../../machines/kernel/effects.ts';
import type { RequestFact } from '../../machines/kernel/ports.ts';
import { toolErrorText } from '../../machines/protocol/reading.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
import { stillStarting } from '../../machines/process/server-failure.ts';
import { type Progress, progressOf } from '../../machines/protocol/messages/messages.ts';
import { excessBytes, mostLevels } from '../../machines/protocol/json.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';

/** Largest size in bytes of JSON of the call parameters that the history keeps. */
const parameterBytes = 16 * 1024;
/** Number of characters that the history keeps of a tool's error text. */
const errorLength = 500;

type AskedCall = Pick<ComputerCall, 'ticket' | 'reqId' | 'agent' | 'tool' | 'params' | 'timeoutMs'>;
type InContext = Pick<KnownCall, 'context'>;
interface Ended extends Omit<KnownCall, 'at' | 'endedAt'> {
  readonly since: number;
  readonly till: number;
}
interface Running extends Omit<AskedCall, 'params' | 'tool'>, InContext {
  /** As the caller wrote it; the server's own name once the server is known. */
  tool: string;
  readonly arguments: KnownCall['arguments'];
  readonly since: number;
  /** Null until the server is known. */
  client: string | null;
}
interface CallHistoryOptions {
  readonly most: number;
  /** In ms since 1970, because machines have no clock. */
  readonly now: () => number;
  readonly redact: <T>(value: T) => T;
  readonly snapshotOf: SnapshotOf;
  readonly contextOf: (ticket: string) => unknown;
}
const inContext = (context: unknown): InContext => (context === undefined ? {} : { context });
const isoOf = (ms: number): string => new Date(ms).toISOString();
const keyOfCall = (asker: string, ticket: string): string => `${asker} ${ticket}`;
const addressOf = ({ client, ticket }: Running): string =>
  client === null ? '' : `${client}/call:${keyOf(ticket)}`;
const isComputer = (address: string): boolean => nameOf(address) === 'computer';

/** An entry begins when a call reaches the computer, and ends when its caller is answered. */
export class CallHistoryWatch implements Observer {
  readonly #options: CallHistoryOptions;
  /** By caller and ticket. */
  readonly #running = new TransientMap<string, Running>();
  readonly #progress = new TransientMap<string, Progress>();
  /** The oldest first, with times in ms; formatted only when the history is read. */
  #history: readonly Ended[] = [];
  readonly #idle = new IdleWaits();

  constructor(options: CallHistoryOptions) {
    this.#options = options;
  }
  newestFirst(): readonly KnownCall[] {
    const ended = this.#history.map(({ since, till, ...call }): KnownCall => ({
      ...call,
      at: isoOf(since),
      endedAt: isoOf(till),
    }));
    return [...ended, ...this.running()].toReversed();
  }
  running(): readonly KnownCall[] {
    return [...this.#running.values()].map((call): KnownCall => {
      const { reqId, agent, tool, timeoutMs, context } = call;
      const address = addressOf(call);
      const standing = standingOf(call, address, this.#options.snapshotOf);
      return {
        reqId,
        agent,
        tool,
        arguments: call.arguments,
        at: isoOf(call.since),
        endedAt: null,
        timeoutMs: timeoutMs === 0 ? null : timeoutMs,
        ...standing,
        state: standing.phase === 'running' ? 'running' : 'waiting',
        progress: this.#progress.get(address) ?? null,
        outcome: null,
        ...inContext(context),
      };
    });
  }
  /** Resolves when no call runs, at the latest after this time in ms. */
  async idle(mostMs: number): Promise<void> {
    if (this.#running.size > 0) await this.#idle.wait(mostMs);
  }
  ticketsOf(reqId: string): readonly string[] {
    return [...this.#running.values()].flatMap((call) => (call.reqId === reqId ? [call.ticket] : []));
  }
  refused(
    call: Pick<AskedCall, 'tool' | 'params' | 'timeoutMs'>,
    settled: CallSettled,
    context: unknown,
  ): CallSettled {
    const { ticket, reqId } = settled;
    const key = keyOfCall('host, not sent', ticket);
    this.#begin(key, { ...call, ticket, reqId, agent: null }, context);
    this.#end(key, settled);
    return settled;
  }
  record(record: DirectoryRecord): void {
    const told = progressIn(record);
    if (told && record.k === 'in' && record.a.includes('/call:')) this.#progress.set(nameOf(record.a), told);
    if (record.k === 'end' && isComputer(record.a)) this.#endAll();
    if (record.k !== 'post') return;
    if (record.ev.type === 'call.settled') {
      const settled = record.ev as CallSettled;
      this.#end(keyOfCall(record.a, settled.ticket), settled);
    } else if (record.ev.type === 'call.request') {
      const call = record.ev as ComputerCall;
      const key = keyOfCall(call.replyTo, call.ticket);
      if (isComputer(record.a))
        this.#begin(key, call, call.agent === null ? this.#options.contextOf(call.ticket) : undefined);
      else if (record.a.startsWith('computer/client:')) this.#passed(key, call, nameOf(record.a));
    }
  }
  #begin(key: string, { ticket, reqId, agent, tool, params, timeoutMs }: AskedCall, context: unknown): void {
    const since = this.#options.now();
    const kept = this.#kept(params);
    const call = { ticket, reqId, agent, tool, arguments: kept, timeoutMs, client: null, since, context };
    this.#running.set(key, call);
  }
  #passed(key: string, { tool }: AskedCall, client: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    running.tool = tool;
    running.client = client;
  }
  #end(
    key: string,
    settled: Pick<CallSettled, 'server' | 'outcome' | 'failure' | 'result'> &
      Partial<Pick<CallSettled, 'phase'>>,
  ): void {
    const running = this.#running.get(key);
    if (!running) return;
    this.#running.delete(key);
    this.#progress.delete(addressOf(running));
    const { reqId, agent, tool, timeoutMs, since, context } = running;
    const { most, now, redact } = this.#options;
    const { server, outcome, phase = null } = settled;
    const reason =
      outcome === 'succeeded'
        ? null
        : redact(inEnglish(settled).failure?.message ?? toolErrorText(settled.result)).slice(0, errorLength);
    const call: Ended = {
      since,
      till: now(),
      reqId,
      agent,
      server,
      tool,
      arguments: running.arguments,
      timeoutMs: timeoutMs === 0 ? null : timeoutMs,
      state: 'ended',
      phase,
      waitsFor: null,
      progress: null,
      outcome,
      reason,
      ...inContext(context),
    };
    this.#history = withCall(this.#history, call, most);
    if (this.#running.size === 0) this.#idle.reached();
  }
  /** No answer can come any more when the computer closes. */
  #endAll(): void {
    for (const [key, { client }] of this.#running)
      this.#end(key, {
        server: '',
        outcome: client === null ? 'failed' : 'unknown',
        failure: computerGone,
        result: null,
      });
  }
  /** Catches errors of values that throw when they are read: thrown here, they would end the whole history. */
  #kept(params: AskedCall['params']): KnownCall['arguments'] {
    try {
      const bytes = excessBytes(params, parameterBytes);
      if (bytes === undefined) return this.#options.redact(params);
      const size = bytes === Infinity ? `more than ${mostLevels} levels` : `${bytes} bytes`;
      return { not_kept: `${size} of JSON` };
    } catch {
      return { not_kept: 'cannot be read' };
    }
  }
}
const computerGone = {
  code: 'ServerNotActive',
  message: 'Its computer ended before it was answered',
} as const;

interface MachineSnapshot extends ClientSnapshot {
  readonly context: unknown;
}
type SnapshotOf = (address: string) => MachineSnapshot | undefined;
interface Standing {
  readonly server: string;
  readonly phase: CallPhase;
  readonly waitsFor: CallWait | null;
  readonly reason: string | null;
}
interface Call {
  readonly tool: string;
  readonly client: string | null;
}

function standingOf({ tool, client }: Call, address: string, snapshotOf: SnapshotOf): Standing {
  const call = snapshotOf(address)?.context as CallContext | undefined;
  if (client === null || !call) return { ...unresolved, ...awaitingServers(tool, snapshotOf) };
  const { server, phase } = call;
  return { server, phase, ...waitOf(call, snapshotOf(client)) };
}
const unresolved = { server: '', phase: 'resolving' } as const;

type Wait = Pick<Standing, 'waitsFor' | 'reason'>;
const none: Wait = { waitsFor: null, reason: null };
function awaitingServers(tool: string, snapshotOf: SnapshotOf): Wait {
  const computer = snapshotOf('computer')?.context as ComputerContext | undefined;
  const servers = computer ? startingServers(computer) : [];
  if (servers.length === 0) return none;
  return { waitsFor: 'servers', reason: stillStarting(tool, servers, computer?.waits).message };
}
function waitOf({ server, phase, isPending }: CallContext, client: MachineSnapshot | undefined): Wait {
  if (phase === 'judging') return { waitsFor: 'policy', reason: 'The rule of its host is asked' };
  if (phase === 'confirming') return { waitsFor: 'person', reason: 'A person is asked to confirm it' };
  if (phase !== 'queued') return none;
  if (!isPending) return { waitsFor: 'turn', reason: `As many calls of server '${server}' run as may` };
  if (client && client.value === 'queued')
    return { waitsFor: 'permit', reason: `Server '${server}' waits for its permit to connect` };
  const words = client ? stateWords[clientState(client)] : 'is ending';
  return { waitsFor: 'server', reason: `Server '${server}' ${words}` };
}

/** Call of a computer that has begun. */
export interface CallStarted {
  /** Id that the caller gave the call; two callers may use the same id. */
  readonly reqId: string;
  /** Name in the config of the server that has the tool. */
  readonly server: string;
  /** Name of the tool on its own server, without a prefix or an alias. */
  readonly tool: string;
  /** Context that the host gave the call; absent for calls of agents, and when the host gave none. */
  readonly context?: unknown;
}
/** End of a call of a computer, made by any caller; with the result that the caller gets. */
export type CallEnded = CallStarted & Pick<CallFacts, 'end'> & CallEnding;
/**
 * Events of the calls of a computer. Calls are watched only once a listener was added; until then the events cost
 * nothing.
 */
export interface CallEvents {
  /** A call has begun: it is now checked, confirmed and queued before it is sent. */
  readonly 'call.started': CallStarted;
  /** A server reported the progress of a call. */
  readonly 'call.progress': CallStarted & Progress;
  /** A call has ended; emitted once for each call that was started. */
  readonly 'call.settled': CallEnded;
}
type Tell = <Name extends keyof CallEvents>(name: Name, call: CallEvents[Name]) => void;

/** Reads the records of the tap, so that calls cost nothing more without a listener. */
export class CallWatch implements Observer {
  readonly #tell: Tell;
  readonly #running = new TransientMap<string, CallStarted>();
  readonly #contextOf: (call: Address) => unknown;
  constructor(tell: Tell, contextOf: (call: Address) => unknown) {
    this.#tell = tell;
    this.#contextOf = contextOf;
  }
  record(record: DirectoryRecord): void {
    if (record.k === 'open' && record.kind === 'call' && record.a.startsWith('computer/')) {
      const { reqId, server, tool } = record.input as CallStart;
      const call = { reqId, server, tool, ...inContext(this.#contextOf(record.a)) };
      this.#running.set(record.a, call);
      this.#tell('call.started', call);
    } else if (record.k === 'end') this.#running.delete(record.a);
    else if (record.k === 'in') {
      const told = progressIn(record);
      const call = told && this.#running.get(record.a);
      if (told && call) this.#tell('call.progress', { ...call, ...told });
    } else if (
      record.k === 'post' &&
      record.ev.type === 'call.settled' &&
      record.from.startsWith('computer/')
    ) {
      const settled = record.ev as CallSettled;
      const { reqId, server, tool } = settled;
      const call = { reqId, server, tool, ...inContext(this.#contextOf(record.from)) };
      const ending = endingOf(inEnglish(settled));
      this.#tell('call.settled', { ...call, end: endOf(ending), ...ending });
    }
  }
}

function progressIn(record: DirectoryRecord): Progress | undefined {
  if (record.k !== 'in' || record.via !== 'ask' || record.ev?.type !== 'ask.progress') return undefined;
  return progressOf(record.ev as Extract<RequestFact, { type: 'ask.progress' }>);
}
