/** Calls that the host of a computer makes itself. */
import type { ComputerCall } from '../../machines/call/call.machine.ts';
import { traceIn } from '../../machines/protocol/messages/trace-context.ts';
import type { CallOptions } from './agent/pending-calls.ts';
export { closedCall } from './closed.ts';

/** Options of a call that a presenter makes for one of its conversations. */
export type InConversation = Pick<ComputerCall, 'conversation'>;
export const hostCall = (
  call: Omit<ComputerCall, 'type' | 'agent' | 'replyTo' | 'trace'>,
  replyTo: ComputerCall['replyTo'],
  { trace: given, conversation }: Pick<CallOptions, 'trace'> & InConversation,
): ComputerCall => {
  const trace = traceIn(given ?? {});
  return {
    type: 'call.request',
    ...call,
    agent: null,
    wantsProgress: true,
    replyTo,
    ...(conversation !== undefined && { conversation }),
    ...(trace && { trace }),
  };
};
