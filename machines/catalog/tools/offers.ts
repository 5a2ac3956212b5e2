/** What one server brings into the table of names, whatever others have. */
import { remembered } from '../../kernel/objects.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';
import type { Tool } from '../entries.ts';
import { mergeMeta } from './meta.ts';
import { prefixed, type Claim } from './names.ts';
import type { ToolEntry, ToolMeta } from './tool.ts';
import { ownMember } from '../../protocol/json.ts';

/** What becomes of a tool whose name another server's tool has, too. */
export type OnConflict = 'reject' | 'prefix';
/** What the config of one server says about its tools. */
export interface ToolRules {
  readonly server: string;
  /** What peers of 0.3 and later know the server by. Default: its name. */
  readonly bundleId?: string;
  readonly forbiddenTools: readonly string[];
  /** Original names: no other tool of it is offered. Absent: all are. */
  readonly onlyTools?: readonly string[];
  readonly toolMeta: Readonly<Record<string, ToolMeta>>;
  readonly defaultToolMeta: ToolMeta | null;
  /** Groups and original names of tools that run unasked, see `permission`. Default: none. */
  readonly autoApprove?: readonly string[];
  /** Default `reject`. */
  readonly onConflict?: OnConflict;
  /** The tools that it listed in its last run: they have names until it says what it has now. */
  readonly lastTools?: readonly string[];
}
export interface RefusedTool {
  readonly name: string;
  readonly server: string;
  readonly failure: Failure;
}
export interface Offer {
  /** Each has a name of its own among them. */
  readonly entries: readonly ToolEntry[];
  /** One for each entry. */
  readonly claims: readonly Claim[];
  readonly disabled: readonly ToolEntry[];
  readonly refused: readonly RefusedTool[];
}

const metaOf = (rule: ToolRules, tool: string): ToolMeta | null =>
  mergeMeta(rule.defaultToolMeta, ownMember(rule.toolMeta, tool));
const shownAs = (rule: ToolRules, tool: string): string => metaOf(rule, tool)?.alias || tool;
/** As it is listed beside another server's tool of that name: whoever reads that forbids that. */
export const prefixedBy = ({ server, onConflict }: ToolRules, shown: string): string =>
  onConflict === 'prefix' ? prefixed(server, shown) : shown;
const isDisabled = (rule: ToolRules, shown: string, tool: string): boolean =>
  // By its own name alone: a server that calls another tool as an alias does must not get it in.
  (rule.onlyTools !== undefined && !rule.onlyTools.includes(tool)) ||
  (rule.forbiddenTools.length > 0 &&
    [shown, tool, prefixedBy(rule, shown)].some((name) => rule.forbiddenTools.includes(name)));
const claimOf = ({ server, onConflict }: ToolRules, shown: string): Claim => ({
  server,
  shown,
  isYielding: onConflict === 'prefix',
});

/** What a person writes so that both can be called. The key is the name that the server gives the tool. */
export const aliasLine = (tool: string, alias: string): string =>
  `"tool_meta": {${JSON.stringify(tool)}: {"alias": ${JSON.stringify(alias)}}}`;

function twice(rule: ToolRules, { shown, tool }: ToolEntry, first: ToolEntry): Failure {
  const { server } = rule;
  const details = { tool_name: shown, servers: [server] };
  if (first.tool.name === tool.name)
    return {
      code: 'ToolNameDuplicated',
      message: `Server '${server}' lists tool '${tool.name}' more than once; the first is taken`,
      details: { ...details, suggestion: '' },
      remedy: byItself,
    };
  const suggestion = aliasLine(tool.name, prefixed(server, tool.name));
  const isOfAll = rule.defaultToolMeta?.alias === shown && !ownMember(rule.toolMeta, tool.name)?.alias;
  if (isOfAll)
    return {
      code: 'ToolNameDuplicated',
      message: `default_tool_meta.alias gives every tool of server '${server}' the name '${shown}', also '${tool.name}'; only '${first.tool.name}' has it`,
      details: { ...details, suggestion: 'default_tool_meta.alias' },
      remedy: `Take alias out of default_tool_meta of '${server}'; a single tool is renamed with ${suggestion}`,
    };
  return {
    code: 'ToolNameDuplicated',
    message: `Server '${server}' has two tools '${shown}': '${first.tool.name}', and '${tool.name}' by its alias`,
    details: { ...details, suggestion },
    remedy: `Give it another alias in the config of '${server}': ${suggestion}`,
  };
}

