/** Facts about servers for `status()` and `tools()`, read from the snapshots of their machines. */
import type { ComputerConfigInForce, ComputerStatus } from './computer-handle.ts';
import { A2cError, notFound } from '../kernel/errors.ts';
import type { MissingServer, ServerStatus, ToolInfo, ToolListing } from '../servers/server-handle.ts';
import type { Root } from '../runtime/directory.ts';
import type { Servers } from '../servers/servers.ts';
import type { Noise } from '../../adapters/mcp/messages/noise.ts';
import { nameWithServer, offeredTools } from '../../machines/catalog/tool-table.ts';
import { listedTool, type ToolEntry } from '../../machines/catalog/tool.ts';
import { notShownOf } from '../../machines/computer/computer.collections.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import { whyRefused, whyRestless, whyWithdrawn } from '../../machines/computer/absence.rules.ts';
import type { ClientContext } from '../../machines/client/client.events.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { clientState, stateFor } from '../../machines/server-state.ts';
import {
  connectingStep,
  limitOf,
  shortStateWords,
  stepsThatWait,
  waitsText,
} from '../../machines/server-states.ts';
import type { ServerInfo } from '../../machines/ports/session.ts';
import { remembered } from '../../machines/kernel/objects.ts';
import { isRestless } from '../../machines/process/server-failure.ts';
import { hostFailure, type Failure } from '../../machines/protocol/failure.ts';
import { notShownReason } from '../../machines/resources/collections.ts';
import { collections } from '../../machines/resources/collection-rules.ts';
import { nearest } from '../../machines/text.ts';

interface Snapshot {
  readonly context?: unknown;
  readonly value: unknown;
  hasTag(tag: string): boolean;
}
/** A computer without a machine is closed. */
export const computerState = (snapshot: Snapshot | undefined): ComputerStatus['state'] => {
  const value: unknown = snapshot?.value ?? 'closed';
  return (typeof value === 'string' ? value : Object.values(value as object)[0]) as ComputerStatus['state'];
};
interface ServerFacts {
  readonly failure: Failure | null;
  readonly noise: Noise;
  readonly pid: number | undefined;
  readonly waits: ServerStatus['waits'];
  /** 0 or less when no try is planned or one is about to begin. */
  readonly nextTryMs: number;
}
const isNoisy = ({ last: _, ...counts }: Noise): boolean => Object.values(counts).some((n) => n > 0);
/** A copy, which the host may change. */
export const configOf = ({ servers, inputs, settings }: Config): ComputerConfigInForce =>
  structuredClone({
    servers: Object.fromEntries(servers.map(({ name, raw }) => [name, { ...raw }])),
    inputs,
    settings,
    serverSettings: Object.fromEntries(servers.map((server) => [server.name, server.settings])),
  });
export const disabledStatus = (name: string): ServerStatus => ({
  name,
  state: 'disabled',
  reason: 'disabled in its config',
});
const connecting = (
  waits: NonNullable<ServerFacts['waits']>,
  hasProcess: boolean,
  failure: Failure | null,
): string =>
  waitsText(waits.for, waits.came ?? '', {
    hasProcess,
    ms: Date.now() - Date.parse(waits.since),
    limitMs: waits.limitMs,
  }) + (failure ? `; before that: ${failure.message}` : '');
/** `snapshot` is the one of its client; a disabled server has none. */
export function serverStatus(
  { name, disabled, kind }: ServerConfig,
  snapshot: Snapshot | undefined,
  { failure, noise, nextTryMs, waits, pid }: ServerFacts,
  context: ComputerContext | undefined,
): ServerStatus {
  const hidden = hiddenOf(context, name);
  if (disabled) return disabledStatus(name);
  const without = failure?.code === 'Crashed' ? 'open' : 'closing';
  const state = stateFor(snapshot ? clientState(snapshot) : without, failure);
  const lack = state === 'ready' || state === 'standby' ? context && lackOf(context, name) : undefined;
  const why = state === 'ready' ? lack : (failure ?? lack);
  return {
    name,
    state,
    ...(why && { reason: why.message, failure: hostFailure(why) }),
    ...(waits && state === 'connecting' && { reason: connecting(waits, kind === 'stdio', failure), waits }),
    ...((state === 'waiting' || state === 'open') && nextTryMs > 0 && { nextTryMs }),
    ...(pid !== undefined && { pid }),
    ...(isNoisy(noise) && { noise }),
    ...(hidden !== '' && state === 'ready' && { hidden }),
    ...(state === 'ready' && declaredOf(snapshot)),
  };
}
/** Failure of a ready server whose tools are incomplete or may be outdated. */
const lackOf = (context: ComputerContext, server: string): Failure | undefined =>
  whyWithdrawn(context, server) ?? whyRefused(context, server) ?? whyRestless(context, server);
function declaredOf(client: Snapshot | undefined): Pick<ServerStatus, 'resources'> {
  const { info } = (client?.context ?? {}) as { readonly info?: ServerInfo | null };
  const resources = info?.capabilities.resources;
  return resources ? { resources } : {};
}
/** Windows and documents are left out where their server does not report changes. */
function hiddenOf(context: ComputerContext | undefined, server: string): string {
  const unheard = context ? notShownOf(context, server) : [];
  const reasons = (['desktop', 'finder'] as const).flatMap((collection) => {
    const count = collections[collection].urisIn(unheard).length;
    return count > 0 ? [notShownReason(collection, count)] : [];
  });
  return reasons.join('. ');
}

