import type { EventObject } from 'xstate';

/** An event on a channel. */
export interface ChannelEvent {
  readonly ch: string;
  readonly ev: EventObject;
}
/**
 * What holds where a trace begins that has lost its beginning: enough for any version to bring a host there and to go on. Channels
 * have the names that the rest of the trace uses.
 */
export interface Facts {
  readonly k: 'facts';
  /** Orders by which hosts came to be what they are, in words of the public API. */
  readonly orders: readonly ChannelEvent[];
  /** Facts that the world has told on open channels and that still hold: the answer to `initialize`, seats, sockets. */
  readonly told: readonly ChannelEvent[];
  /** How those ended that are not open: the last exit of a process by `process:files`. */
  readonly ended: readonly ChannelEvent[];
  /** The last answer to each question but calls and what is asked about their results, by its channel without the number. */
  readonly answers: readonly ChannelEvent[];
  /** Calls and questions that wait for an answer, as they came. */
  readonly open: readonly ChannelEvent[];
  /** Values that were known at once for calls that are open. */
  readonly draws: readonly { readonly ch: string; readonly v: unknown }[];
  /** Timers that are set: ms until each is due. */
  readonly timers: readonly { readonly ch: string; readonly left: number }[];
}
/** The channel of a question or a port without its number. */
export const withoutNumber = (ch: string): string => ch.replace(/\/\d+$/, '');
