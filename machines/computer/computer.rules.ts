import { withoutKey } from '../protocol/json.ts';
import { isSameCaller, type Caller, type ComputerCall, type ToolApproved } from '../call/call.rules.ts';
import type { CatalogListed, CatalogNews, CatalogRestless } from '../catalog/catalog.machine.ts';
import {
  buildTable,
  offeredTools,
  type ToolTable,
  type AbsentServer,
  type ToolRules,
  type RefusedTool,
} from '../catalog/tool-table.ts';
import {
  changesOf,
  differing,
  type Changes,
  type CatalogList,
  type Lists,
  type Tool,
} from '../catalog/entries.ts';
import { signatureOf, toSmcpTool } from '../catalog/tool.ts';
import {
  clientKind,
  type ClientChanged,
  type ClientNews,
  type ClientPlan,
  type ClientStage,
  type Spent,
  type ClientOrder,
} from '../client/client.events.ts';
import {
  childOf,
  keyOf,
  type Address,
  type AddressFor,
  post,
  open,
  type DirectoryEvent,
  type Post,
  type Open,
  type OwnedEnded,
} from '../kernel/effects.ts';
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
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';
import type { AggregateWanted, AggregatorNews, ResourceWanted } from '../resources/aggregator.rules.ts';
import type { Participation } from '../resources/collections.ts';
import type { ResourcesWanted } from '../resources/resource-pages.ts';
import type { BlobWanted } from '../blobs/blobs.rules.ts';
import type { SkillsNews, SkillsWanted, SkillWanted } from '../skills/skills.rules.ts';
import type { Declared } from '../protocol/messages/blobs.ts';
import type { Landing } from '../uploads/upload.rules.ts';

// ── permits to connect ────────────────────────────────────────────────────────────────────────────────
/** In memory, so that a trace can replay them; tokens keep failed servers from reconnecting all at once. */
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

export const withoutPermit = (permits: ConnectPermits, server: string): ConnectPermits => ({
  ...permits,
  running: withoutEach(permits.running, (name) => name === server),
  waiting: withoutEach(permits.waiting, (each) => each.server === server),
});
export function withWantedPermit(permits: ConnectPermits, server: string, again: boolean): ConnectPermits {
  const rest = withoutPermit(permits, server);
  return { ...rest, waiting: [...rest.waiting, { server, again }] };
}
export const withToken = (permits: ConnectPermits): ConnectPermits => ({
  ...permits,
  tokens: Math.min(connectBurst, permits.tokens + 1),
});
export const hasAllTokens = (permits: ConnectPermits): boolean => permits.tokens >= connectBurst;

/** In order of arrival; a reconnect while no token is left lets other servers go first. */
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
/** Without the launch config, which only the launching adapter holds. */
export interface ServerPlan {
  readonly rules: ToolRules;
  readonly client: ClientPlan;
  /** Hash of the launch config; its failure count survives removal of the server from the config. */
  readonly fingerprint: string;
  readonly cached: Lists | null;
  /** To be declared for its windows and documents to be shown; `subscribe` by default. */
  readonly participation?: Participation;
  /** Addresses and paths of its machine, in failures sent to agents; false by default. */
  readonly exposesAddresses?: boolean;
}
export const bundleOf = ({ rules: { server, bundleId = server } }: ServerPlan): string => bundleId;
export interface ComputerStart {
  readonly servers: readonly ServerPlan[];
  readonly link: Omit<LinkStart, 'timing'> | null;
  /** Answer to `client:get_config`, with secrets hidden. */
  readonly shown: object;
  readonly timing: Timing;
  /** Number of recent calls; 10 by default. */
  readonly remembered?: number;
  /** For a replay that starts in the middle of a recording; none by default. */
  readonly failed?: Readonly<Record<string, Spent>>;
}
/** Complete: removed servers are closed, new ones started, the others kept. */
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
/** The limit of a call that had to wait; it started when the call arrived. */
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
  /** In place of earlier ones of `by` (the host, a Desktop, a Finder, the skills). */
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: string;
    }
  /** Answered by `aggregate.shown` and `resource.read`. */
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  /** Ignored when the computer already has a link. */
  | { readonly type: 'office.join'; readonly link: Omit<LinkStart, 'timing'> }
  | { readonly type: 'office.leave' }
  | { readonly type: 'skills.look' }
  | SkillsWanted
  | SkillWanted
  /** Null closes it, and ends all uploads. */
  | { readonly type: 'landing.set'; readonly landing: Landing | null }
  | BlobWanted
  | { readonly type: 'close' };
