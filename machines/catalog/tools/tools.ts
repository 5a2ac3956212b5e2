import type { Failure } from '../../protocol/failure.ts';
import { wireCodes } from '../../protocol/failure.ts';
import type { Tool } from '../entries.ts';
import { remembered } from '../../kernel/objects.ts';
import { place, prefixed, type Claim, type Placing } from './names.ts';
import {
  aliasLine,
  claimsOfOld,
  offerOf,
  prefixedBy,
  type Offer,
  type OldClaim,
  type RefusedTool,
  type ToolRules,
} from './offers.ts';
import type { ToolEntry } from './tool.ts';
import { ownMember } from '../../protocol/json.ts';

/** Every known tool of every configured server, whether the server is up or not; names are found in O(1). */
export interface ToolTable {
  readonly byName: Readonly<Record<string, ToolEntry>>;
  /** By the names that their servers gave them, of those that are called otherwise and could not be mistaken. */
  readonly byOriginal: Readonly<Record<string, ToolEntry>>;
  readonly disabled: Readonly<Record<string, ToolEntry>>;
  readonly refused: readonly RefusedTool[];
  /** Names that several tools would have and none has, each with what those are called instead. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
  /**
   * By server, its tools (by their own names) on account of which somebody has another name: what the next table has to
   * know of this one, for they count as long as their servers are configured, also when they are listed no more.
   */
  readonly conflicting: Readonly<Record<string, readonly string[]>>;
}
export const emptyTable: ToolTable = {
  byName: {},
  byOriginal: {},
  disabled: {},
  refused: [],
  shared: {},
  conflicting: {},
};

/** Of those that a server lists no more; the oldest are forgotten. Only one that makes up conflicts has so many. */
const mostOld = 1_000;

interface Part extends Offer {
  readonly rule: ToolRules;
  readonly old: readonly OldClaim[];
}
interface Given {
  readonly listed: readonly Tool[] | undefined;
  readonly conflicting: readonly string[];
}
function worked(rule: ToolRules, { listed, conflicting }: Given): Part {
  const offer = offerOf(rule, listed ?? []);
  const old = listed ? conflicting : [...(rule.lastTools ?? []), ...conflicting];
  return { ...offer, rule, old: claimsOfOld(rule, old, offer) };
}
const none: readonly string[] = [];
/** The last one of each server: a list of one changes nothing of what the others bring. */
const lastParts = new WeakMap<ToolRules, Given & { readonly part: Part }>();
function partOf(
  rule: ToolRules,
  catalogs: Readonly<Record<string, readonly Tool[]>>,
  before: ToolTable,
): Part {
  const listed = ownMember(catalogs, rule.server);
  const conflicting = ownMember(before.conflicting, rule.server) ?? none;
  const last = lastParts.get(rule);
  if (last?.listed === listed && last?.conflicting === conflicting) return last.part;
  const part = worked(rule, { listed, conflicting });
  lastParts.set(rule, { listed, conflicting, part });
  return part;
}

/** The same object for as long as nothing of it changes, so that what is worked out of it holds. */
const lastRefused = new WeakMap<ToolEntry, { readonly by: string; readonly refused: RefusedTool }>();
function newcomer(entry: ToolEntry, first: ToolEntry): RefusedTool {
  const last = lastRefused.get(entry);
  if (last?.by === first.server) return last.refused;
  const { shown, server, tool } = entry;
  const suggestion = aliasLine(tool.name, prefixed(server, tool.name));
  const failure: Failure = {
    code: 'ToolNameDuplicated',
    message: `Tool '${shown}' exists in multiple servers: '${first.server}', '${server}'`,
    details: { tool_name: shown, servers: [first.server, server], suggestion },
    remedy: `Give it an alias in the config of '${server}': ${suggestion}`,
  };
  const refused = { name: shown, server, failure };
  lastRefused.set(entry, { by: first.server, refused });
  return refused;
}
const nameless = ({ shown, server, tool }: ToolEntry): Failure => {
  const suggestion = aliasLine(tool.name, prefixed(server, tool.name));
  return {
    code: 'ToolNameDuplicated',
    message: `Tool '${shown}' of '${server}' has no name that no other tool has`,
    details: { tool_name: shown, servers: [server], suggestion },
    remedy: `Give it an alias in the config of '${server}': ${suggestion}`,
  };
};

