import { toResponse, type MCPToolResponse } from '../models/index.ts';
import type { CallEnd, Outcome } from '../call/messages.ts';
import type { Failure } from '../protocol/failure.ts';

/** The names of seed 004, section 3, and the notification that its server manager publishes. */
export const MCP_EVENTS = {
  SERVER_STARTED: 'mcp:server-started',
  SERVER_STOPPED: 'mcp:server-stopped',
  TOOL_CALL_RESULT: 'mcp:tool-call-result',
  CONFIG_CHANGED: 'mcp:config-changed',
  SERVER_STATUS_CHANGED: 'mcp:server-status-changed',
  CLIENT_LIST_UPDATED: 'mcp:client-list-updated',
} as const;

/** What a host shows its user: a server did not start, or a change was taken back. */
export interface McpNotification {
  /** The same for the same failure of the same server. */
  readonly id: string;
  readonly type: 'error';
  /** The server that it is about. */
  readonly server: string;
  /** What has happened, with the name of the server. */
  readonly title: string;
  /** Why, in the words of the failure. */
  readonly message: string;
  /** What the user can do, where that is known. */
  readonly remedy?: string;
}
/** What a presenter tells, by the names of `MCP_EVENTS`; `Config` is what its config is shown as. */
export interface McpEventValues<Config> {
  /** A server is ready, whoever started it: its name in the config. */
  readonly 'mcp:server-started': string;
  /** A server that ran has come to rest: stopped, switched off, removed, or given up. Its name. */
  readonly 'mcp:server-stopped': string;
  /** A call that reached its server, and what that answered. */
  readonly 'mcp:tool-call-result': MCPToolResponse;
  /** The config is another: all three parts of it. */
  readonly 'mcp:config-changed': Config;
  /** The connection to a server is there, or not any more. */
  readonly 'mcp:server-status-changed': { readonly name: string; readonly status: 'running' | 'stopped' };
  /** Other clients run than before: ask again which, and for their tools. */
  readonly 'mcp:client-list-updated': Readonly<Record<string, never>>;
  /** A start failed, or a change of a server was taken back. */
  readonly notification: McpNotification;
}
export type McpEvent<Config = unknown> = {
  readonly [Name in keyof McpEventValues<Config>]: {
    readonly name: Name;
    readonly value: McpEventValues<Config>[Name];
  };
}[keyof McpEventValues<Config>];

/**
 * Where a server is for a presenter. `starting`: its first try since it rested. `retrying`: that failed, and it is told.
 * `lost`: it ran, and is on its way back or down.
 */
type Phase = 'starting' | 'retrying' | 'running' | 'lost';
/** By server; one that rests is not in it. */
export type Phases = Readonly<Record<string, Phase>>;

/** What a computer tells, as far as it matters here. */
export type Heard =
  | {
      readonly type: 'server.changed';
      readonly name: string;
      readonly state: string;
      readonly failure: Failure | null;
    }
  | { readonly type: 'server.removed'; readonly name: string }
  /** Somebody has ordered a start: a failure of it is told again. */
  | { readonly type: 'start.ordered'; readonly name: string }
  | {
      readonly type: 'call.settled';
      readonly reqId: string;
      readonly end: CallEnd;
      readonly outcome: Outcome;
      readonly result: unknown;
      readonly failure: Failure | null;
    };
interface Folded {
  readonly phases: Phases;
  readonly events: readonly McpEvent<never>[];
}

/** States in which a server stays until somebody, or a long while, changes that. */
const resting: ReadonlySet<string> = new Set([
  ...['idle', 'standby', 'disabled', 'open', 'needsInput', 'unsupported'],
]);
const trying: ReadonlySet<string> = new Set(['connecting', 'recovering', 'closing']);

const status = (name: string, to: 'running' | 'stopped'): McpEvent<never>[] => [
  { name: 'mcp:server-status-changed', value: { name, status: to } },
];
const listUpdated: McpEvent<never> = { name: 'mcp:client-list-updated', value: {} };
/** A failure of a server in the words of a notification. */
export const notificationOf = (
  server: string,
  { code, message, remedy }: Failure,
  title = 'The server could not be started',
): McpEvent<never> => ({
  name: 'notification',
  value: {
    id: `mcp-error-${server}-${code}`,
    type: 'error',
    server,
    // One about the config itself is about no server.
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

/**
 * What a presenter tells of what its computer has told, in the order of DeepChat: a good start is status, list, started; a
 * bad one status, notification, list; a stop status, list, stopped.
 */
export function heard(phases: Phases, event: Heard): Folded {
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
      // Found wanting before it could try, such as without a value for an input.
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
/** Only of calls that reached their server and were answered by it: neither refused, nor lost, nor cancelled. */
function resultOf(call: Extract<Heard, { type: 'call.settled' }>): readonly McpEvent<never>[] {
  const isAnswered = call.end === 'succeeded' || (call.end === 'failed' && call.result !== null);
  return isAnswered ? [{ name: 'mcp:tool-call-result', value: toResponse(call.reqId, call) }] : [];
}
