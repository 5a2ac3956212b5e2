/** Pure rules of a computer: what it opens, what follows from news, what a new config changes. */
import { childOf, keyOf, type Address, type AddressFor } from '../kernel/address.ts';
import type { CatalogNews } from '../catalog/catalog.machine.ts';
import {
  buildTable,
  changesOf,
  differing,
  offeredTools,
  signatureOf,
  toSmcpTool,
  type Tool,
  type ToolTable,
} from '../catalog/index.ts';
import {
  clientKind,
  type ClientChanged,
  type ClientOrder,
  type ClientStage,
} from '../client/client.events.ts';
import type { Spent } from '../client/client.events.ts';
import type { ComputerContext, ComputerStart, ServerPlan, ServersSet } from './computer.events.ts';
import { isSameCaller, type Caller, type ToolApproved } from '../call/messages.ts';
import { open, post, type Open, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { hasRefused, refusedNews } from './computer.refused.ts';
import { hasRestless, settled } from './computer.restless.ts';
import { reasonsAfter } from './computer.withdrawn.ts';
import { linkKind, type LinkOrder } from '../link/link.machine.ts';
import { remembered } from '../kernel/objects.ts';
import { timingOf } from '../kernel/timing.ts';
import type { SmcpTool } from '../protocol/messages/collections.ts';

export const maxReopens = 5;
/** Fingerprints whose failures are remembered. */
const mostSpent = 100;

export const nameIn = (plan: ServerPlan): string => plan.rules.server;
export const clientOf = (c: ComputerContext, server: string): AddressFor<ClientOrder> =>
  childOf(c.self, clientKind, server);
export const linkOf = (c: ComputerContext): AddressFor<LinkOrder> => childOf(c.self, linkKind);

// ── what is opened ─────────────────────────────────────────────────────────────────────────────────────
const unspent: Spent = { attempt: 0, failure: null };
const clientOpen =
  (spent: ComputerContext['spent']) =>
  ({ rules: { server }, client, cached, fingerprint }: ServerPlan): Open =>
    open(clientKind, { ...client, server, cached, spent: spent[fingerprint] ?? unspent }, { key: server });
export const linkOpens = (c: ComputerStart): Open[] =>
  c.link ? [open(linkKind, { ...c.link, timing: timingOf.link(c.timing) })] : [];
export const isSame = (open: Open, ended: OwnedEnded): boolean =>
  ended.key === (open.key === undefined ? open.kind : `${open.kind}:${open.key}`);
export const opensOf = (c: ComputerStart, spent: ComputerContext['spent'] = {}): Open[] => [
  ...linkOpens(c),
  ...c.servers.map((plan) =>
    clientOpen({ [plan.fingerprint]: c.failed?.[nameIn(plan)] ?? unspent, ...spent })(plan),
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
  const isSame =
    before?.offered.length === offered.length && before.offered.every((t, n) => t === offered[n]);
  return isSame
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
export const wanted = ({ client }: ServerPlan): boolean => client.start !== 'byHand';
/** Asked with every event, by what changes with news alone. */
const allUp = remembered((stages: ComputerContext['stages']) =>
  remembered((servers: ComputerContext['servers']) =>
    servers.every((s) => !wanted(s) || stages[nameIn(s)] === 'ready' || stages[nameIn(s)] === 'standby'),
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
export function heard(c: ComputerContext, news: ClientChanged): Partial<ComputerContext> {
  const { server, stage, isOffered } = news;
  if (c.leaving.includes(server)) return {};
  const next = {
    stages: { ...c.stages, [server]: stage },
    spent: spentAfter(c, news),
    reasons: reasonsAfter(c, news),
    restless: stage === 'ready' ? c.restless : settled(c.restless, server),
  };
  if (c.up[server] === isOffered) return next;
  const up = { ...c.up, [server]: isOffered };
  return { ...next, up, ...offerOf({ table: c.table, up }, c) };
}
export function listed(c: ComputerContext, { server, list, entries }: CatalogNews): Partial<ComputerContext> {
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
export interface Told {
  readonly messages: readonly Post[];
  readonly next: Partial<ComputerContext>;
}
export const telling = (c: ComputerContext, news: ClientChanged | CatalogNews, next: Told['next']): Told => ({
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
export interface Reconciled extends Told {
  readonly opens: readonly Open[];
}
const isSamePlan = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
/** What is gone is closed, what is new is opened, what is there is told its plan. */
export function reconciled(c: ComputerContext, { servers, shown }: ServersSet): Reconciled {
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
