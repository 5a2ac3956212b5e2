import type { EventObject } from 'xstate';

/** Event on a channel of a trace. */
export interface ChannelEvent {
  readonly ch: string;
  readonly ev: EventObject;
}
/**
 * State at the first kept record of a trace whose beginning was dropped: enough for any version to bring a
 * host to that point and go on. Channels have the same names as in the rest of the trace.
 */
export interface Facts {
  readonly k: 'facts';
  /** Orders that led the hosts to their current state, in words of the public API. */
  readonly orders: readonly ChannelEvent[];
  /**
   * Events reported by the world on open channels that still hold: the answer to `initialize`, seats,
   * sockets.
   */
  readonly told: readonly ChannelEvent[];
  /** Last exit of each closed port, such as a process, by its channel without a number (`process:files`). */
  readonly ended: readonly ChannelEvent[];
  /**
   * Last answer to each question, by the question's channel without its number; calls and questions about
   * their results are left out.
   */
  readonly answers: readonly ChannelEvent[];
  /** Calls and questions still waiting for an answer, in the order in which they came. */
  readonly open: readonly ChannelEvent[];
  /** Values the world returned at once (`draw`) for calls that are still open. */
  readonly draws: readonly { readonly ch: string; readonly v: unknown }[];
  /** Running timers, each with the time left in ms. */
  readonly timers: readonly { readonly ch: string; readonly left: number }[];
}
/** Removes the trailing number from the name of a channel. */
export const withoutNumber = (ch: string): string => ch.replace(/\/\d+$/, '');
