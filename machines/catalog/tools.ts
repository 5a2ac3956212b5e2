import type { Failure } from '../wire/failure.ts';
import { wireCodes } from '../wire/failure.ts';
import { mergeMeta } from './meta.ts';
import type { Tool } from './entries.ts';
import type { ToolEntry, ToolMeta } from './tool.ts';

/** What the config of one server says about its tools. */
export interface ToolRules {
  readonly server: string;
  readonly forbiddenTools: readonly string[];
  readonly toolMeta: Readonly<Record<string, ToolMeta>>;
  readonly defaultToolMeta: ToolMeta | null;
  /** Groups and original names of tools that run unasked, see `permission`. */
  readonly autoApprove: readonly string[];
}
export interface RefusedTool {
  readonly name: string;
  readonly server: string;
  readonly failure: Failure;
}
/** Every known tool of every configured server, whether the server is up or not; names are found in O(1). */
export interface ToolTable {
  readonly byName: Readonly<Record<string, ToolEntry>>;
  readonly forbidden: Readonly<Record<string, ToolEntry>>;
  readonly refused: readonly RefusedTool[];
}

/** Names come from strangers: `constructor` is a server or a tool only where somebody has one. */
const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
const duplicated = (name: string, servers: readonly string[]): Failure => ({
  code: 'ToolNameDuplicated',
  message: `Tool '${name}' exists in multiple servers: ${servers.map((s) => `'${s}'`).join(', ')}`,
  details: { tool_name: name, servers, suggestion: `tool_meta.${name}.alias` },
  remedy: `Give one of them another name with tool_meta.${name}.alias in its config.`,
});

/**
 * A change of one server leaves the entries of the others what they are. By tool, with the rules of its server as they were
 * the last time: a memory for each of the rules would outweigh what it saves.
 */
const lastEntries = new WeakMap<Tool, { readonly rule: ToolRules; readonly entry: ToolEntry }>();
function entryUnder(rule: ToolRules, tool: Tool): ToolEntry {
  const last = lastEntries.get(tool);
  if (last?.rule === rule) return last.entry;
  const meta = mergeMeta(rule.defaultToolMeta, own(rule.toolMeta, tool.name));
  const entry = { shown: meta?.alias || tool.name, server: rule.server, tool, meta };
  lastEntries.set(tool, { rule, entry });
  return entry;
}

/**
 * Names → tools (a2c-wire §3.3): the alias of a tool is its name; forbidden tools, by alias or by original name,
 * are found but not offered; where two tools claim one name the earlier server of the config keeps it and the
 * newcomer is refused with the rest of its tools untouched. An aliased tool answers to its original name too,
 * as long as no other tool claims that.
 */
export function buildTable(
  rules: readonly ToolRules[],
  catalogs: Readonly<Record<string, readonly Tool[]>>,
): ToolTable {
  const byName = new Map<string, ToolEntry>();
  const forbidden = new Map<string, ToolEntry>();
  const refused: RefusedTool[] = [];
  const entries = rules.flatMap((rule) =>
    (own(catalogs, rule.server) ?? []).map((tool) => ({ rule, entry: entryUnder(rule, tool) })),
  );
  for (const { rule, entry } of entries) {
    const isForbidden = rule.forbiddenTools.some((f) => f === entry.shown || f === entry.tool.name);
    const first = byName.get(entry.shown);
    if (isForbidden) forbidden.set(entry.shown, entry);
    else if (first) {
      const failure = duplicated(entry.shown, [first.server, entry.server]);
      refused.push({ name: entry.shown, server: entry.server, failure });
    } else byName.set(entry.shown, entry);
  }
  for (const { entry } of entries)
    if (byName.get(entry.shown) === entry && !byName.has(entry.tool.name) && !forbidden.has(entry.tool.name))
      byName.set(entry.tool.name, entry);
  return { byName: Object.fromEntries(byName), forbidden: Object.fromEntries(forbidden), refused };
}
export const emptyTable: ToolTable = { byName: {}, forbidden: {}, refused: [] };

export const findTool = (table: ToolTable, name: string): ToolEntry | undefined => own(table.byName, name);

/** Those that agents are offered: of servers that are up, each once, in the order of the config. */
export const offeredTools = (table: ToolTable, isUp: (server: string) => boolean): ToolEntry[] =>
  Object.entries(table.byName)
    .filter(([name, entry]) => name === entry.shown && isUp(entry.server))
    .map(([, entry]) => entry);

/** A name that cannot be called, and why (4001, 4002 or the duplicate). */
export function unresolved(table: ToolTable, name: string): Failure {
  if (Object.hasOwn(table.forbidden, name))
    return { code: wireCodes.toolDisabled, message: `Tool '${name}' is disabled by configuration` };
  return {
    code: wireCodes.toolNotFound,
    message: `Tool '${name}' not found in any active server`,
    details: { tool_name: name },
    remedy: 'List the tools: tools list',
  };
}
