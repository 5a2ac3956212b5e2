import { wireCodes, type Failure } from '../protocol/failure.ts';
import { readArguments } from './arguments.ts';
import {
  keyOf,
  labelIn,
  named,
  type CallReader,
  type MCPToolDefinition,
  type ModelTool,
  type ReadCall,
  type ServerShown,
} from './format.ts';

/** What a host keeps of a conversation that goes on later: names by tool, and how many ids were made. Plain JSON. */
export interface SavedConversation {
  /** The identity of each tool that was ever offered, and the name that it got. */
  readonly names: readonly (readonly [tool: string, name: string])[];
  /** How many ids were made for calls that came without one. */
  readonly ids: number;
}
/** A tool that was given twice, or under the identity of another: only the first of them is offered. */
export interface RefusedTool {
  /** As it was given to `offer`. */
  readonly tool: ModelTool;
  /** In one sentence for a person. */
  readonly reason: string;
}
/** What a model is given for its next turn. */
export interface Offer {
  /** What `toTools` of a provider takes, in the order of the tools. */
  readonly definitions: readonly MCPToolDefinition[];
  /** Tools that are not offered, and why. */
  readonly refused: readonly RefusedTool[];
}

/**
 * One conversation with a model. Whatever becomes of the list of tools between its turns, a name that was offered in
 * it never means another tool: a tool keeps its name, also while it is gone, and a newcomer gets one of its own.
 */
export interface Conversation extends CallReader {
  /** The tools of the next turn, in this order; those of the turn before are gone unless they are in it. */
  offer(tools: readonly ModelTool[]): Offer;
  /** What is offered under this name now. */
  find(name: string): MCPToolDefinition | undefined;
  /** What has to be kept so that names and ids stay as they are in the next process. Plain JSON. */
  save(): SavedConversation;
}

const gone = (name: string): Failure => ({
  code: wireCodes.toolNotFound,
  message: `Tool '${name}' is gone: it was offered earlier and is not there any more`,
  details: { tool_name: name, gone: true },
});
const never = (name: string): Failure => ({
  code: wireCodes.toolNotFound,
  message: `Tool '${name}' does not exist`,
  details: { tool_name: name, gone: false },
});

/** A new conversation, or one that goes on from what `save` gave. It keeps everything in memory and asks nobody. */
export function createConversation(saved: SavedConversation = { names: [], ids: 0 }): Conversation {
  /** Tool → name, and every name that ever was one; both only grow, by the tools that this conversation met. */
  const names = new Map<string, string>(saved.names);
  const taken = new Set(names.values());
  const offered = new Map<string, MCPToolDefinition>();
  let ids = saved.ids;

  const read: CallReader['read'] = (said, restore = (args) => args): ReadCall => {
    const id = said.id || `a2c_call_${++ids}`;
    const { name } = said;
    const definition = offered.get(name);
    const failed = (failure: Failure): ReadCall => ({ ok: false, id, name, failure });
    if (!definition) return failed(taken.has(name) ? gone(name) : never(name));
    const { target, server, function: offer } = definition;
    const args = readArguments(said.arguments, offer.parameters);
    if (!args.ok) return failed(args.failure);
    return {
      ok: true,
      call: { id, name, ...target, arguments: restore(args.value, offer.parameters), server },
    };
  };
  return {
    offer(tools) {
      const given = new Map<string, ModelTool>();
      const refused: RefusedTool[] = [];
      for (const tool of tools) {
        if (given.has(keyOf(tool))) refused.push({ tool, reason: `'${tool.name}' was given twice` });
        else given.set(keyOf(tool), tool);
      }
      const fresh = [...given].filter(([key]) => !names.has(key));
      for (const [key, name] of named(new Map(fresh), taken)) {
        names.set(key, name);
        taken.add(name);
      }
      offered.clear();
      for (const [key, tool] of given) {
        const name = names.get(key) ?? '';
        offered.set(name, definitionOf(tool, name));
      }
      return { definitions: [...offered.values()], refused };
    },
    find: (name) => offered.get(name),
    read,
    save: () => ({ names: [...names], ids }),
  };
}

function shownServer({ server, computer = '', shown }: ModelTool): ServerShown {
  // The wire does not tell an agent which server has a tool.
  if (server === undefined) return { name: computer, icons: '', descriptions: '' };
  return typeof server === 'string'
    ? { name: server, icons: shown?.icons ?? '', descriptions: shown?.descriptions ?? '' }
    : { name: server.name, icons: server.icons ?? '', descriptions: server.descriptions ?? '' };
}

/** Computers write this word where a server says nothing, behind the server's name where they renamed the tool. */
const nothingSaid = /^(?:\[[^\]]*\] )?None$/;

function definitionOf(tool: ModelTool, name: string): MCPToolDefinition {
  const { description = '', params_schema, computer } = tool;
  const isSaid = description !== '' && !nothingSaid.test(description);
  const said = isSaid ? description : (tool.original ?? tool.name);
  const label = labelIn(name, tool);
  return {
    type: 'function',
    function: { name, description: label === '' ? said : `[${label}] ${said}`, parameters: params_schema },
    server: shownServer(tool),
    target: { ...(computer !== undefined && { computer }), tool: tool.name },
  };
}