export type ComputerNews =
  | { readonly type: 'computer.changed'; readonly stage: 'whole' | 'degraded' | 'closing' }
  | ClientChanged
  | Extract<ClientNews, { type: 'server.rolledBack' | 'resource.updated' }>
  | CatalogNews
  | Extract<AggregatorNews, { type: 'aggregate.changed' | 'aggregate.noticed' }>
  | Exclude<SkillsNews, { type: 'resources.watch' }>
  /** Also when the reason changed; null: they are back. */
  | { readonly type: 'tools.withdrawn'; readonly server: string; readonly failure: Failure | null }
  /** Some or all cannot be called, or other ones than before; null: all can be called. */
  | { readonly type: 'tools.refused'; readonly server: string; readonly failure: Failure | null }
  /** It changes with each read and is read more rarely; null: no list does so any more. */
  | { readonly type: 'list.restless'; readonly server: string; readonly failure: Failure | null }
  | { readonly type: 'name.shared'; readonly failure: Failure }
  | { readonly type: 'server.removed'; readonly server: string }
  | Extract<LinkNews, { type: 'link.changed' }>
  /** The fields hold tool names. */
  | ({ readonly type: 'tools.changed' } & Changes)
  | { readonly type: 'machine.failed'; readonly name: Address; readonly error: string };
export type ComputerInput = ComputerStart & {
  readonly self: Address;
  readonly owner: AddressFor<ComputerNews>;
};
export type ComputerQuestion =
  | ToolsWanted
  | SkillsWanted
  | SkillWanted
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>;
interface WithdrawnTools {
  readonly names: readonly string[];
  readonly failure: Failure;
}
/** Valid while its caller is connected and the launch config of the server is unchanged. */
interface Approval {
  readonly tool: string;
  readonly caller: Caller;
}
export interface OpenUpload {
  readonly agent: string;
  readonly declared: Declared;
}
export interface ComputerContext extends ComputerInput {
  /** Kept while the server is down, so that a call is refused with the reason. */
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly table: ToolTable;
  readonly withdrawn: Readonly<Record<string, WithdrawnTools>>;
  readonly restless: Readonly<Record<string, Readonly<Partial<Record<CatalogList, Failure>>>>>;
  readonly reasons: Readonly<Record<string, string>>;
  readonly stages: Readonly<Record<string, ClientStage>>;
  readonly waits?: Readonly<Record<string, Waits>>;
  readonly up: Readonly<Record<string, boolean>>;
  readonly offered: readonly SmcpTool[];
  readonly signature: string;
  readonly configRevision: number;
  readonly permits: ConnectPermits;
  /** By fingerprint of the launch config. */
  readonly spent: Readonly<Record<string, Spent>>;
  /** Removed from the config, but still shutting down. */
  readonly leaving: readonly string[];
  /** Without a client, because its machine failed too often. */
  readonly givenUp: readonly string[];
  /** Oldest first; the display order of servers follows from it. */
  readonly recent: readonly { readonly server: string }[];
  /** Resource capabilities declared by each ready server that has resources. */
  readonly shows: Readonly<Record<string, NonNullable<Capabilities['resources']>>>;
  readonly resources: Readonly<Record<string, readonly { readonly uri: string }[]>>;
  /** Since the server became ready; the value is why the list could not be read, else null. */
  readonly listed: Readonly<Record<string, string | null>>;
  readonly hasCollections: boolean;
  readonly hasSkills: boolean;
  readonly landing: Landing | null;
  readonly uploads: Readonly<Record<string, OpenUpload>>;
  readonly hasBlobs: boolean;
  readonly approved: Readonly<Record<string, readonly Approval[]>>;
  /** Calls of unknown tools that a starting server may still provide. */
  readonly waiting: readonly ComputerCall[];
  /** Server of each call that had to wait, by ticket; kept until the limit of its caller is over. */
  readonly waited: Readonly<Record<string, string>>;
  /** Null when questions no longer wait. */
  readonly asked: readonly ComputerQuestion[] | null;
  readonly listsWanted: readonly ResourcesWanted[];
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
  | SkillsNews
  | LinkNews
  | ToolApproved
  | CallOverdue
  | { readonly type: 'resources.overdue'; readonly ticket: string }
  | { readonly type: 'questions.due' }
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };

