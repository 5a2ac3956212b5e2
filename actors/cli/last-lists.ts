/** The lists of the last runs, which say what server has a tool or a resource. */
import type { SameServers } from './printing/hints.ts';
import type { Target } from './arguments.ts';
import { mustBeOne } from './named-tool.ts';
import { enabled, only, onlyServer } from './named-server.ts';
import { typedHere } from './printing/hints.ts';
import { A2cError } from '../kernel/errors.ts';
import { fingerprintOf, rulesOf } from '../plans/plan.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { readCached } from '../../adapters/storage/catalogs.ts';
import { buildTable, findTool, isUsable, type ToolTable } from '../../machines/catalog/tool-table.ts';
import type { Lists, Tool } from '../../machines/catalog/entries.ts';
import type { Config } from '../../machines/config/parse.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { nearest } from '../../machines/text.ts';

interface Needed {
  readonly config: Config;
  readonly tool: string;
}

/** Lists of the last runs; of a server that never ran they are empty. */
const lastLists = (config: Config): Promise<readonly (readonly [string, Lists])[]> =>
  Promise.all(
    enabled(config).map(async (server) => {
      const cached = await readCached(defaultStateDir(), fingerprintOf(server));
      return [server.name, cached?.lists ?? {}] as const;
    }),
  );
/** Only the server that listed it in its last run, where it was one alone. */
export async function listedBy(config: Config, uri: string): Promise<Config> {
  const owners = (await lastLists(config)).filter(([, { resources = [] }]) =>
    resources.some((each) => each.uri === uri),
  );
  return owners.length === 1
    ? only(
        config,
        owners.map(([name]) => name),
      )
    : config;
}
export const tableOf = (config: Config, tools: Readonly<Record<string, readonly Tool[]>>): ToolTable =>
  buildTable(
    enabled(config).map((server) => rulesOf(server, config.settings, null)),
    tools,
  );

/** Undefined when no server is known to have the tool; throws where a known name is very similar. */
export async function neededFor(
  options: Pick<SameServers, 'config'>,
  config: Config,
  { server, tool }: Target,
  command: 'call' | 'tools' = 'call',
): Promise<Needed | undefined> {
  if (server !== undefined) return { config: onlyServer(config, server), tool };
  const last = Object.fromEntries(
    (await lastLists(config)).flatMap(([name, { tools }]) => (tools ? [[name, tools.filter(isUsable)]] : [])),
  );
  const table = tableOf(config, last);
  const { byName, refused } = table;
  const entry = findTool(table, tool);
  if (entry) {
    mustBeOne(options, entry, tool, refused, command);
    return { config: only(config, [entry.server]), tool: entry.tool.name };
  }
  if (enabled(config).length < 2) return { config, tool };
  const owned = Object.entries(last).flatMap(([name, tools]) => tools.map((one) => `${name}.${one.name}`));
  const close = nearest(tool, [...Object.keys(byName), ...owned, ...config.servers.map(({ name }) => name)]);
  if (close.length === 0) return undefined;
  throw new A2cError({
    code: wireCodes.toolNotFound,
    message: `No tool '${tool}' was listed by any server in its last run; nothing was started`,
    details: { tool_name: tool, nearest: close },
    remedy: `Did you mean ${close.join(', ')}? List the tools: ${typedHere(options, 'tools')}. A tool that is new is named with its server: SERVER.${tool}`,
  });
}
