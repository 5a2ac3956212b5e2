/** What a computer hears, says and remembers, and the pure rules by which it does so: what it opens, what follows from news, where calls go. */
import { withoutKey } from '../protocol/json.ts';
import { isSameCaller, type Caller, type ComputerCall, type ToolApproved } from '../call/messages.ts';
import type { CatalogListed, CatalogNews, CatalogRestless } from '../catalog/catalog.machine.ts';
import {
  buildTable,
  offeredTools,
  type ToolTable,
  type AbsentServer,
  type ToolRules,
  type RefusedTool,
} from '../catalog/tool-table.ts';
import { changesOf, differing, type Changes } from '../catalog/changes.ts';
import { signatureOf, toSmcpTool } from '../catalog/tool.ts';
import type { CatalogList, Lists, Tool } from '../catalog/entries.ts';
import {
  clientKind,
  type ClientChanged,
  type ClientNews,
  type ClientPlan,
  type ClientStage,
  type Spent,
  type ClientOrder,
} from '../client/client.events.ts';
import { childOf, keyOf, type Address, type AddressFor } from '../kernel/address.ts';
import { post, open, type DirectoryEvent, type Post, type Open, type OwnedEnded } from '../kernel/effects.ts';
import type { Capabilities, Waits } from '../kernel/ports.ts';
import { remembered } from '../kernel/objects.ts';
import { timingOf, type Timing } from '../kernel/timing.ts';
import {
  linkKind,
  type LinkNews,
  type LinkStart,
  type ToolsWanted,
  type LinkOrder,
} from '../link/link.machine.ts';
import { notActive, toolsWithdrawn } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { SmcpTool } from '../protocol/messages/collections.ts';
import type { AggregateWanted, AggregatorNews, ResourceWanted } from '../resources/aggregator.rules.ts';
import type { Participation } from '../resources/collections.ts';

// ── permits to connect ────────────────────────────────────────────────────────────────────────────────
/**
 * Who of the servers of one computer may connect now. So many connect at the same time; and those that come back
 * after a failure take a token each, so that thirty of them do not come back in the same second. No limiter as calls
 * have it: permits are memory of the machine, so that they are recorded and replayed, and p-queue's would be in promises.
 */
export interface ConnectPermits {
  readonly running: readonly string[];
  readonly waiting: readonly { readonly server: string; readonly again: boolean }[];
  readonly tokens: number;
}

const parallelConnects = 16;
export const connectBurst = 5;
export const noPermits: ConnectPermits = { running: [], waiting: [], tokens: connectBurst };

const withoutEach = <T>(list: readonly T[], isOut: (item: T) => boolean): readonly T[] =>
  list.some(isOut) ? list.filter((item) => !isOut(item)) : list;

/** It has its permit no more, and wants none. */
export const withoutPermit = (permits: ConnectPermits, server: string): ConnectPermits => ({
  ...permits,
  running: withoutEach(permits.running, (name) => name === server),
  waiting: withoutEach(permits.waiting, (each) => each.server === server),
});
/** At the end of those who wait; what it had before is over. */
export function withWantedPermit(permits: ConnectPermits, server: string, again: boolean): ConnectPermits {
  const rest = withoutPermit(permits, server);
  return { ...rest, waiting: [...rest.waiting, { server, again }] };
}
export const withToken = (permits: ConnectPermits): ConnectPermits => ({
  ...permits,
  tokens: Math.min(connectBurst, permits.tokens + 1),
});
export const hasAllTokens = (permits: ConnectPermits): boolean => permits.tokens >= connectBurst;

/** In the order in which they came; who needs a token that is not there lets the others pass. */
export function grantedPermits(permits: ConnectPermits): {
  readonly permits: ConnectPermits;
  readonly servers: readonly string[];
} {
  const servers: string[] = [];
  let { tokens } = permits;
  const waiting = permits.waiting.filter(({ server, again }) => {
    if (permits.running.length + servers.length >= parallelConnects || (again && tokens === 0)) return true;
    if (again) tokens -= 1;
    servers.push(server);
    return false;
  });
  if (servers.length === 0) return { permits, servers };
  return { permits: { running: [...permits.running, ...servers], waiting, tokens }, servers };
}

