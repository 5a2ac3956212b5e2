/** Table of the tools that a computer offers: names, rules, and why a name cannot be called. */
import { fnv, fnvBasis } from '../kernel/fnv.ts';
import { remembered } from '../kernel/objects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { ownMember } from '../protocol/json.ts';
import type { Tool } from './entries.ts';
import { aliasLine, mergeMeta, type ToolEntry, type ToolMeta } from './tool.ts';
import { asLine, nearest, unfitName } from '../text.ts';

/** Claim of one tool of one server to a name: its alias, or else its own name. */
export interface Claim {
  readonly server: string;
  readonly shown: string;
  /** True when the tool takes another name in a conflict (`onConflict: "prefix"`). */
  readonly isYielding: boolean;
}
/** `step` 0 is the claimed name; then the server's name is put before it, then a hash is added. */
interface Placed {
  readonly step: number;
  readonly name: string;
}
interface Placing {
  readonly placed: ReadonlyMap<Claim, Placed>;
  readonly conflicting: ReadonlyMap<string, readonly Claim[]>;
}

/** Characters that every provider of models accepts (`[A-Za-z0-9_-]{1,64}`). */
const longestName = 64;
const safeName = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
const markOf = (step: number, { server, shown }: Claim): string =>
  (fnv(fnvBasis, JSON.stringify([step, server, shown])) >>> 0).toString(16).padStart(8, '0');
/** Remembered, because each change of a list makes `placedNames` choose all names again. */
const plainName = remembered(({ server, shown }: Claim): string => `${safeName(server)}_${safeName(shown)}`);
function nameAt(step: number, claim: Claim): string {
  if (step === 0) return claim.shown;
  const name = plainName(claim);
  if (step === 1 && name.length <= longestName) return name;
  const end = `_${markOf(step, claim)}`;
  return name.slice(0, longestName - end.length) + end;
}
/** Alias suggested to people, and the name that `prefix` gives when it is free. */
export const prefixed = (server: string, shown: string): string =>
  nameAt(1, { server, shown, isYielding: true });

/** All yielding claims that meet at a name move on from it, and none returns; the order does not matter. */
export function placedNames(claims: readonly Claim[]): Placing {
  const placed = new Map<Claim, Placed>();
  const at = new Map<string, Claim[]>();
  let moving = claims;
  for (const step of [0, 1, 2]) {
    for (const claim of moving) {
      const name = nameAt(step, claim);
      placed.set(claim, { step, name });
      at.set(name, [...(at.get(name) ?? []), claim]);
    }
    moving = moving.filter((claim) => claim.isYielding && (at.get(nameAt(step, claim))?.length ?? 0) > 1);
  }
  const shared = [...at].filter(([, some]) => some.length > 1 && some.some((c) => c.isYielding));
  return { placed, conflicting: new Map(shared) };
}

/**
 * Handling of a tool whose name a tool of another server has too: `reject` refuses the later one, `prefix`
 * renames.
 */
export type OnConflict = 'reject' | 'prefix';
export interface ToolRules {
  readonly server: string;
  /** For peers of version 0.3 and later; the name of the server by default. */
  readonly bundleId?: string;
  readonly forbiddenTools: readonly string[];
  /** Original names; absent: all tools are offered. */
  readonly onlyTools?: readonly string[];
  readonly toolMeta: Readonly<Record<string, ToolMeta>>;
  readonly defaultToolMeta: ToolMeta | null;
  /** Groups and original names (see `permission`); none by default. */
  readonly autoApprove?: readonly string[];
  readonly onConflict?: OnConflict;
  /** Reserved from the last run until the server lists its tools. */
  readonly lastTools?: readonly string[];
}
export interface RefusedTool {
  readonly name: string;
  readonly server: string;
  readonly failure: Failure;
}
interface Offer {
  /** Tools with names that are unique within the server. */
  readonly entries: readonly ToolEntry[];
  /** Claims of the entries, one for each, in the same order. */
  readonly claims: readonly Claim[];
  readonly disabled: readonly ToolEntry[];
  readonly refused: readonly RefusedTool[];
}

