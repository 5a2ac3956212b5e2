import { toResponse } from '../models/present.ts';
import type { MCPToolResponse } from '../models/format.ts';
import type { CallEnd, Outcome } from '../call/call.rules.ts';
import { type Failure, type HostFailure } from '../protocol/failure.ts';

type PresenterFailure = Pick<Failure | HostFailure, 'code' | 'message' | 'remedy'>;

/** Event names of the presenter, which are those of DeepChat. */
export const MCP_EVENTS = {
  SERVER_STARTED: 'mcp:server-started',
  SERVER_STOPPED: 'mcp:server-stopped',
  TOOL_CALL_RESULT: 'mcp:tool-call-result',
  CONFIG_CHANGED: 'mcp:config-changed',
  SERVER_STATUS_CHANGED: 'mcp:server-status-changed',
  CLIENT_LIST_UPDATED: 'mcp:client-list-updated',
} as const;

/** Notification for the user: a server did not start, or a change was rolled back. */
export interface McpNotification {
  /** Id of the notification; the same failure of the same server has the same id. */
  readonly id: string;
  readonly type: 'error';
  /** Name of the server that the notification is about. */
  readonly server: string;
  /** Summary of the event, with the name of the server. */
  readonly title: string;
  /** Reason of the failure, as its message states it. */
  readonly message: string;
  /** Advice for the user, when one is known. */
  readonly remedy?: string;
}
/**
 * Values of the events of a presenter, by the names in `MCP_EVENTS`. `Config` is the type of the shown
 * config.
 */
export interface McpEventValues<Config> {
  /** Name of a server that has become ready, started by anyone. */
  readonly 'mcp:server-started': string;
  /** Name of a running server that was stopped, disabled, removed or given up. */
  readonly 'mcp:server-stopped': string;
  /** Result of a call that its server has answered. */
  readonly 'mcp:tool-call-result': MCPToolResponse;
  /**
   * Complete config after a change, and when a mistaken or lost file is in order again: servers, default servers and
   * the main switch.
   */
  readonly 'mcp:config-changed': Config;
  /** Change of the connection to a server: established or ended. */
  readonly 'mcp:server-status-changed': { readonly name: string; readonly status: 'running' | 'stopped' };
  /** The set of running clients changed, so clients and their tools should be requested again. */
  readonly 'mcp:client-list-updated': Readonly<Record<string, never>>;
  /** Notification that a start failed or a change of a server was rolled back. */
  readonly notification: McpNotification;
}
export type McpEvent<Config = unknown> = {
  readonly [Name in keyof McpEventValues<Config>]: {
    readonly name: Name;
    readonly value: McpEventValues<Config>[Name];
  };
}[keyof McpEventValues<Config>];

/** `retrying`: the first attempt failed and was reported. `lost`: was running, and reconnects or stops. */
type Phase = 'starting' | 'retrying' | 'running' | 'lost';
/** A server in one of the states `resting` is absent. */
export type Phases = Readonly<Record<string, Phase>>;

export type WatchedEvent =
  | {
      readonly type: 'server.changed';
      readonly name: string;
      readonly state: string;
      readonly failure: PresenterFailure | null;
    }
  | { readonly type: 'server.removed'; readonly name: string }
  /** The next failure of this server is reported, even when an earlier one was. */
  | { readonly type: 'start.ordered'; readonly name: string }
  | {
      readonly type: 'call.settled';
      readonly reqId: string;
      readonly end: CallEnd;
      readonly outcome: Outcome;
      readonly result: unknown;
      readonly failure: PresenterFailure | null;
    };
interface Folded {
  readonly phases: Phases;
  readonly events: readonly McpEvent<never>[];
}

const resting: ReadonlySet<string> = new Set([
  ...['idle', 'standby', 'disabled', 'open', 'needsInput', 'unsupported'],
]);
const trying: ReadonlySet<string> = new Set(['connecting', 'recovering', 'closing']);

const status = (name: string, to: 'running' | 'stopped'): McpEvent<never>[] => [
  { name: 'mcp:server-status-changed', value: { name, status: to } },
];
const listUpdated: McpEvent<never> = { name: 'mcp:client-list-updated', value: {} };
export const notificationOf = (
  server: string,
  { code, message, remedy }: PresenterFailure,
  title = 'The server could not be started',
): McpEvent<never> => ({
  name: 'notification',
  value: {
    id: `mcp-error-${server}-${code}`,
    type: 'error',
    server,
    // Leaves out an empty server name, which means that the failure concerns the config itself.
    title: server === '' ? title : `${title}: ${server}`,
    message,
    ...(remedy !== undefined && { remedy }),
  },
});

const at = (phases: Phases, name: string): Phase | undefined =>
  Object.hasOwn(phases, name) ? phases[name] : undefined;
function moved(phases: Phases, name: string, to: Phase | undefined): Phases {
  const others = Object.entries(phases).filter(([other]) => other !== name);
  return Object.fromEntries(to === undefined ? others : [...others, [name, to]]);
}

/** In the order of DeepChat: status, list, started | status, notification, list | status, list, stopped. */
export function presenterEventsOf(phases: Phases, event: WatchedEvent): Folded {
  if (event.type === 'call.settled') return { phases, events: resultOf(event) };
  const { name } = event;
  const now = at(phases, name);
  const to = (phase: Phase | undefined, ...events: readonly McpEvent<never>[]): Folded => ({
    phases: now === phase ? phases : moved(phases, name, phase),
    events,
  });
  if (event.type === 'start.ordered') return now === 'running' ? to(now) : to('starting');
  const state = event.type === 'server.removed' ? 'idle' : event.state;
  const failure = event.type === 'server.removed' ? null : event.failure;
  if (state === 'ready')
    return now === 'running'
      ? to(now)
      : to('running', ...status(name, 'running'), listUpdated, { name: 'mcp:server-started', value: name });
  const isAtRest = resting.has(state);
  switch (now) {
    case undefined:
      // Reports a server that failed before its first attempt, for example because an input has no value.
      if (isAtRest && failure)
        return to(undefined, ...status(name, 'stopped'), notificationOf(name, failure), listUpdated);
      return to(isAtRest ? undefined : 'starting');
    case 'starting':
      if (trying.has(state)) return to('starting');
      return to(
        isAtRest ? undefined : 'retrying',
        ...status(name, 'stopped'),
        ...(failure ? [notificationOf(name, failure)] : []),
        listUpdated,
      );
    case 'retrying':
      return to(isAtRest ? undefined : 'retrying');
    case 'running':
      return isAtRest
        ? to(undefined, ...status(name, 'stopped'), listUpdated, { name: 'mcp:server-stopped', value: name })
        : to('lost', ...status(name, 'stopped'), listUpdated);
    case 'lost':
      return isAtRest
        ? to(undefined, ...(failure ? [notificationOf(name, failure, 'The server was lost')] : []), {
            name: 'mcp:server-stopped',
            value: name,
          })
        : to('lost');
  }
}
/** Only when the server has answered: refused, lost and cancelled calls give none. */
function resultOf(call: Extract<WatchedEvent, { type: 'call.settled' }>): readonly McpEvent<never>[] {
  const isAnswered = call.end === 'succeeded' || (call.end === 'failed' && call.result !== null);
  return isAnswered ? [{ name: 'mcp:tool-call-result', value: toResponse(call.reqId, call) }] : [];
}