// ── messages and memory ───────────────────────────────────────────────────────────────────────────────
/** One server of the config, without its launch config: that stays with the adapter that launches. */
export interface ServerPlan {
  readonly rules: ToolRules;
  readonly client: ClientPlan;
  /** Of its launch config: what is known of its failures outlives the server in the config. */
  readonly fingerprint: string;
  /** Lists of the server from its last good run. */
  readonly cached: Lists | null;
  /** What it has to declare so that it is looked through for windows and documents. Default `subscribe`. */
  readonly participation?: Participation;
  /** Agents are told addresses and paths of its machine in failures. Default: not. */
  readonly exposesAddresses?: boolean;
}
export interface ComputerStart {
  readonly servers: readonly ServerPlan[];
  readonly link: Omit<LinkStart, 'timing'> | null;
  /** Answer to `client:get_config`, secrets hidden. */
  readonly shown: object;
  readonly timing: Timing;
  /** How many calls are remembered. Default 10. */
  readonly remembered?: number;
  /** By server: how often it has failed in a row, where a recording begins in the middle of its life. Default: never. */
  readonly failed?: Readonly<Record<string, Spent>>;
}
/** The whole config as it is wanted from now on: what is gone is closed, what is new is started, the rest is kept. */
export interface ServersSet {
  readonly type: 'servers.set';
  readonly servers: readonly ServerPlan[];
  readonly shown: object;
}
export interface CallCancel {
  readonly type: 'call.cancel';
  readonly ticket: string;
  readonly reason: string;
}
/** The time of a call that had to wait for servers is over; it began when the call came. */
export interface CallOverdue {
  readonly type: 'call.overdue';
  readonly ticket: string;
}
export type ComputerOrder =
  | ComputerCall
  | ServersSet
  | CallCancel
  | { readonly type: 'server.start'; readonly server: string }
  | { readonly type: 'server.stop'; readonly server: string }
  /** The resources of one server of which `by` (the host, a Desktop, a Finder) wants to hear when they change, from now on. */
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: string;
    }
  /** Of the Desktop or the Finder of all servers; answered by `aggregate.shown` and `resource.read`. */
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  /** Takes a seat in an office; ignored while it has a link already. */
  | { readonly type: 'office.join'; readonly link: Omit<LinkStart, 'timing'> }
  | { readonly type: 'office.leave' }
  | { readonly type: 'close' };
/** What the host hears. */
export type ComputerNews =
  | { readonly type: 'computer.changed'; readonly stage: 'whole' | 'degraded' | 'closing' }
  | ClientChanged
  | Extract<ClientNews, { type: 'server.rolledBack' | 'resource.updated' }>
  | CatalogNews
  | Extract<AggregatorNews, { type: 'aggregate.changed' | 'aggregate.noticed' }>
  /** The tools of a server that is ready were withdrawn, or are for another reason than before; null: they are back. */
  | { readonly type: 'tools.withdrawn'; readonly server: string; readonly failure: Failure | null }
  /** Some or all of the tools of a server cannot be called, or others than before; null: all of them can. */
  | { readonly type: 'tools.refused'; readonly server: string; readonly failure: Failure | null }
  /** A list of a server is another one whenever it is read, so it is read ever less often; null: none is any more. */
  | { readonly type: 'list.restless'; readonly server: string; readonly failure: Failure | null }
  /** Several tools would have one name, and each has another one now. */
  | { readonly type: 'name.shared'; readonly failure: Failure }
  /** A server that was taken out of the config has ended. */
  | { readonly type: 'server.removed'; readonly server: string }
  | Extract<LinkNews, { type: 'link.changed' }>
  /** Of what is offered, by name. */
  | ({ readonly type: 'tools.changed' } & Changes)
  | { readonly type: 'machine.failed'; readonly name: Address; readonly error: string };
