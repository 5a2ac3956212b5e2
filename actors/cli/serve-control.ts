import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { serverLine } from './printing/servers.ts';
import { hostsWithDoors, listedHosts, type DoorVisit } from '../door/caller.ts';
import { badRequest, notFound } from '../kernel/errors.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';

async function servings(): Promise<readonly DoorVisit[]> {
  const visits = await hostsWithDoors(defaultStateDir());
  return visits.filter((visit) => {
    const isServing = visit.greeting?.kind === 'serve';
    if (!isServing) visit.close();
    return isServing;
  });
}
export async function serveStatus({ terminal }: CommandContext, json: boolean): Promise<number> {
  const all = await listedHosts(defaultStateDir());
  const told = all
    .filter(({ kind }) => kind === 'serve')
    .map(({ name, pid, status }) => ({ name, pid, servers: status?.servers ?? [] }));
  if (json) terminal.out(JSON.stringify({ servings: told }));
  else
    for (const { name, pid, servers } of told) {
      terminal.out(`${name} (pid ${pid})`);
      for (const server of servers) terminal.out(`  ${serverLine(server)}`);
    }
  if (!json && told.length === 0) terminal.err('no a2c serve of yours runs');
  return exitCodes.done;
}
/** Only where it needs a login; resolves with the names of these servings. */
export async function startedWithLogin(server: string): Promise<readonly string[]> {
  const startedAt = async (visit: DoorVisit): Promise<readonly string[]> => {
    try {
      const { servers } = await visit.ask('status', {});
      if (!servers.some(({ name, state }) => name === server && state === 'unauthorized')) return [];
      await visit.ask('restart', { server });
      return [visit.greeting?.name ?? ''];
    } catch {
      // The login stands, whether or not this serving can use it.
      return [];
    } finally {
      visit.close();
    }
  };
  return (await Promise.all((await servings()).map(startedAt))).flat();
}
export async function serveRestart(
  { terminal }: CommandContext,
  server: string | undefined,
): Promise<number> {
  if (server === undefined)
    throw badRequest('restart takes the name of a server', 'a2c serve status has the names.');
  const visits = await servings();
  const names = new Set<string>();
  let count = 0;
  for (const visit of visits) {
    const { servers } = await visit.ask('status', {});
    for (const { name } of servers) names.add(name);
    if (servers.some(({ name }) => name === server)) {
      await visit.ask('restart', { server });
      count += 1;
      terminal.out(`${server} of ${visit.greeting?.name ?? ''} is up again`);
    }
    visit.close();
  }
  if (count > 0) return exitCodes.done;
  throw notFound(
    `No a2c serve of yours has a server '${server}'`,
    names.size > 0 ? `There are: ${[...names].join(', ')}.` : 'None of yours runs.',
  );
}