const lastRenamed = new WeakMap<ToolEntry, ToolEntry>();
function renamed(entry: ToolEntry, shown: string, servers: readonly string[]): ToolEntry {
  const last = lastRenamed.get(entry);
  const before = last?.renamed?.servers;
  if (last?.shown === shown && before?.length === servers.length && servers.every((s, n) => s === before[n]))
    return last;
  const next = { ...entry, shown, renamed: { from: entry.shown, servers } };
  lastRenamed.set(entry, next);
  return next;
}

interface Named {
  /** Those that have a name of their own, as they are called; in the order of the config. */
  readonly entries: readonly ToolEntry[];
  readonly refused: readonly RefusedTool[];
  readonly conflicting: Placing['conflicting'];
}
/** Names for all of them where nobody yields: whoever comes later is refused if need be. */
const unplaced = (parts: readonly Part[]): Named => ({
  entries: parts.flatMap(({ entries }) => entries),
  refused: [],
  conflicting: new Map(),
});
function placed(parts: readonly Part[]): Named {
  const claims = parts.flatMap((part) => [...part.claims, ...part.old.map(({ claim }) => claim)]);
  const { placed: places, conflicting } = place(claims);
  const serversOf = remembered((some: readonly Claim[]) =>
    [...new Set(some.map((c) => c.server))].toSorted(),
  );
  const refused: RefusedTool[] = [];
  const entries: ToolEntry[] = [];
  for (const part of parts)
    for (const [n, entry] of part.entries.entries()) {
      const found = places.get(part.claims[n] as Claim);
      if (!found || found.step === 0) entries.push(entry);
      else if (found.name === null)
        refused.push({ name: entry.shown, server: entry.server, failure: nameless(entry) });
      else entries.push(renamed(entry, found.name, serversOf(conflicting.get(entry.shown) ?? [])));
    }
  return { entries, refused, conflicting };
}

function conflictingIn(
  parts: readonly Part[],
  conflicting: Placing['conflicting'],
): ToolTable['conflicting'] {
  if (conflicting.size === 0) return {};
  const some = new Set([...conflicting.values()].flat());
  const byServer = parts.flatMap((part) => {
    const listed = part.entries.flatMap(({ tool }, n) =>
      some.has(part.claims[n] as Claim) ? [tool.name] : [],
    );
    const old = part.old.filter(({ claim }) => some.has(claim)).map(({ tool }) => tool);
    const all = [...old.slice(-mostOld), ...listed];
    return all.length === 0 ? [] : [[part.rule.server, all] as const];
  });
  return Object.fromEntries(byServer);
}
function sharedIn(
  entries: readonly ToolEntry[],
  byName: ReadonlyMap<string, ToolEntry>,
): ToolTable['shared'] {
  const shared = new Map<string, string[]>();
  for (const { shown, renamed: how } of entries) {
    if (!how || byName.has(how.from)) continue;
    const names = shared.get(how.from);
    if (names) names.push(shown);
    else shared.set(how.from, [shown]);
  }
  return Object.fromEntries(shared);
}
/** A tool answers to the name that its server gave it, too, as long as no other tool could be meant. */
function originalsIn(
  entries: readonly ToolEntry[],
  byName: ReadonlyMap<string, ToolEntry>,
  isOthers: (name: string, server: string) => boolean,
): ToolTable['byOriginal'] {
  const originals = new Map<string, ToolEntry | null>();
  for (const entry of entries) {
    const { name } = entry.tool;
    if (entry.shown !== name && !byName.has(name) && !isOthers(name, entry.server))
      originals.set(name, originals.has(name) ? null : entry);
  }
  const sure = [...originals].filter(([, entry]) => entry && byName.get(entry.shown) === entry);
  return Object.fromEntries(sure as [string, ToolEntry][]);
}

/** Whose a name was in the last run of a server that has not said yet what it has now. */
function lastOwners(parts: readonly Part[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const { rule, old } of parts)
    for (const { tool, claim } of old)
      for (const name of [tool, claim.shown]) owners.set(name, [...(owners.get(name) ?? []), rule.server]);
  return owners;
}

