import { defaultStateDir, readCached } from '../../../adapters/index.ts';
import {
  buildTable,
  findTool,
  isUsable,
  type Tool,
  type ToolTable,
} from '../../../machines/catalog/index.ts';
import { wireCodes } from '../../../machines/protocol/index.ts';
import { mistakeLine, type Config, type ServerConfig } from '../../../machines/config/index.ts';
import { nearest } from '../../../machines/text/index.ts';
import { A2cError } from '../../kernel/errors.ts';
import { fingerprintOf, rulesOf } from '../../plans/plan.ts';
import type { Target } from './target.ts';

/** The servers without which a command cannot do its work, and the tool by the name that it has among them. */
export interface Needed {
  readonly config: Config;
  readonly tool: string;
  /** The list of tools of the last run says so; it may be out of date. */
  readonly isRemembered: boolean;
}

/** What the enabled servers listed when they last ran. A server that never ran is not among them. */
async function lastTools(servers: readonly ServerConfig[]): Promise<Record<string, readonly Tool[]>> {
  const listed = await Promise.all(
    servers.map(async (server) => {
      const cached = await readCached(defaultStateDir(), fingerprintOf(server));
      return [server.name, cached?.lists.tools?.filter(isUsable)] as const;
    }),
  );
  return Object.fromEntries(listed.flatMap(([name, tools]) => (tools ? [[name, tools]] : [])));
}
const enabled = ({ servers }: Config): readonly ServerConfig[] => servers.filter((s) => !s.disabled);
const only = (config: Config, names: readonly string[]): Config => ({
  ...config,
  servers: config.servers.filter(({ name }) => names.includes(name)),
});

/** The names that tools had in the last run of each server. */
export async function rememberedTable(config: Config): Promise<ToolTable> {
  const servers = enabled(config);
  const rules = servers.map((server) => rulesOf(server, config.settings, null));
  return buildTable(rules, await lastTools(servers));
}

/** One server of a config. Throws 404 for a name that is not there, and what is wrong with one that was left out. */
export function serverNamed(config: Config, name: string): ServerConfig {
  const found = config.servers.find((server) => server.name === name);
  if (found) return found;
  const wrong = config.leftOut?.find((server) => server.name === name);
  if (wrong)
    throw new A2cError({
      code: 'ConfigInvalid',
      message: wrong.mistakes.map((mistake) => mistakeLine(mistake, config.file)).join('\n'),
      details: { server_name: name },
      remedy: 'Mend its entry; the other servers are not touched by it.',
    });
  const close = nearest(
    name,
    config.servers.map((server) => server.name),
  );
  throw new A2cError({
    code: 404,
    message: `No server '${name}' in the config`,
    details: { server_name: name, nearest: close },
    remedy: close.length > 0 ? `Did you mean ${close.join(', ')}?` : 'List them: a2c list',
  });
}
/** The config with this server alone. Throws also when it is disabled. */
export function onlyServer(config: Config, name: string): Config {
  if (!serverNamed(config, name).disabled) return only(config, [name]);
  throw new A2cError({
    code: 'ServerNotActive',
    message: `Server '${name}' is disabled in the config`,
    details: { server_name: name, state: 'disabled' },
    remedy: `Enable it: a2c enable ${name}`,
  });
}
/**
 * Undefined: no server is known to have this tool, so every one of them is needed. Throws 4001 when a name that is known is so near
 * that it was probably meant: nobody waits for all servers because of a slip.
 */
export async function neededFor(config: Config, { server, tool }: Target): Promise<Needed | undefined> {
  if (server !== undefined) return { config: onlyServer(config, server), tool, isRemembered: false };
  if (enabled(config).length < 2) return { config, tool, isRemembered: false };
  const table = await rememberedTable(config);
  const entry = findTool(table, tool);
  if (entry) return { config: only(config, [entry.server]), tool: entry.tool.name, isRemembered: true };
  const names = [...Object.keys(table.byName), ...enabled(config).map(({ name }) => name)];
  const close = nearest(tool, names);
  if (close.length === 0) return undefined;
  throw new A2cError({
    code: wireCodes.toolNotFound,
    message: `No tool '${tool}' was listed by any server in its last run; nothing was started`,
    details: { tool_name: tool, nearest: close },
    remedy: `Did you mean ${close.join(', ')}? List the tools: a2c tools. A tool that is new is named with its server: SERVER.${tool}`,
  });
}
