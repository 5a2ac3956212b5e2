import type { Computer, WaitOptions } from '../api/computer-handle.ts';
import type { DrainOptions, Telling } from '../api/handles.ts';
import type { ComputerOptions } from '../api/computer-options.ts';
import type { ComputerCallOptions } from '../api/call-outcome.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { Mistake } from '../../machines/config/mistake.ts';
import type { AnthropicTool, AnthropicToolUse } from '../../machines/models/anthropic.ts';
import type { GeminiFunctionCall, GeminiTool } from '../../machines/models/gemini.ts';
import type { MCPToolCall, MCPToolDefinition, MCPToolResponse } from '../../machines/models/format.ts';
import type { OpenAITool, OpenAIToolCall } from '../../machines/models/openai.ts';
import type { SavedConversation } from '../../machines/models/conversation.ts';
import type { McpConfig, MCPServerConfig } from '../../machines/presenter/host-config.ts';
import type { McpEventValues } from '../../machines/presenter/events.ts';

/** Options of a presenter: the source of its config, and all options of a computer but the config. */
export interface PresenterOptions extends Omit<ComputerOptions, 'config'> {
  /**
   * Path of the config file: read, watched, and written by the methods that change the config. The file need not exist.
   * Default: the user config (docs/config.md). No other file is ever written.
   */
  readonly file?: string | undefined;
  /** Config that is kept in memory, in place of a file; not beside `file`. */
  readonly settings?: object | undefined;
}
/** Events of a presenter, by the name for `presenter.on`: those of `MCP_EVENTS`, `notification` among them. */
export type PresenterEvents = McpEventValues<McpConfig>;
/** Server that is ready. */
export interface McpClient {
  /** Name of the server in the config. */
  readonly name: string;
  /** Entry of the server, as the config has it. */
  readonly config: MCPServerConfig;
  /** State of the server. */
  readonly status: ServerStatus;
}
/** Result of a call: a text for a model, and the whole result. */
export interface ToolCallAnswer {
  /** Text for a model, at most 100,000 characters. */
  readonly content: string;
  /** Result of the call as the server sent it; `isError` tells whether the call failed. */
  readonly rawData: MCPToolResponse;
}
/** State of the config file. */
export interface ConfigStatus {
  /** Path of the config file; null when the config is kept in memory. */
  readonly file: string | null;
  /**
   * State of the file. `inForce`: the config of the file is in force. `mistaken`: the file has mistakes, and the
   * last good config is in force. `lost`: there is no file.
   */
  readonly state: 'inForce' | 'mistaken' | 'lost';
  /** Mistakes of a `mistaken` file, with line and column (from 1) where they are known. */
  readonly mistakes: readonly Mistake[];
}

/**
 * Tools for one conversation with a model. A name that was offered in the conversation never means another tool
 * later.
 */
export interface PresenterConversation {
  /**
   * Returns the tools of all running servers, under names that every model provider accepts; none while MCP is
   * off.
   */
  getAllToolDefinitions(): Promise<readonly MCPToolDefinition[]>;
  /** Writes tool definitions as OpenAI takes them; by default the definitions that were offered last. */
  mcpToolsToOpenAITools(definitions?: readonly MCPToolDefinition[]): OpenAITool[];
  /** Writes tool definitions as Anthropic takes them; by default the definitions that were offered last. */
  mcpToolsToAnthropicTools(definitions?: readonly MCPToolDefinition[]): AnthropicTool[];
  /** Writes tool definitions as Gemini takes them; by default the definitions that were offered last. */
  mcpToolsToGeminiTools(definitions?: readonly MCPToolDefinition[]): GeminiTool[];
  /** Reads a tool call of OpenAI. Returns undefined when no such tool is offered or MCP is off. */
  openAIToolsToMcpTool(call: OpenAIToolCall): MCPToolCall | undefined;
  /** Reads a tool call of Anthropic. Returns undefined when no such tool is offered or MCP is off. */
  anthropicToolUseToMcpTool(use: AnthropicToolUse): MCPToolCall | undefined;
  /** Reads a tool call of Gemini. Returns undefined when no such tool is offered or MCP is off. */
  geminiFunctionCallToMcpTool(call: GeminiFunctionCall): MCPToolCall | undefined;
  /** Calls a tool by its offered name. Never rejects: a failure is an answer with `isError`. */
  callTool(call: MCPToolCall, options?: Omit<ComputerCallOptions, 'reqId'>): Promise<ToolCallAnswer>;
  /**
   * Returns the state of the conversation. Pass it to `conversation` in the next process, so that names of tools
   * stay the same.
   */
  save(): SavedConversation;
}
/**
 * Servers of a desktop application: a computer, and the config file that lists its servers. `await
 * using` closes it. The tool methods of the presenter belong to the conversation without an id. Methods that
 * change the config resolve when the change is written and in force; they reject with an `A2cError` when that
 * fails, and then nothing has changed.
 */