/**
 * Names → tools (a2c-wire §3.3): the alias of a tool is its name; disabled tools, by alias or by original name, are found
 * but not offered. Where several servers have one name, tools of those with `onConflict: "prefix"` are called
 * `server_tool` (names.ts); of the others the first in the config keeps it and the newcomer is refused, with the rest
 * of its tools untouched. `before`: the table that this one follows.
 */
export function buildTable(
  rules: readonly ToolRules[],
  catalogs: Readonly<Record<string, readonly Tool[]>>,
  before: ToolTable = emptyTable,
): ToolTable {
  const parts = rules.map((rule) => partOf(rule, catalogs, before));
  const isPlacing = rules.some(({ onConflict }) => onConflict === 'prefix');
  const { entries, refused, conflicting } = isPlacing ? placed(parts) : unplaced(parts);
  const byName = new Map<string, ToolEntry>();
  const newcomers: RefusedTool[] = [];
  for (const entry of entries) {
    const first = byName.get(entry.shown);
    if (!first) byName.set(entry.shown, entry);
    else newcomers.push(newcomer(entry, first));
  }
  const disabled = new Map<string, ToolEntry>();
  for (const { rule, disabled: some } of parts)
    for (const entry of some)
      for (const name of [entry.shown, entry.tool.name, prefixedBy(rule, entry.shown)])
        disabled.set(name, entry);
  const wasOf = lastOwners(parts);
  const isOthers = (name: string, server: string): boolean =>
    disabled.has(name) ||
    conflicting.has(name) ||
    (wasOf.get(name)?.some((other) => other !== server) ?? false);
  return {
    byName: Object.fromEntries(byName),
    byOriginal: originalsIn(entries, byName, isOthers),
    disabled: Object.fromEntries(disabled),
    refused: [...parts.flatMap((part) => part.refused), ...refused, ...newcomers],
    shared: sharedIn(entries, byName),
    conflicting: conflictingIn(parts, conflicting),
  };
}

export const findTool = (table: ToolTable, name: string): ToolEntry | undefined =>
  ownMember(table.byName, name) ?? ownMember(table.byOriginal, name);

/** Those that agents are offered: of servers that are up, each once, in the order of the config. */
export const offeredTools = (table: ToolTable, isUp: (server: string) => boolean): ToolEntry[] =>
  Object.values(table.byName).filter(({ server }) => isUp(server));

/** A name that cannot be called, whatever tools come: it is forbidden, or was given up by several. */
export const isDenied = (table: ToolTable, name: string): boolean =>
  Object.hasOwn(table.disabled, name) || ownMember(table.shared, name) !== undefined;
/** A server of which nobody knows what it has, and why. */
export interface AbsentServer {
  readonly server: string;
  readonly reason?: string;
}
/** A name that cannot be called, and why (4001, 4002). `absent`: servers that have not said, or say no more, what they have. */
export function unresolved(table: ToolTable, name: string, absent: readonly AbsentServer[] = []): Failure {
  if (Object.hasOwn(table.disabled, name))
    return { code: wireCodes.toolDisabled, message: `Tool '${name}' is disabled by configuration` };
  const names = ownMember(table.shared, name);
  if (names)
    return {
      code: wireCodes.toolNotFound,
      message: `Tool '${name}' not found: several servers have one, and each has another name now`,
      details: { tool_name: name, names },
      remedy: `Call it by its own name: ${names.join(', ')}`,
    };
  const refused = table.refused.find((tool) => tool.name === name);
  if (refused) return refused.failure;
  const unknown = absent.map(({ server, reason }) => server + (reason === undefined ? '' : ` (${reason})`));
  return {
    code: wireCodes.toolNotFound,
    message:
      `Tool '${name}' not found in any active server` +
      (absent.length === 0 ? '' : `; of these nobody knows what they have: ${unknown.join(', ')}`),
    details: {
      tool_name: name,
      ...(absent.length > 0 && { not_active: absent.map(({ server }) => server) }),
    },
    remedy: 'List the tools: tools list',
  };
}