export type ComputerInput = ComputerStart & {
  readonly self: Address;
  readonly owner: AddressFor<ComputerNews>;
};
/** Questions about all servers, which wait for those that start. */
export type ComputerQuestion =
  | ToolsWanted
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>;
interface WithdrawnTools {
  readonly names: readonly string[];
  readonly failure: Failure;
}
/** Holds as long as its caller is there, and the launch config of its server stays. */
interface Approval {
  readonly tool: string;
  readonly caller: Caller;
}
export interface ComputerContext extends ComputerInput {
  /** The last known tools of each server, kept while it is down so that a call can say that it is. */
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly table: ToolTable;
  /** Servers whose tools were withdrawn: the names that these had, and why. */
  readonly withdrawn: Readonly<Record<string, WithdrawnTools>>;
  /** By server: lists that are another one whenever they are read, and what is said of them. */
  readonly restless: Readonly<Record<string, Readonly<Partial<Record<CatalogList, Failure>>>>>;
  /** Why each server failed the last time, of those that are not ready. */
  readonly reasons: Readonly<Record<string, string>>;
  /** The last news of each client. */
  readonly stages: Readonly<Record<string, ClientStage>>;
  /** What handshakes wait for that take longer; none that is over. */
  readonly waits?: Readonly<Record<string, Waits>>;
  /** Whose tools are offered. */
  readonly up: Readonly<Record<string, boolean>>;
  readonly offered: readonly SmcpTool[];
  readonly signature: string;
  /** Counts what `shown` has been. */
  readonly configRevision: number;
  readonly permits: ConnectPermits;
  /** By fingerprint. */
  readonly spent: Readonly<Record<string, Spent>>;
  /** Taken out of the config, and on their way down. */
  readonly leaving: readonly string[];
  /** Their machines failed too often: nobody lives there any more. */
  readonly givenUp: readonly string[];
  /** The servers of the last calls, the oldest first: the order in which servers are shown follows from them. */
  readonly recent: readonly { readonly server: string }[];
  /** What each ready server with resources declared of them. */
  readonly shows: Readonly<Record<string, NonNullable<Capabilities['resources']>>>;
  /** The last known resources of each server, also while it is down. */
  readonly resources: Readonly<Record<string, readonly { readonly uri: string }[]>>;
  /** Of which the resources are known since they became ready; and why not, where they could not be had. */
  readonly listed: Readonly<Record<string, string | null>>;
  /** Its Desktop and its Finder live: since a server had something to show, or somebody asked. */
  readonly hasCollections: boolean;
  /** By server: its tools that a person has allowed for the session, and to whom. */
  readonly approved: Readonly<Record<string, readonly Approval[]>>;
  /** Calls of tools that nobody has yet: a server that still starts may. */
  readonly waiting: readonly ComputerCall[];
  /** By ticket: those that had to wait and have a server now, until their caller's time is over. */
  readonly waited: Readonly<Record<string, string>>;
  /** Questions that wait for servers that start; null: nobody's waits any more. */
  readonly asked: readonly ComputerQuestion[] | null;
  readonly open: number;
  readonly reopens: number;
}
export type ComputerEvent =
  | ComputerOrder
  | ClientNews
  | CatalogNews
  | CatalogListed
  | CatalogRestless
  | AggregatorNews
  | LinkNews
  | ToolApproved
  | CallOverdue
  /** Questions that waited for servers that start are taken now. */
  | { readonly type: 'questions.due' }
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };

// ── tools that cannot be called by their names ────────────────────────────────────────────────────────
/** Names in the details of a failure. */
const mostNames = 100;
/** The first of them, and how many there are. */
function refusalSummary(server: string, all: readonly RefusedTool[]): Failure | undefined {
  const [first] = all;
  if (!first) return undefined;
  const { code, message, remedy = '', details } = first.failure;
  const refused = all.slice(0, mostNames).map(({ name }) => name);
  const about = { ...details, server_name: server, refused };
  if (all.length === 1) return { code, message, details: about, remedy };
  return {
    code,
    message: `${all.length} tools of '${server}' are refused; the first: ${message}`,
    details: about,
    remedy: `${remedy}${/[.!?]$/.test(remedy) ? '' : '.'} All of them: tools conflicts`,
  };
}
const refusalsByServer = remembered(({ refused }: ToolTable): ReadonlyMap<string, Failure> => {
  const byServer = new Map<string, RefusedTool[]>();
  for (const tool of refused) byServer.set(tool.server, [...(byServer.get(tool.server) ?? []), tool]);
  return new Map(
    [...byServer].flatMap(([server, all]) => {
      const failure = refusalSummary(server, all);
      return failure ? [[server, failure] as const] : [];
    }),
  );
});
/** Why some or all of the tools of a server cannot be called. */
export const whyRefused = ({ table }: Pick<ComputerContext, 'table'>, server: string): Failure | undefined =>
  refusalsByServer(table).get(server);
