/** The handle of an agent over its machine: calls, questions, events, and what it knows of computers. */
import {
  interpreted,
  limitOf,
  placedAt,
  questionError,
  unanswered,
  withPresent,
  outcomeOf,
  type ToldOutcome,
  misusedCall,
  PendingCalls,
  readAs,
  type Call,
  type CallOptions,
} from './call-outcome.ts';
import type { AnyEventObject } from 'xstate';
import type {
  Agent,
  AgentEvents,
  AgentOptions,
  AgentReading,
  AgentStatus,
  AgentTool,
  AgentTools,
  ComputerConfig,
  ReadOptions,
} from './agent-handle.ts';
import type { Skill, WaitOptions } from './computer-handle.ts';
import { skillOf, type AskComputer } from './agent-lists.ts';
import type { PuttingAgent } from './agent-files.ts';
import { agentMethods, agentThrowing, agentOptions, callOptions } from './checks/agent.ts';
import { waitOptions, wrongCall } from './checks/host.ts';
import { debugOf } from './debug.ts';
import { drainMs } from './handles.ts';
import { agentPart } from './agent-part.ts';
import type { LinksPart } from './links-part.ts';
import { runtimeOf, type Runtime, type HostedMachine } from './runtime.ts';
import { linkStatusOf, type LinkStatus } from './link-status.ts';
import { Seat } from './seat.ts';
import { tracedCall } from './tracing.ts';
import { A2cError } from '../kernel/errors.ts';
import {
  deferred,
  isTimeOut,
  Listeners,
  cancelledByHost,
  onAbort,
  reasonOf,
  unlessAborted,
  untilAborted,
} from '../kernel/listeners.ts';
import { telling } from './telling.ts';
import { checkArguments, mustBeOptions, type EventNames } from '../kernel/options.ts';

import { during, systemClock } from '../../adapters/clock.ts';
import type {
  AgentCall,
  AgentFollow,
  AgentNews,
  AgentQuery,
  AgentStart,
} from '../../machines/agent/agent.machine.ts';
import type { DesktopSeen, FinderSeen, Followed } from '../../machines/agent/collections.ts';
import type { ViewCollectionChanged, ViewToolsChanged } from '../../machines/agent/view.machine.ts';
import { inEnglish } from '../../machines/call/policy/policy.ts';
import { settledBy, type CallProgressed, type CallSettled } from '../../machines/call/call.rules.ts';
import { changesOf, isNoChange } from '../../machines/catalog/changes.ts';
import { listedFrom } from '../../machines/catalog/tool.ts';
import { isNoDifference } from '../../machines/kernel/difference.ts';
import { message } from '../../machines/kernel/effects.ts';
import { timing, type Timing } from '../../machines/kernel/timing.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { fromWireError, hostFailure, wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { withoutUndefined } from '../../machines/protocol/json.ts';
import { readAnswer } from '../../machines/protocol/reading.ts';
import {
  readConfig,
  readRoom,
  readTools,
  type RoomMember,
  type SkillsRead,
} from '../../machines/protocol/messages/lists.ts';
import type { SmcpTool } from '../../machines/protocol/messages/collections.ts';
import type { DownloadNews } from '../../machines/blobs/download.rules.ts';
import { blobsIn, Downloads, type BlobOptions, type Download } from './downloads.ts';
import { traceIn } from '../../machines/protocol/messages/messages.ts';
import { desktopDifference, finderDifference } from '../../machines/resources/asked.ts';

/** Collections that an agent begins to follow when its host listens to these events. */
const collectionOf: Readonly<Partial<Record<keyof AgentEvents, Followed>>> = {
  'desktop.changed': 'desktop',
  'finder.changed': 'finder',
  'skills.changed': 'skills',
};

interface Waiting {
  /** Called after any news. */
  again(): void;
  giveUp(): void;
}
class HostedAgent implements Agent {
  readonly #runtime: Runtime;
  readonly #parts: LinksPart['parts'];
  readonly #isShared: boolean;
  readonly #timing: Timing;
  readonly #hosted: HostedMachine;
  readonly #listeners = new Listeners<AgentEvents>();
  readonly #calls = new PendingCalls();
  readonly #known = new KnownComputers(this.#listeners);
  readonly #seat: Seat<'agent'>;
  #link: LinkStatus = { state: 'connecting', reason: null, refusal: null };
  /** Resolves when the seat is taken, or with `keepTrying` when the office has answered. */
  readonly #seated: Promise<unknown>;
  #isDraining = false;
  /** True when `status().computers` is complete: the office has listed its members since the seat was taken. */
  #isRoomKnown = false;
  /** Those who wait for something that becomes known. */
  readonly #waiting = new Set<Waiting>();
  readonly #office: string;
  readonly #name: string;

