import { isUnread } from '../../machines/process/server-failure.ts';
import type { Failure } from '../../machines/protocol/failure.ts';

/** A server knew the session no more, and has not read what it was sent: a call may be sent once again. */
export function wasUnread(ev: unknown): boolean {
  const { type, sent, failure } = ev as {
    readonly type?: string;
    readonly sent?: boolean;
    readonly failure?: Failure;
  };
  return type === 'ask.refused' && sent === false && failure !== undefined && isUnread(failure);
}