/** Whether a server that is offered has such tools. */
const hasRefused = ({ table, up }: ComputerContext): boolean =>
  [...refusalsByServer(table).keys()].some((server) => up[server] === true);

const sharedNews = (name: string, names: readonly string[]): ComputerNews => ({
  type: 'name.shared',
  failure: {
    code: 'ToolNameDuplicated',
    message: `Several servers have a tool '${name}': they are called ${names.join(', ')}`,
    details: { tool_name: name, names },
    remedy: 'Other names are given by an alias in the config. All of them: tools conflicts',
  },
});
/** Told once: where a server has other refusals than before, and where a name became one of several tools. */
export function refusedNews(c: ComputerContext, before: ToolTable, after: ToolTable): Post[] {
  if (before === after) return [];
  const [was, is] = [refusalsByServer(before), refusalsByServer(after)];
  const servers = [...new Set([...was.keys(), ...is.keys()])];
  const refused = servers
    .filter((server) => was.get(server)?.message !== is.get(server)?.message)
    .map((server): ComputerNews => ({ type: 'tools.refused', server, failure: is.get(server) ?? null }));
  const shared = Object.entries(after.shared)
    .filter(([name, names]) => before.shared[name]?.join('\n') !== names.join('\n'))
    .map(([name, names]) => sharedNews(name, names));
  return [...refused, ...shared].map((news) => post(c.owner, news));
}

// ── lists that differ whenever they are read ──────────────────────────────────────────────────────────
type RestlessLists = ComputerContext['restless'];
const restlessOf = (all: RestlessLists, server: string): RestlessLists[string] =>
  (Object.hasOwn(all, server) && all[server]) || {};
/** Failure of the list that was told first. */
const firstRestless = (all: RestlessLists, server: string): Failure | undefined =>
  Object.values(restlessOf(all, server))[0];
export const whyRestless = (
  { restless: restlessTakenIn }: ComputerContext,
  server: string,
): Failure | undefined => firstRestless(restlessTakenIn, server);
const hasRestless = ({ restless: restlessTakenIn }: ComputerContext): boolean =>
  Object.keys(restlessTakenIn).length > 0;
/** A list is restless for as long as its session lives. */
const withoutRestless = (all: RestlessLists, server: string): RestlessLists =>
  Object.hasOwn(all, server) ? withoutKey(all, server) : all;
function restlessAfter(all: RestlessLists, { server, list, failure }: CatalogRestless): RestlessLists {
  const others = withoutKey(restlessOf(all, server), list);
  if (failure) return { ...all, [server]: { ...others, [list]: failure } };
  return Object.keys(others).length > 0 ? { ...all, [server]: others } : withoutRestless(all, server);
}
/** Tells the host once, and again when the reason is another. */
export function restlessTakenIn(
  c: ComputerContext,
  news: CatalogRestless,
): { readonly messages: readonly Post[]; readonly next: Partial<ComputerContext> } {
  const { server } = news;
  if (c.leaving.includes(server) || c.stages[server] !== 'ready') return { messages: [], next: {} };
  const next = restlessAfter(c.restless, news);
  const [was, is] = [firstRestless(c.restless, server), firstRestless(next, server)];
  const isNews = was?.message !== is?.message;
  return {
    messages: isNews ? [post(c.owner, { type: 'list.restless', server, failure: is ?? null })] : [],
    next: { restless: next },
  };
}

