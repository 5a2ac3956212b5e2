/** The handle of a presenter: a computer with the config, events and conversions of DeepChat. */
import { wireCodes, type Failure, type HostFailure } from '../../machines/protocol/failure.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import type { Computer } from '../api/computer-handle.ts';
import { createComputer } from '../api/computer.ts';
import { LiveConfig } from './live-config.ts';
import type {
  Presenter,
  PresenterOptions,
  ConfigStatus,
  McpClient,
  PresenterConversation,
  PresenterEvents,
  ToolCallAnswer,
} from './presenter-handle.ts';
import { presenterArguments, presenterOptions, presenterThrowing } from './checks.ts';
import { openRuntime, type Runtime } from '../api/runtime.ts';
import { serversPart } from '../api/servers-part.ts';
import { takenBack, untilEnded } from '../api/server-orders.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { A2cError, failureOf } from '../kernel/errors.ts';
import { telling } from '../api/telling.ts';
import { Listeners, escaping, unlessAborted } from '../kernel/listeners.ts';
import { checkArguments, mustBeOptions, type EventNames } from '../kernel/options.ts';
import { readOrThrow } from '../plans/plan.ts';
import { documentsCommand } from '../../adapters/documents/command.ts';
import { homeFolder, newId } from '../../adapters/clock.ts';
import { userConfigFile } from '../../adapters/applications/config-files.ts';
import type { Judge } from '../../adapters/storage/settings.ts';
import type { Edit } from '../../machines/config/json-edits.ts';
import { parseConfig } from '../../machines/config/parse.ts';
import { mistakeLine, type Mistake } from '../../machines/config/mistake.ts';
import { type SavedConversation, createConversation } from '../../machines/models/conversation.ts';
import {
  anthropicToolUseToMcpTool,
  geminiFunctionCallToMcpTool,
  mcpToolsToAnthropicTools,
  mcpToolsToGeminiTools,
  mcpToolsToOpenAITools,
  openAIToolsToMcpTool,
} from '../../machines/models/conversions.ts';
import { readArguments } from '../../machines/models/arguments.ts';
import { textOf, toResponse, type EndedCall } from '../../machines/models/present.ts';
import type { MCPToolDefinition } from '../../machines/models/format.ts';
import {
  computerConfig,
  mapKeyOf,
  ownServers,
  shownConfig,
  topMistakes,
  defaults,
  removal,
  reset,
  update,
  migrationsOf,
  type McpConfig,
  type MCPServerConfig,
  type Surroundings,
} from '../../machines/presenter/host-config.ts';
import { isOfFuture } from '../../machines/settings/file-version.ts';
import {
  notificationOf,
  presenterEventsOf,
  type WatchedEvent,
  type McpEvent,
  type Phases,
} from '../../machines/presenter/events.ts';
import type { SettingsNews } from '../../machines/settings/settings.rules.ts';
import { foreign } from '../../machines/config/config-input.ts';

/**
 * Makes a presenter. Reads the config and starts nothing; `initialize` starts the servers. Rejects like
 * `createComputer` for wrong options, for a refused seat, and with the reason of `signal` when that aborts first.
 */
export async function createPresenter(options: PresenterOptions = {}): Promise<Presenter> {
  mustBeOptions('createPresenter', options, presenterOptions);
  const onNotice = escaping(options.onNotice);
  return unlessAborted(options.signal, () => openPresenter({ ...options, onNotice }));
}