const metaOf = (rule: ToolRules, tool: string): ToolMeta | null =>
  mergeMeta(rule.defaultToolMeta, ownMember(rule.toolMeta, tool));
const shownAs = (rule: ToolRules, tool: string): string => metaOf(rule, tool)?.alias || tool;
/** `forbidden_tools` forbids a tool by this name as well. */
const prefixedBy = ({ server, onConflict }: ToolRules, shown: string): string =>
  onConflict === 'prefix' ? prefixed(server, shown) : shown;
const isDisabled = (rule: ToolRules, shown: string, tool: string): boolean =>
  // Original names only, so that a server cannot get another tool in under an alias.
  (rule.onlyTools !== undefined && !rule.onlyTools.includes(tool)) ||
  (rule.forbiddenTools.length > 0 &&
    [shown, tool, prefixedBy(rule, shown)].some((name) => rule.forbiddenTools.includes(name)));
const claimOf = ({ server, onConflict }: ToolRules, shown: string): Claim => ({
  server,
  shown,
  isYielding: onConflict === 'prefix',
});

function twiceFailure(rule: ToolRules, { shown, tool }: ToolEntry, first: ToolEntry): Failure {
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
  return {
    code: 'ToolNameDuplicated',
    message: `Server '${server}' has two tools '${shown}': '${first.tool.name}', and '${tool.name}' by its alias`,
    details: { ...details, suggestion },
    remedy: `Give it another alias in the config of '${server}': ${suggestion}`,
  };
}

const byItself = 'Only the server itself can fix this.';
const flawOf = ({ unusable, name }: Tool): string | null => unusable ?? unfitName(name) ?? null;
export const isUsable = (tool: Tool): boolean => flawOf(tool) === null;
function refusedFor(server: string, tool: Tool, flaw: string): RefusedTool {
  // Escapes the name, because it may be refused for its characters.
  const name = asLine(tool.name);
  const failure: Failure = {
    code: wireCodes.toolNotFound,
    message: `Tool '${name}' of '${server}' is not offered: ${flaw}`,
    details: { tool_name: name, servers: [server], suggestion: byItself },
    remedy: byItself,
  };
  return { name, server, failure };
}

/** Named by a mark: otherwise the first rules of a server would keep all later ones, and all its lists. */
const ruleMark = remembered((_: ToolRules): object => ({}));
/** Unchanged tools keep their entry, so that it is hashed once. */
const lastEntries = new WeakMap<Tool, { readonly under: object; readonly entry: ToolEntry }>();
function entryUnder(rule: ToolRules, tool: Tool): ToolEntry {
  const under = ruleMark(rule);
  const last = lastEntries.get(tool);
  if (last?.under === under) return last.entry;
  const meta = metaOf(rule, tool.name);
  const { server, bundleId = server } = rule;
  const entry = { shown: meta?.alias || tool.name, server, bundleId, tool, meta };
  lastEntries.set(tool, { under, entry });
  return entry;
}

function workedOffer(rule: ToolRules, tools: readonly Tool[]): Offer {
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
  // A tool's own name precedes an alias of another tool, whatever their order in the list.
  for (const entry of free)
    if (entry.shown === entry.tool.name && !byShown.has(entry.shown)) byShown.set(entry.shown, entry);
  for (const entry of free) {
    const first = byShown.get(entry.shown);
    if (!first) byShown.set(entry.shown, entry);
    else if (first !== entry)
      refused.push({ name: entry.shown, server: rule.server, failure: twiceFailure(rule, entry, first) });
  }
  const entries =
    byShown.size === free.length ? free : free.filter((entry) => byShown.get(entry.shown) === entry);
  return { entries, claims: entries.map(({ shown }) => claimOf(rule, shown)), disabled, refused };
}
/** A change of one server leaves the offers of all others untouched. */
const lastOffers = new WeakMap<readonly Tool[], { readonly under: object; readonly offer: Offer }>();
function offerOf(rule: ToolRules, tools: readonly Tool[]): Offer {
  const under = ruleMark(rule);
  const last = lastOffers.get(tools);
  if (last?.under === under) return last.offer;
  const offer = workedOffer(rule, tools);
  lastOffers.set(tools, { under, offer });
  return offer;
}

