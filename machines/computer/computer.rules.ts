/** Servers and offered tools of a computer: what follows from news, and from a new config. */
import type { CatalogNews } from '../catalog/catalog.machine.ts';
import { buildTable, offeredTools, type ToolTable } from '../catalog/tool-table.ts';
import { changesOf, differing, signatureOf } from '../catalog/changes.ts';
import type { Tool } from '../catalog/entries.ts';
import { toSmcpTool } from '../catalog/tool.ts';
import {
  clientKind,
  type ClientChanged,
  type ClientStage,
  type Spent,
  type ClientOrder,
} from '../client/client.events.ts';
import {
  childOf,
  keyOf,
  type AddressFor,
  post,
  open,
  type Post,
  type Open,
  type OwnedEnded,
} from '../kernel/effects.ts';
import { remembered } from '../kernel/objects.ts';
import { timingOf } from '../kernel/timing.ts';
import { linkKind, type LinkOrder } from '../link/link.events.ts';
import type { ToolsWanted } from '../link/questions.ts';
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';
import { hasRefused, hasRestless, reasonsAfter, refusedNews, withoutRestless } from './absence.rules.ts';
import { stillApproved } from './approvals.rules.ts';
import {
  nameIn,
  type ComputerContext,
  type ComputerStart,
  type ServerPlan,
  type ServersSet,
} from './computer.events.ts';

export const maxReopens = 5;
/** Largest number of launch configs whose failures are remembered. */
const mostSpent = 100;

export const clientOf = (c: ComputerContext, server: string): AddressFor<ClientOrder> =>
  childOf(c.self, clientKind, server);
export const linkOf = (c: ComputerContext): AddressFor<LinkOrder> => childOf(c.self, linkKind);
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
export const openedOnce = (
  { opened, open }: ComputerContext,
  part: ComputerContext['opened'][number],
  opens: readonly Open[],
): { opens: readonly Open[]; next: Partial<ComputerContext> } =>
  opened.includes(part)
    ? { opens: [], next: {} }
    : { opens, next: { opened: [...opened, part], open: open + opens.length } };
export const serverOf = (c: ComputerContext, ended: OwnedEnded): string | undefined =>
  [...c.servers.map(nameIn), ...c.leaving].find((name) => ended.key === `client:${keyOf(name)}`);
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
): Consequences => ({ messages: [post(c.owner, news), ...messagesFor(c, next)], next });
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