const byItself = 'Only the server itself can mend this.';
/** Why a tool cannot be called by anybody; null: it can. */
const flawOf = ({ unusable }: Tool): string | null => unusable ?? null;
export const isUsable = (tool: Tool): boolean => flawOf(tool) === null;
/** The same object for as long as its tool is the same. */
const flawed = remembered((_: Tool) => new Map<string, RefusedTool>());
function refusedFor(server: string, tool: Tool, flaw: string): RefusedTool {
  const known = flawed(tool).get(server);
  if (known) return known;
  const { name } = tool;
  const failure: Failure = {
    code: wireCodes.toolNotFound,
    message: `Tool '${name}' of '${server}' is not offered: ${flaw}`,
    details: { tool_name: name, servers: [server], suggestion: byItself },
    remedy: byItself,
  };
  const refused = { name, server, failure };
  flawed(tool).set(server, refused);
  return refused;
}

/**
 * What did not change stays what it was, also in a list that did. By tool, with the rules of its server as they were the
 * last time: a memory for each of the rules would outweigh what it saves.
 */
const lastEntries = new WeakMap<Tool, { readonly rule: ToolRules; readonly entry: ToolEntry }>();
function entryUnder(rule: ToolRules, tool: Tool): ToolEntry {
  const last = lastEntries.get(tool);
  if (last?.rule === rule) return last.entry;
  const meta = metaOf(rule, tool.name);
  const { server, bundleId = server } = rule;
  const entry = { shown: meta?.alias || tool.name, server, bundleId, tool, meta };
  lastEntries.set(tool, { rule, entry });
  return entry;
}

function worked(rule: ToolRules, tools: readonly Tool[]): Offer {
  const byShown = new Map<string, ToolEntry>();
  const disabled: ToolEntry[] = [];
  const refused: RefusedTool[] = [];
  const free = tools.flatMap((tool): ToolEntry[] => {
    const entry = entryUnder(rule, tool);
    const flaw = flawOf(tool);
    if (isDisabled(rule, entry.shown, tool.name)) disabled.push(entry);
    else if (flaw === null) return [entry];
    else refused.push(refusedFor(rule.server, tool, flaw));
    return [];
  });
  // A tool's own name goes before the alias of another, wherever they stand in the list.
  for (const entry of free)
    if (entry.shown === entry.tool.name && !byShown.has(entry.shown)) byShown.set(entry.shown, entry);
  for (const entry of free) {
    const first = byShown.get(entry.shown);
    if (!first) byShown.set(entry.shown, entry);
    else if (first !== entry)
      refused.push({ name: entry.shown, server: rule.server, failure: twice(rule, entry, first) });
  }
  const entries =
    byShown.size === free.length ? free : free.filter((entry) => byShown.get(entry.shown) === entry);
  return { entries, claims: entries.map(({ shown }) => claimOf(rule, shown)), disabled, refused };
}
/** By list: a change of one server leaves the entries of all others what they are. */
const known = new WeakMap<readonly Tool[], { readonly rule: ToolRules; readonly offer: Offer }>();
export function offerOf(rule: ToolRules, tools: readonly Tool[]): Offer {
  const last = known.get(tools);
  if (last?.rule === rule) return last.offer;
  const offer = worked(rule, tools);
  known.set(tools, { rule, offer });
  return offer;
}

/** Claims to names of tools that it is not known to have now, and that nobody else of it has. */
export const claimsOfOld = (rule: ToolRules, tools: readonly string[], offer: Offer): readonly OldClaim[] => {
  if (tools.length === 0) return [];
  const taken = new Set(offer.entries.map(({ shown }) => shown));
  return tools.flatMap((tool) => {
    const shown = shownAs(rule, tool);
    if (taken.has(shown) || isDisabled(rule, shown, tool)) return [];
    taken.add(shown);
    return [{ tool, claim: claimOf(rule, shown) }];
  });
};
export interface OldClaim {
  readonly tool: string;
  readonly claim: Claim;
}