// ── tools withdrawn because their list could not be had ───────────────────────────────────────────────
type WithdrawnByServer = ComputerContext['withdrawn'];
const withdrawnOf = (all: WithdrawnByServer, server: string): WithdrawnTools | undefined =>
  Object.hasOwn(all, server) ? all[server] : undefined;
/** Why the tools of a server are not there. */
export const whyWithdrawn = ({ withdrawn: all }: ComputerContext, server: string): Failure | undefined =>
  withdrawnOf(all, server)?.failure;
/** What is remembered of the failure of a server that is not ready. */
const reasonsAfter = ({ reasons }: ComputerContext, { server, stage, failure }: ClientChanged) => {
  if (failure !== null && stage !== 'ready') return { ...reasons, [server]: failure.message };
  return withoutKey(reasons, server);
};
const withoutWithdrawn = (all: WithdrawnByServer, server: string): WithdrawnByServer =>
  withdrawnOf(all, server) ? withoutKey(all, server) : all;

/** All names by which they can be called: asked for before they are dropped. */
const callableNames = (c: ComputerContext, server: string): readonly string[] => {
  const listed = Object.hasOwn(c.catalogs, server) ? (c.catalogs[server] ?? []) : [];
  const shown = Object.values(c.table.byName).filter((entry) => entry.server === server);
  return [...new Set([...listed.map(({ name }) => name), ...shown.map((entry) => entry.shown)])];
};
function withdrawnAfter(c: ComputerContext, { server, failure }: CatalogListed): WithdrawnByServer {
  if (failure === null) return withoutWithdrawn(c.withdrawn, server);
  const names = withdrawnOf(c.withdrawn, server)?.names ?? callableNames(c, server);
  return { ...c.withdrawn, [server]: { names, failure: toolsWithdrawn(server, failure) } };
}
const isOfTools = (c: ComputerContext, { list, server }: CatalogListed): boolean =>
  list === 'tools' && !c.leaving.includes(server);
export const afterWithdrawal = (c: ComputerContext, news: CatalogListed): Partial<ComputerContext> =>
  isOfTools(c, news) ? { withdrawn: withdrawnAfter(c, news) } : {};
/** Its host hears of it once, and when the reason is another. One that is not ready says what it is instead. */
export function messagesOfWithdrawal(c: ComputerContext, listed: CatalogListed): Post[] {
  const { server } = listed;
  if (!isOfTools(c, listed) || c.stages[server] !== 'ready') return [];
  const failure = withdrawnOf(withdrawnAfter(c, listed), server)?.failure ?? null;
  if (whyWithdrawn(c, server)?.message === failure?.message) return [];
  return [post(c.owner, { type: 'tools.withdrawn', server, failure })];
}
/** The server of a tool that was withdrawn. */
export const withdrawnFrom = (c: ComputerContext, tool: string): string | undefined =>
  Object.entries(c.withdrawn).find(([, { names }]) => names.includes(tool))?.[0];
/** Of a tool that is not there because it was withdrawn. */
export function withdrawnRefusal(c: ComputerContext, tool: string): Failure | undefined {
  const found = Object.entries(c.withdrawn).find(([, { names }]) => names.includes(tool));
  if (!found) return undefined;
  const [server, { failure }] = found;
  const stage = c.stages[server] ?? 'connecting';
  return stage === 'ready' ? failure : notActive(server, stage, null, failure);
}
/** A server that is ready without its tools is not fine: its host hears why they are not there. */
export function messagesOfReadyServer(c: ComputerContext, { server, stage }: ClientChanged): Post[] {
  const failure = whyWithdrawn(c, server);
  return stage === 'ready' && failure ? [post(c.owner, { type: 'tools.withdrawn', server, failure })] : [];
}
export const absentServers = (c: ComputerContext): AbsentServer[] =>
  Object.entries(c.withdrawn).map(([server, { failure }]) => ({ server, reason: failure.message }));

export const maxReopens = 5;
/** Fingerprints whose failures are remembered. */
const mostSpent = 100;

export const nameIn = (plan: ServerPlan): string => plan.rules.server;
export const clientOf = (c: ComputerContext, server: string): AddressFor<ClientOrder> =>
  childOf(c.self, clientKind, server);
