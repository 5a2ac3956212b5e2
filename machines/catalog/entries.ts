export type { ListKind } from '../ports/session.ts';
/**
 * Entries and messages of MCP servers in the types of this library (MCP 2025-11-25). Only
 * `adapters/mcp/messages/codec.ts` knows the spelling on the wire.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Base of all entries, which keeps every field that a server sent. */
export interface Kept {
  /** Fields that this type does not declare, or whose values do not fit it, by their names on the wire. */
  readonly more?: JsonObject;
}
/** Picture for an entry, as its server declares it. */
export interface Icon extends Kept {
  /** Address of the picture: a URL or a `data:` URI. */
  readonly src: string;
  /** MIME type of the picture, such as `image/png`. */
  readonly mimeType?: string;
  /** Sizes of the picture, such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  /** Background for which the picture is drawn. */
  readonly theme?: 'light' | 'dark';
}
/** Fields that an entry of any list may have. */
export interface Described extends Kept {
  /** Display name of the entry for people; `name` is for programs. */
  readonly title?: string;
  /** Description of the purpose of the entry. */
  readonly description?: string;
  /** Pictures for the entry, usually one picture in several sizes. */
  readonly icons?: readonly Icon[];
  /** Metadata of the entry (`_meta` on the wire). */
  readonly meta?: JsonObject;
}

/** Hints of a server about the behavior of a tool; they are not reliable. */
export interface ToolAnnotations extends Kept {
  /** Name of the tool for people. */
  readonly title?: string;
  /** Hint that the tool changes nothing. */
  readonly readOnlyHint?: boolean;
  /** Hint that the tool may destroy or overwrite data. */
  readonly destructiveHint?: boolean;
  /** Hint that a second call with the same arguments has no further effect. */
  readonly idempotentHint?: boolean;
  /** Hint that the tool reaches external systems such as the web. */
  readonly openWorldHint?: boolean;
}
/** Execution settings of a tool (MCP 2025-11-25). */
export interface ToolExecution extends Kept {
  /**
   * Support for running the tool as an MCP task. A tool with `required` is always called as a task, any other
   * one as a plain call.
   */
  readonly taskSupport?: 'required' | 'optional' | 'forbidden';
}
export interface Tool extends Described {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly execution?: ToolExecution;
  /** Set by this library: why this is no valid MCP tool; it is listed for people and never offered. */
  readonly unusable?: string;
}

/** Hints of a server about content that it provides. */
export interface Annotations extends Kept {
  /** Intended audience of the content: `user`, `assistant`. */
  readonly audience?: readonly string[];
  /** Importance of the content, from 0 to 1. */
  readonly priority?: number;
  /** Time of the last change in ISO 8601, as the server wrote it. */
  readonly lastModified?: string;
}
/** Content that a server offers for reading. */
export interface Resource extends Described {
  /** URI with which the resource is read. */
  readonly uri: string;
  /** Name for programs; `title` is for people. */
  readonly name: string;
  /** MIME type of the resource, such as `text/markdown`. */
  readonly mimeType?: string;
  /** Size of the resource in bytes. */
  readonly size?: number;
  /** Hints of the server about the resource. */
  readonly annotations?: Annotations;
}
/** Template for the URIs of resources that a server does not list one by one. */
export interface ResourceTemplate extends Described {
  /** URI template according to RFC 6570. */
  readonly uriTemplate: string;
  /** Name for programs; `title` is for people. */
  readonly name: string;
  /** MIME type of all resources of the template, such as `text/markdown`. */
  readonly mimeType?: string;
  /** Hints of the server about the resources of the template. */
  readonly annotations?: Annotations;
}

/** Argument whose value is inserted into a prompt. */
export interface PromptArgument extends Kept {
  /** Key of the value among the arguments of the prompt. */
  readonly name: string;
  /** Name of the argument for people. */
  readonly title?: string;
  /** Description of the purpose of the argument. */
  readonly description?: string;
  /** True when the argument must be given; false by default. */
  readonly required?: boolean;
}
/** Text for a model that a server builds from arguments. */
export interface Prompt extends Described {
  /** Name with which `getPrompt` requests the prompt. */
  readonly name: string;
  /** Arguments that the prompt accepts. */
  readonly arguments?: readonly PromptArgument[];
}

/** A list that was never requested is absent. */
export interface Lists {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplate[];
  readonly prompts?: readonly Prompt[];
}

/** Kind of list that a server may have. */
export type CatalogList = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
export const catalogLists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;
export type Entry = Tool | Resource | ResourceTemplate | Prompt;

const keyFields: Readonly<Record<CatalogList, string>> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
};
export const keyOfEntry = (list: CatalogList, entry: Entry): string =>
  String((entry as unknown as Readonly<Record<string, unknown>>)[keyFields[list]]);
