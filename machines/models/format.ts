import { fnv, fnvBasis } from '../kernel/fnv.ts';
import type { Failure } from '../protocol/failure.ts';

/**
 * How tools reach models, and calls of models reach tools, whoever provides the model: the words of DeepChat's
 * presenter (seed 004, MCPToolCall, MCPToolResponse), and the one interface behind which a provider stands.
 */
export type Json = Readonly<Record<string, unknown>>;

/** Who has a tool, for a person's eyes: the three words that DeepChat's configs have for a server. */
export interface ServerShown {
  /** Of the server in its config; of its computer, where the wire does not tell the server. */
  readonly name: string;
  /** An emoji or a URL. */
  readonly icons: string;
  /** One sentence; may be empty. */
  readonly descriptions: string;
}

/**
 * One tool that a model may be given. A tool of `Computer.tools()` is one as it stands; one of `Agent.tools(computer)`
 * is one together with `computer`, as names are unique in one computer only.
 */
export interface ModelTool {
  /** What `callTool` takes. */
  readonly name: string;
  /** As its server has it. Without one the model is given the name. */
  readonly description?: string;
  /** JSON Schema of its parameters, as its server has it. */
  readonly params_schema: object;
  /** Has to be given when the tools of several computers are offered together. */
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
  /** What the model sees: a name that is valid everywhere, and a description that is never empty. */
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** The schema of the server, not yet made fit for any provider. */
    readonly parameters: object;
  };
  /** Who has the tool, for a person. */
  readonly server: ServerShown;
  /** What `callTool` of a computer or an agent takes. */
  readonly target: { readonly computer?: string; readonly tool: string };
}

/** A call of a model, in no provider's shape (seed 004). `arguments` is the text of a JSON object. */
export interface MCPToolCall {
  /** Unique in its conversation: that of the provider, or one that the conversation made. */
  readonly id: string;
  readonly type: 'function';
  /** The name as the conversation offers it, and the arguments as text. */
  readonly function: { readonly name: string; readonly arguments: string };
  /** Who has the tool, for a person. */
  readonly server: ServerShown;
}

/** One content of a result, as MCP has it: text, image, audio, resource, resource_link. */
export interface MCPContentItem {
  /** Which of them it is; other types pass. */
  readonly type: string;
  readonly [field: string]: unknown;
}
/** What came of a call (seed 004). `toolCallId` is the id of the call. */
export interface MCPToolResponse {
  /** The id of the call that this answers. */
  readonly toolCallId: string;
  /** The whole result; `textOf` makes a text of it that a model can take. */
  readonly content: string | readonly MCPContentItem[];
  /** The call failed, or it is not known whether it took effect. */
  readonly isError: boolean;
}

/** What a model said, as a provider's file read it out of the provider's shape. */
export interface SaidCall {
  /** The provider's own id of the call; without one, or with an empty one, the conversation makes one. */
  readonly id?: string | null | undefined;
  /** As the model said it: one that was offered, or not. */
  readonly name: string;
  /** An object, the text of one, or nothing. */
  readonly arguments: unknown;
}
/** A call of a model that can be made: `agent.callTool(computer, tool, arguments)`. */
export interface ModelCall {
  /** Unique in its conversation: that of the provider, or one that the conversation made. */
  readonly id: string;
  /** As the model said it. */
  readonly name: string;
  /** The computer of the tool, where the tool was given with one. */
  readonly computer?: string;
  /** What `callTool` takes: the name in its computer, not the one that the model said. */
  readonly tool: string;
  /** Under the names of parameters that the server has; not checked against its schema. */
  readonly arguments: Json;
  /** Who has the tool, for a person. */
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
  /** What a request takes as its tools; `definitions` are those of the last `offer`. */
  toTools(definitions: readonly MCPToolDefinition[]): Tools;
  /** Reads a call in the answer of a model. Never throws: a call that cannot be made has its failure. */
  fromCall(call: Call, conversation: CallReader): ReadCall;
  /** What the next request tells of the call. Left out: the provider takes the text of `textOf`. */
  toResult?(call: Call, response: MCPToolResponse): Result;
}

// ── names of tools ────────────────────────────────────────────────────────────────────────────────────
const longest = 64;

const serverOf = ({ server }: ModelTool): string | undefined =>
  typeof server === 'string' ? server : server?.name;

/** What a tool is, whatever it is called: where it lives, and its own name there. */
export const keyOf = (tool: ModelTool): string => {
  const server = serverOf(tool);
  return JSON.stringify([tool.computer ?? null, server ?? null, (server && tool.original) || tool.name]);
};

const digits = (text: string): string => (fnv(fnvBasis, text) >>> 0).toString(16).padStart(8, '0');
/** Any text as a name; one that is too long ends with a digest of all of it, so that it stays the same for good. */
function valid(text: string): string {
  const clean = text.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest - 9)}_${digits(text)}`;
}

interface Candidate {
  readonly name: string;
  /** What tells it from others of its name: a server, a computer; '' for its own name. */
  readonly by: string;
}
/** From the plainest name on; the last one has a digest of all that the tool is. */
function candidatesOf(tool: ModelTool): Candidate[] {
  const { name, computer } = tool;
  const server = serverOf(tool);
  const by = [server, computer, computer && server && `${computer}_${server}`].filter(Boolean) as string[];
  return [
    { name: valid(name), by: '' },
    ...by.map((label) => ({ name: valid(`${label}_${name}`), by: label })),
    { name: `${valid(name).slice(0, longest - 9)}_${digits(keyOf(tool))}`, by: by.at(-1) ?? '' },
  ];
}

/** Under which label a tool bears this name; '' when it is its own. */
export const labelIn = (name: string, tool: ModelTool): string =>
  candidatesOf(tool).find((one) => one.name === name)?.by ?? '';

/**
 * Names for tools that have none yet, none of which is `taken`. Where several want one, none of them gets it, and all
 * try the next: so it does not matter in which order they stand (DeepChat's rule, `server_tool`).
 */
export function named(
  tools: ReadonlyMap<string, ModelTool>,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const found = new Map<string, string>();
  const used = new Set(taken);
  const rest = new Map([...tools].map(([key, tool]) => [key, candidatesOf(tool)]));
  for (let level = 0; rest.size > 0; level += 1) {
    const wanted = new Map<string, string[]>();
    for (const [key, candidates] of [...rest].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const name = candidates[level]?.name ?? numbered(candidates, level);
      wanted.set(name, [...(wanted.get(name) ?? []), key]);
    }
    for (const [name, keys] of wanted) {
      const [key] = keys;
      const isLast = level >= 4;
      if (key === undefined || used.has(name) || (keys.length > 1 && !isLast)) continue;
      found.set(key, name);
      used.add(name);
      rest.delete(key);
    }
  }
  return found;
}
/** Two digests of 32 bits may agree: then by number, in the order of what the tools are. */
const numbered = (candidates: readonly Candidate[], level: number): string => {
  const end = `_${level}`;
  return (candidates.at(-1)?.name ?? '').slice(0, longest - end.length) + end;
};