async function openPresenter(options: PresenterOptions): Promise<Presenter> {
  const { file, settings, ...rest } = options;
  const { onNotice: notice } = rest;
  const runtime = await openRuntime({ ...rest, notice });
  try {
    const computer = await createComputer(rest, { runtime, config: readOrThrow([]) });
    const presenter = new HostedPresenter({
      computer,
      runtime,
      from: settings ?? file ?? userConfigFile(),
      surroundings: { home: homeFolder(), documents: documentsCommand },
      notice: (text) => notice?.(text),
    });
    await presenter.opened();
    return presenter;
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

interface HostedPresenterOptions {
  readonly computer: Computer;
  readonly runtime: Runtime;
  readonly from: string | object;
  readonly surroundings: Surroundings;
  notice(text: string): void;
}
class HostedPresenter implements Presenter {
  readonly computer: Computer;
  readonly #options: HostedPresenterOptions;
  readonly #config: LiveConfig;
  readonly #listeners = new Listeners<PresenterEvents>();
  readonly #news: PresenterNews;
  readonly #conversations = new Map<string, PresenterConversation>();
  readonly #own: PresenterConversation;
  /** Config that is in force, or that `initialize` will put in force. */
  #file: Fields = {};
  #shown = '';
  #isInitialized = false;
  /** True while the config file has mistakes or is gone. */
  #hasTrouble = false;
  #applying: Promise<void> = Promise.resolve();
  /** The next change begins when this one is done. */
  #changing: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: HostedPresenterOptions) {
    const { computer, runtime, from, notice } = options;
    this.#options = options;
    this.computer = computer;
    this.#news = new PresenterNews(computer, (name, value) => this.#listeners.emit(name, value));
    this.#own = this.conversation();
    this.#config = new LiveConfig({
      runtime,
      from,
      notice,
      judge: (value) => this.#judged(value),
      changed: (news) => this.#take(news),
    });
    checkArguments(this, presenterArguments, presenterThrowing);
  }
  async opened(): Promise<void> {
    await this.#config.opened();
    await this.#applying;
  }

  /** Hides secrets before the file is recorded. */
  #judged(value: Fields): ReturnType<Judge> {
    const { surroundings, runtime } = this.#options;
    const config = computerConfig(value, surroundings);
    const parsed = parseConfig(config);
    if (parsed.ok) runtime.use(serversPart).accepted(parsed.config);
    return { config, mistakes: topMistakes(value, surroundings) };
  }
  get #now(): McpConfig {
    return shownConfig(this.#file, this.#options.surroundings);
  }
  #take(news: SettingsNews): void {
    const { state, value } = news;
    const { from, notice } = this.#options;
    const trouble = configTrouble(news, typeof from === 'string' ? from : undefined);
    const hadTrouble = this.#hasTrouble;
    this.#hasTrouble = trouble !== null;
    if (trouble) {
      this.#news.tell(notificationOf('', trouble.failure, trouble.title));
      notice(trouble.failure.message);
    }
    if (state === 'mistaken') return;
    this.#file = value ?? {};
    const shown = JSON.stringify(this.#now);
    const isOther = this.#shown !== '' && this.#shown !== shown;
    this.#shown = shown;
    // Emits the event also when mistakes of the file are gone, because the host may show them.
    if (isOther || (hadTrouble && !trouble)) this.#listeners.emit('mcp:config-changed', this.#now);
    if (this.#isInitialized) this.#apply();
  }
  /** One change after another. A failure is reported, and the former config stays in force. */
  #apply(): void {
    const file = this.#file;
    this.#applying = this.#applying.then(async () => {
      if (this.#closing) return;
      try {
        await this.computer.servers.set(foreign(computerConfig(file, this.#options.surroundings)));
      } catch (error) {
        const failure = failureOf(error);
        this.#news.tell(notificationOf('', failure, 'The config could not be put in force'));
        this.#options.notice(failure.message);
      }
    });
  }
  async #edit(edits: readonly Edit[]): Promise<boolean> {
    const isDone = edits.length === 0 || (await this.#config.change(edits));
    await this.#applying;
    return isDone;
  }
  /** One after another, because each change depends on the config before it. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => {});
    return done;
  }
  initialize: Presenter['initialize'] = () =>
    this.#inTurn(async () => {
      if (this.#isInitialized) return this.#applying;
      this.#isInitialized = true;
      const { state, mistakes } = this.configStatus();
      if (state === 'mistaken') throw mistakesIn(mistakes);
      const edits = isOfFuture(this.#file) ? [] : migrationsOf(this.#file);
      // Starts the servers even when the migrated config cannot be written, because their entries can then be used as they are.
      const isKept =
        edits.length === 0 || (await this.#edit(edits).catch((e: unknown) => this.#noteUnwritten(e)));
      if (isKept && edits.length > 0) return;
      this.#apply();
      await this.#applying;
    });
  #noteUnwritten(error: unknown): false {
    this.#options.notice(`the config was not brought up to date: ${failureOf(error).message}`);
    return false;
  }
  configStatus(): ConfigStatus {
    const { from } = this.#options;
    const { state = 'lost', mistakes = [] } = this.#config.news ?? {};
    return { file: typeof from === 'string' ? from : null, state, mistakes };
  }
  #mustHave(name: string): MCPServerConfig {
    const { mcpServers } = this.#now;
    const entry = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
    if (!entry) throw unknownServer(name);
    return entry;
  }
  #at(name: string): readonly [string, string] {
    return [mapKeyOf(this.#file), name];
  }
  getMcpServers: Presenter['getMcpServers'] = () => structuredClone(this.#now.mcpServers);
  addMcpServer: Presenter['addMcpServer'] = (name, config) =>
    this.#inTurn(async () => {
      if (Object.hasOwn(this.#now.mcpServers, name)) return false;
      this.#judged({ mcpServers: { [name]: config } });
      return this.#edit([{ path: this.#at(name), value: config, unlessThere: true }]);
    });
  updateMcpServer: Presenter['updateMcpServer'] = (name, config) =>
    this.#inTurn(async () => {
      const entry = { ...this.#mustHave(name), ...config };
      const next = { ...this.#file, [mapKeyOf(this.#file)]: { ...ownServers(this.#file), [name]: entry } };
      if (this.#isInitialized) await this.#tryServer(name, next);
      await this.#edit(update(this.#file, name, entry, config)).catch((error: unknown) => {
        // Restores the config of the file when the change could not be written.
        if (this.#isInitialized) this.#apply();
        throw error;
      });
    });
  /** The former config returns by the computer if the server ran, by this method if it was still starting. */
  async #tryServer(name: string, file: Fields): Promise<void> {
    const { [mapKeyOf(file)]: servers, inputs } = computerConfig(file, this.#options.surroundings);
    const server = (servers as Readonly<Record<string, unknown>>)[name];
    const isStarting = this.computer
      .status()
      .servers.some((s) => s.name === name && s.state === 'connecting');
    let failure: HostFailure | null = null;
    const forget = this.computer.on('server.changed', (news) => {
      if (news.name === name) failure = news.failure;
    });
    try {
      const { state } = await this.computer.servers.add(
        foreign({
          mcpServers: { [name]: server },
          ...(inputs !== undefined && { inputs }),
        }),
      );
      if (!isStarting || !cannotStart.has(state)) return;
      this.#apply();
      await this.#applying;
      throw takenBack(name, failure);
    } catch (error) {
      this.#news.tell(notificationOf(name, failureOf(error), 'The change was taken back'));
      throw error;
    } finally {
      forget();
    }
  }
  removeMcpServer: Presenter['removeMcpServer'] = (name) =>
    this.#inTurn(() => {
      this.#mustHave(name);
      const edits = removal(this.#file, name, this.#options.surroundings);
      return this.#untilEnded((server) => server.name === name, edits);
    });
  async #untilEnded(isMeant: (server: ServerStatus) => boolean, edits: readonly Edit[]): Promise<void> {
    const names = this.computer
      .status()
      .servers.filter(isMeant)
      .map(({ name }) => name);
    await untilEnded(this.computer, names, () => this.#edit(edits));
  }
  getMcpDefaultServers: Presenter['getMcpDefaultServers'] = () => this.#now.defaultServers;
  #setDefaults(name: string, of: (now: readonly string[]) => readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#mustHave(name);
      const now = this.getMcpDefaultServers();
      const next = of(now);
      if (next !== now) await this.#edit(defaults(this.#file, name, next));
    });
  }
  addMcpDefaultServer: Presenter['addMcpDefaultServer'] = (name) =>
    this.#setDefaults(name, (now) => (now.includes(name) ? now : [...now, name]));
  removeMcpDefaultServer: Presenter['removeMcpDefaultServer'] = (name) =>
    this.#setDefaults(name, (now) => (now.includes(name) ? now.filter((other) => other !== name) : now));
  toggleMcpDefaultServer: Presenter['toggleMcpDefaultServer'] = (name) =>
    this.#setDefaults(name, (now) =>
      now.includes(name) ? now.filter((other) => other !== name) : [...now, name],
    );
  getMcpEnabled: Presenter['getMcpEnabled'] = () => this.#now.mcpEnabled;
  setMcpEnabled: Presenter['setMcpEnabled'] = (isEnabled) =>
    this.#inTurn(() =>
      this.#untilEnded(
        ({ state }) => !isEnabled && state !== 'disabled',
        [{ path: ['mcpEnabled'], value: isEnabled }],
      ),
    );
  resetToDefaultServers: Presenter['resetToDefaultServers'] = () =>
    this.#inTurn(async () => void (await this.#edit(reset(this.#file, this.#options.surroundings))));

  startServer: Presenter['startServer'] = async (name, options) => {
    this.#mustHave(name);
    if (!this.getMcpEnabled()) throw isOff(name);
    await this.#changing;
    await this.#applying;
    this.#news.ordered(name);
    await this.computer.servers.start(name, options);
  };
  stopServer: Presenter['stopServer'] = async (name, options) => {
    this.#mustHave(name);
    const known = this.computer.status().servers.find((server) => server.name === name);
    if (known && known.state !== 'disabled') await this.computer.servers.stop(name, options);
  };
  getRunningClients: Presenter['getRunningClients'] = () => {
    const { mcpServers } = this.#now;
    return this.computer.status().servers.flatMap((status): McpClient[] => {
      const config = Object.hasOwn(mcpServers, status.name) ? mcpServers[status.name] : undefined;
      return status.state === 'ready' && config ? [{ name: status.name, config, status }] : [];
    });
  };
  getDefaultClients: Presenter['getDefaultClients'] = () => {
    const defaults = this.getMcpDefaultServers();
    return this.getRunningClients().filter(({ name }) => defaults.includes(name));
  };
  isServerRunning: Presenter['isServerRunning'] = (name) =>
    this.getRunningClients().some((client) => client.name === name);

  conversation(id = '', saved?: SavedConversation): PresenterConversation {
    const known = this.#conversations.get(id);
    if (known) return known;
    const isEnabled = (): boolean => this.getMcpEnabled();
    const { toolCallIds } = this.#news;
    const fresh = boundConversation(id, { computer: this.computer, isEnabled, toolCallIds }, saved);
    this.#conversations.set(id, fresh);
    return fresh;
  }
  getAllToolDefinitions: Presenter['getAllToolDefinitions'] = () => this.#own.getAllToolDefinitions();
  mcpToolsToOpenAITools: Presenter['mcpToolsToOpenAITools'] = (d) => this.#own.mcpToolsToOpenAITools(d);
  mcpToolsToAnthropicTools: Presenter['mcpToolsToAnthropicTools'] = (d) =>
    this.#own.mcpToolsToAnthropicTools(d);
  mcpToolsToGeminiTools: Presenter['mcpToolsToGeminiTools'] = (d) => this.#own.mcpToolsToGeminiTools(d);
  openAIToolsToMcpTool: Presenter['openAIToolsToMcpTool'] = (c) => this.#own.openAIToolsToMcpTool(c);
  anthropicToolUseToMcpTool: Presenter['anthropicToolUseToMcpTool'] = (c) =>
    this.#own.anthropicToolUseToMcpTool(c);
  geminiFunctionCallToMcpTool: Presenter['geminiFunctionCallToMcpTool'] = (c) =>
    this.#own.geminiFunctionCallToMcpTool(c);
  callTool: Presenter['callTool'] = (call, options) => this.#own.callTool(call, options);
  readResource: Presenter['readResource'] = (uri, options) => this.computer.readResource(uri, options);

  readonly #events = telling(this.#listeners, presenterEvents, (name) => {
    if (name === 'mcp:tool-call-result') this.#news.watchCalls();
  });
  readonly on = this.#events.on;
  readonly once = this.#events.once;
  readonly off = this.#events.off;
  readonly removeListener = this.#events.removeListener;
  drain: Presenter['drain'] = async (options) => {
    await this.computer.drain(options);
    await this.close();
  };
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }
  async #close(): Promise<void> {
    await this.#config.close();
    await this.computer.close();
    await this.#options.runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const presenterEvents: EventNames<PresenterEvents> = {
  ...{ 'mcp:server-started': true, 'mcp:server-stopped': true, 'mcp:server-status-changed': true },
  ...{ 'mcp:client-list-updated': true, 'mcp:config-changed': true, 'mcp:tool-call-result': true },
  notification: true,
};

