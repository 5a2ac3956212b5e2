/** Calls that the host of a computer makes itself. */
import type { ComputerCall } from '../../machines/call/call.machine.ts';
import { settledBy, type CallSettled } from '../../machines/call/settlement.ts';
import { closedText } from './computer/computer-status.ts';

export const closedCall = (ticket: string, reqId: string, tool: string): CallSettled =>
  settledBy({ ticket, reqId, server: '', tool }, 'failed', { code: 'ServerNotActive', message: closedText });
export const hostCall = (
  call: Omit<ComputerCall, 'type' | 'agent' | 'replyTo'>,
  replyTo: ComputerCall['replyTo'],
): ComputerCall => ({ type: 'call.request', ...call, agent: null, replyTo });
