import type { Failure } from '../protocol/failure.ts';

/**
 * How tools reach models, and calls of models reach tools, whoever provides the model: the words of DeepChat's
 * presenter (seed 004, MCPToolCall, MCPToolResponse), and the one interface behind which a provider stands.
 */
export type Json = Readonly<Record<string, unknown>>;

/** Who has a tool, for a person's eyes: the three words that DeepChat's configs have for a server. */
export interface ServerShown {
  readonly name: string;
  /** An emoji or a URL. */
  readonly icons: string;
  readonly descriptions: string;
}

/**
 * One tool that a model may be given. A tool of `Computer.tools()` is one as it stands; one of `Agent.tools(computer)`
 * is one together with `computer`, as names are unique in one computer only.
 */
export interface ModelTool {
  /** What `callTool` takes. */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its parameters, as its server has it. */
  readonly params_schema: object;
  readonly computer?: string;
  /** Its name, or all that is to be shown of it. */
  readonly server?: string | (Pick<ServerShown, 'name'> & Partial<ServerShown>);
  /** What is to be shown of its server beside its name: what `Computer.tools()` knows of it. */
  readonly shown?: Partial<Omit<ServerShown, 'name'>>;
  /** The server's own name of the tool, where that is known: the tool stays itself when it is called otherwise. */
  readonly original?: string;
}

/** One tool as a conversation offers it (seed 004): its name is valid with every provider, and its own for good. */
export interface MCPToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** The schema of the server, not yet made fit for any provider. */
    readonly parameters: object;
  };
  readonly server: ServerShown;
  /** What `callTool` of a computer or an agent takes. */
  readonly target: { readonly computer?: string; readonly tool: string };
}

/** A call of a model, in no provider's shape (seed 004). `arguments` is the text of a JSON object. */
export interface MCPToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly server: ServerShown;
}

/** One content of a result, as MCP has it: text, image, audio, resource, resource_link. */
export interface MCPContentItem {
  readonly type: string;
  readonly [field: string]: unknown;
}
/** What came of a call (seed 004). `toolCallId` is the id of the call. */
export interface MCPToolResponse {
  readonly toolCallId: string;
  readonly content: string | readonly MCPContentItem[];
  readonly isError: boolean;
}

/** What a model said, as a provider's file read it out of the provider's shape. */
export interface SaidCall {
  /** The provider's own id of the call; without one, or with an empty one, the conversation makes one. */
  readonly id?: string | null | undefined;
  readonly name: string;
  /** An object, the text of one, or nothing. */
  readonly arguments: unknown;
}
/** A call of a model that can be made: `agent.callTool(computer, tool, arguments)`. */
export interface ModelCall {
  readonly id: string;
  /** As the model said it. */
  readonly name: string;
  readonly computer?: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly server: ServerShown;
}
/** A call of a model, or why it can be none; the model is told of that as of any other failure (`toResponse`). */
export type ReadCall =
  | { readonly ok: true; readonly call: ModelCall }
  | { readonly ok: false; readonly id: string; readonly name: string; readonly failure: Failure };

/** What a provider's file asks a conversation. */
export interface CallReader {
  /** `restore` undoes what the provider's schema did to the names of parameters. */
  read(said: SaidCall, restore?: (args: Json, parameters: object) => Json): ReadCall;
}

/**
 * A provider: one object in one file. `Tools` is what a request to it takes as its tools, `Call` one call in its
 * answer, `Result` what the next request tells of that call. Pure functions: they know no network.
 */
export interface ProviderFormat<Tools, Call, Result = unknown> {
  toTools(definitions: readonly MCPToolDefinition[]): Tools;
  fromCall(call: Call, conversation: CallReader): ReadCall;
  toResult?(call: Call, response: MCPToolResponse): Result;
}
