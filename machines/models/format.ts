/** Types that connect tools and models independently of the provider, some of them DeepChat's, and the names of tools. */
import { fnv, fnvBasis } from '../kernel/fnv.ts';
import type { HostFailure } from '../protocol/failure.ts';
import type { ResultContent } from '../protocol/tool-result.ts';

/** JSON object, such as the arguments of a call. */
export type Json = Readonly<Record<string, unknown>>;

/** Server of a tool as people see it, with the three display fields of DeepChat's config. */
export interface ServerShown {
  /** Name of the server in its config, or of its computer when the server is unknown. */
  readonly name: string;
  /** Icon: an emoji or a URL. */
  readonly icons: string;
  /** Description in one sentence; may be empty. */
  readonly descriptions: string;
}

/**
 * Tool that may be offered to a model: an element of `Computer.tools()` or of `Agent.tools(computer)`, or one of your
 * own.
 */
export interface ModelTool {
  /** Name of the tool for `callTool`. */
  readonly name: string;
  /** Description from the server; without one the model sees the name. */
  readonly description?: string;
  /** JSON Schema of the arguments, as the server declares it. */
  readonly inputSchema: object;
  /** Name of the computer; required when tools of several computers are offered together. */
  readonly computer?: string;
  /** Server of the tool: its name, or all of its display fields. */
  readonly server?: string | (Pick<ServerShown, 'name'> & Partial<ServerShown>);
  /** Display fields of the server besides its name, as `Computer.tools()` gives them. */
  readonly shown?: Partial<Omit<ServerShown, 'name'>>;
  /** Original name of the tool on its server, when known; it identifies the tool even after a rename. */
  readonly original?: string;
}

/** Skill that a model may read: an element of `computer.skills.list()` or `agent.skills.list(computer)`. */
export interface ModelSkill {
  /** Name of the skill on its computer. */
  readonly name: string;
  /** Name of the computer that has the skill. */
  readonly computer: string;
  /** Description for the model: what the skill does and when to use it. */
  readonly description: string;
}
/** Skill and file that a call of the tool `read_skill` asks for. */
export interface SkillCall {
  /** Name of the computer that has the skill. */
  readonly computer: string;
  /** Name of the skill on its computer. */
  readonly skill: string;
  /** Path of the file inside of the skill; absent for `SKILL.md`. */
  readonly path?: string;
}
/** Result of reading a call of the tool `read_skill`: a file to read, the list of skills as text, or the failure. */
export type SkillAsked =
  | { readonly kind: 'file'; readonly of: SkillCall }
  | { readonly kind: 'list'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: HostFailure };

/** Tool as a conversation offers it, with a permanent name that every provider accepts. */
export interface MCPToolDefinition {
  readonly type: 'function';
  /** Definition for the model: a name valid with every provider, and a description that is never empty. */
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** Parameter schema of the server, not yet adapted to a provider. */
    readonly parameters: object;
  };
  /** Server of the tool, for people. */
  readonly server: ServerShown;
  /** Address of the tool for `callTool` of a computer or an agent. */
  readonly target: { readonly computer?: string; readonly tool: string };
}

/**
 * Call by a model in a form independent of the provider. `arguments` is the text of a JSON object.
 */
export interface MCPToolCall {
  /** Id of the call, unique in its conversation: from the provider, or made by the conversation. */
  readonly id: string;
  readonly type: 'function';
  /** Name under which the tool was offered, and the arguments as text. */
  readonly function: { readonly name: string; readonly arguments: string };
  /** Server of the tool, for people. */
  readonly server: ServerShown;
}

/** One content item of an MCP result: text, image, audio, resource or resource_link. */
export type MCPContentItem = ResultContent;
/** Result of a call by a model, in a form independent of the provider. */
export interface MCPToolResponse {
  /** Id of the call that this result answers. */
  readonly toolCallId: string;
  /** Complete result; `textOf` turns it into text for a model. */
  readonly content: string | readonly MCPContentItem[];
  /** True when the call failed or its effect is unknown. */
  readonly isError: boolean;
}

