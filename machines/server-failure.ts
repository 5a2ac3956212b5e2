import type { Failure } from './wire/failure.ts';

/** How a process came to its end. */
export interface ProcessEnd {
  readonly how: 'exited' | 'killed' | 'failed';
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** The last 64 KiB. */
  readonly stderr: string;
  /** Why it never ran. */
  readonly message: string | null;
  /** It never will, as it is configured. */
  readonly isFinal?: boolean;
}

/** How much of stderr a failure carries; the whole ring stays with the process. */
const tailLength = 2_000;

const howOf = (end: ProcessEnd): string => {
  if (end.signal !== null) return `was ended by ${end.signal}`;
  if (end.code !== null) return `ended with exit code ${end.code}`;
  if (end.pid !== null) return 'ended without an exit code';
  return `could not be started: ${end.message ?? 'no reason was given'}`;
};

/** The death of a server's process as a failure: which server, exit code or signal, the tail of its stderr. */
export function failureOfEnd(server: string, end: ProcessEnd): Failure {
  const stderr = end.stderr.slice(-tailLength).trimEnd();
  const said = stderr === '' ? '' : `; stderr: ${stderr.slice(stderr.lastIndexOf('\n') + 1)}`;
  return {
    code: end.isFinal === true ? 'NotStartable' : 'ServerLost',
    message: `Server '${server}' ${howOf(end)}${said}`,
    details: { server_name: server, exit_code: end.code, signal: end.signal, stderr },
    remedy: 'Run its command by hand to see why it ends, or mend its config.',
  };
}

/** The stream to the server broke or a step of connecting failed, while its process may live. */
export const failureOfStep = (server: string, phase: string, reason: string): Failure => ({
  code: 'ServerLost',
  message: `Server '${server}': ${reason}`,
  details: { server_name: server, phase },
});

const hopeless: ReadonlySet<unknown> = new Set([
  'NotStartable',
  'Unauthorized',
  'AccessDenied',
  'ConfigInvalid',
  'InputNotFound',
]);
/** Another try without a change would fail in the same way. */
export const isHopeless = (failure: Failure | null): boolean => hopeless.has(failure?.code);

/** A call to a configured server that is not running (answers.md: `ServerNotActive`). */
export const notActive = (
  server: string,
  state: string,
  nextTryMs: number | null,
  because: Failure | null,
): Failure => ({
  code: 'ServerNotActive',
  message:
    `Server '${server}' is not active (${state}` +
    (nextTryMs === null ? ')' : `, next try within ${nextTryMs} ms)`) +
    (because === null ? '' : `: ${because.message}`),
  details: { server_name: server, state, next_try: nextTryMs },
  remedy: nextTryMs === null ? `Start it: servers start ${server}` : 'Call again after the next try.',
});

/** A server behind a URL that knows the session no more: it has not read what it refused, and the session ends. */
export const isForgotten = (failure: Failure): boolean =>
  failure.code === 'ServerLost' && failure.details?.['http_status'] !== undefined;