/** Names that the server had before and does not list now, if no other tool of it has the name. */
const claimsOfOld = (rule: ToolRules, tools: readonly string[], offer: Offer): readonly OldClaim[] => {
  if (tools.length === 0) return [];
  const taken = new Set(offer.entries.map(({ shown }) => shown));
  return tools.flatMap((tool) => {
    const shown = shownAs(rule, tool);
    if (taken.has(shown) || isDisabled(rule, shown, tool)) return [];
    taken.add(shown);
    return [{ tool, claim: claimOf(rule, shown) }];
  });
};
interface OldClaim {
  readonly tool: string;
  readonly claim: Claim;
}

/** All known tools of every configured server, running or not. */
export interface ToolTable {
  readonly byName: Readonly<Record<string, ToolEntry>>;
  readonly byOriginal: Readonly<Record<string, ToolEntry>>;
  readonly disabled: Readonly<Record<string, ToolEntry>>;
  readonly refused: readonly RefusedTool[];
  /** Names that several tools claimed and none got, each with the names that they have instead. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
  /** The next table needs them: they count while their server is configured, even when no longer listed. */
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

/** Of a server that no longer lists them; the oldest are dropped. */
const mostOld = 1_000;

interface Part extends Offer {
  readonly rule: ToolRules;
  readonly old: readonly OldClaim[];
}
const noTools: readonly Tool[] = [];
function partOf(
  rule: ToolRules,
  catalogs: Readonly<Record<string, readonly Tool[]>>,
  before: ToolTable,
): Part {
  const listed = ownMember(catalogs, rule.server);
  const conflicting = ownMember(before.conflicting, rule.server) ?? [];
  const offer = offerOf(rule, listed ?? noTools);
  const old = listed ? conflicting : [...(rule.lastTools ?? []), ...conflicting];
  return { ...offer, rule, old: claimsOfOld(rule, old, offer) };
}

/** A tool whose name another server has is called by this name. */
export const nameWithServer = ({ server, shown }: Pick<ToolEntry, 'server' | 'shown'>): string =>
  `${server}.${shown}`;
function newcomer(entry: ToolEntry, first: ToolEntry): RefusedTool {
  const { shown, server, tool } = entry;
  const suggestion = aliasLine(tool.name, prefixed(server, tool.name));
  const failure: Failure = {
    code: 'ToolNameDuplicated',
    message: `Tool '${shown}' exists in multiple servers: '${first.server}', '${server}'`,
    details: { tool_name: shown, servers: [first.server, server], suggestion },
    remedy: `Give it an alias in the config of '${server}': ${suggestion}`,
  };
  return { name: shown, server, failure };
}

const lastRenamed = new WeakMap<ToolEntry, ToolEntry>();
function renamedEntry(entry: ToolEntry, shown: string, servers: readonly string[]): ToolEntry {
  const last = lastRenamed.get(entry);
  if (last?.shown === shown && last.renamed?.servers.join('\n') === servers.join('\n')) return last;
  const next = { ...entry, shown, renamed: { from: entry.shown, servers } };
  lastRenamed.set(entry, next);
  return next;
}

interface Named {
  readonly entries: readonly ToolEntry[];
  readonly conflicting: Placing['conflicting'];
}
/** No server has `onConflict: "prefix"`: `buildTable` refuses the later of two tools with one name. */
const unplaced = (parts: readonly Part[]): Named => ({
  entries: parts.flatMap(({ entries }) => entries),
  conflicting: new Map(),
});
function placedParts(parts: readonly Part[]): Named {
  const claims = parts.flatMap((part) => [...part.claims, ...part.old.map(({ claim }) => claim)]);
  const { placed: places, conflicting } = placedNames(claims);
  const serversOf = remembered((some: readonly Claim[]) =>
    [...new Set(some.map((c) => c.server))].toSorted(),
  );
  const entries = parts.flatMap((part) =>
    part.entries.map((entry, n) => {
      const found = places.get(part.claims[n] as Claim);
      if (!found || found.step === 0) return entry;
      return renamedEntry(entry, found.name, serversOf(conflicting.get(entry.shown) ?? []));
    }),
  );
  return { entries, conflicting };
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
/** An original name also works for a call as long as no other tool could be meant. */
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

function lastOwners(parts: readonly Part[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const { rule, old } of parts)
    for (const { tool, claim } of old)
      for (const name of [tool, claim.shown]) owners.set(name, [...(owners.get(name) ?? []), rule.server]);
  return owners;
}

/** See a2c-wire §3.3. Of tools without `prefix` the first in the config keeps the name, the later is refused. */
export function buildTable(
  rules: readonly ToolRules[],
  catalogs: Readonly<Record<string, readonly Tool[]>>,
  before: ToolTable = emptyTable,
): ToolTable {
  const parts = rules.map((rule) => partOf(rule, catalogs, before));
  const isPlacing = rules.some(({ onConflict }) => onConflict === 'prefix');
  const { entries, conflicting } = isPlacing ? placedParts(parts) : unplaced(parts);
  const byName = new Map<string, ToolEntry>();
  const newcomers: RefusedTool[] = [];
  const withServer: [string, ToolEntry][] = [];
  for (const entry of entries) {
    const first = byName.get(entry.shown);
    if (!first) byName.set(entry.shown, entry);
    else newcomers.push(newcomer(entry, first));
    if (first && first.server !== entry.server) withServer.push([nameWithServer(entry), entry]);
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
    byOriginal: { ...Object.fromEntries(withServer), ...originalsIn(entries, byName, isOthers) },
    disabled: Object.fromEntries(disabled),
    refused: [...parts.flatMap((part) => part.refused), ...newcomers],
    shared: sharedIn(entries, byName),
    conflicting: conflictingIn(parts, conflicting),
  };
}

/** `SERVER.TOOL` means the tool of that server, by its name there or here. */
const toolOfServer = (table: ToolTable, name: string): ToolEntry | undefined =>
  name.includes('.')
    ? Object.values(table.byName).find(({ server, shown, tool }) =>
        [`${server}.${shown}`, `${server}.${tool.name}`].includes(name),
      )
    : undefined;
export const findTool = (table: ToolTable, name: string): ToolEntry | undefined =>
  ownMember(table.byName, name) ?? ownMember(table.byOriginal, name) ?? toolOfServer(table, name);

export const offeredTools = (table: ToolTable, isUp: (server: string) => boolean): ToolEntry[] =>
  Object.values(table.byName).filter(({ server }) => isUp(server));

export const isDenied = (table: ToolTable, name: string): boolean =>
  Object.hasOwn(table.disabled, name) || ownMember(table.shared, name) !== undefined;
export interface AbsentServer {
  readonly server: string;
  readonly reason?: string;
}
/** Of two names with a server, since the same tool of another server does something else. */
const isOfSameServer = (one: string, other: string): boolean => {
  const [ofOne, ofOther] = [one, other].map((name) => name.slice(0, name.indexOf('.') + 1));
  return ofOne === '' || ofOther === '' || ofOne === ofOther;
};
/** Codes 4001 and 4002. `absent`: servers whose tools are currently unknown. */
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
  const known = [...Object.keys(table.byName), ...Object.keys(table.byOriginal)];
  const [close] = nearest(
    name,
    known.filter((each) => isOfSameServer(each, name)),
  );
  const meant = close === undefined ? '' : `Did you mean '${close}'? `;
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
    remedy: `${meant}List the tools: tools(); in the prompt: tools`,
  };
}
