import { explained } from './stderr.ts';
import { waitWords, type SessionLost, type Waits } from '../kernel/ports.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

/** How a process came to its end. */
export interface ProcessEnd {
  readonly how: 'exited' | 'killed' | 'failed';
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** The last 64 KiB. */
  readonly stderr: string;
  /** Part of it that came shortly before the end; left out: all of it. */
  readonly recent?: string;
  /** Why it never ran. */
  readonly message: string | null;
  /** Whether it can never run as it is configured. */
  readonly isFinal?: boolean;
}

const howOf = (end: ProcessEnd): string => {
  if (end.signal !== null) return `was ended by ${end.signal}`;
  if (end.code !== null) return `ended with exit code ${end.code}`;
  if (end.pid !== null) return 'ended without an exit code';
  return `could not be started: ${end.message ?? 'no reason was given'}`;
};

/**
 * The death of a server's process as a failure: which server, exit code or signal, and what of its stderr explains it:
 * one line in the message, up to ten in `details.stderr`. All of it stays with the process. Who was ready has survived what it
 * wrote long before: only the last seconds count then. Who never was may have waited long after it said what it lacks.
 */
export function failureOfEnd(server: string, end: ProcessEnd, wasReady: boolean): Failure {
  const { headline, lines } = explained(wasReady ? (end.recent ?? end.stderr) : end.stderr);
  const said = headline === '' ? '' : `; stderr: ${headline}`;
  return {
    code: end.isFinal === true ? 'NotStartable' : 'ServerLost',
    message: `Server '${server}' ${howOf(end)}${said}`,
    details: { server_name: server, exit_code: end.code, signal: end.signal, stderr: lines.join('\n') },
    remedy: 'Run its command by hand to see why it ends, or mend its config.',
  };
}

/** The stream to the server broke or a step of connecting failed, while its process may live. */
export const failureOfStep = (server: string, phase: string, reason: string): Failure => ({
  code: 'ServerLost',
  message: `Server '${server}': ${reason}`,
  details: { server_name: server, phase },
});

/** The connection stood, and is over. Without a login that is taken every other try would fail, too. */
export const failureOfLoss = (server: string, { reason, wantsLogin, isExpired }: SessionLost): Failure =>
  wantsLogin === true
    ? {
        code: 'Unauthorized',
        message: `Server '${server}' no longer takes its login: ${reason}`,
        details: { server_name: server, phase: 'session' },
        remedy: `Log in again (a2c login ${server}), or give the server a valid token in its headers`,
      }
    : failureOfStep(server, 'session', isExpired === true ? reason : `its stream broke: ${reason}`);

/** A person is shown the page of an authorization server. `where`: its origin. */
export const waitsForLogin = (server: string, where = 'its authorization server'): Failure => ({
  code: 'Unauthorized',
  message: `Server '${server}' waits for a person to log in at ${where}`,
  details: { server_name: server, waits_for: where },
  remedy:
    `Agree in the browser, or log in at a terminal: a2c login ${server}. ` +
    `If the page does not know this client: a2c login ${server} --again`,
});
const hopeless: ReadonlySet<unknown> = new Set([
  'NotStartable',
  'Unauthorized',
  'AccessDenied',
  'ConfigInvalid',
  'InputNotFound',
  wireCodes.tooLarge,
]);
/** Another try without a change would fail in the same way. */
export const isHopeless = (failure: Failure | null): boolean => hopeless.has(failure?.code);

/** A list without an end, or one that is too large, is so the next time, too. */
export const isTooLarge = (failure: Failure | null): boolean => failure?.code === wireCodes.tooLarge;

/** A call to a configured server that is not running (`ServerNotActive`, docs/calls.md), or waits for a login. */
export const notActive = (
  server: string,
  state: string,
  nextTryMs: number | null,
  because: Failure | null,
): Failure => ({
  code: state === 'unauthorized' ? 'Unauthorized' : 'ServerNotActive',
  message:
    `Server '${server}' is not active (${state}` +
    (nextTryMs === null ? ')' : `, next try within ${nextTryMs} ms)`) +
    (because === null ? '' : `: ${because.message}`),
  details: { server_name: server, state, next_try: nextTryMs },
  remedy: remedyOf(server, state, nextTryMs),
});

function remedyOf(server: string, state: string, nextTryMs: number | null): string {
  if (state === 'unauthorized') return `Log in where its computer runs: a2c login ${server}`;
  return nextTryMs === null ? `Start it: servers start ${server}` : 'Call again after the next try.';
}

/** A call of a tool that no server has so far, while some have not listed their tools yet. */
export const stillStarting = (
  tool: string,
  servers: readonly string[],
  waits: Readonly<Record<string, Waits>> = {},
): Failure => {
  const known = servers.flatMap((server) => (waits[server] ? [{ server, ...waits[server] }] : []));
  const details = { tool_name: tool, server_name: servers[0] ?? '', servers };
  const why = known.map((one) => `; '${one.server}' ${waitWords(one)}`).join('');
  return {
    code: 'ServerNotActive',
    message: `Tool '${tool}' is not known yet: ${servers.map((server) => `'${server}'`).join(', ')} still starting (connecting)${why}`,
    details: { ...details, state: 'connecting', next_try: null, ...(known.length > 0 && { waits: known }) },
    remedy: 'Call again with more time, or see what they wait for: servers list',
  };
};

/** Tools of a server that is ready and cannot say any more which it has: it failed too often in a row, the last time by `last`. */
export function toolsWithdrawn(server: string, last: Failure): Failure {
  const who = `Server '${server}': `;
  const why = last.message.startsWith(who) ? last.message.slice(who.length) : last.message;
  return {
    code: 'ServerNotActive',
    message: `${who}its tools were withdrawn: ${why}`,
    details: { server_name: server, state: 'ready', next_try: null },
    remedy: `It is asked for its list again by itself. Should that not help, restart it: servers restart ${server}`,
  };
}

/** Failure of a server whose list is another one whenever it is read. Nothing is missing, and what is known may be old. */
export const listRestless = (server: string, method: string, pollMs: number): Failure => ({
  code: 'ListRestless',
  message: `Server '${server}': its list is another one whenever it is read (${method}), so it is read ever less often`,
  details: { server_name: server, phase: method, longest_ms: pollMs },
  remedy:
    'Let it list the same while nothing has changed. A list that stays the same once is read as usual again',
});
export const isRestless = ({ code }: Failure): boolean => code === 'ListRestless';

/** A server behind a URL knows the session no more, and the session ends. */
export const isForgotten = (failure: Failure): boolean =>
  failure.code === 'ServerLost' && failure.details?.['http_status'] !== undefined;
/** Whether a server answered with JSON-RPC's "Method not found". */
export const isUnknown = ({ details }: Failure): boolean => details?.['code'] === -32_601;
/** Whether a server has not read what it refused (HTTP 404 to a request of a session): that may be sent again. */
export const isUnread = (failure: Failure): boolean =>
  isForgotten(failure) && failure.details?.['http_status'] === 404;
