/** Conversation with a model, in which a name never changes its tool. */
import { hostFailure, wireCodes, type HostFailure } from '../protocol/failure.ts';
import { readArguments } from './arguments.ts';
import {
  keyOf,
  labelIn,
  named,
  type CallReader,
  type MCPToolDefinition,
  type ModelSkill,
  type ModelTool,
  type ReadCall,
  type ServerShown,
  type Json,
  type SkillAsked,
} from './format.ts';

/** Unless another tool has this name. */
const toolName = 'read_skill';
/** Skills in the description, and characters of each. A call without arguments lists all skills. */
const [mostTold, longestTold] = [50, 300];

const inOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longestTold ? line : `${line.slice(0, longestTold)} …`;
};
/** With the computer in front where two skills have the same name. */
function namedSkills(skills: readonly ModelSkill[]): ReadonlyMap<string, ModelSkill> {
  const count = new Map<string, number>();
  for (const { name } of skills) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    skills.map((skill) => [
      (count.get(skill.name) ?? 0) > 1 ? `${skill.computer}/${skill.name}` : skill.name,
      skill,
    ]),
  );
}
const told = (skills: ReadonlyMap<string, ModelSkill>, most: number): string =>
  [...skills]
    .slice(0, most)
    .map(([name, { description }]) => `- ${name}: ${inOneLine(description)}`)
    .join('\n');

function skillTool(skills: ReadonlyMap<string, ModelSkill>): ModelTool {
  const more = skills.size > mostTold ? `\nand ${skills.size - mostTold} more: call without "skill"` : '';
  return {
    name: toolName,
    description: `Reads a skill: instructions for a kind of work, and files that they name. Read the skill before you begin work that it is for.\n${told(skills, mostTold)}${more}`,
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'Name of the skill. Without it all skills are listed.' },
        path: {
          type: 'string',
          description:
            'Path of a file inside of the skill, as its instructions name it. Default: SKILL.md, the instructions.',
        },
      },
    },
  };
}
const unknown = (name: string): HostFailure =>
  hostFailure({
    code: wireCodes.serverNotFound,
    message: `There is no skill '${name}'`,
    remedy: 'Call without "skill" for the list',
  });
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
function skillAsked(skills: ReadonlyMap<string, ModelSkill>, { skill: name, path }: Json): SkillAsked {
  if (name === undefined || name === null || name === '')
    return { kind: 'list', text: told(skills, Infinity) };
  const text = isText(name) ? name : JSON.stringify(name);
  const found = skills.get(text);
  if (!found) return { kind: 'failed', failure: unknown(text) };
  const { computer, name: skill } = found;
  return { kind: 'file', of: isText(path) ? { computer, skill, path } : { computer, skill } };
}

/**
 * State of a conversation that a host saves to continue it later: the names given to tools, and the number of
 * ids made for calls. Plain JSON.
 */
export interface SavedConversation {
  /** Identity of each tool that was ever offered, with the name it was given. */
  readonly names: readonly (readonly [tool: string, name: string])[];
  /** Number of ids made for calls that came without one. */
  readonly ids: number;
}
/** Tool that is not offered, because it was given twice or has the same identity as an earlier one. */
export interface RefusedTool {
  /** Tool as it was passed to `offer`. */
  readonly tool: ModelTool;
  /** Reason for the refusal, as a sentence for a person. */
  readonly reason: string;
}
/** Additions to the tools that a model is offered. */
export interface OfferOptions {
  /**
   * Skills that the model may read, from `computer.skills.list()` or `agent.skills.list(computer)`. With some, the offer has one
   * more tool, `read_skill`, which `run` answers by itself. Default: none, and no such tool.
   */
  readonly skills?: readonly ModelSkill[] | undefined;
}
/** Tools for the next turn of a model. */
export interface Offer {
  /** Definitions for `toTools` of a provider, in the order of the tools. */
  readonly definitions: readonly MCPToolDefinition[];
  /** Tools that are not offered, with the reasons. */
  readonly refused: readonly RefusedTool[];
}

