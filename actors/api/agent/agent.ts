import { traceIn } from '../../../machines/protocol/messages/trace-context.ts';
import type { AnyEventObject } from 'xstate';
import { systemClock } from '../../../adapters/index.ts';
import type {
  AgentCall,
  AgentFollow,
  AgentNews,
  AgentQuery,
  AgentStart,
} from '../../../machines/agent/agent.machine.ts';
import { settledBy, type CallProgressed, type CallSettled } from '../../../machines/call/messages.ts';
import { message } from '../../../machines/kernel/effects.ts';
import type { ResourceCollection } from '../../../machines/resources/collections/index.ts';
import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import { events } from '../../../machines/protocol/events.ts';
import {
  readConfig,
  readRoom,
  wireCodes,
  type Failure,
  type RoomMember,
  type SmcpTool,
} from '../../../machines/protocol/index.ts';
import { interpreted, placedAt, unanswered } from './agent-calls.ts';
import type { Agent, AgentEvents, AgentOptions, ComputerConfig } from './agent-handle.ts';
import { KnownComputers } from './known-computers.ts';
import { createReading, type Ask } from './agent-reading.ts';
import { deferred } from '../../kernel/deferred.ts';
import { A2cError } from '../../kernel/errors.ts';
import { linkStatusOf } from '../link-status.ts';
import { Listeners } from '../../kernel/listeners.ts';
import { notJoined } from '../not-joined.ts';
import { PendingCalls, type Call, type CallOptions } from './pending-calls.ts';
import { tracedCall } from '../tracing.ts';
import { runtimeOf } from '../host-runtime.ts';
import type { Runtime, Hosted } from '../runtime.ts';

export type { Agent, AgentEvents, AgentOptions, ComputerConfig } from './agent-handle.ts';

/** Who listens to these has them followed. */
const collectionOf: Readonly<Partial<Record<keyof AgentEvents, ResourceCollection>>> = {
  'desktop.changed': 'desktop',
  'finder.changed': 'finder',
};

class HostedAgent implements Agent {
  readonly #runtime: Runtime;
  readonly #isShared: boolean;
  readonly #timing: Timing;
  readonly #hosted: Hosted;
  readonly #listeners = new Listeners<AgentEvents>();
  readonly #calls = new PendingCalls();
  readonly #known = new KnownComputers(this.#listeners);
  readonly #joined = deferred();
  /** It knows who sits there. */
  readonly #room = deferred();
  /** Who waits for what only an agent that lives can hear. */
  readonly #waiting = new Set<() => void>();
  readonly #keepTrying: boolean;
  readonly #office: string;
  readonly #name: string;