/** Call of a model as a provider's format extracted it. */
export interface SaidCall {
  /** Id from the provider; when absent or empty, the conversation makes one. */
  readonly id?: string | null | undefined;
  /** Name of the tool as the model wrote it; a tool of this name may not have been offered. */
  readonly name: string;
  /** Arguments: an object, its JSON text, or nothing. */
  readonly arguments: unknown;
}
/** Valid call of a model, ready for `agent.callTool(computer, tool, arguments)`. */
export interface ModelCall {
  /** Id of the call, unique in its conversation: from the provider, or made by the conversation. */
  readonly id: string;
  /** Name of the tool as the model wrote it. */
  readonly name: string;
  /** Computer of the tool, if the tool was offered with one. */
  readonly computer?: string;
  /** Name of the tool in its computer, for `callTool`; not the name the model used. */
  readonly tool: string;
  /** Arguments under the server's parameter names; not checked against its schema. */
  readonly arguments: Json;
  /** Server of the tool, for people. */
  readonly server: ServerShown;
  /** Skill that a call of the tool `read_skill` asks for; such a call goes to no server. */
  readonly skill?: SkillAsked;
}
/** Valid call of a model, or the failure, which is reported to the model like any other (`toResponse`). */
export type ReadCall =
  | { readonly ok: true; readonly call: ModelCall }
  | { readonly ok: false; readonly id: string; readonly name: string; readonly failure: HostFailure };

/** Interface through which a provider's format reads calls in a conversation. */
export interface CallReader {
  /** Reads a call. `restore` undoes the parameter names that the provider's schema changed. */
  read(said: SaidCall, restore?: (args: Json, parameters: object) => Json): ReadCall;
}

export const mediaKinds = ['image', 'audio', 'document'] as const;
/** Kind of content besides text that a model may take. */
export type MediaKind = (typeof mediaKinds)[number];
/** Limits of the parts of tool results that a model gets. Sizes are those of the bytes, before Base64. */
export interface ResultOptions {
  /** Largest number of characters of the text of one result. Default 100,000. */
  readonly characters?: number;
  /**
   * Kinds of media that the model gets; the text only names media of other kinds. Default: `image` for `openai`, `image` and
   * `document` for `anthropic` and `openaiResponses`, all for `gemini`. Set `[]` for models that take text alone.
   */
  readonly media?: readonly MediaKind[];
  /** Largest number of media of all results of a turn. Default 20. */
  readonly mediaCount?: number;
  /** Largest size of one image, sound or document in bytes. Default 3,932,160, which Anthropic takes. */
  readonly mediaBytes?: number;
  /** Largest size of all media of a turn in bytes. Default 15,728,640: 20 MiB of Base64. */
  readonly mediaTotalBytes?: number;
}
/**
 * Format of one provider, as one object of pure functions without network access. `Tools` is the tool list of
 * a request, `Call` one call in an answer, `Result` the result of a call in the next request.
 */
export interface ProviderFormat<Tools, Call, Result = unknown> {
  /** Converts the definitions of the last `offer` into the tool list of a request. */
  toTools(definitions: readonly MCPToolDefinition[]): Tools;
  /** Reads a call in the answer of a model. Never throws: an invalid call gives a failure. */
  fromCall(call: Call, conversation: CallReader): ReadCall;
  /**
   * Converts the result of a call for the next request; absent when the provider takes the text of `textOf`.
   */
  toResult?(call: Call, response: MCPToolResponse, options?: ResultOptions): Result;
  /**
   * Converts the results of all calls of one answer to the messages that follow it, with their images, sounds and
   * documents as far as the provider takes them. Limits hold for all results together.
   */
  toMessages?(results: readonly AnsweredCall<Call>[], options?: ResultOptions): unknown[];
}
/** Call of a model with its result. */
export interface AnsweredCall<Call> {
  /** Call as it is in the answer of the model. */
  readonly call: Call;
  /** Result of the call, from `toResponse`. */
  readonly response: MCPToolResponse;
}

const longest = 64;

const serverOf = ({ server }: ModelTool): string | undefined =>
  typeof server === 'string' ? server : server?.name;

/** Its computer, its server and its name there, whatever name it is offered under. */
export const keyOf = (tool: ModelTool): string => {
  const server = serverOf(tool);
  return JSON.stringify([tool.computer ?? null, server ?? null, (server && tool.original) || tool.name]);
};

const digits = (text: string): string => (fnv(fnvBasis, text) >>> 0).toString(16).padStart(8, '0');
/** A long text is cut and ends with a digest of all of it, so that it never changes. */
function valid(text: string): string {
  const clean = text.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest - 9)}_${digits(text)}`;
}

interface Candidate {
  readonly name: string;
  /** A server, a computer, or '' for the plain name. */
  readonly by: string;
}
/** Plainest first; the last one contains a digest of the tool's identity. */
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

/** Server or computer; '' when the tool has its plain name. */
export const labelIn = (name: string, tool: ModelTool): string =>
  candidatesOf(tool).find((one) => one.name === name)?.by ?? '';

/** When several tools want one name, none gets it and all try their next (DeepChat's rule, `server_tool`). */
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
/** For the rare case that two 32-bit digests are equal. */
const numbered = (candidates: readonly Candidate[], level: number): string => {
  const end = `_${level}`;
  return (candidates.at(-1)?.name ?? '').slice(0, longest - end.length) + end;
};
