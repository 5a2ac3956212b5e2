import type { Address, AddressFor } from '../kernel/address.ts';
import type { TraceContext } from '../protocol/messages/trace-context.ts';
import type { Failure } from '../protocol/failure.ts';
import type { CallProgressed, CallSettled } from './settlement.ts';

/**
 * A call. It keeps this name and these fields from whoever makes it, through the agent, the computer and the client, to
 * its own machine; each of them adds what it knows. A computer puts the server's own name of the tool in place of the listed one.
 */
export interface CallRequest {
  readonly type: 'call.request';
  /** Names the asker's pending answer; unique among the calls in flight of one client. */
  readonly ticket: string;
  readonly reqId: string;
  /** The agent that calls, for the person who is asked; null: the host itself. */
  readonly agent: string | null;
  /** Which conversation of its asker it is for, where that has several. */
  readonly conversation?: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What its caller gives it; 0 = without limit. */
  readonly timeoutMs: number;
  /** Its place in a distributed trace, where its caller has given one. */
  readonly trace?: TraceContext;
  /** Its asker hears how far it is. */
  readonly wantsProgress?: boolean;
  readonly replyTo: AddressFor<CallSettled | CallProgressed>;
}
/** Caller of a call. What a person allows for the session is allowed to this caller alone. */
export type Caller = Pick<CallRequest, 'replyTo' | 'agent' | 'conversation'>;
export const callerOf = ({ replyTo, agent, conversation }: Caller): Caller => ({
  replyTo,
  agent,
  ...(conversation !== undefined && { conversation }),
});
export const isSameCaller = (one: Caller, other: Caller): boolean =>
  one.replyTo === other.replyTo && one.agent === other.agent && one.conversation === other.conversation;
/** What a computer takes: a call by the listed name of its tool. */
export interface ComputerCall extends CallRequest {
  /** The person who asks has thereby confirmed it. */
  readonly isConfirmed: boolean;
  /** Reason why the link has refused it already: it is answered with this, and goes to no server. */
  readonly refused?: Failure;
}
export type CallOrder =
  | { readonly type: 'call.cancel'; readonly reason: string }
  | { readonly type: 'call.go' }
  /** Its session is being opened anew: what was not sent yet waits for `call.go`. */
  | { readonly type: 'call.hold' }
  | { readonly type: 'close' }
  /** Who asked is gone; its result would go nowhere. */
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | { readonly type: 'server.lost'; readonly failure: Failure };