// ── tools that cannot be called by their names ────────────────────────────────────────────────────────
const mostNames = 100;
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
    remedy: `${remedy}${/[.!?]$/.test(remedy) ? '' : '.'} All of them: refused of tools(); in the prompt: tools conflicts`,
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
export const whyRefused = ({ table }: Pick<ComputerContext, 'table'>, server: string): Failure | undefined =>
  refusalsByServer(table).get(server);
const hasRefused = ({ table, up }: ComputerContext): boolean =>
  [...refusalsByServer(table).keys()].some((server) => up[server] === true);

const sharedNews = (name: string, names: readonly string[]): ComputerNews => ({
  type: 'name.shared',
  failure: {
    code: 'ToolNameDuplicated',
    message: `Several servers have a tool '${name}': they are called ${names.join(', ')}`,
    details: { tool_name: name, names },
    remedy:
      'Other names are given by an alias in the config. All of them: refused of tools(); in the prompt: tools conflicts',
  },
});
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

// ── restless lists, which are announced as changed after each read ────────────────────────────────────
type RestlessLists = ComputerContext['restless'];
const restlessOf = (all: RestlessLists, server: string): RestlessLists[string] =>
  (Object.hasOwn(all, server) && all[server]) || {};
const firstRestless = (all: RestlessLists, server: string): Failure | undefined =>
  Object.values(restlessOf(all, server))[0];
export const whyRestless = (
  { restless: restlessTakenIn }: ComputerContext,
  server: string,
): Failure | undefined => firstRestless(restlessTakenIn, server);
const hasRestless = ({ restless: restlessTakenIn }: ComputerContext): boolean =>
  Object.keys(restlessTakenIn).length > 0;
/** This holds only for one session. */
const withoutRestless = (all: RestlessLists, server: string): RestlessLists =>
  Object.hasOwn(all, server) ? withoutKey(all, server) : all;
function restlessAfter(all: RestlessLists, { server, list, failure }: CatalogRestless): RestlessLists {
  const others = withoutKey(restlessOf(all, server), list);
  if (failure) return { ...all, [server]: { ...others, [list]: failure } };
  return Object.keys(others).length > 0 ? { ...all, [server]: others } : withoutRestless(all, server);
}
/** Reports a restless list to the host, once for each reason. */
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

// ── withdrawn tools ───────────────────────────────────────────────────────────────────────────────────
type WithdrawnByServer = ComputerContext['withdrawn'];
const withdrawnOf = (all: WithdrawnByServer, server: string): WithdrawnTools | undefined =>
  Object.hasOwn(all, server) ? all[server] : undefined;
export const whyWithdrawn = ({ withdrawn: all }: ComputerContext, server: string): Failure | undefined =>
  withdrawnOf(all, server)?.failure;
/** A ready server has no failure text. */
const reasonsAfter = ({ reasons }: ComputerContext, { server, stage, failure }: ClientChanged) => {
  if (failure !== null && stage !== 'ready') return { ...reasons, [server]: failure.message };
  return withoutKey(reasons, server);
};
const withoutWithdrawn = (all: WithdrawnByServer, server: string): WithdrawnByServer =>
  withdrawnOf(all, server) ? withoutKey(all, server) : all;

