import type { Edit } from '../../../machines/config/index.ts';
import type { SavedConversation } from '../../../machines/models/index.ts';
import {
  computerConfig,
  defaults,
  mapKeyOf,
  migrationsOf,
  isOfFuture,
  notificationOf,
  removal,
  reset,
  ownServers,
  shownConfig,
  update,
  type McpConfig,
  type MCPServerConfig,
  type Surroundings,
} from '../../../machines/presenter/index.ts';
import type { SettingsNews } from '../../../machines/settings/settings.rules.ts';
import type { Runtime } from '../runtime.ts';
import type { Computer } from '../computer/computer-handle.ts';
import { configTrouble, failureOf, isOff, mistakesIn, unknownServer } from './presenter-failures.ts';
import { Listeners } from '../../kernel/listeners.ts';
import { boundConversation } from './bound-conversation.ts';
import { LiveConfig } from './live-config.ts';
import { PresenterNews } from './presenter-news.ts';
import type {
  ConfigStatus,
  McpClient,
  Presenter,
  PresenterConversation,
  PresenterEvents,
} from './presenter-handle.ts';
import { serverEnded, switchedOff } from './server-ends.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

export interface HostedPresenterOptions {
  readonly computer: Computer;
  readonly runtime: Runtime;
  readonly from: string | object;
  readonly surroundings: Surroundings;
  notice(text: string): void;
}
export class HostedPresenter implements Presenter {
  readonly computer: Computer;
  readonly #options: HostedPresenterOptions;
  readonly #config: LiveConfig;
  readonly #listeners = new Listeners<PresenterEvents>();
  readonly #news: PresenterNews;
  readonly #conversations = new Map<string, PresenterConversation>();
  readonly #own: PresenterConversation;
  /** What is in force, or will be when it is initialized. */
  #file: Fields = {};
  #shown = '';
  #isInitialized = false;
  /** The last of what is being put in force. */
  #applying: Promise<void> = Promise.resolve();
  /** The last change that was asked for: the next one begins when it is done. */
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
      judge: (value) => computerConfig(value, options.surroundings),
      changed: (news) => this.#take(news),
    });
  }
  async opened(): Promise<void> {
    await this.#config.opened();
    await this.#applying;
  }

  // ── the config ─────────────────────────────────────────────────────────────────────────────────────
  get #now(): McpConfig {
    return shownConfig(this.#file, this.#options.surroundings);
  }
  #take(news: SettingsNews): void {
    const { state, value } = news;
    const { from, notice } = this.#options;
    const trouble = configTrouble(news, typeof from === 'string' ? from : undefined);
    if (trouble) {
      this.#news.tell(notificationOf('', trouble.failure, trouble.title));
      notice(trouble.failure.message);
    }
    if (state === 'mistaken') return;
    this.#file = value ?? {};
    const shown = JSON.stringify(this.#now);
    const isOther = this.#shown !== '' && this.#shown !== shown;
    this.#shown = shown;
    if (isOther) this.#listeners.emit('mcp:config-changed', this.#now);
    if (this.#isInitialized) this.#apply();
  }
  /** One after another; what cannot be put in force is told, and what was stays. */
  #apply(): void {
    const file = this.#file;
    this.#applying = this.#applying.then(async () => {
      if (this.#closing) return;
      try {
        await this.computer.setServers(computerConfig(file, this.#options.surroundings));
      } catch (error) {
        const failure = failureOf(error);
        this.#news.tell(notificationOf('', failure, 'The config could not be put in force'));
        this.#options.notice(failure.message);
      }
    });
  }
  /** Written, and in force. */
  async #edit(edits: readonly Edit[]): Promise<boolean> {
    const isDone = edits.length === 0 || (await this.#config.change(edits));
    await this.#applying;
    return isDone;
  }
  /** Changes that depend on what there is come one after another. */
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
      // One that cannot be written is run as it is.
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
      return this.#edit([{ path: this.#at(name), value: config, unlessThere: true }]);
    });
  updateMcpServer: Presenter['updateMcpServer'] = (name, config) =>
    this.#inTurn(async () => {
      const entry = { ...this.#mustHave(name), ...config };
      const next = { ...this.#file, [mapKeyOf(this.#file)]: { ...ownServers(this.#file), [name]: entry } };
      if (this.#isInitialized) await this.#tryServer(name, next);
      await this.#edit(update(this.#file, name, entry, config)).catch((error: unknown) => {
        // Not written: it runs as the file has it.
        if (this.#isInitialized) this.#apply();
        throw error;
      });
    });
  /** Puts one server in force alone: one that cannot be started is taken back. */
  async #tryServer(name: string, file: Fields): Promise<void> {
    const { [mapKeyOf(file)]: servers, inputs } = computerConfig(file, this.#options.surroundings);
    const server = (servers as Readonly<Record<string, unknown>>)[name];
    try {
      await this.computer.addOrUpdateServer({
        mcpServers: { [name]: server },
        ...(inputs !== undefined && { inputs }),
      });
    } catch (error) {
      this.#news.tell(notificationOf(name, failureOf(error), 'The change was taken back'));
      throw error;
    }
  }
  removeMcpServer: Presenter['removeMcpServer'] = (name) =>
    this.#inTurn(async () => {
      this.#mustHave(name);
      const ended = serverEnded(this.computer, name);
      await this.#edit(removal(this.#file, name, this.#options.surroundings)).catch((error: unknown) => {
        ended.forget();
        throw error;
      });
      await ended.promise;
    });
  // ── who starts by itself ───────────────────────────────────────────────────────────────────────────
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
    this.#inTurn(async () => {
      const off = isEnabled ? undefined : switchedOff(this.computer);
      await this.#edit([{ path: ['mcpEnabled'], value: isEnabled }]).catch((error: unknown) => {
        off?.forget();
        throw error;
      });
      await off?.promise;
    });
  resetToDefaultServers: Presenter['resetToDefaultServers'] = () =>
    this.#inTurn(async () => void (await this.#edit(reset(this.#file, this.#options.surroundings))));

  // ── servers ────────────────────────────────────────────────────────────────────────────────────────
  startServer: Presenter['startServer'] = async (name) => {
    this.#mustHave(name);
    if (!this.getMcpEnabled()) throw isOff(name);
    await this.#changing;
    await this.#applying;
    this.#news.ordered(name);
    await this.computer.startServer(name);
  };
  stopServer: Presenter['stopServer'] = async (name) => {
    this.#mustHave(name);
    const known = this.computer.servers().find((server) => server.name === name);
    if (known && known.state !== 'disabled') await this.computer.stopServer(name);
  };
  getRunningClients: Presenter['getRunningClients'] = () => {
    const { mcpServers } = this.#now;
    return this.computer.servers().flatMap((status): McpClient[] => {
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

  // ── tools ──────────────────────────────────────────────────────────────────────────────────────────
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

  on: Presenter['on'] = (name, listener) => {
    if (name === 'mcp:tool-call-result') this.#news.watchCalls();
    return this.#listeners.on(name, listener);
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
