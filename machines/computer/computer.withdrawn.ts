/** What a computer knows of servers whose tools were withdrawn, because their list could not be had too often in a row. */
import type { CatalogListed } from '../catalog/catalog.machine.ts';
import type { ClientChanged } from '../client/client.events.ts';
import type { AbsentServer } from '../catalog/index.ts';
import type { ComputerContext } from './computer.events.ts';
import { post, type Post } from '../kernel/effects.ts';
import { notActive, toolsWithdrawn } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import { ownMember } from '../protocol/json.ts';

type All = ComputerContext['withdrawn'];
/** Why the tools of a server are not there. */
export const whyWithdrawn = ({ withdrawn: all }: ComputerContext, server: string): Failure | undefined =>
  ownMember(all, server)?.failure;
/** What is remembered of the failure of a server that is not ready. */
export const reasonsAfter = ({ reasons }: ComputerContext, { server, stage, failure }: ClientChanged) => {
  if (failure !== null && stage !== 'ready') return { ...reasons, [server]: failure.message };
  return Object.fromEntries(Object.entries(reasons).filter(([name]) => name !== server));
};
export const back = (all: All, server: string): All =>
  ownMember(all, server) ? Object.fromEntries(Object.entries(all).filter(([name]) => name !== server)) : all;

/** All names by which they can be called: asked for before they are dropped. */
const namesOf = (c: ComputerContext, server: string): readonly string[] => {
  const listed = Object.hasOwn(c.catalogs, server) ? (c.catalogs[server] ?? []) : [];
  const shown = Object.values(c.table.byName).filter((entry) => entry.server === server);
  return [...new Set([...listed.map(({ name }) => name), ...shown.map((entry) => entry.shown)])];
};
function after(c: ComputerContext, { server, failure }: CatalogListed): All {
  if (failure === null) return back(c.withdrawn, server);
  const names = ownMember(c.withdrawn, server)?.names ?? namesOf(c, server);
  return { ...c.withdrawn, [server]: { names, failure: toolsWithdrawn(server, failure) } };
}
const isMeant = (c: ComputerContext, { list, server }: CatalogListed): boolean =>
  list === 'tools' && !c.leaving.includes(server);
export const withdrawn = (c: ComputerContext, news: CatalogListed): Partial<ComputerContext> =>
  isMeant(c, news) ? { withdrawn: after(c, news) } : {};
/** Its host hears of it once, and when the reason is another. One that is not ready says what it is instead. */
export function messagesOfWithdrawal(c: ComputerContext, listed: CatalogListed): Post[] {
  const { server } = listed;
  if (!isMeant(c, listed) || c.stages[server] !== 'ready') return [];
  const failure = ownMember(after(c, listed), server)?.failure ?? null;
  if (whyWithdrawn(c, server)?.message === failure?.message) return [];
  return [post(c.owner, { type: 'tools.withdrawn', server, failure })];
}
/** The server of a tool that was withdrawn. */
export const withdrawnFrom = (c: ComputerContext, tool: string): string | undefined =>
  Object.entries(c.withdrawn).find(([, { names }]) => names.includes(tool))?.[0];
/** Of a tool that is not there because it was withdrawn. */
export function refusalOf(c: ComputerContext, tool: string): Failure | undefined {
  const found = Object.entries(c.withdrawn).find(([, { names }]) => names.includes(tool));
  if (!found) return undefined;
  const [server, { failure }] = found;
  const stage = c.stages[server] ?? 'connecting';
  return stage === 'ready' ? failure : notActive(server, stage, null, failure);
}
/** A server that is ready without its tools is not fine: its host hears why they are not there. */
export function messagesOfReady(c: ComputerContext, { server, stage }: ClientChanged): Post[] {
  const failure = whyWithdrawn(c, server);
  return stage === 'ready' && failure ? [post(c.owner, { type: 'tools.withdrawn', server, failure })] : [];
}
export const absentOnes = (c: ComputerContext): AbsentServer[] =>
  Object.entries(c.withdrawn).map(([server, { failure }]) => ({ server, reason: failure.message }));