  constructor(options: AgentOptions, runtime: Runtime, isShared: boolean) {
    this.#runtime = runtime;
    this.#isShared = isShared;
    this.#timing = { ...timing, ...options.timing };
    this.#keepTrying = options.keepTrying ?? false;
    const { url, name = 'agent', office = 'local' } = options;
    this.#runtime.access.show(url, options);
    this.#office = office;
    this.#name = name;
    const input: AgentStart = { link: { url, name, office }, timing: this.#timing };
    this.#hosted = this.#runtime.start('agent', input, (event) => this.#hear(event));
    for (const collection of options.follow ?? []) this.#follow(collection);
  }
  /** It sits in the office, and knows who sits there, unless the office takes too long to say so. */
  async settled(): Promise<void> {
    await this.#joined.promise;
    const timer = systemClock.setTimeout(() => this.#room.resolve(), longestRoomMs);
    await this.#room.promise.finally(() => systemClock.clearTimeout(timer));
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'call.settled') return this.#calls.settle(event as unknown as CallSettled);
    if (event.type === 'call.progressed') return this.#calls.progressed(event as unknown as CallProgressed);
    if (event.type === 'owned.ended') {
      for (const giveUp of this.#waiting) giveUp();
      const closed = notJoined('agent', 'the agent was closed', null);
      this.#room.reject(closed);
      return this.#joined.reject(closed);
    }
    const news = event as AgentNews;
    if (news.type === 'computer.entered') this.#known.meet(news.computer);
    else if (news.type === 'room.known') {
      this.#known.find(news.computers);
      this.#room.resolve();
    } else if (news.type === 'computer.left') this.#known.forget(news.computer);
    else if (news.type === 'computer.configChanged')
      this.#listeners.emit('config.changed', { computer: news.computer });
    else if (news.type === 'view.toolsChanged') this.#known.learnTools(news);
    else if (news.type === 'view.collectionChanged') this.#known.learnCollection(news);
    else if (news.type === 'link.changed') {
      if (news.stage === 'joined') this.#joined.resolve();
      if (news.stage === 'waiting') {
        if (!this.#keepTrying)
          this.#joined.reject(notJoined('agent', news.reason ?? 'no reason given', news.refusal));
        this.#known.forgetAll();
      }
      this.#listeners.emit('link.changed', linkStatusOf(news));
    }
  }
  #follow(collection: ResourceCollection): void {
    if (!this.#known.follow(collection)) return;
    const order: AgentFollow = { type: 'agent.follow', collection };
    if (this.#runtime.directory.find('agent')) this.#runtime.directory.send('agent', order);
  }

  computers(): readonly string[] {
    return [...this.#known.present];
  }
  async tools(computer: string, { timeoutMs = this.#timing.queryMs } = {}): Promise<readonly SmcpTool[]> {
    const known = this.#known.toolsOf(computer);
    if (known) return known;
    if (!this.#runtime.directory.find('agent')) throw new A2cError(agentClosed);
    const found = deferred<readonly SmcpTool[]>();
    const giveUp = (): void => found.reject(new A2cError(agentClosed));
    this.#waiting.add(giveUp);
    const stop = this.#listeners.on(
      'tools.changed',
      (e) => e.computer === computer && found.resolve(e.value),
    );
    const timer = systemClock.setTimeout(() => {
      const again = this.#known.toolsOf(computer);
      if (again) return found.resolve(again);
      const failure = this.#known.failures.get(computer);
      const others = this.computers().map((c) => `'${c}'`);
      found.reject(
        new A2cError(
          failure ??
            (this.#known.present.has(computer)
              ? {
                  code: wireCodes.timeout,
                  message: `Computer '${computer}' has not told its tools within ${timeoutMs} ms`,
                }
              : {
                  code: wireCodes.notFound,
                  message: `No computer '${computer}' in this office within ${timeoutMs} ms`,
                  remedy: `Known: ${others.join(', ') || 'none'}`,
                }),
        ),
      );
    }, timeoutMs);
    try {
      return await found.promise;
    } finally {
      stop();
      this.#waiting.delete(giveUp);
      systemClock.clearTimeout(timer);
    }
  }
  callTool: Agent['callTool'] = (computer, tool, params = {}, options = {}) => {
    const { tracing } = this.#runtime;
    if (!tracing) return this.#call(computer, tool, params, options);
    const about = { layer: 'agent', kind: 'client', method: events.toolCall, tool } as const;
    return tracedCall(tracing, { ...about, office: this.#office, computer }, options, (traced) =>
      this.#call(computer, tool, params, traced),
    );
  };
  #call(computer: string, tool: string, params: AgentCall['params'], options: CallOptions): Call {
    const { timeoutMs = this.#timing.callTotalMs } = options;
    const trace = traceIn(options.trace ?? {});
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
        wantsProgress: true,
        replyTo,
        ...(trace && { trace }),
      };
      this.#sendOrSettle(call, ticket, reqId, tool);
    };
    const wasThere = this.#known.present.has(computer);
    const call = this.#calls.start(tool, options, send, (ticket) => this.#cancel(ticket));
    const { reqId, cancel, on } = call;
    return Object.assign(
      call.then((outcome) => placedAt(computer, interpreted(outcome, wasThere))),
      { reqId, cancel, on },
    );
  }
  /** The raw ack of a question, and the `req_id` that it has to echo. */
  readonly #query: Ask = async (method, request, { timeoutMs, signal }) => {
    if (signal?.aborted) throw new A2cError(givenUp);
    const replyTo = this.#hosted.host;
    const send = (ticket: string, reqId: string): void => {
      const query: AgentQuery = {
        type: 'agent.query',
        ticket,
        reqId,
        method,
        request,
        replyTo,
        ...(timeoutMs !== undefined && { timeoutMs }),
      };
      this.#sendOrSettle(query, ticket, reqId, method);
    };
    const wait = { ...(signal && { signal }) };
    const outcome = await this.#calls.start(method, wait, send, (ticket) => this.#cancel(ticket));
    const error = unanswered(outcome, method);
    if (error) throw error;
    return { ack: outcome.result, reqId: outcome.reqId };
  };
  #sendOrSettle(event: AgentCall | AgentQuery, ticket: string, reqId: string, tool: string): void {
    const closed = settledBy({ ticket, reqId, server: '', tool }, 'failed', agentClosed);
    this.#runtime.directory.send('agent', event, message<CallSettled>(this.#hosted.host, closed));
  }
  async listRoom(): Promise<readonly RoomMember[]> {
    const { ack, reqId } = await this.#query('server:list_room', { office_id: this.#office }, {});
    const read = readRoom(ack, reqId);
    if (read.ok) return read.body;
    throw new A2cError(read.failure);
  }
  async getConfig(computer: string): Promise<ComputerConfig> {
    const { ack } = await this.#query('client:get_config', { computer }, {});
    const read = readConfig(ack);
    if (!read.ok) throw new A2cError(read.failure);
    const { servers, inputs } = read.body;
    return { servers, inputs: inputs ?? [] };
  }
  #cancel(ticket: string): void {
    const order = { type: 'call.cancel', ticket, reason: 'cancelled by the host' } as const;
    if (this.#runtime.directory.find('agent')) this.#runtime.directory.send('agent', order);
  }
  cancel(reqId: string): void {
    const ticket = this.#calls.ticketOf(reqId);
    if (ticket !== undefined) this.#cancel(ticket);
  }
  readonly #reading = createReading(this.#query);
  readonly getDesktop = this.#reading.getDesktop;
  readonly getFinder = this.#reading.getFinder;
  readonly readResource = this.#reading.readResource;
  readonly readDocumentMetadata = this.#reading.readDocumentMetadata;
  readonly readDocumentPages = this.#reading.readDocumentPages;
  readonly readPage = this.#reading.readPage;
  readonly readElement = this.#reading.readElement;
  readonly pagesOf = this.#reading.pagesOf;
  readonly documentsOf = this.#reading.documentsOf;

  on: Agent['on'] = (name, listener) => {
    const stop = this.#listeners.on(name, listener);
    const collection = collectionOf[name];
    // After it listens: what there is comes as news.
    if (collection) this.#follow(collection);
    return stop;
  };
  inspect: Agent['inspect'] = (options) =>
    this.#runtime.inspections.open({ kind: 'agent', name: this.#name }, options);
  writeTrace: Agent['writeTrace'] = async (dir = '.') => this.#runtime.writeTrace(dir);
  mark: Agent['mark'] = (text) => this.#runtime.flight?.mark(text);
  async close(): Promise<void> {
    await this.#runtime.end(this.#hosted, this.#timing.shutdownMs + 1_000);
    if (!this.#isShared) await this.#runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** How long a new agent waits at most for the list of its room. */
const longestRoomMs = 2_000;
const agentClosed: Failure = { code: 'LinkLost', message: 'The agent is closed' };
const givenUp: Failure = {
  code: 'ToolCallCancelled',
  message: 'It was not asked: its signal is aborted',
};

/**
 * Takes the agent's seat in an office; resolves when it sits there and `computers()` names who else does (or 2 s later, where
 * the office does not say). Rejects with an `A2cError`, unless `keepTrying`.
 */
export async function createAgent(options: AgentOptions, shared?: Runtime): Promise<Agent> {
  const runtime = await runtimeOf(options, shared);
  const agent = new HostedAgent(options, runtime, shared !== undefined);
  const abort = (): void => void agent.close();
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();
  try {
    await agent.settled();
    return agent;
  } catch (error) {
    await agent.close();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}
