import type { Noise } from '../adapters/index.ts';
import { offeredTools, toSmcpTool, type ToolEntry } from '../machines/catalog/index.ts';
import type { ComputerContext } from '../machines/computer.machine.ts';
import type { ServerConfig } from '../machines/config/index.ts';
import { remembered } from '../machines/remembered.ts';
import { settledBy, type CallSettled } from '../machines/settlement.ts';
import type { Failure } from '../machines/wire/index.ts';
import { A2cError } from './errors.ts';
import type { ServerStatus, ToolInfo, ToolListing } from './computer-handle.ts';

/** What people are told of a computer, read from its machines and its config; nothing of it is kept. */

interface Snapshot {
  readonly value: unknown;
  hasTag(tag: string): boolean;
}
const stateOf = (snapshot: { value: unknown; hasTag(tag: string): boolean }): ServerStatus['state'] => {
  const { value } = snapshot;
  if (value === 'idle' || value === 'resting' || value === 'waiting') return value;
  if (value === 'tripped' || value === 'recovering') return value;
  if (snapshot.hasTag('ready')) return 'ready';
  return snapshot.hasTag('connecting') ? 'connecting' : 'closing';
};
interface KnownServer {
  readonly generation: number;
  readonly needs: readonly string[];
  readonly failure: Failure | null;
}
interface Told {
  readonly failure: Failure | null;
  readonly noise: Noise;
  /** Until it is tried again; 0 and less: it is not, or is about to be. */
  readonly nextTryMs: number;
}
const isNoisy = ({ last: _, ...counts }: Noise): boolean => Object.values(counts).some((n) => n > 0);
/** `snapshot` of its client, when it has one: a server that is disabled, or lacks something, has none. */
export function serverStatus(
  { name, disabled }: ServerConfig,
  known: KnownServer | undefined,
  snapshot: Snapshot | undefined,
  { failure, noise, nextTryMs }: Told,
): ServerStatus {
  if (disabled) return { name, state: 'disabled', reason: 'disabled in its config' };
  const needs = known?.needs ?? [];
  if (needs.length > 0) return { name, state: 'needs input', reason: `needs input ${needs.join(', ')}` };
  if (known?.failure) return { name, state: 'unsupported', reason: known.failure.message };
  const state = snapshot ? stateOf(snapshot) : 'closing';
  return {
    name,
    state,
    ...(failure && state !== 'ready' && { reason: failure.message }),
    ...((state === 'waiting' || state === 'tripped') && nextTryMs > 0 && { nextTryMs }),
    ...(isNoisy(noise) && { noise }),
  };
}

/** The same object for the same entry: many are asked for again and again. */
const infoOf = remembered((entry: ToolEntry): ToolInfo => {
  const { server, tool, renamed } = entry;
  const info = { ...toSmcpTool(entry), original: tool.name, server };
  if (!renamed) return Object.freeze(info);
  const servers = renamed.servers.map((name) => `'${name}'`).join(', ');
  const reason = `Tool '${renamed.from}' exists in multiple servers: ${servers}`;
  return Object.freeze({ ...info, renamed: { from: renamed.from, reason } });
});
/** Tools of servers that are up, and names that were refused with what to do about it. */
export function listingOf(context: ComputerContext | undefined): Omit<ToolListing, 'servers'> {
  const isUp = (server: string): boolean => context?.up[server] === true;
  const entries = context ? offeredTools(context.table, isUp) : [];
  const refused = context?.table.refused ?? [];
  return {
    tools: entries.map(infoOf),
    refused: refused.map(({ name, server, failure }) => ({
      name,
      server,
      reason: failure.message,
      suggestion: failure.remedy ?? '',
    })),
  };
}

export const closedText = 'The computer is closed';
export const closedCall = (ticket: string, reqId: string, tool: string): CallSettled =>
  settledBy({ ticket, reqId, server: '', tool }, 'failed', { code: 'ServerNotActive', message: closedText });
export const cannotOrder = (name: string, status: ServerStatus | undefined): A2cError =>
  status
    ? new A2cError({
        code: 'ServerNotActive',
        message: `Server '${name}' cannot be started or stopped: ${status.reason ?? status.state}`,
        details: { server_name: name, state: status.state },
      })
    : new A2cError({ code: 404, message: `Unknown server: ${name}`, remedy: 'List them: servers list' });