/**
 * Conversation with a model that gives tools lasting names. A name offered once never means another tool,
 * however the list changes: a tool keeps its name even while it is gone, and a new tool gets a name of its
 * own.
 */
export interface Conversation extends CallReader {
  /**
   * Sets the tools of the next turn, in this order, and returns their definitions; tools of the previous turn
   * that are not in the list are gone. With `skills` a tool to read them is added at the end.
   */
  offer(tools: readonly ModelTool[], options?: OfferOptions): Offer;
  /** Returns the definition now offered under this name; undefined when there is none. */
  find(name: string): MCPToolDefinition | undefined;
  /** Returns the state with which another process can continue with the same names and ids. Plain JSON. */
  save(): SavedConversation;
}

const gone = (name: string): HostFailure =>
  hostFailure({
    code: wireCodes.toolNotFound,
    message: `Tool '${name}' is gone: it was offered earlier and is not there any more`,
    details: { tool_name: name, gone: true },
  });
const never = (name: string): HostFailure =>
  hostFailure({
    code: wireCodes.toolNotFound,
    message: `Tool '${name}' does not exist`,
    details: { tool_name: name, gone: false },
  });

/** Creates a conversation, or continues one from the result of `save`. All state is in memory. */
export function createConversation(saved: SavedConversation = { names: [], ids: 0 }): Conversation {
  /**
   * Names given to tools, and all names ever used in this conversation. Both only grow, with the tools it was
   * given.
   */
  const names = new Map<string, string>(saved.names);
  const taken = new Set(names.values());
  const offered = new Map<string, MCPToolDefinition>();
  let skills: ReadonlyMap<string, ModelSkill> = new Map();
  let skillsTool: string | undefined;
  let ids = saved.ids;

  const read: CallReader['read'] = (said, restore = (args) => args): ReadCall => {
    const id = said.id || `a2c_call_${++ids}`;
    const { name } = said;
    const definition = offered.get(name);
    const failed = (failure: HostFailure): ReadCall => ({ ok: false, id, name, failure });
    if (!definition) return failed(taken.has(name) ? gone(name) : never(name));
    const { target, server, function: offer } = definition;
    const args = readArguments(said.arguments, offer.parameters);
    if (!args.ok) return failed(args.failure);
    const given = restore(args.value, offer.parameters);
    const skill = name === skillsTool ? { skill: skillAsked(skills, given) } : {};
    return { ok: true, call: { id, name, ...target, arguments: given, server, ...skill } };
  };
  return {
    offer(tools, { skills: known = [] } = {}) {
      const given = new Map<string, ModelTool>();
      const refused: RefusedTool[] = [];
      skills = namedSkills(known);
      const own = skills.size > 0 ? [skillTool(skills)] : [];
      for (const tool of [...tools, ...own]) {
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
      skillsTool = own[0] && names.get(keyOf(own[0]));
      return { definitions: [...offered.values()], refused };
    },
    find: (name) => offered.get(name),
    read,
    save: () => ({ names: [...names], ids }),
  };
}

function shownServer({ server, computer = '', shown }: ModelTool): ServerShown {
  // Shows the computer in place of the server, because the wire does not tell an agent which server has a tool.
  if (server === undefined) return { name: computer, icons: '', descriptions: '' };
  return typeof server === 'string'
    ? { name: server, icons: shown?.icons ?? '', descriptions: shown?.descriptions ?? '' }
    : { name: server.name, icons: server.icons ?? '', descriptions: server.descriptions ?? '' };
}

function definitionOf(tool: ModelTool, name: string): MCPToolDefinition {
  const { description = '', inputSchema, computer } = tool;
  const said = description === '' ? (tool.original ?? tool.name) : description;
  const label = labelIn(name, tool);
  return {
    type: 'function',
    function: { name, description: label === '' ? said : `[${label}] ${said}`, parameters: inputSchema },
    server: shownServer(tool),
    target: { ...(computer !== undefined && { computer }), tool: tool.name },
  };
}