/** To be read before the tools are dropped. */
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
/** Once for each reason. A server that is not ready reports its stage instead. */
export function messagesOfWithdrawal(c: ComputerContext, listed: CatalogListed): Post[] {
  const { server } = listed;
  if (!isOfTools(c, listed) || c.stages[server] !== 'ready') return [];
  const failure = withdrawnOf(withdrawnAfter(c, listed), server)?.failure ?? null;
  if (whyWithdrawn(c, server)?.message === failure?.message) return [];
  return [post(c.owner, { type: 'tools.withdrawn', server, failure })];
}
export const withdrawnFrom = (c: ComputerContext, tool: string): string | undefined =>
  Object.entries(c.withdrawn).find(([, { names }]) => names.includes(tool))?.[0];
export function withdrawnRefusal(c: ComputerContext, tool: string): Failure | undefined {
  const found = Object.entries(c.withdrawn).find(([, { names }]) => names.includes(tool));
  if (!found) return undefined;
  const [server, { failure }] = found;
  const stage = c.stages[server] ?? 'connecting';
  return stage === 'ready' ? failure : notActive(server, stage, null, failure);
}
export function messagesOfReadyServer(c: ComputerContext, { server, stage }: ClientChanged): Post[] {
  const failure = whyWithdrawn(c, server);
  return stage === 'ready' && failure ? [post(c.owner, { type: 'tools.withdrawn', server, failure })] : [];
}
export const absentServers = (c: ComputerContext): AbsentServer[] =>
  Object.entries(c.withdrawn).map(([server, { failure }]) => ({ server, reason: failure.message }));

export const maxReopens = 5;
/** Largest number of launch configs whose failures are remembered. */
const mostSpent = 100;

export const nameIn = (plan: ServerPlan): string => plan.rules.server;
export const clientOf = (c: ComputerContext, server: string): AddressFor<ClientOrder> =>
  childOf(c.self, clientKind, server);
export const linkOf = (c: ComputerContext): AddressFor<LinkOrder> => childOf(c.self, linkKind);

// ── servers to open ────────────────────────────────────────────────────────────────────────────────────
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

// ── offered tools ──────────────────────────────────────────────────────────────────────────────────────
type Aggregate = Pick<ComputerContext, 'servers' | 'catalogs' | 'table' | 'up'>;
type Known = Pick<ComputerStart, 'servers'> & Pick<ComputerContext, 'catalogs'>;
/** Names stay as they were in the table before. */
export const tableOf = ({ servers, catalogs }: Known, before?: ToolTable) =>
  buildTable(
    servers.map((s) => s.rules),
    catalogs,
    before,
  );
type Offer = Pick<ComputerContext, 'offered' | 'signature'>;
/** `before` is reused when nothing changed. */
const offerOf = ({ table, up }: Pick<Aggregate, 'table' | 'up'>, before?: Offer): Offer => {
  const offered = offeredTools(table, (server) => up[server] === true).map(toSmcpTool);
  const isOpenOf =
    before?.offered.length === offered.length && before.offered.every((t, n) => t === offered[n]);
  return isOpenOf
    ? { offered: before.offered, signature: before.signature }
    : { offered, signature: signatureOf(offered) };
};
/** From the cached lists, before the servers have started. */
export function aggregateOf({ servers }: ComputerStart) {
  const cached = servers.flatMap((s) => (s.cached?.tools ? [[nameIn(s), s.cached.tools] as const] : []));
  const catalogs = Object.fromEntries(cached) as ComputerContext['catalogs'];
  const known = { catalogs, table: tableOf({ servers, catalogs }), up: {} };
  return { ...known, ...offerOf(known) };
}
export const isTrying = (stage: ClientStage | undefined): boolean =>
  stage === undefined || stage === 'connecting' || stage === 'recovering' || stage === 'authorizing';
