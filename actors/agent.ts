import type { AnyEventObject } from 'xstate';
import { systemClock } from '../adapters/index.ts';
import type { AgentCall, AgentNews, AgentQuery, AgentStart } from '../machines/agent.machine.ts';
import { settledBy, type CallSettled } from '../machines/settlement.ts';
import { timing, type Timing } from '../machines/timing.ts';
import {
  failureIn,
  readAnswer,
  readRoom,
  readToolResult,
  wireCodes,
  type Failure,
  type RoomMember,
  type SmcpTool,
} from '../machines/wire/index.ts';
import { deferred } from './deferred.ts';
import { A2cError } from './errors.ts';
import type { RecordOptions } from './flight-recorder.ts';
import { Listeners } from './listeners.ts';
import { PendingCalls, type CallOptions, type CallOutcome } from './pending-calls.ts';
import { Runtime, type Hosted } from './runtime.ts';

export interface AgentOptions {
  readonly url: string;
  /** Default `agent`. */
  readonly name?: string;
  /** The id of the office. Default `local`. */
  readonly office?: string;
  readonly timing?: Partial<Timing>;
  /** Keep trying when the first join fails, instead of rejecting. */
  readonly keepTrying?: boolean;
  readonly signal?: AbortSignal;
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
}
export interface AgentEvents {
  readonly 'computer.joined': { readonly computer: string };
  readonly 'computer.left': { readonly computer: string };
  readonly 'tools.changed': {
    readonly computer: string;
    readonly value: readonly SmcpTool[];
    /** Names; a tool that changed in anything else is in neither. */
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  readonly 'config.changed': { readonly computer: string };
  readonly 'link.changed': { readonly state: string; readonly reason: string | null };
}
export interface ComputerConfig {
  /** By name, in the protocol's own shape (docs/config.md). */
  readonly servers: Readonly<Record<string, object>>;
  readonly inputs: readonly object[];
}
/** An agent that sits in an office. `await using` closes it. */
export interface Agent extends AsyncDisposable {
  /** Those whose tools are known. */
  computers(): readonly string[];
  /** Waits for a computer that is still being asked; rejects when it is not there within the time (default 30 s). */
  tools(computer: string, options?: { readonly timeoutMs?: number }): Promise<readonly SmcpTool[]>;
  /** Never rejects; `result` is the MCP CallToolResult. */
  callTool(
    computer: string,
    tool: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<CallOutcome>;
  cancel(reqId: string): void;
  /** Who sits in the office. Rejects with an `A2cError` when the office does not answer. */
  listRoom(): Promise<readonly RoomMember[]>;
  /** The servers and inputs of a computer, as it shows them: unrendered, secrets hidden. */
  getConfig(computer: string): Promise<ComputerConfig>;
  on<Name extends keyof AgentEvents>(name: Name, listener: (value: AgentEvents[Name]) => void): () => void;
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  close(): Promise<void>;
}

/** An office that answers for a computer which has the call already, or that computer when its server was too slow. */
function mayHaveRun({ code, details }: Failure): boolean {
  if (details?.outcome === 'unknown' || details?.outcome === 'failed') return details.outcome === 'unknown';
  if (code === wireCodes.notFound) return lostReasons.has(details?.reason);
  return code === wireCodes.timeout || code === wireCodes.toolTimeout;
}
const lostReasons: ReadonlySet<unknown> = new Set(['left', 'too_large', 'closing']);

const failed = { outcome: 'failed', end: 'failed' } as const;

/** What the other side said of a call, in our words: its error object may know more than our own machine. */
function interpreted(outcome: CallOutcome): CallOutcome {
  if (outcome.failure !== null) return outcome;
  const read = readToolResult(outcome.result);
  const failure = read.ok ? failureIn(read.result) : read.failure;
  const result = read.ok ? read.result : null;
  // Wrapped as Rust does it, or spelled as Python does: our machine did not see that the tool says it failed.
  if (!failure)
    return read.ok && read.result.isError ? { ...outcome, ...failed, result } : { ...outcome, result };
  const end = mayHaveRun(failure) ? 'unknown' : 'failed';
  return { ...outcome, outcome: end, end, result, failure };
}

/** Names of those tools that `some` does not have. */
function missingIn(some: readonly SmcpTool[], tools: readonly SmcpTool[]): string[] {
  const names = new Set(some.map((t) => t.name));
  return tools.flatMap((t) => (names.has(t.name) ? [] : [t.name]));
}

class HostedAgent implements Agent {
  readonly #runtime: Runtime;
  readonly #isShared: boolean;
  readonly #timing: Timing;
  readonly #hosted: Hosted;
  readonly #listeners = new Listeners<AgentEvents>();
  readonly #calls = new PendingCalls();
  readonly #tools = new Map<string, readonly SmcpTool[]>();
  readonly #failures = new Map<string, Failure>();
  readonly #present = new Set<string>();
  readonly #joined = deferred();
  readonly #keepTrying: boolean;
  readonly #office: string;