export interface Presenter
  extends
    Telling<PresenterEvents>,
    Pick<Computer, 'readResource'>,
    AsyncDisposable,
    Omit<PresenterConversation, 'save'> {
  /**
   * Computer of the presenter, with all of its methods. The presenter owns its config: a `servers.set` here lasts
   * only until the presenter's next change.
   */
  readonly computer: Computer;
  /**
   * Starts the default servers; resolves when they are starting. Rejects with `ConfigInvalid` when the file has
   * mistakes; then no server starts until the file is corrected.
   */
  initialize(): Promise<void>;
  /** Returns all servers by name, built-in ones included, as the config has them, with secrets in clear text. */
  getMcpServers(): Readonly<Record<string, MCPServerConfig>>;
  /**
   * Starts a server; resolves when the server is ready. Rejects with the failure that kept it from becoming ready,
   * with `NotFound` for an unknown name, and while MCP is off.
   */
  startServer(name: string, options?: WaitOptions): Promise<void>;
  /**
   * Stops a server; resolves when the server has ended, at once when it is not running. Rejects with `NotFound` for an
   * unknown name.
   */
  stopServer(name: string, options?: WaitOptions): Promise<void>;
  /**
   * Adds a server, which starts if it is a default server. Resolves with false when the name is taken; then
   * nothing has changed.
   */
  addMcpServer(name: string, config: MCPServerConfig): Promise<boolean>;
  /**
   * Changes the given settings of a server; `undefined` removes a setting. A running server is restarted when its
   * launch config has changed. Rejects when a server that runs or starts cannot be started so; then the server and the
   * file are as before.
   */
  updateMcpServer(name: string, config: Partial<MCPServerConfig>): Promise<void>;
  /**
   * Removes a server, also from the default servers; resolves when the server has ended. A removed built-in server
   * returns only with a reset.
   */
  removeMcpServer(name: string): Promise<void>;
  /**
   * Returns the names of the servers that start by themselves; where the config does not list them, all enabled
   * servers.
   */
  getMcpDefaultServers(): readonly string[];
  /**
   * Adds a server to the ones that start by themselves, from the next start of the presenter on. Rejects with `NotFound` for
   * an unknown name.
   */
  addMcpDefaultServer(name: string): Promise<void>;
  /** Removes a server from the ones that start by themselves, from the next start of the presenter on. */
  removeMcpDefaultServer(name: string): Promise<void>;
  /**
   * Adds a server to the ones that start by themselves, or removes it if it is one, from the next start of the
   * presenter on.
   */
  toggleMcpDefaultServer(name: string): Promise<void>;
  /** Tells whether MCP is on. Default true. */
  getMcpEnabled(): boolean;
  /**
   * Switches MCP on or off. `false` resolves when every server has ended, connecting ones included; `true` starts
   * the default servers.
   */
  setMcpEnabled(isEnabled: boolean): Promise<void>;
  /**
   * Resets the built-in servers to their first state: present, off and not default. All other servers keep their
   * state, so no further server starts.
   */
  resetToDefaultServers(): Promise<void>;
  /**
   * Returns the conversation with this id; the same id always gives the same conversation. `saved` is used only
   * the first time.
   */
  conversation(id?: string, saved?: SavedConversation): PresenterConversation;
  /** Returns the servers that are ready. */
  getRunningClients(): readonly McpClient[];
  /** Returns the default servers that are ready. */
  getDefaultClients(): readonly McpClient[];
  /** Tells whether a server is ready. */
  isServerRunning(name: string): boolean;
  /** Returns the state of the config file. */
  configStatus(): ConfigStatus;
  /** Lets running calls end, takes no new ones, and closes, as `drain` of a computer does. */
  drain(options?: DrainOptions): Promise<void>;
  /** Ends every server; resolves when none of their processes is alive. */
  close(): Promise<void>;
}