const answerOf = (id: string, ended: EndedCall): ToolCallAnswer => {
  const rawData = toResponse(id, ended);
  return { content: textOf(rawData), rawData };
};
const refused = (id: string, message: string): ToolCallAnswer =>
  answerOf(id, { outcome: 'failed', result: null, failure: { message } });
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Shared {
  readonly computer: Pick<Computer, 'tools' | 'callTool'>;
  readonly isEnabled: () => boolean;
  /** By our `reqId`, because two conversations may use the same id of a model. */
  readonly toolCallIds: Map<string, string>;
}
/** A permission that a person gives holds in this conversation only. */
function boundConversation(
  conversationId: string,
  { computer, isEnabled, toolCallIds }: Shared,
  saved?: SavedConversation,
): PresenterConversation {
  const conversation = createConversation(saved);
  let last: readonly MCPToolDefinition[] = [];
  let isOffered = false;
  const offer = async (): Promise<readonly MCPToolDefinition[]> => {
    const { tools } = isEnabled() ? await computer.tools() : { tools: [] };
    isOffered = true;
    return (last = conversation.offer(isEnabled() ? tools : []).definitions);
  };
  const whileOn = <T>(read: () => T | undefined): T | undefined => (isEnabled() ? read() : undefined);
  return {
    getAllToolDefinitions: offer,
    mcpToolsToOpenAITools: (definitions = last) => mcpToolsToOpenAITools(definitions),
    mcpToolsToAnthropicTools: (definitions = last) => mcpToolsToAnthropicTools(definitions),
    mcpToolsToGeminiTools: (definitions = last) => mcpToolsToGeminiTools(definitions),
    openAIToolsToMcpTool: (call) => whileOn(() => openAIToolsToMcpTool(call, conversation)),
    anthropicToolUseToMcpTool: (use) => whileOn(() => anthropicToolUseToMcpTool(use, conversation)),
    geminiFunctionCallToMcpTool: (call) => whileOn(() => geminiFunctionCallToMcpTool(call, conversation)),
    async callTool(call, options = {}) {
      const { id: given, function: said } = (call ?? {}) as Partial<typeof call>;
      const id = textIn(given);
      const name = textIn(said?.name);
      if (name === '') return refused(id, 'The call names no tool');
      if (!isEnabled()) return refused(id, 'MCP is switched off');
      const reqId = newId();
      try {
        if (!isOffered) await offer();
        const read = conversation.find(name);
        const args = readArguments(said?.arguments, read?.function.parameters);
        if (!args.ok) return answerOf(id, { outcome: 'failed', result: null, failure: args.failure });
        const tool = read?.target.tool ?? name;
        toolCallIds.set(reqId, id);
        return answerOf(
          id,
          await computer.callTool(tool, args.value, {
            ...options,
            sessionKey: options.sessionKey ?? conversationId,
            reqId,
          }),
        );
      } catch (error) {
        return refused(id, error instanceof Error ? error.message : String(error));
      } finally {
        toolCallIds.delete(reqId);
      }
    },
    save: () => conversation.save(),
  };
}