/** The same entry gives the same object, because hosts ask often. */
const infoOf = remembered((entry: ToolEntry): ToolInfo => {
  const { server, tool, renamed } = entry;
  const { name, execution } = tool;
  const info = { ...listedTool(entry), original: name, server, ...(execution && { execution }) };
  if (!renamed) return Object.freeze(info);
  const servers = renamed.servers.map((name) => `'${name}'`).join(', ');
  const reason = `Tool '${renamed.from}' exists in multiple servers: ${servers}`;
  return Object.freeze({ ...info, renamed: { from: renamed.from, reason } });
});
function shownBy(config: ServerConfig | undefined, client: Snapshot | undefined): ToolInfo['shown'] {
  const { info } = (client?.context ?? {}) as { readonly info?: ServerInfo | null };
  const shown = { ...info?.shown, ...config?.shown };
  return Object.keys(shown).length === 0 ? undefined : shown;
}
/** Wanted but not ready, so that their tools and resources are missing from answers. */
const absent: ReadonlySet<string> = new Set([
  ...[
    'connecting',
    'recovering',
    'waiting',
    'open',
    'authorizing',
    'unauthorized',
    'needsInput',
    'unsupported',
  ],
]);
/** A closing server counts only with a failure: without one it was stopped on purpose. */
const isAbsent = ({ state, failure }: ServerStatus): boolean =>
  absent.has(state) || (state === 'closing' && failure !== null && failure !== undefined);
export const absentOf = (servers: readonly ServerStatus[]): readonly MissingServer[] =>
  servers
    .filter((server) => isAbsent(server))
    .map(({ name, state, reason }) => ({ server: name, reason: reason ?? `it is ${state}` }));

/** A ready server is missing, too, when its list of tools is no longer valid. */
const missingOf = (statuses: ToolListing['servers']): readonly MissingServer[] => [
  ...absentOf(statuses),
  ...statuses.flatMap(({ name, state, failure }) =>
    state === 'ready' && failure && !isRestless(failure) ? [{ server: name, reason: failure.message }] : [],
  ),
];
export function listingOf(
  context: ComputerContext | undefined,
  servers: Pick<Servers, 'get'>,
  clientOf: (server: string) => Snapshot | undefined,
  statuses: ToolListing['servers'],
): ToolListing {
  const isUp = (server: string): boolean => context?.up[server] === true;
  const entries = context ? offeredTools(context.table, isUp) : [];
  const refused = context?.table.refused ?? [];
  return {
    tools: entries.map((entry) => {
      const shown = shownBy(servers.get(entry.server)?.server, clientOf(entry.server));
      return shown ? Object.freeze({ ...infoOf(entry), shown }) : infoOf(entry);
    }),
    refused: refused.map(({ name, server, failure }) => {
      const call = nameWithServer({ server, shown: name });
      const entry = context?.table.byOriginal[call];
      return {
        name,
        server,
        reason: failure.message,
        suggestion: failure.remedy ?? '',
        ...(entry && { call, inputSchema: entry.tool.inputSchema }),
      };
    }),
    missing: missingOf(statuses),
    servers: statuses,
  };
}

export const notServing = (
  name: string,
  status: ServerStatus | undefined,
  names: Iterable<string>,
): A2cError =>
  status
    ? new A2cError({
        code: 'ServerNotActive',
        message: `Server '${name}' is not ready: ${status.reason ?? shortStateWords[status.state]}`,
        details: { server_name: name, state: status.state },
        remedy: `Start it: startServer('${name}'); in the prompt: start ${name}`,
      })
    : cannotOrder(name, undefined, names);
export function cannotOrder(
  name: string,
  status: ServerStatus | undefined,
  names: Iterable<string>,
): A2cError {
  if (status)
    return new A2cError({
      code: 'ServerNotActive',
      message: `Server '${name}' cannot be started or stopped: ${status.reason ?? shortStateWords[status.state]}`,
      details: { server_name: name, state: status.state },
    });
  const close = nearest(name, names);
  const meant = close.length > 0 ? `Did you mean ${close.join(', ')}? ` : '';
  return notFound(`Unknown server: ${name}`, `${meant}List them: servers(); in the prompt: list`);
}

/** Waits of a client that connects; since its machine is in the present step. */
export function waitsOf({ ref, inStateSince, directory }: Root): ServerStatus['waits'] {
  const snapshot = ref.getSnapshot();
  const step = stepsThatWait[connectingStep(snapshot.value)];
  if (!snapshot.hasTag('connecting') || !step) return undefined;
  const since = new Date(Date.now() - (directory.platform.now() - inStateSince)).toISOString();
  const { waits, timing } = snapshot.context as Partial<Pick<ClientContext, 'waits' | 'timing'>>;
  const limitMs = limitOf(step, timing?.connectMs);
  const limit = limitMs === undefined ? {} : { limitMs };
  if (step !== 'initialize') return { for: step, since, ...limit };
  return waits ? { ...waits, ...limit } : { for: step, since, came: '', ...limit };
}