export const isWantedServer = ({ client }: ServerPlan): boolean => client.start !== 'byHand';
/** Checked with every event, so the result is remembered until news change its input. */
const allUp = remembered((stages: ComputerContext['stages']) =>
  remembered((servers: ComputerContext['servers']) =>
    servers.every(
      (s) => !isWantedServer(s) || stages[nameIn(s)] === 'ready' || stages[nameIn(s)] === 'standby',
    ),
  ),
);
export const isWhole = (c: ComputerContext): boolean =>
  !hasRefused(c) && !hasRestless(c) && allUp(c.stages)(c.servers);

/** A server in `closing` was stopped by its host. */
const missingIn: ReadonlySet<ClientStage> = new Set([
  ...(['connecting', 'recovering', 'waiting', 'open', 'authorizing', 'unauthorized'] as const),
]);
const missingServers = (c: ComputerContext): readonly Missing[] =>
  c.servers.filter(isWantedServer).flatMap((plan): Missing[] => {
    const server = nameIn(plan);
    const stage = c.stages[server] ?? 'connecting';
    return missingIn.has(stage) ? [{ server, reason: c.reasons[server] ?? `it is ${stage}` }] : [];
  });
export const toolsListed = (
  c: ComputerContext,
  { ticket, reqId, replyTo }: Omit<ToolsWanted, 'type'>,
): Post => {
  const missing = missingServers(c);
  const { offered: tools, signature } = c;
  return post(
    replyTo,
    {
      type: 'tools.listed',
      ticket,
      reqId,
      tools,
      signature,
      ...(missing.length > 0 && { missing }),
    },
    { optional: true },
  );
};

// ── consequences of news ───────────────────────────────────────────────────────────────────────────────
const spentAfter = (c: ComputerContext, { server, attempt, failure }: ClientChanged) => {
  const plan = c.servers.find((s) => nameIn(s) === server);
  if (!plan || plan.fingerprint === '') return c.spent;
  const { [plan.fingerprint]: known, ...others } = c.spent;
  if (attempt === 0) return known ? others : c.spent;
  const rest = Object.entries(others).slice(1 - mostSpent);
  // A server that is ready, but not for long enough yet, reports no failure.
  const last = failure ?? known?.failure ?? null;
  return { ...Object.fromEntries(rest), [plan.fingerprint]: { attempt, failure: last } };
};
/** Late news of a removed server are ignored. */
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
function messagesFor(c: ComputerContext, next: Partial<ComputerContext>): Post[] {
  const messages = refusedNews(c, c.table, next.table ?? c.table);
  if (next.signature === undefined || next.signature === c.signature) return messages;
  const [was, is] = differing<SmcpTool>(c.offered, next.offered ?? []);
  const changes = changesOf(was, is, ({ name }) => name);
  messages.push(post(c.owner, { type: 'tools.changed', ...changes }));
  if (c.link) messages.push(post(linkOf(c), signatureNews(next.signature), { optional: true }));
  return messages;
}
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
/** A machine that failed too often cannot send this itself. */
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
export function reconciledServers(c: ComputerContext, { servers, shown }: ServersSet): ReconciledServers {
  const before = new Map(c.servers.map((s) => [nameIn(s), s]));
  const names = new Set(servers.map(nameIn));
  const gone = c.servers.map(nameIn).filter((name) => !names.has(name) && !c.givenUp.includes(name));
  const isNew = (s: ServerPlan): boolean => {
    const was = before.get(nameIn(s));
    return !was || (c.givenUp.includes(nameIn(s)) && !isSamePlan(was.client, s.client));
  };
  /** One that is still shutting down is opened after it has ended. */
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
/** It has ended and was meanwhile put back into the config. */
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
/** Holds only for the same generation of the launch config. */
export const approvedBy = (
  c: ComputerContext,
  { server, tool, generation, caller }: ToolApproved,
): Partial<ComputerContext> =>
  isApproved(c, server, tool, caller) ||
  !c.servers.some((s) => nameIn(s) === server && s.client.generation === generation)
    ? {}
    : { approved: { ...c.approved, [server]: [...(c.approved[server] ?? []), { tool, caller }] } };
/** The next peer with that name is a different one. */
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