  constructor(options: AgentOptions, runtime: Runtime, isShared: boolean) {
    this.#runtime = runtime;
    const { links } = runtime.use(agentPart);
    this.#parts = links.parts;
    this.#isShared = isShared;
    this.#timing = { ...timing, ...withoutUndefined(options.timing ?? {}) };
    const { name = 'agent', office = 'local', keepTrying = false } = options;
    this.#office = office;
    this.#name = name;
    this.#seat = new Seat('agent', name, this.#listeners, {
      isTaken: () => this.#isOpen(),
      send: (event) => this.#runtime.directory.send('agent', event),
      show: (...shown) => links.show(...shown),
    });
    const { role: _, ...link } = this.#seat.linkTo({ ...options, id: office });
    this.#seated = keepTrying ? this.#answered() : this.#seat.taken({});
    const input: AgentStart = { link, timing: this.#timing };
    this.#hosted = this.#runtime.start('agent', input, (event) => this.#hear(event));
    for (const collection of options.follow ?? []) this.#follow(collection);
    this.debug = debugOf(runtime, () => ({ kind: 'agent', name }));
    checkArguments(this, agentMethods, agentThrowing);
  }
  /** Resolves when the office has answered the first try to join, or after `toolsMs`. */
  #answered(): Promise<unknown> {
    const look = (): unknown => this.#link.state !== 'connecting' || undefined;
    return this.#until(look, { timeoutMs: this.#timing.toolsMs }).catch(() => {});
  }
  /** Waits at most 2 s for the list of members; with `keepTrying` not for a seat that the office refuses. */
  static settled(of: HostedAgent): Promise<void> {
    return of.#settled();
  }
  async #settled(): Promise<void> {
    await this.#seated;
    if (this.#link.state !== 'joined') return;
    await this.#until(() => this.#isRoomKnown || !this.#isOpen() || undefined, {
      timeoutMs: longestRoomMs,
    }).catch(() => {});
  }
  /** What `look` finds, now or after news. Rejects when the agent closes, after the time, or when the signal aborts. */
  #until<T>(look: () => T | undefined, { signal, timeoutMs }: ReadOptions, late?: () => Error): Promise<T> {
    const found = deferred<T>();
    const again = (): void => {
      const value = look();
      if (value !== undefined) found.resolve(value);
    };
    const waiting = { again, giveUp: () => found.reject(new A2cError(agentClosed)) };
    const tooLate = (): void => found.reject(late?.());
    const timer = timeoutMs === undefined ? undefined : systemClock.setTimeout(tooLate, timeoutMs);
    this.#waiting.add(waiting);
    again();
    return untilAborted(found.promise, signal).finally(() => {
      this.#waiting.delete(waiting);
      systemClock.clearTimeout(timer);
    });
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'call.settled') return this.#calls.settle(event as unknown as CallSettled);
    if (event.type === 'call.progressed') return this.#calls.progressed(event as unknown as CallProgressed);
    if (event.type === 'download.part' || event.type === 'download.ended')
      return this.#downloads.heard(event as unknown as DownloadNews);
    if (event.type === 'owned.ended') {
      for (const { giveUp } of this.#waiting) giveUp();
      this.#downloads.close();
      return this.#seat.close();
    }
    const news = event as AgentNews;
    if (news.type === 'computer.entered') this.#known.meet(news.computer);
    else if (news.type === 'room.known') {
      this.#known.find(news.computers);
      this.#isRoomKnown = true;
    } else if (news.type === 'computer.left') this.#known.forget(news.computer);
    else if (news.type === 'computer.configChanged')
      this.#listeners.emit('config.changed', { computer: news.computer });
    else if (news.type === 'view.toolsChanged') this.#known.learnTools(news);
    else if (news.type === 'view.collectionChanged') this.#known.learnCollection(news);
    else if (news.type === 'link.changed') {
      this.#link = linkStatusOf(news);
      if (news.stage === 'waiting') {
        this.#isRoomKnown = false;
        this.#known.forgetAll();
      }
      this.#listeners.emit('link.changed', this.#link);
    }
    for (const { again } of this.#waiting) again();
  }
  #follow(collection: Followed): void {
    if (!this.#known.follow(collection)) return;
    const order: AgentFollow = { type: 'agent.follow', collection };
    if (this.#isOpen()) this.#runtime.directory.send('agent', order);
  }
  #isOpen(): boolean {
    return this.#runtime.directory.find('agent') !== undefined;
  }

  status(): AgentStatus {
    return { name: this.#name, office: this.#office, link: this.#link, computers: this.#computers() };
  }
  joined: Agent['joined'] = async (first?: string | WaitOptions, second?: WaitOptions) => {
    const [computer, options = {}] = typeof first === 'string' ? [first, second] : [undefined, first];
    mustBeOptions('joined', options, waitOptions);
    const { signal } = options;
    if (!this.#isOpen()) throw new A2cError(agentClosed);
    if (computer === undefined) return this.#seat.joined(() => this.#link, signal);
    const isThere = (): true | undefined => this.#known.present.has(computer) || undefined;
    try {
      await this.#until(isThere, { signal });
    } catch (cause) {
      if (this.#link.state !== 'joined' || !signal?.aborted || !isTimeOut(signal))
        throw this.#seat.late(this.#link, cause);
      const missing = { code: wireCodes.notFound, message: `Computer '${computer}' has not joined in time` };
      throw new A2cError(
        withPresent(computer, missing, () => this.#computers()),
        { cause },
      );
    }
  };
  #computers(): readonly string[] {
    return [...this.#known.present];
  }
  async tools(computer: string, options: ReadOptions = {}): Promise<AgentTools> {
    options.signal?.throwIfAborted();
    const known = this.#known.toolsOf(computer);
    if (known?.missing.length === 0) return known;
    const first = known ? undefined : await this.#firstTools(computer, options);
    if (first) return first;
    return this.#known.takeTools(
      computer,
      await this.#query(events.getTools, { computer }, options, readTools),
    );
  }
  /** Undefined when the computer is not in the office; the office then answers the question with an error. */
  async #firstTools(computer: string, options: ReadOptions): Promise<AgentTools | undefined> {
    const { timeoutMs = this.#timing.queryMs, signal } = options;
    if (!this.#isOpen()) throw new A2cError(agentClosed);
    const look = (): AgentTools | 'absent' | undefined => {
      const isAbsent = this.#isRoomKnown && !this.#known.present.has(computer);
      return this.#known.toolsOf(computer) ?? (isAbsent ? 'absent' : undefined);
    };
    const late = (): A2cError => this.#noToolsYet(computer, timeoutMs);
    const found = await this.#until(look, { signal, timeoutMs }, late);
    return found === 'absent' ? undefined : found;
  }
  #noToolsYet(computer: string, timeoutMs: number): A2cError {
    const failure = this.#known.failures.get(computer) ?? {
      code: wireCodes.noAnswer,
      message: `Computer '${computer}' has not told its tools within ${timeoutMs} ms`,
    };
    const { code, message, details, remedy } = fromWireError(failure);
    return new A2cError({
      code,
      message,
      details: { ...details, computer },
      ...(remedy !== undefined && { remedy }),
    });
  }
  callTool: Agent['callTool'] = (computer, tool, params = {}, options = {}) => {
    const misuse = wrongCall(tool, params, options, callOptions);
    if (misuse) return misusedCall(tool, misuse);
    const { tracing } = this.#runtime;
    if (!tracing) return this.#call(computer, tool, params, options);
    const about = { layer: 'agent', kind: 'client', method: events.toolCall, tool } as const;
    return tracedCall(tracing, { ...about, office: this.#office, computer }, options, (traced) =>
      this.#call(computer, tool, params, traced),
    );
  };
  #call(computer: string, tool: string, params: AgentCall['params'], options: CallOptions): Call {
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
        ...limitOf(options, this.#timing),
        wantsProgress: true,
        replyTo,
        ...(trace && { trace: { ...trace } }),
        ...(options.meta && { meta: options.meta }),
      };
      if (this.#isDraining) this.#calls.settle(settledBy({ ...call, server: '' }, 'refused', agentDraining));
      else this.#sendOrSettle(call, ticket, reqId, tool);
    };
    const wasThere = this.#known.present.has(computer);
    const call = this.#calls.start(tool, options, send, (...cancelled) => this.#cancel(...cancelled));
    const read = (told: ToldOutcome): ToldOutcome =>
      placedAt(computer, becauseOf(options.signal, interpreted(told, wasThere)), () => this.#computers());
    const stream = (handle: string, given: BlobOptions): Download => this.files.get(computer, handle, given);
    return readAs(call, (told) => {
      const blobs = blobsIn(told.result, stream);
      return outcomeOf(inEnglish(read(blobs.length > 0 ? { ...told, blobs } : told)));
    });
  }
  readonly files: Agent['files'] = {
    put: async (computer, source, options = {}) => {
      const { putFile } = await during(import('./agent-files.ts'));
      return putFile(this.#puttingAgent, computer, source, options);
    },
    get: (computer, handle, options = {}) => this.#downloads.start(computer, handle, options),
  };
  readonly #downloads = new Downloads(() => ({
    parts: this.#parts,
    host: this.#hosted.host,
    send: (event) => {
      if (this.#isOpen()) this.#runtime.directory.send('agent', event);
      return this.#isOpen();
    },
  }));
  readonly #query: AskComputer = async (method, request, options, read) => {
    const { timeoutMs, signal } = options;
    signal?.throwIfAborted();
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
    const outcome = await this.#calls.start(method, wait, send, (...cancelled) => this.#cancel(...cancelled));
    if (outcome.end === 'cancelled') signal?.throwIfAborted();
    const error = unanswered(outcome, method);
    if (error) throw error;
    const { result: ack, reqId } = outcome;
    const answer = readAnswer(ack);
    const { computer } = request as { readonly computer?: string };
    if (!answer.ok && computer !== undefined) {
      const failure = withPresent(computer, answer.failure, () => this.#computers());
      throw questionError(failure, reqId);
    }
    const found = read(ack, reqId);
    if (found.ok) return found.body;
    throw questionError(found.failure, reqId);
  };
  #sendOrSettle(event: AgentCall | AgentQuery, ticket: string, reqId: string, tool: string): void {
    const closed = settledBy({ ticket, reqId, server: '', tool }, 'failed', agentClosed);
    this.#runtime.directory.send('agent', event, message<CallSettled>(this.#hosted.host, closed));
  }
  async room(options: ReadOptions = {}): Promise<readonly RoomMember[]> {
    return this.#query('server:list_room', { office_id: this.#office }, options, readRoom);
  }
  async config(computer: string, options: ReadOptions = {}): Promise<ComputerConfig> {
    const { servers, inputs } = await this.#query('client:get_config', { computer }, options, readConfig);
    return { servers, inputs: inputs ?? [] };
  }
  get #puttingAgent(): PuttingAgent {
    return { ask: this.#query, isOpen: () => this.#isOpen(), parts: this.#parts };
  }
  #cancel(ticket: string, reason = cancelledByHost, timedOut = false): void {
    const order = { type: 'call.cancel', ticket, reason, ...(timedOut && { timedOut }) } as const;
    if (this.#isOpen()) this.#runtime.directory.send('agent', order);
  }
  cancel(reqId: string): void {
    const ticket = this.#calls.ticketOf(reqId);
    if (ticket !== undefined) this.#cancel(ticket);
  }
  #reading: Promise<AgentReading> | undefined;
  /** Loads the module of questions with the first one. */
  #asking(): Promise<AgentReading> {
    return (this.#reading ??= during(import('./agent-reading.ts')).then((module) =>
      module.createReading(this.#query),
    ));
  }
  desktop: Agent['desktop'] = async (...asked) => (await this.#asking()).desktop(...asked);
  finder: Agent['finder'] = async (...asked) => (await this.#asking()).finder(...asked);
  resources: Agent['resources'] = async (...asked) => (await this.#asking()).resources(...asked);
  readResource: Agent['readResource'] = async (...asked) => (await this.#asking()).readResource(...asked);
  readonly skills: Agent['skills'] = {
    list: async (...asked) => (await this.#asking()).skills.list(...asked),
    read: async (...asked) => (await this.#asking()).skills.read(...asked),
  };
  readonly documents: Agent['documents'] = {
    metadata: async (...asked) => (await this.#asking()).documents.metadata(...asked),
    pages: async (...asked) => (await this.#asking()).documents.pages(...asked),
    page: async (...asked) => (await this.#asking()).documents.page(...asked),
    element: async (...asked) => (await this.#asking()).documents.element(...asked),
  };
  readonly debug: Agent['debug'];
  // Follows the collection after the listener is added, so that the listener gets the existing content.
  readonly #events = telling(this.#listeners, agentEvents, (name) => {
    const collection = collectionOf[name];
    if (collection) this.#follow(collection);
  });
  readonly on = this.#events.on;
  readonly once = this.#events.once;
  readonly off = this.#events.off;
  readonly removeListener = this.#events.removeListener;
  drain: Agent['drain'] = async (options = {}) => {
    this.#isDraining = true;
    await this.#calls.idle(options.timeoutMs ?? drainMs);
    await this.close();
  };
  async close(): Promise<void> {
    await this.#runtime.end(this.#hosted, this.#timing.shutdownMs + 1_000);
    if (!this.#isShared) await this.#runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The computer of a cancelled call never learned the reason that the signal gave. */
function becauseOf(signal: AbortSignal | undefined, told: ToldOutcome): ToldOutcome {
  if (told.end !== 'cancelled' || !told.failure || !signal?.aborted) return told;
  const reason = reasonOf(signal);
  const message = told.failure.message.includes(reason)
    ? told.failure.message
    : `${told.failure.message}: ${reason}`;
  return {
    ...told,
    failure: { ...told.failure, message, details: { ...told.failure.details, cancel_reason: reason } },
  };
}
const agentEvents: EventNames<AgentEvents> = {
  ...{ 'computer.joined': true, 'computer.left': true, 'tools.changed': true, 'config.changed': true },
  ...{ 'desktop.changed': true, 'finder.changed': true, 'desktop.failed': true, 'finder.failed': true },
  ...{ 'skills.changed': true, 'skills.failed': true },
  'link.changed': true,
};
/** Longest time in ms for which a new agent waits for the list of its room. */
const longestRoomMs = 2_000;
const agentDraining: Failure = {
  code: 'LinkLost',
  message: 'The agent is about to close and takes no new calls',
};
const agentClosed: Failure = { code: 'Closed', message: 'The agent is closed' };

/**
 * Takes the agent's seat in an office. Resolves when the seat is taken and `status().computers` names the other members,
 * or after 2 s where the office does not list them. Rejects with an `A2cError` when the seat is refused or no office is
 * there, and with the reason of `signal` when that aborts first. With `keepTrying` it resolves when the office has
 * answered, `toolsMs` at most, and `agent.joined()` tells when the seat is taken.
 */
export async function createAgent(options: AgentOptions, shared?: Runtime): Promise<Agent> {
  mustBeOptions('createAgent', options, agentOptions);
  return unlessAborted(options.signal, () => joinAsAgent(options, shared));
}

async function joinAsAgent(options: AgentOptions, shared: Runtime | undefined): Promise<Agent> {
  const runtime = await runtimeOf(options, shared);
  const agent = new HostedAgent(options, runtime, shared !== undefined);
  const { signal } = options;
  const giveUp = (): void => void agent.close();
  const stop = signal && onAbort(signal, giveUp);
  if (signal?.aborted) giveUp();
  try {
    await HostedAgent.settled(agent);
    return agent;
  } catch (error) {
    await agent.close();
    throw error;
  } finally {
    stop?.();
  }
}

const agentTool = (computer: string, tool: SmcpTool): AgentTool => {
  const { bundle_id: bundleId } = tool;
  return Object.freeze({ ...listedFrom(tool), computer, ...(bundleId && { bundleId }) });
};

type ToolsRead = {
  readonly tools: readonly SmcpTool[];
  readonly missing?: NonNullable<ViewToolsChanged['missing']>;
};

/** Events carry only the differences from what is known. */
class KnownComputers {
  /** In the order in which they were found. */
  readonly present = new Set<string>();
  readonly #met = new Set<string>();
  readonly tools = new Map<string, AgentTools>();
  readonly failures = new Map<string, Failure>();
  readonly #desktops = new Map<string, DesktopSeen>();
  readonly #finders = new Map<string, FinderSeen>();
  readonly #skills = new Map<string, readonly Skill[]>();
  readonly #troubles = new Map<string, string>();
  readonly #follows = new Set<Followed>();
  readonly #listeners: Listeners<AgentEvents>;

  constructor(listeners: Listeners<AgentEvents>) {
    this.#listeners = listeners;
  }
  /** Their events follow with their tools, so that a listener added after `createAgent` gets them too. */
  find(computers: readonly string[]): void {
    for (const computer of computers) this.present.add(computer);
  }
  /** Once for each stay of a computer, whether the office announced it or the agent found it there. */
  meet(computer: string): void {
    this.present.add(computer);
    if (this.#met.has(computer)) return;
    this.#met.add(computer);
    this.#listeners.emit('computer.joined', { computer });
  }
  /** An empty list does not count as known while the last read of the tools has failed. */
  toolsOf(computer: string): AgentTools | undefined {
    const known = this.tools.get(computer);
    return known?.tools.length === 0 && this.failures.has(computer) ? undefined : known;
  }
  forget(computer: string): void {
    this.present.delete(computer);
    const all = [this.tools, this.failures, this.#desktops, this.#finders, this.#skills];
    for (const known of all) known.delete(computer);
    for (const collection of ['desktop', 'finder', 'skills'])
      this.#troubles.delete(`${collection} ${computer}`);
    if (this.#met.delete(computer)) this.#listeners.emit('computer.left', { computer });
  }
  forgetAll(): void {
    for (const computer of [...this.present]) this.forget(computer);
  }
  learnTools({ computer, tools, missing = [], failure }: Omit<ViewToolsChanged, 'type'>): void {
    this.meet(computer);
    if (failure) this.failures.set(computer, failure);
    else this.failures.delete(computer);
    // The report of a failure repeats the last answer, which may be older than the tools that are known.
    if (tools && !(failure && this.tools.has(computer))) this.#learn(computer, { tools, missing });
  }
  takeTools(computer: string, answer: ToolsRead): AgentTools {
    this.meet(computer);
    this.failures.delete(computer);
    return this.#learn(computer, answer);
  }
  #learn(computer: string, { tools, missing = [] }: ToolsRead): AgentTools {
    const known = this.tools.get(computer);
    const value = tools.map((tool): AgentTool => agentTool(computer, tool));
    const listed: AgentTools = { tools: value, missing };
    this.tools.set(computer, listed);
    const changes = changesOf<AgentTool>(known?.tools ?? [], value, ({ name }) => name);
    // Emits only differences: tools that were read again may be the same as before.
    if (!known || !isNoChange(changes))
      this.#listeners.emit('tools.changed', { computer, value, ...changes });
    return listed;
  }
  /** True the first time; nothing was stored before, so a new listener gets the whole content. */
  follow(collection: Followed): boolean {
    if (this.#follows.has(collection)) return false;
    this.#follows.add(collection);
    return true;
  }
  learnCollection(news: ViewCollectionChanged): void {
    this.meet(news.computer);
    if (!this.#follows.has(news.collection)) return;
    this.#learnFailure(news);
    if (news.collection === 'desktop') this.#learnDesktop(news.computer, news.value);
    else if (news.collection === 'finder') this.#learnFinder(news.computer, news.value);
    else this.#learnSkills(news.computer, news.value);
  }
  /** Once for as long as the failure stays the same, because the view asks again by itself. */
  #learnFailure({ computer, collection, failure }: ViewCollectionChanged): void {
    const key = `${collection} ${computer}`;
    const text = failure && `${failure.code} ${failure.message}`;
    if (this.#troubles.get(key) === text) return;
    if (text === null) return void this.#troubles.delete(key);
    this.#troubles.set(key, text);
    if (failure)
      this.#listeners.emit(`${collection}.failed`, {
        computer,
        failure: hostFailure(fromWireError(failure)),
      });
  }
  #learnSkills(computer: string, read: SkillsRead | null): void {
    if (!read) return;
    const known = this.#skills.get(computer) ?? [];
    const value = read.skills.map((ref) => skillOf(computer, ref));
    this.#skills.set(computer, value);
    const changes = changesOf<Skill>(known, value, ({ name }) => name);
    if (!isNoChange(changes)) this.#listeners.emit('skills.changed', { computer, value, ...changes });
  }
  #learnDesktop(computer: string, value: DesktopSeen | null): void {
    if (!value) return;
    const known = this.#desktops.get(computer);
    this.#desktops.set(computer, value);
    const difference = desktopDifference(known?.desktops ?? [], value.desktops);
    if (!isNoDifference(difference))
      this.#listeners.emit('desktop.changed', { computer, value, ...difference });
  }
  /** Documents beyond the followed ones count only in the total. */
  #learnFinder(computer: string, value: FinderSeen | null): void {
    if (!value) return;
    const known = this.#finders.get(computer);
    this.#finders.set(computer, value);
    const difference = finderDifference(known?.documents ?? [], value.documents);
    if (!isNoDifference(difference) || (known?.total_count ?? 0) !== value.total_count)
      this.#listeners.emit('finder.changed', { computer, value, ...difference });
  }
}