export const linkOf = (c: ComputerContext): AddressFor<LinkOrder> => childOf(c.self, linkKind);

// ── what is opened ─────────────────────────────────────────────────────────────────────────────────────
const neverFailed: Spent = { attempt: 0, failure: null };
const clientOpen =
  (spent: ComputerContext['spent']) =>
  ({ rules: { server }, client, cached, fingerprint }: ServerPlan): Open =>
    open(
      clientKind,
      { ...client, server, cached, spent: spent[fingerprint] ?? neverFailed },
      { key: server },
    );
export const linkOpens = (c: ComputerStart): Open[] =>
  c.link ? [open(linkKind, { ...c.link, timing: timingOf.link(c.timing) })] : [];
export const isOpenOf = (open: Open, ended: OwnedEnded): boolean =>
  ended.key === (open.key === undefined ? open.kind : `${open.kind}:${open.key}`);
export const opensOf = (c: ComputerStart, spent: ComputerContext['spent'] = {}): Open[] => [
  ...linkOpens(c),
  ...c.servers.map((plan) =>
    clientOpen({ [plan.fingerprint]: c.failed?.[nameIn(plan)] ?? neverFailed, ...spent })(plan),
  ),
];
export const serverOf = (c: ComputerContext, ended: OwnedEnded): string | undefined =>
  [...c.servers.map(nameIn), ...c.leaving].find((name) => ended.key === `client:${keyOf(name)}`);

// ── what is offered ────────────────────────────────────────────────────────────────────────────────────
type Aggregate = Pick<ComputerContext, 'servers' | 'catalogs' | 'table' | 'up'>;
type Known = Pick<ComputerStart, 'servers'> & Pick<ComputerContext, 'catalogs'>;
const tableOf = ({ servers, catalogs }: Known, before?: ToolTable) =>
  buildTable(
    servers.map((s) => s.rules),
    catalogs,
    before,
  );
type Offer = Pick<ComputerContext, 'offered' | 'signature'>;
/** `before`: what was offered, which is the same again after most news. */
const offerOf = ({ table, up }: Pick<Aggregate, 'table' | 'up'>, before?: Offer): Offer => {
  const offered = offeredTools(table, (server) => up[server] === true).map(toSmcpTool);
  const isOpenOf =
    before?.offered.length === offered.length && before.offered.every((t, n) => t === offered[n]);
  return isOpenOf
    ? { offered: before.offered, signature: before.signature }
    : { offered, signature: signatureOf(offered) };
};
/** Kept lists are known before their servers have started. */
export function aggregateOf({ servers }: ComputerStart) {
  const cached = servers.flatMap((s) => (s.cached?.tools ? [[nameIn(s), s.cached.tools] as const] : []));
  const catalogs = Object.fromEntries(cached) as ComputerContext['catalogs'];
  const known = { catalogs, table: tableOf({ servers, catalogs }), up: {} };
  return { ...known, ...offerOf(known) };
}
export const isTrying = (stage: ClientStage | undefined): boolean =>
  stage === undefined || stage === 'connecting' || stage === 'recovering' || stage === 'authorizing';
export const isWantedServer = ({ client }: ServerPlan): boolean => client.start !== 'byHand';
/** Asked with every event, by what changes with news alone. */
const allUp = remembered((stages: ComputerContext['stages']) =>
  remembered((servers: ComputerContext['servers']) =>
    servers.every(
      (s) => !isWantedServer(s) || stages[nameIn(s)] === 'ready' || stages[nameIn(s)] === 'standby',
    ),
  ),
);
export const isWhole = (c: ComputerContext): boolean =>
  !hasRefused(c) && !hasRestless(c) && allUp(c.stages)(c.servers);