/** States of a server that failed to start and that needs another config. */
const cannotStart: ReadonlySet<string> = new Set(['waiting', 'open', 'unsupported']);

type Emit = <Name extends keyof PresenterEvents>(name: Name, value: PresenterEvents[Name]) => void;

class PresenterNews {
  readonly #computer: Computer;
  readonly #emit: Emit;
  #phases: Phases = {};
  #isWatchingCalls = false;
  readonly toolCallIds = new Map<string, string>();

  constructor(computer: Computer, emit: Emit) {
    this.#computer = computer;
    this.#emit = emit;
    computer.on('server.changed', ({ name, state, failure }) =>
      this.#hear({ type: 'server.changed', name, state, failure }),
    );
    computer.on('server.removed', ({ name }) => this.#hear({ type: 'server.removed', name }));
    computer.on('computer.changed', ({ state }) => {
      if (state !== 'closed') return;
      for (const name of Object.keys(this.#phases)) this.#hear({ type: 'server.removed', name });
    });
  }
  /** Until the first listener is added, watching costs nothing. */
  watchCalls(): void {
    if (this.#isWatchingCalls) return;
    this.#isWatchingCalls = true;
    this.#computer.on('call.settled', (call) => {
      const reqId = this.toolCallIds.get(call.reqId) ?? call.reqId;
      this.#hear({ type: 'call.settled', ...call, reqId });
    });
  }
  ordered(name: string): void {
    const state = this.#computer.status().servers.find((server) => server.name === name)?.state;
    // Ignores an order to start a disabled server, because a disabled server does not start.
    if (state && state !== 'disabled' && state !== 'ready') this.#hear({ type: 'start.ordered', name });
  }
  tell({ name, value }: McpEvent<never>): void {
    this.#emit(name, value);
  }
  #hear(event: WatchedEvent): void {
    const { phases, events } = presenterEventsOf(this.#phases, event);
    this.#phases = phases;
    for (const each of events) this.tell(each);
  }
}

const unknownServer = (name: string): A2cError =>
  new A2cError({
    code: wireCodes.notFound,
    message: `Unknown server: ${name}`,
    details: { server_name: name },
    remedy: 'See getMcpServers for those that there are.',
  });

const isOff = (name: string): A2cError =>
  new A2cError({
    code: 'ServerNotActive',
    message: `Server '${name}' is not started: MCP is switched off`,
    details: { server_name: name },
    remedy: 'Switch it on: setMcpEnabled(true).',
  });
const mistakesIn = (mistakes: readonly Mistake[]): A2cError =>
  new A2cError({
    code: 'ConfigInvalid',
    message: mistakes.map((mistake) => mistakeLine(mistake)).join('\n'),
    details: { mistakes },
    remedy: 'Fix the file: it is watched. Nothing was started.',
  });

const gone: Mistake = {
  path: '',
  message: 'does not exist any more: what was in force stays so',
  remedy: 'the next change writes it again',
};
/** Null when nothing is wrong; a file that never existed is no trouble. */
function configTrouble(
  { state, value, mistakes }: SettingsNews,
  file: string | undefined,
): { readonly title: string; readonly failure: Failure } | null {
  const isGone = state === 'lost' && value !== null;
  if (state !== 'mistaken' && !isGone) return null;
  const all = isGone ? [gone] : mistakes;
  const message = all.map((mistake) => mistakeLine(mistake, file)).join('\n');
  const title = isGone ? 'The config is gone' : 'The config has mistakes';
  return { title, failure: { code: 'ConfigInvalid', message } };
}
