/** Calls that the host of a computer makes itself. */
import type { ComputerCall } from '../../machines/call/messages.ts';
import { traceIn } from '../../machines/protocol/messages/trace-context.ts';
import type { CallOptions } from './agent/pending-calls.ts';
export { closedCall } from '../kernel/closed.ts';

/** Options of a call that a presenter makes for one of its conversations. */
export type InConversation = Pick<ComputerCall, 'conversation'>;
export const hostCall = (
  call: Omit<ComputerCall, 'type' | 'agent' | 'replyTo' | 'trace'>,
  replyTo: ComputerCall['replyTo'],
  { trace: given, conversation }: Pick<CallOptions, 'trace'> & InConversation,
): ComputerCall => {
  const trace = traceIn(given ?? {});
  const { ticket, reqId, tool, params, timeoutMs, isConfirmed } = call;
  const type = 'call.request';
  const event = {
    type,
    ticket,
    reqId,
    tool,
    params,
    timeoutMs,
    isConfirmed,
    agent: null,
    wantsProgress: true,
    replyTo,
  } as const;
  if (conversation === undefined && !trace) return event;
  return { ...event, ...(conversation !== undefined && { conversation }), ...(trace && { trace }) };
};