// ── what follows from news ─────────────────────────────────────────────────────────────────────────────
const spentAfter = (c: ComputerContext, { server, attempt, failure }: ClientChanged) => {
  const plan = c.servers.find((s) => nameIn(s) === server);
  if (!plan || plan.fingerprint === '') return c.spent;
  const { [plan.fingerprint]: known, ...others } = c.spent;
  if (attempt === 0) return known ? others : c.spent;
  const rest = Object.entries(others).slice(1 - mostSpent);
  // Ready and not yet proven it has no failure, and what it failed with counts still.
  const last = failure ?? known?.failure ?? null;
  return { ...Object.fromEntries(rest), [plan.fingerprint]: { attempt, failure: last } };
};
/** What a client said, taken in. Late news of a server that was taken out change nothing. */
export function afterClientNews(c: ComputerContext, news: ClientChanged): Partial<ComputerContext> {
  const { server, stage, isOffered } = news;
  if (c.leaving.includes(server)) return {};
  const next = {
    stages: { ...c.stages, [server]: stage },
    spent: spentAfter(c, news),
    reasons: reasonsAfter(c, news),
    restless: stage === 'ready' ? c.restless : withoutRestless(c.restless, server),
  };
  if (c.up[server] === isOffered) return next;
  const up = { ...c.up, [server]: isOffered };
  return { ...next, up, ...offerOf({ table: c.table, up }, c) };
}
export function afterList(
  c: ComputerContext,
  { server, list, entries }: CatalogNews,
): Partial<ComputerContext> {
  if (list !== 'tools' || c.leaving.includes(server)) return {};
  const catalogs = { ...c.catalogs, [server]: entries as readonly Tool[] };
  const table = tableOf({ ...c, catalogs }, c.table);
  return { catalogs, table, ...offerOf({ table, up: c.up }, c) };
}
export const signatureNews = (signature: string): LinkOrder => ({ type: 'tools.changed', signature });
export const configNews = ({ configRevision }: Pick<ComputerContext, 'configRevision'>): LinkOrder => ({
  type: 'config.changed',
  revision: configRevision,
});
/** Host and link hear of a change of what is offered, the host also of what is refused. */
function messagesFor(c: ComputerContext, next: Partial<ComputerContext>): Post[] {
  const messages = refusedNews(c, c.table, next.table ?? c.table);
  if (next.signature === undefined || next.signature === c.signature) return messages;
  const [was, is] = differing<SmcpTool>(c.offered, next.offered ?? []);
  const changes = changesOf(was, is, ({ name }) => name);
  messages.push(post(c.owner, { type: 'tools.changed', ...changes }));
  if (c.link) messages.push(post(linkOf(c), signatureNews(next.signature), { optional: true }));
  return messages;
}
/** News passed to the host, what follows from them for what is offered, and what is remembered. */
export interface Consequences {
  readonly messages: readonly Post[];
  readonly next: Partial<ComputerContext>;
}
export const consequencesOf = (
  c: ComputerContext,
  news: ClientChanged | CatalogNews,
  next: Consequences['next'],
): Consequences => ({
  messages: [post(c.owner, news), ...messagesFor(c, next)],
  next,
});
/** A client whose machine failed too often says no more; this is said for it. */
export const crashedNews = (server: string, why: string): ClientChanged => ({
  type: 'client.changed',
  server,
  stage: 'open',
  isOffered: false,
  failure: { code: 'Crashed', message: `Its machine failed too often: ${why}` },
  attempt: 0,
  nextTryMs: null,
});
export const givenUp = (c: ComputerContext, ended: OwnedEnded): ClientChanged =>
  crashedNews(serverOf(c, ended) ?? ended.key, ended.error ?? 'no reason given');

