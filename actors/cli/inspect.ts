import type { InspectCommandOptions } from './hosting.ts';
import type { InspectingOptions } from './options.ts';
import { untilAborted, type CommandContext } from './context.ts';
import { exitCodeAtEnd, exitCodes } from './exit-codes.ts';
import type { Inspection, InspectOptions } from '../api/page.ts';
import { badRequest, notFound } from '../kernel/errors.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { padded } from '../../adapters/terminal/typed-line.ts';
import { runningHosts, type RunningHost } from '../../adapters/inspector/registry.ts';
import { isPageBuilt } from '../../adapters/inspector/page-files.ts';
import { openSecretInBrowser } from '../../adapters/process/run-text.ts';

const lineOf = ({ kind, name, pid, url }: RunningHost): string =>
  `${padded(kind, 9)} ${padded(name, 24)} pid ${padded(String(pid), 8)} ${url}`;
const silent = ({ name, pid }: RunningHost): string =>
  `${name} (pid ${pid}) does not answer now: it is suspended, at a breakpoint, or busy`;

async function inspectAll(context: CommandContext, browser: boolean): Promise<number> {
  const { terminal, signal } = context;
  const { openRunning } = await import('../inspector/fleet.ts');
  await using fleet = await openRunning();
  terminal.out(fleet.url);
  terminal.err('Ctrl-C closes it');
  await openPage(context, fleet.url, browser);
  await untilAborted(signal);
  return exitCodeAtEnd(signal);
}
/**
 * Lists the running hosts of this user with the addresses of their pages, and opens the page when there is only one.
 * `wanted` is the name or pid of a host.
 */
export async function inspect(
  context: CommandContext,
  wanted: string | undefined,
  { json, browser, all: isAll }: InspectCommandOptions,
): Promise<number> {
  if (isAll && wanted !== undefined)
    throw badRequest(
      `--all shows every host, so '${wanted}' is one too many`,
      `Leave out one of the two: a2c inspect ${wanted}`,
    );
  if (isAll) return inspectAll(context, browser);
  const { terminal } = context;
  const all = await runningHosts(defaultStateDir());
  const hosts = all.filter(
    ({ name, pid }) => wanted === undefined || name === wanted || String(pid) === wanted,
  );
  if (hosts.length === 0 && !(json && wanted === undefined))
    throw notFound(
      wanted === undefined ? 'No host of yours can be looked at' : `No host '${wanted}' can be looked at`,
      all.length === 0
        ? 'Start one with --inspect, such as: a2c up --inspect; a program calls inspect() of its handle'
        : `Running: ${all.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ')}`,
    );
  if (json) terminal.out(JSON.stringify({ hosts }));
  else
    for (const host of hosts) {
      if (!host.answers) terminal.err(silent(host));
      terminal.out(wanted === undefined && hosts.length > 1 ? lineOf(host) : host.url);
    }
  const [only, ...others] = hosts;
  if (only && others.length === 0 && !json) await openPage(context, only.url, browser);
  return exitCodes.done;
}

/** `byDefault` decides when no option says whether the inspector is wanted. */
export async function showInspector(
  { terminal }: CommandContext,
  { inspect, allowControl = false }: InspectingOptions,
  open: (options: InspectOptions) => Promise<Inspection>,
  byDefault = false,
): Promise<void> {
  const isWanted = inspect ?? (allowControl || (byDefault && terminal.isInteractive && isPageBuilt()));
  if (isWanted === false) return;
  const { url } = await open({ allowControl, ...(typeof inspect === 'number' && { port: inspect }) });
  terminal.err(`inspector ${url}`);
  if (allowControl)
    terminal.err('anyone with this address can start and stop servers, and make and cancel calls');
}

export async function openPage({ terminal }: CommandContext, url: string, isWanted: boolean): Promise<void> {
  if (!isWanted || !terminal.isInteractive) return;
  if (!(await openSecretInBrowser(url, defaultStateDir())))
    terminal.err('no browser could be started; open it by hand');
}