  constructor(options: AgentOptions, shared: Runtime | undefined) {
    this.#runtime = shared ?? new Runtime({ record: options.record });
    this.#isShared = shared !== undefined;
    this.#timing = { ...timing, ...options.timing };
    this.#keepTrying = options.keepTrying ?? false;
    const { url, name = 'agent', office = 'local' } = options;
    this.#office = office;
    const input: AgentStart = { link: { url, name, office }, timing: this.#timing };
    this.#hosted = this.#runtime.start('agent', input, (event) => this.#hear(event));
  }
  get joined(): Promise<void> {
    return this.#joined.promise;
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'call.settled') return this.#calls.settle(event as unknown as CallSettled);
    if (event.type === 'owned.ended') return this.#joined.reject(notJoined('the agent was closed', false));
    const news = event as AgentNews;
    if (news.type === 'computer.entered') this.#meet(news.computer);
    else if (news.type === 'computer.left') this.#forget(news.computer);
    else if (news.type === 'computer.configChanged')
      this.#listeners.emit('config.changed', { computer: news.computer });
    else if (news.type === 'view.changed') this.#learn(news);
    else if (news.type === 'link.changed') {
      if (news.stage === 'joined') this.#joined.resolve();
      if (news.stage === 'waiting') {
        if (!this.#keepTrying) this.#joined.reject(notJoined(news.reason ?? 'no reason given', news.refused));
        for (const computer of [...this.#present]) this.#forget(computer);
      }
      this.#listeners.emit('link.changed', { state: news.stage, reason: news.reason });
    }
  }
  /** Told once for each stay, whether it was announced or found in the room. */
  #meet(computer: string): void {
    if (this.#present.has(computer)) return;
    this.#present.add(computer);
    this.#listeners.emit('computer.joined', { computer });
  }
  #forget(computer: string): void {
    this.#present.delete(computer);
    this.#tools.delete(computer);
    this.#failures.delete(computer);
    this.#listeners.emit('computer.left', { computer });
  }
  #learn({ computer, tools, failure }: Extract<AgentNews, { type: 'view.changed' }>): void {
    this.#meet(computer);
    if (failure) this.#failures.set(computer, failure);
    if (!tools) return;
    const known = this.#tools.get(computer);
    this.#tools.set(computer, tools);
    // What was fetched again may be what was known already.
    if (known && JSON.stringify(known) === JSON.stringify(tools)) return;
    const [added, removed] = [missingIn(known ?? [], tools), missingIn(tools, known ?? [])];
    this.#listeners.emit('tools.changed', { computer, value: tools, added, removed });
  }

  computers(): readonly string[] {
    return [...this.#tools.keys()];
  }
  async tools(computer: string, { timeoutMs = this.#timing.queryMs } = {}): Promise<readonly SmcpTool[]> {
    const known = this.#tools.get(computer);
    if (known) return known;
    const found = deferred<readonly SmcpTool[]>();
    const stop = this.#listeners.on(
      'tools.changed',
      (e) => e.computer === computer && found.resolve(e.value),
    );
    const timer = systemClock.setTimeout(() => {
      const failure = this.#failures.get(computer);
      const others = this.computers().map((c) => `'${c}'`);
      found.reject(
        new A2cError(
          failure ?? {
            code: wireCodes.notFound,
            message: `No computer '${computer}' in this office within ${timeoutMs} ms`,
            remedy: `Known: ${others.join(', ') || 'none'}`,
          },
        ),
      );
    }, timeoutMs);
    try {
      return await found.promise;
    } finally {
      stop();
      systemClock.clearTimeout(timer);
    }
  }
  callTool: Agent['callTool'] = async (computer, tool, params = {}, options = {}) => {
    const { timeoutMs = this.#timing.callTotalMs } = options;
    const send = (ticket: string, reqId: string): void => {
      const replyTo = this.#hosted.host;
      const call: AgentCall = {
        type: 'agent.call',
        ticket,
        reqId,
        computer,
        tool,
        params,
        timeoutMs,
        replyTo,
      };
      this.#sendOrSettle(call, ticket, reqId, tool);
    };
    return interpreted(await this.#calls.start(tool, options, send, (ticket) => this.#cancel(ticket)));
  };
  /** The raw ack of a question, and the `req_id` that it has to echo. */
  async #query(method: string, request: object): Promise<{ ack: unknown; reqId: string }> {
    const replyTo = this.#hosted.host;
    const send = (ticket: string, reqId: string): void => {
      const query: AgentQuery = { type: 'agent.query', ticket, reqId, method, request, replyTo };
      this.#sendOrSettle(query, ticket, reqId, method);
    };
    const outcome = await this.#calls.start(method, {}, send, (ticket) => this.#cancel(ticket));
    if (outcome.failure) throw new A2cError(outcome.failure);
    return { ack: outcome.result, reqId: outcome.reqId };
  }
  #sendOrSettle(event: AgentCall | AgentQuery, ticket: string, reqId: string, tool: string): void {
    const failure: Failure = { code: 'LinkLost', message: 'The agent is closed' };
    const closed = settledBy({ ticket, reqId, server: '', tool }, 'failed', failure);
    this.#runtime.directory.send('agent', event, { to: this.#hosted.host, event: closed });
  }
  async listRoom(): Promise<readonly RoomMember[]> {
    const { ack, reqId } = await this.#query('server:list_room', { office_id: this.#office });
    const read = readRoom(ack, reqId);
    if (read.ok) return read.body;
    throw new A2cError(read.failure);
  }
  async getConfig(computer: string): Promise<ComputerConfig> {
    const { ack } = await this.#query('client:get_config', { computer });
    const answer = readAnswer(ack);
    if (!answer.ok) throw new A2cError(answer.failure);
    const { servers = {}, inputs = [] } = answer.body as Partial<ComputerConfig>;
    return { servers, inputs };
  }
  #cancel(ticket: string): void {
    const order = { type: 'call.cancel', ticket, reason: 'cancelled by the host' } as const;
    if (this.#runtime.directory.find('agent')) this.#runtime.directory.send('agent', order);
  }
  cancel(reqId: string): void {
    const ticket = this.#calls.ticketOf(reqId);
    if (ticket !== undefined) this.#cancel(ticket);
  }
  on: Agent['on'] = (name, listener) => this.#listeners.on(name, listener);

  writeTrace: Agent['writeTrace'] = async (dir = '.') => this.#runtime.writeTrace(dir);
  async close(): Promise<void> {
    await this.#runtime.end(this.#hosted, this.#timing.shutdownMs + 1_000);
    if (!this.#isShared) await this.#runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const notJoined = (reason: string, isRefused: boolean): A2cError =>
  new A2cError({
    code: isRefused ? wireCodes.conflict : 'LinkLost',
    message: isRefused ? `The office refused the seat: ${reason}` : `Could not join the office: ${reason}`,
    remedy: isRefused
      ? 'An office has one agent: close the other one, or use another office id.'
      : 'Start an office: a2c office',
  });

/** Takes the agent's seat in an office; resolves when it sits there. Rejects with an `A2cError`, unless `keepTrying`. */
export async function createAgent(options: AgentOptions, shared?: Runtime): Promise<Agent> {
  const agent = new HostedAgent(options, shared);
  const abort = (): void => void agent.close();
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    await agent.joined;
    return agent;
  } catch (error) {
    await agent.close();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}
