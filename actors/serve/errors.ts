/** Errors for clients and their models: what happened, whether the call may have taken effect, and what can be done. */
import type { CallFacts, CallFailed } from '../api/call-outcome.ts';
import { failureOf } from '../kernel/errors.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { hostFailure, type HostFailure } from '../../machines/protocol/failure.ts';
import { withoutUndefined, type Fields } from '../../machines/protocol/json.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';

const codes: Readonly<Record<string, number>> = {
  NotSupported: rpcCodes.methodNotFound,
  BadRequest: rpcCodes.invalidParams,
  ToolNotFound: rpcCodes.invalidParams,
  ToolDisabled: rpcCodes.invalidParams,
};
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1_000))} s`;
/** Remedies for a program that embeds a computer, which are none for the model behind a client. */
const forHosts: ReadonlySet<unknown> = new Set(['ToolNotFound', 'ServerNotActive', 'ToolCallCancelled']);
const remedyOf = ({ code, remedy }: HostFailure): string | undefined =>
  remedy === undefined || forHosts.has(code) ? undefined : sentence(remedy);
function nextOf(status: ServerStatus | undefined): string | undefined {
  if (!status || status.state === 'ready' || status.state === 'closing') return undefined;
  if (status.nextTryMs !== undefined) return `The server is tried again in ${seconds(status.nextTryMs)}.`;
  if (status.state === 'connecting' || status.state === 'recovering' || status.state === 'waiting')
    return 'The server is being started again.';
  const { remedy } = status.failure ?? {};
  const by = `A person can start it again: a2c serve restart ${status.name}.`;
  return remedy === undefined ? by : `${sentence(remedy)} ${by}`;
}
function ownError({ code, message, details }: HostFailure): RpcError | undefined {
  const own = details?.['code'];
  if (code !== 'ToolFailed' || typeof own !== 'number') return undefined;
  return new RpcError(own, message, details?.['data']);
}

export function callError(
  { outcome, phase, failure, reqId }: CallFailed & Pick<CallFacts, 'reqId'>,
  status: ServerStatus | undefined,
  trace: string | undefined,
): RpcError {
  const own = outcome === 'failed' ? ownError(failure) : undefined;
  if (own) return own;
  const { code, message, details } = failure;
  const text = [
    sentence(message),
    outcome === 'unknown'
      ? 'The call was sent and may have taken effect: look before you repeat it.'
      : phase !== 'running' && 'The call was not sent, so nothing has happened.',
    nextOf(status),
    remedyOf(failure),
    trace !== undefined && `Trace: ${trace}`,
  ].filter((part) => typeof part === 'string');
  const data = withoutUndefined({
    outcome,
    may_have_run: outcome === 'unknown',
    phase,
    reason: code,
    ...details,
    req_id: reqId,
    server_state: status?.state,
    next_try_ms: status?.nextTryMs,
    trace,
  });
  return new RpcError((outcome === 'failed' && codes[code]) || rpcCodes.server, text.join(' '), data);
}
export function requestError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const failure = hostFailure(failureOf(error));
  const own = ownError(failure);
  if (own) return own;
  const { code, message, details } = failure;
  const text = [sentence(message), remedyOf(failure)].filter(Boolean).join(' ');
  const data: Fields = { reason: code, ...details };
  return new RpcError(codes[code] ?? rpcCodes.server, text, data);
}
