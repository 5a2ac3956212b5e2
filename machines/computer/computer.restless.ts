/** What a computer knows of lists that are another one whenever they are read. */
import type { CatalogRestless } from '../catalog/catalog.machine.ts';
import type { ComputerContext } from './computer.events.ts';
import { post, type Post } from '../kernel/effects.ts';
import type { Failure } from '../protocol/failure.ts';

type All = ComputerContext['restless'];
const own = (all: All, server: string): All[string] => (Object.hasOwn(all, server) && all[server]) || {};
/** Failure of the list that was told first. */
const first = (all: All, server: string): Failure | undefined => Object.values(own(all, server))[0];
export const whyRestless = ({ restless }: ComputerContext, server: string): Failure | undefined =>
  first(restless, server);
export const hasRestless = ({ restless }: ComputerContext): boolean => Object.keys(restless).length > 0;
const without = <T extends object>(record: T, key: string): T =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key)) as T;
/** A list is restless for as long as its session lives. */
export const settled = (all: All, server: string): All =>
  Object.hasOwn(all, server) ? without(all, server) : all;
function after(all: All, { server, list, failure }: CatalogRestless): All {
  const others = without(own(all, server), list);
  if (failure) return { ...all, [server]: { ...others, [list]: failure } };
  return Object.keys(others).length > 0 ? { ...all, [server]: others } : settled(all, server);
}
/** Tells the host once, and again when the reason is another. */
export function restless(
  c: ComputerContext,
  news: CatalogRestless,
): { readonly messages: readonly Post[]; readonly next: Partial<ComputerContext> } {
  const { server } = news;
  if (c.leaving.includes(server) || c.stages[server] !== 'ready') return { messages: [], next: {} };
  const next = after(c.restless, news);
  const [was, is] = [first(c.restless, server), first(next, server)];
  const isNews = was?.message !== is?.message;
  return {
    messages: isNews ? [post(c.owner, { type: 'list.restless', server, failure: is ?? null })] : [],
    next: { restless: next },
  };
}