// ── a new config ───────────────────────────────────────────────────────────────────────────────────────
interface ReconciledServers extends Consequences {
  readonly opens: readonly Open[];
}
const isSamePlan = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
/** What is gone is closed, what is new is opened, what is there is told its plan. */
export function reconciledServers(c: ComputerContext, { servers, shown }: ServersSet): ReconciledServers {
  const before = new Map(c.servers.map((s) => [nameIn(s), s]));
  const names = new Set(servers.map(nameIn));
  const gone = c.servers.map(nameIn).filter((name) => !names.has(name) && !c.givenUp.includes(name));
  const isNew = (s: ServerPlan): boolean => {
    const was = before.get(nameIn(s));
    return !was || (c.givenUp.includes(nameIn(s)) && !isSamePlan(was.client, s.client));
  };
  /** One that is still on its way down is opened when it has ended. */
  const fresh = servers.filter((s) => isNew(s) && !c.leaving.includes(nameIn(s)));
  const keep = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name) && before.has(name)));
  const cached = Object.fromEntries(
    fresh.flatMap((s) => (s.cached?.tools ? [[nameIn(s), s.cached.tools]] : [])),
  ) as ComputerContext['catalogs'];
  const catalogs = { ...keep(c.catalogs), ...cached };
  const table = tableOf({ servers, catalogs }, c.table);
  const up = keep(c.up);
  const isNewConfig = !isSamePlan(c.shown, shown);
  const next = {
    servers,
    shown,
    catalogs,
    table,
    up,
    ...offerOf({ table, up }, c),
    withdrawn: keep(c.withdrawn),
    restless: keep(c.restless),
    reasons: keep(c.reasons),
    stages: {
      ...keep(c.stages),
      ...Object.fromEntries(fresh.map((s) => [nameIn(s), 'connecting' as const])),
    },
    leaving: [...new Set([...c.leaving, ...gone])],
    givenUp: c.givenUp.filter((name) => names.has(name) && !fresh.some((s) => nameIn(s) === name)),
    approved: stillApproved(c, servers),
    configRevision: c.configRevision + (isNewConfig ? 1 : 0),
    open: c.open + fresh.length,
  };
  const orders = servers.flatMap((s): Post[] => {
    const was = before.get(nameIn(s));
    if (!was || isSamePlan(was.client, s.client) || c.givenUp.includes(nameIn(s))) return [];
    return [post(clientOf(c, nameIn(s)), { type: 'server.update', plan: s.client }, { optional: true })];
  });
  const ends = gone.map((s) => post(clientOf(c, s), { type: 'close' }, { optional: true }));
  const announced = isNewConfig && c.link ? [post(linkOf(c), configNews(next), { optional: true })] : [];
  return {
    next,
    opens: fresh.map(clientOpen(c.spent)),
    messages: [...ends, ...orders, ...messagesFor(c, next), ...announced],
  };
}
/** It has ended and was put back into the config meanwhile. */
export const returning = (c: ComputerContext, ended: OwnedEnded): Open[] => {
  const name = serverOf(c, ended);
  return name !== undefined && c.leaving.includes(name)
    ? c.servers.filter((s) => nameIn(s) === name).map(clientOpen(c.spent))
    : [];
};

// ── calls ──────────────────────────────────────────────────────────────────────────────────────────────
export const isApproved = (
  { approved }: ComputerContext,
  server: string,
  tool: string,
  by: Caller,
): boolean =>
  Object.hasOwn(approved, server) &&
  (approved[server]?.some((a) => a.tool === tool && isSameCaller(a.caller, by)) ?? false);
/** What a person allowed was allowed to this launch config, and to no other under the same name. */
export const approvedBy = (
  c: ComputerContext,
  { server, tool, generation, caller }: ToolApproved,
): Partial<ComputerContext> =>
  isApproved(c, server, tool, caller) ||
  !c.servers.some((s) => nameIn(s) === server && s.client.generation === generation)
    ? {}
    : { approved: { ...c.approved, [server]: [...(c.approved[server] ?? []), { tool, caller }] } };
/** The next peer under that name is another one. */
export const approvedWithout = (c: ComputerContext, asker: Address): ComputerContext['approved'] =>
  Object.fromEntries(
    Object.entries(c.approved).map(([server, some]) => [
      server,
      some.filter(({ caller }) => caller.replyTo !== asker),
    ]),
  );
const stillApproved = (c: ComputerContext, servers: readonly ServerPlan[]): ComputerContext['approved'] =>
  Object.fromEntries(
    Object.entries(c.approved).filter(([name]) => {
      const [was, is] = [c.servers, servers].map((plans) => plans.find((s) => nameIn(s) === name));
      return was !== undefined && is?.fingerprint === was.fingerprint;
    }),
  );
