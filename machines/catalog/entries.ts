import type { Changes } from './changes.ts';

export type { ListKind } from '../kernel/ports.ts';
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
/** A picture for an entry, as its server names it. */
export interface Icon extends Kept {
  /** A URL, or a `data:` URI. */
  readonly src: string;
  /** Such as `image/png`. */
  readonly mimeType?: string;
  /** Such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  /** For which background it is drawn. */
  readonly theme?: 'light' | 'dark';
}
/** What each entry of a list may have. */
export interface Described extends Kept {
  /** For people; `name` is for programs. */
  readonly title?: string;
  /** What it is for. */
  readonly description?: string;
  /** Pictures of it, the same in several sizes. */
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
  /** Whether it runs as a task. One that runs so only (`required`) is called so; any other is called as usual. */
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

/** Hints of a server about what it gives. */
export interface Annotations extends Kept {
  /** For whom it is: `user`, `assistant`. */
  readonly audience?: readonly string[];
  /** From 0 to 1: how much it matters. */
  readonly priority?: number;
  /** ISO 8601, as the server wrote it. */
  readonly lastModified?: string;
}
/** Something that a server lets others read. */
export interface Resource extends Described {
  /** What a read takes. */
  readonly uri: string;
  /** For programs; `title` is for people. */
  readonly name: string;
  /** Such as `text/markdown`. */
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
  /** Hints about it. */
  readonly annotations?: Annotations;
}
/** Resources that a server does not list one by one. */
export interface ResourceTemplate extends Described {
  /** RFC 6570. */
  readonly uriTemplate: string;
  /** For programs; `title` is for people. */
  readonly name: string;
  /** What all of them are, such as `text/markdown`. */
  readonly mimeType?: string;
  /** Hints about them. */
  readonly annotations?: Annotations;
}

/** A value that a prompt is filled in with. */
export interface PromptArgument extends Kept {
  /** The key of the value. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What it is for. */
  readonly description?: string;
  /** It cannot be left out. Default: it can. */
  readonly required?: boolean;
}
/** A text for a model that a server fills in. */
export interface Prompt extends Described {
  /** What `getPrompt` takes. */
  readonly name: string;
  /** The values that it takes. */
  readonly arguments?: readonly PromptArgument[];
}

/** One `notifications/message` of a server. */
export interface LogEntry extends Kept {
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
  readonly logger?: string;
  /** Any JSON. */
  readonly data: unknown;
}

/** All that one server lists; what was never asked for is absent. */
export interface Lists {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplate[];
  readonly prompts?: readonly Prompt[];
}

// ── lists ─────────────────────────────────────────────────────────────────────────────────────────────
/** One of the lists that a server may have. */
export type CatalogList = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
export const catalogLists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;
export type Entry = Tool | Resource | ResourceTemplate | Prompt;

const keyFields: Readonly<Record<CatalogList, string>> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
};
/** What tells an entry from the others of its list. */
export const keyOfEntry = (list: CatalogList, entry: Entry): string =>
  String((entry as unknown as Readonly<Record<string, unknown>>)[keyFields[list]]);
export const isNoChange = ({ added, removed, changed }: Changes): boolean =>
  added.length + removed.length + changed.length === 0;
