/** Why tools cannot be called: refused names, restless lists, withdrawn lists. */
import { withoutKey } from '../protocol/json.ts';
import type { CatalogListed, CatalogRestless } from '../catalog/catalog.machine.ts';
import { type ToolTable, type AbsentServer, type RefusedTool } from '../catalog/tool-table.ts';
import { type ClientChanged } from '../client/client.events.ts';
import { post, type Post } from '../kernel/effects.ts';
import { remembered } from '../kernel/objects.ts';
import { notActive, toolsWithdrawn } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { ComputerContext, ComputerNews, Taken, WithdrawnTools } from './computer.events.ts';

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
    remedy: `${remedy}${/[.!?]$/.test(remedy) ? '' : '.'} All of them: refused of tools(); in the prompt: tools`,
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
export const hasRefused = ({ table, up }: ComputerContext): boolean =>
  [...refusalsByServer(table).keys()].some((server) => up[server] === true);

const sharedNews = (name: string, names: readonly string[]): ComputerNews => ({
  type: 'name.shared',
  failure: {
    code: 'ToolNameDuplicated',
    message: `Several servers have a tool '${name}': they are called ${names.join(', ')}`,
    details: { tool_name: name, names },
    remedy:
      'Other names are given by an alias in the config. All of them: refused of tools(); in the prompt: tools',
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
type RestlessLists = ComputerContext['restless'];
const restlessOf = (all: RestlessLists, server: string): RestlessLists[string] =>
  (Object.hasOwn(all, server) && all[server]) || {};
const firstRestless = (all: RestlessLists, server: string): Failure | undefined =>
  Object.values(restlessOf(all, server))[0];
export const whyRestless = ({ restless }: ComputerContext, server: string): Failure | undefined =>
  firstRestless(restless, server);
export const hasRestless = ({ restless }: ComputerContext): boolean => Object.keys(restless).length > 0;
/** This holds only for one session. */
export const withoutRestless = (all: RestlessLists, server: string): RestlessLists =>
  Object.hasOwn(all, server) ? withoutKey(all, server) : all;
function restlessAfter(all: RestlessLists, { server, list, failure }: CatalogRestless): RestlessLists {
  const others = withoutKey(restlessOf(all, server), list);
  if (failure) return { ...all, [server]: { ...others, [list]: failure } };
  return Object.keys(others).length > 0 ? { ...all, [server]: others } : withoutRestless(all, server);
}
/** Reports a restless list to the host, once for each reason. */
export function restlessTakenIn(c: ComputerContext, news: CatalogRestless): Taken {
  const { server } = news;
  if (c.leaving.includes(server) || c.stages[server] !== 'ready') return {};
  const next = restlessAfter(c.restless, news);
  const [was, is] = [firstRestless(c.restless, server), firstRestless(next, server)];
  const isNews = was?.message !== is?.message;
  return {
    messages: isNews ? [post(c.owner, { type: 'list.restless', server, failure: is ?? null })] : [],
    next: { restless: next },
  };
}
type WithdrawnByServer = ComputerContext['withdrawn'];
const withdrawnOf = (all: WithdrawnByServer, server: string): WithdrawnTools | undefined =>
  Object.hasOwn(all, server) ? all[server] : undefined;
export const whyWithdrawn = ({ withdrawn: all }: ComputerContext, server: string): Failure | undefined =>
  withdrawnOf(all, server)?.failure;
/** A ready server has no failure text. */
export const reasonsAfter = ({ reasons }: ComputerContext, { server, stage, failure }: ClientChanged) => {
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
/** Told once for each reason. A server that is not ready reports its stage instead. */
export function toolsListedIn(c: ComputerContext, news: CatalogListed) {
  const { list, server } = news;
  if (list !== 'tools' || c.leaving.includes(server)) return { messages: [], next: {} };
  const withdrawn = withdrawnAfter(c, news);
  const failure = withdrawnOf(withdrawn, server)?.failure ?? null;
  const isNews = c.stages[server] === 'ready' && whyWithdrawn(c, server)?.message !== failure?.message;
  return {
    messages: isNews ? [post(c.owner, { type: 'tools.withdrawn', server, failure })] : [],
    next: { withdrawn },
  };
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
