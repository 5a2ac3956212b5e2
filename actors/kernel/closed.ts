/** Answers to callers of a host that is closed. */
import { settledBy, type CallSettled } from '../../machines/call/messages.ts';
import type { Failure } from '../../machines/protocol/index.ts';

export const closedText = 'The computer is closed';
export const closedFailure: Failure = { code: 'ServerNotActive', message: closedText };
export const closedCall = (ticket: string, reqId: string, tool: string): CallSettled =>
  settledBy({ ticket, reqId, server: '', tool }, 'failed', closedFailure);
