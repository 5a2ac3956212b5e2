import type { ResourceContent, Computer } from './computer-handle.ts';
import type { ComputerOptions } from './computer-options.ts';
import type { CallOptions } from './pending-calls.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { Mistake } from '../../machines/config/mistake.ts';
import type {
  AnthropicTool,
  AnthropicToolUse,
  GeminiFunctionCall,
  GeminiTool,
  MCPToolCall,
  MCPToolDefinition,
  MCPToolResponse,
  OpenAITool,
  OpenAIToolCall,
  SavedConversation,
} from '../../machines/models/index.ts';
import type { McpConfig, MCPServerConfig } from '../../machines/presenter/host-config.ts';
import type { McpEventValues } from '../../machines/presenter/events.ts';

/** Handle of a presenter: its methods and events (seed 004). */

/** Source of the config, and all options of a computer but its config. */
export interface PresenterOptions extends Omit<ComputerOptions, 'config'> {
  /**
   * The config file: read, watched, and written by the methods below. It need not exist. Default: the user config
   * (docs/config.md). No other file is ever written.
   */
  readonly file?: string;
  /** In the place of a file: what one would say, kept in memory. */
  readonly settings?: object;
}
/** Events of a presenter, by the name for `presenter.on`: those of `MCP_EVENTS`, and `notification`. */
export type PresenterEvents = McpEventValues<McpConfig>;
/** A server that is ready. */
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
  /** The result as it came; `isError` says whether it failed. */
  readonly rawData: MCPToolResponse;
}
/** State of the config file. */
export interface ConfigStatus {
  /** Null: kept in memory. */
  readonly file: string | null;
  /** `mistaken`: the last good config is in force. `lost`: there is no file. */
  readonly state: 'inForce' | 'mistaken' | 'lost';
  /** Mistakes of a `mistaken` file, with line and column (from 1) where they are known. */
  readonly mistakes: readonly Mistake[];
}

/** Tools for one conversation with a model: a name that was offered in it never means another tool. */
export interface PresenterConversation {
  /** The tools of all servers that run, under names that every provider takes; none while MCP is off. */
  getAllToolDefinitions(): Promise<readonly MCPToolDefinition[]>;
  /** Default of `definitions`, here and below: those that were offered last. */
  mcpToolsToOpenAITools(definitions?: readonly MCPToolDefinition[]): OpenAITool[];
  /** Writes tool definitions as Anthropic takes them. */
  mcpToolsToAnthropicTools(definitions?: readonly MCPToolDefinition[]): AnthropicTool[];
  /** Writes tool definitions as Gemini takes them. */
  mcpToolsToGeminiTools(definitions?: readonly MCPToolDefinition[]): GeminiTool[];
  /** Undefined, here and below: no such tool is offered, or MCP is off. */
  openAIToolsToMcpTool(call: OpenAIToolCall): MCPToolCall | undefined;
  /** Reads a tool call of Anthropic. */
  anthropicToolUseToMcpTool(use: AnthropicToolUse): MCPToolCall | undefined;
  /** Reads a tool call of Gemini. */
  geminiFunctionCallToMcpTool(call: GeminiFunctionCall): MCPToolCall | undefined;
  /** Calls a tool by the name that was offered. Never rejects: what went wrong is an answer with `isError`. */
  callTool(call: MCPToolCall, options?: Omit<CallOptions, 'reqId'>): Promise<ToolCallAnswer>;
  /** State to keep so that names of tools stay the same in the next process. */
  save(): SavedConversation;
}
/**
 * The servers of a desktop application (seed 004): a computer, and the config file that says what it runs. `await using`
 * closes it. Its own methods for tools are those of the conversation without an id. Methods that change the config resolve
 * when it is written and in force, and reject with an `A2cError` when it cannot be; then nothing has changed.
 */
export interface Presenter extends AsyncDisposable, Omit<PresenterConversation, 'save'> {
  /** All that a computer can do. Its config belongs to the presenter: `setServers` lasts until the next change. */
  readonly computer: Computer;
  /**
   * Starts the default servers, and resolves when they are on their way. Rejects with `ConfigInvalid` when the file has
   * mistakes: then nothing is started, until it is mended.
   */
  initialize(): Promise<void>;
  /** All servers by name, built-in ones too, as the config has them: secrets in clear. */
  getMcpServers(): Readonly<Record<string, MCPServerConfig>>;
  /** Resolves when it is ready; rejects with why it is not, with 404 for an unknown name, and while MCP is off. */
  startServer(name: string): Promise<void>;
  /** Resolves when it has ended; one that does not run has. Rejects with 404 for an unknown name. */
  stopServer(name: string): Promise<void>;
  /** False: the name is taken, and nothing has changed. It starts when it is a default server. */
  addMcpServer(name: string, config: MCPServerConfig): Promise<boolean>;
  /**
   * Changes these keys of a server; `undefined` removes a key. A running server is started again if its launch
   * differs. Rejects when it cannot be started: then the server and the file are as they were.
   */
  updateMcpServer(name: string, config: Partial<MCPServerConfig>): Promise<void>;
  /** Resolves when it has ended. It leaves the defaults, too; a built-in one stays away until a reset. */
  removeMcpServer(name: string): Promise<void>;
  /** Names of servers that start by themselves; where the config does not say, all enabled ones. */
  getMcpDefaultServers(): readonly string[];
  /**
   * Adds a server to those that start by themselves. Like the two methods below it changes the next start only.
   * Rejects with 404 for an unknown name.
   */
  addMcpDefaultServer(name: string): Promise<void>;
  /** Takes a server off those that start by themselves. */
  removeMcpDefaultServer(name: string): Promise<void>;
  /** Adds it, or removes it. */
  toggleMcpDefaultServer(name: string): Promise<void>;
  /** Default true. */
  getMcpEnabled(): boolean;
  /** False ends every server, those that still connect too, and resolves then; true starts the default servers. */
  setMcpEnabled(isEnabled: boolean): Promise<void>;
  /**
   * Built-in servers are as they were at first: there, off, and no defaults. Other servers stay as they are, those that are
   * disabled or no default, too: nothing starts that did not.
   */
  resetToDefaultServers(): Promise<void>;
  /** A conversation of its own for each id: the same one for the same id. `saved` counts the first time. */
  conversation(id?: string, saved?: SavedConversation): PresenterConversation;
  /** Servers that are ready. */
  getRunningClients(): readonly McpClient[];
  /** Default servers that are ready. */
  getDefaultClients(): readonly McpClient[];
  /** Tells whether a server is ready. */
  isServerRunning(name: string): boolean;
  /** Reads a resource like `computer.readResource`: with `server` any URI. */
  readResource(uri: string, options?: { readonly server?: string }): Promise<readonly ResourceContent[]>;
  /** State of the config file. */
  configStatus(): ConfigStatus;
  /** Listens until the returned function is called. What a listener throws becomes a warning of the process. */
  on<Name extends keyof PresenterEvents>(
    name: Name,
    listener: (value: PresenterEvents[Name]) => void,
  ): () => void;
  /** Ends every server; resolves when none of their processes lives. */
  close(): Promise<void>;
}
