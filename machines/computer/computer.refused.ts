/** Tools that nobody can call by their names: what the host hears of it, and what stands at their servers. */
import type { RefusedTool, ToolTable } from '../catalog/index.ts';
import type { ComputerContext, ComputerNews } from './computer.events.ts';
import { post, type Post } from '../kernel/effects.ts';
import { remembered } from '../kernel/objects.ts';
import type { Failure } from '../protocol/failure.ts';

/** Names in the details of a failure. */
const mostNames = 100;
/** The first of them, and how many there are. */
function summed(server: string, all: readonly RefusedTool[]): Failure | undefined {
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
const refusals = remembered(({ refused }: ToolTable): ReadonlyMap<string, Failure> => {
  const byServer = new Map<string, RefusedTool[]>();
  for (const tool of refused) byServer.set(tool.server, [...(byServer.get(tool.server) ?? []), tool]);
  return new Map(
    [...byServer].flatMap(([server, all]) => {
      const failure = summed(server, all);
      return failure ? [[server, failure] as const] : [];
    }),
  );
});
/** Why some or all of the tools of a server cannot be called. */
export const whyRefused = ({ table }: Pick<ComputerContext, 'table'>, server: string): Failure | undefined =>
  refusals(table).get(server);
/** Whether a server that is offered has such tools. */
export const hasRefused = ({ table, up }: ComputerContext): boolean =>
  [...refusals(table).keys()].some((server) => up[server] === true);

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
  const [was, is] = [refusals(before), refusals(after)];
  const servers = [...new Set([...was.keys(), ...is.keys()])];
  const refused = servers
    .filter((server) => was.get(server)?.message !== is.get(server)?.message)
    .map((server): ComputerNews => ({ type: 'tools.refused', server, failure: is.get(server) ?? null }));
  const shared = Object.entries(after.shared)
    .filter(([name, names]) => before.shared[name]?.join('\n') !== names.join('\n'))
    .map(([name, names]) => sharedNews(name, names));
  return [...refused, ...shared].map((news) => post(c.owner, news));
}
