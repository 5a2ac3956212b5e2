/**
 * What MCP servers list and say, in our words (MCP 2025-11-25). The wire's own spelling is known to
 * `adapters/mcp/messages/codec.ts` and to nobody else.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Nothing that a server said is lost. */
export interface Kept {
  /** Fields that we have no word for, or that are not as MCP has them, by their names on the wire. */
  readonly more?: JsonObject;
}
export interface Icon extends Kept {
  /** A URL, or a `data:` URI. */
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}
interface Described extends Kept {
  /** For people; `name` is for programs. */
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** `_meta` on the wire. */
  readonly meta?: JsonObject;
}

/** Hints of a stranger: no promise, whatever they say. */
export interface ToolAnnotations extends Kept {
  /** A name for people. */
  readonly title?: string;
  /** It changes nothing. */
  readonly readOnlyHint?: boolean;
  /** What it changes may be lost. */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean;
  /** It reaches out to others, such as the web. */
  readonly openWorldHint?: boolean;
}
/** How a tool wants to be run (MCP 2025-11-25). */
export interface ToolExecution extends Kept {
  /** Whether it runs as a task. One that runs so only (`required`) cannot be called here. */
  readonly taskSupport?: 'required' | 'optional' | 'forbidden';
}
export interface Tool extends Described {
  readonly name: string;
  /** A JSON Schema that an object can satisfy. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly execution?: ToolExecution;
  /** Ours: why it is no tool as MCP has one. It is listed so that people hear of it, and never offered. */
  readonly unusable?: string;
}

export interface Annotations extends Kept {
  readonly audience?: readonly string[];
  /** From 0 to 1: how much it matters. */
  readonly priority?: number;
  /** ISO 8601, as the server wrote it. */
  readonly lastModified?: string;
}
export interface Resource extends Described {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
  readonly annotations?: Annotations;
}
export interface ResourceTemplate extends Described {
  /** RFC 6570. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

export interface PromptArgument extends Kept {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}
export interface Prompt extends Described {
  readonly name: string;
  readonly arguments?: readonly PromptArgument[];
}

/** One `notifications/message` of a server. */
export interface LogEntry extends Kept {
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
  readonly logger?: string;
  /** Any JSON. */
  readonly data: unknown;
}

/** The lists of an MCP server that can change by themselves. Templates of resources change with the resources. */
export type ListKind = 'tools' | 'resources' | 'prompts';
/** A server says that one of its lists is another one now. */
export interface ListChange extends Kept {
  readonly server: string;
  readonly list: ListKind;
}

/** All that one server lists; what was never asked for is absent. */
export interface Lists {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplate[];
  readonly prompts?: readonly Prompt[];
}
