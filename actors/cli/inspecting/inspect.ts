import { defaultStateDir, padded, runningHosts, type AnnouncedHost } from '../../../adapters/index.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { openPage } from './open-page.ts';

const lineOf = ({ kind, name, pid, url }: AnnouncedHost): string =>
  `${padded(kind, 9)} ${padded(name, 24)} pid ${padded(String(pid), 8)} ${url}`;

export interface InspectCommandOptions {
  readonly json: boolean;
  readonly browser: boolean;
}
/** Which hosts of this user can be looked at, and where; the only one is opened. `wanted`: a name or a pid. */
export async function inspect(
  context: Context,
  wanted: string | undefined,
  { json, browser }: InspectCommandOptions,
): Promise<number> {
  const { terminal } = context;
  const all = await runningHosts(defaultStateDir());
  const hosts = all.filter(
    ({ name, pid }) => wanted === undefined || name === wanted || String(pid) === wanted,
  );
  if (hosts.length === 0 && !(json && wanted === undefined))
    throw new A2cError({
      code: 404,
      message:
        wanted === undefined ? 'No host of yours can be looked at' : `No host '${wanted}' can be looked at`,
      remedy:
        all.length === 0
          ? 'Start one with --inspect, such as: a2c up --inspect'
          : `Running: ${all.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ')}`,
    });
  if (json) terminal.out(JSON.stringify({ hosts }));
  else
    for (const host of hosts)
      terminal.out(wanted === undefined && hosts.length > 1 ? lineOf(host) : host.url);
  const [only, ...others] = hosts;
  if (only && others.length === 0 && !json) await openPage(context, only.url, browser);
  return exitCodes.done;
}
