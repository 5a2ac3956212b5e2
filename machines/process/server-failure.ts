import { explained } from './stderr.ts';
import type { SessionLost, Waits } from '../ports/session.ts';
import { waitWords } from '../server-states.ts';
import { wireCodes, type Failure, type HostFailure } from '../protocol/failure.ts';

export interface ProcessEnd {
  readonly how: 'exited' | 'killed' | 'failed';
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** Last 64 KiB of stderr. */
  readonly stderr: string;
  /** Part of stderr from shortly before the end; absent when all of stderr is that recent. */
  readonly recent?: string;
  readonly message: string | null;
  readonly isFinal?: boolean;
}

const windowsCodes: Readonly<Record<number, string>> = {
  0xc0000005: 'access violation',
  0xc0000017: 'no memory left',
  0xc000001d: 'illegal instruction',
  0xc00000fd: 'stack overflow',
  0xc0000135: 'a DLL was not found',
  0xc000013a: 'ended by Ctrl-C or the close of its window',
  0xc0000142: 'a DLL could not be started',
  0xc0000374: 'heap corruption',
  0xc0000409: 'ended by its own checks',
};
const firstWindowsCode = 0x80000000;
/** Codes of Windows, such as 3221225477, are shown in hex with their meaning. */
export function exitCodeText(code: number): string {
  const unsigned = code >>> 0;
  if (unsigned < firstWindowsCode) return String(code);
  const meaning = windowsCodes[unsigned];
  return `0x${unsigned.toString(16).toUpperCase()}${meaning === undefined ? '' : ` (${meaning})`}`;
}

const hasRun = ({ pid, code, signal }: ProcessEnd): boolean => (pid ?? code ?? signal) !== null;
const howOf = (end: ProcessEnd): string => {
  if (end.signal !== null) return `was ended by ${end.signal}`;
  if (end.code !== null) return `ended with exit code ${exitCodeText(end.code)}`;
  if (hasRun(end)) return 'ended without an exit code';
  return `could not be started: ${end.message ?? 'no reason was given'}`;
};

/** A server that was ready survived all older stderr, so only its last seconds count. */
export function failureOfEnd(server: string, end: ProcessEnd, wasReady: boolean): Failure {
  const { headline, lines } = explained(wasReady ? (end.recent ?? end.stderr) : end.stderr);
  const said = headline === '' ? '' : `; stderr: ${headline}`;
  return {
    code: end.isFinal === true ? 'NotStartable' : 'ServerLost',
    message: `Server '${server}' ${howOf(end)}${said}`,
    details: { server_name: server, exit_code: end.code, signal: end.signal, stderr: lines.join('\n') },
    remedy: hasRun(end)
      ? 'Run its command by hand to see why it ends, or mend its config.'
      : 'Fix what the message names, then start the server again.',
  };
}

export const failureOfStep = (server: string, phase: string, reason: string): Failure => ({
  code: 'ServerLost',
  message: `Server '${server}': ${reason}`,
  details: { server_name: server, phase },
});

/** A rejected login gets its own code, because retries with it would fail too. */
export const failureOfLoss = (server: string, { reason, wantsLogin, isExpired }: SessionLost): Failure =>
  wantsLogin === true
    ? {
        code: 'Unauthorized',
        message: `Server '${server}' no longer takes its login: ${reason}`,
        details: { server_name: server, phase: 'session' },
        remedy: `Log in again (a2c login ${server}), or give the server a valid token in its headers`,
      }
    : failureOfStep(server, 'session', isExpired === true ? reason : `its stream broke: ${reason}`);

export const unauthorized = (server: string): Failure => ({
  code: 'Unauthorized',
  message: `Server '${server}' wants a login (HTTP 401)`,
  details: { server_name: server },
  remedy: 'Give a valid token in headers, or a transport of your client that logs in (authProvider).',
});

/** `where` is the origin of the page at which a person must log in. */
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
export const isHopeless = (failure: Failure | null): boolean => hopeless.has(failure?.code);

export const isTooLarge = (failure: Failure | null): boolean => failure?.code === wireCodes.tooLarge;

/** Not running (`ServerNotActive`, docs/calls.md), or waiting for a login. */
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
  return nextTryMs === null
    ? `Start it: startServer('${server}'); in the prompt: start ${server}`
    : 'Call again after the next try.';
}

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
    remedy: 'Call again with more time, or see what they wait for: servers(); in the prompt: list',
  };
};

/** The list could not be refreshed several times in a row; `last` is the last of these failures. */
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

/**
 * Failure of a server that announces a change after every read of a list. No entry is missing, but known entries may be
 * out of date.
 */
export const listRestless = (server: string, method: string, pollMs: number): Failure => ({
  code: 'ListRestless',
  message: `Server '${server}': it announces a change whenever its list is read (${method}), so the list is read ever less often`,
  details: { server_name: server, phase: method, longest_ms: pollMs },
  remedy: 'Let it announce a change only when its list has changed. A list that rests is read as usual again',
});
export const isRestless = ({ code }: Pick<Failure | HostFailure, 'code'>): boolean => code === 'ListRestless';
