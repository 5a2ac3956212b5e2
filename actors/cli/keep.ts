import { briefRecordBy, type KeepOptions } from './options.ts';
import { answersBy, foldersOf } from './answering.ts';
import { untilAborted, type CommandContext } from './context.ts';
import { exitCodeAtEnd, exitCodes } from './exit-codes.ts';
import { onlyServer } from './named-server.ts';
import { peerLine } from './printing/servers.ts';
import { configOf } from './source.ts';
import { atOnce, hasStarted } from './starting.ts';
import type { Computer } from '../api/computer-handle.ts';
import { hostsWithDoors, listedHosts, type ListedHost } from '../door/caller.ts';
import { keptMsOf } from './lent.ts';
import { badRequest } from '../kernel/errors.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { tellStarter } from '../../adapters/process/run-text.ts';
import type { Config } from '../../machines/config/parse.ts';
import { stateWords } from '../../machines/server-states.ts';
import { version as own } from '../../machines/version.ts';
import type { ServerStatus } from '../servers/server-handle.ts';

/** Command `a2c keep`, a host whose servers stay between calls. */

export async function keep(
  context: CommandContext,
  server: string | undefined,
  options: KeepOptions,
): Promise<number> {
  if (options.list === true) return listKept(context, options);
  if (options.stop === true) return stopKept(context, server);
  try {
    if (server === undefined)
      throw badRequest(
        'keep takes the name of a server',
        'a2c list has the names; a2c keep --list shows which are kept.',
      );
    return await keepServer(context, onlyServer(await configOf(context, options), server), options);
  } catch (error) {
    tellStarter(error instanceof Error ? error.message : String(error));
    throw error;
  }
}
/** For a server named in `a2c keep`, unless the config has a time. */
const usualMs = 300_000;
/** Until the server was idle too long or is lost, or the host is told to end. */
async function keepServer(context: CommandContext, config: Config, options: KeepOptions): Promise<number> {
  const { terminal, signal, folder = process.cwd() } = context;
  const [{ createComputer }, { Runtime }] = await Promise.all([
    import('../api/computer.ts'),
    import('../api/runtime.ts'),
  ]);
  const end = new AbortController();
  const idleMs = keptMsOf(config) || usualMs;
  let timer: NodeJS.Timeout | undefined;
  const used = (count: number): void => {
    clearTimeout(timer);
    timer = count > 0 ? undefined : setTimeout(() => end.abort(), idleMs);
  };
  used(0);
  const notices: string[] = [];
  const notice = (text: string): void => void (notices.push(text), terminal.err(text));
  const runtime = new Runtime({ record: briefRecordBy({}), notice });
  try {
    let isOpen = false;
    const kept: { computer?: Computer } = {};
    const door = {
      kind: 'keep',
      onOpen: () => void (isOpen = true),
      onUse: (count: number) => {
        // Ends the host when its server is lost, so that the next call starts the server again.
        if (count === 0 && kept.computer?.status().servers.some(isLost) === true) end.abort();
        used(count);
      },
      stop: () => end.abort(),
    } as const;
    const answers = answersBy(terminal, options, foldersOf(config, folder));
    const computer = await createComputer(
      { signal, timing: atOnce, shared: true, answers, onNotice: notice },
      { config, runtime, door },
    );
    kept.computer = computer;
    tellStarter(isOpen || (notices.at(-1) ?? 'its host could not be reached'));
    if (isOpen)
      terminal.err(`${config.servers[0]?.name} is kept, until it was not called for ${idleMs / 1_000} s`);
    if (isOpen) await Promise.race([untilAborted(signal), untilAborted(end.signal)]);
    await computer.close();
    return isOpen ? exitCodeAtEnd(signal) : exitCodes.failed;
  } finally {
    clearTimeout(timer);
    await runtime.close();
  }
}
const isLost = (server: ServerStatus): boolean =>
  hasStarted(server) && server.state !== 'ready' && server.state !== 'standby';

const hostLine = ({ kind, name, pid, version, status }: ListedHost): string => {
  const servers = status?.servers.map((server) => `${server.name} ${stateWords[server.state]}`).join(', ');
  return [
    `${kind === 'keep' ? 'a2c keep' : `${kind} ${name}`} (pid ${pid}): ${servers ?? 'it does not answer'}`,
    ...(version === own ? [] : [`version ${version}, which this command does not use`]),
  ].join('; ');
};
const hostLines = (host: ListedHost): readonly string[] => [
  hostLine(host),
  ...(host.status?.peers ?? []).map((peer) => `  ${peerLine(peer)}`),
];
async function listKept({ terminal }: CommandContext, { json }: KeepOptions): Promise<number> {
  const hosts = await listedHosts(defaultStateDir());
  if (json)
    terminal.out(JSON.stringify({ hosts: hosts.map(({ status = null, ...host }) => ({ ...host, status })) }));
  else for (const line of hosts.flatMap(hostLines)) terminal.out(line);
  if (!json && hosts.length === 0) terminal.err('no host of yours lends its servers to a2c call');
  return exitCodes.done;
}
async function stopKept({ terminal }: CommandContext, server: string | undefined): Promise<number> {
  const visits = await hostsWithDoors(defaultStateDir());
  const stopped = await Promise.all(
    visits.map(async (visit) => {
      const { servers } = await visit.ask('status', {});
      const isMeant = server === undefined || servers.some(({ name }) => name === server);
      const isKeeping = visit.greeting?.kind === 'keep' && isMeant;
      if (isKeeping && (await visit.ask('stop', {})).isStopping) await visit.over.promise;
      visit.close();
      return isKeeping ? servers.map(({ name }) => name) : [];
    }),
  );
  for (const name of stopped.flat()) terminal.out(`${name} is not kept any more`);
  if (stopped.flat().length === 0) terminal.err(`${server ?? 'no server'} is ${server ? 'not ' : ''}kept`);
  return exitCodes.done;
}
