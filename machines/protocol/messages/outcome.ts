/**
 * What is known of the effect of a call: never sent, or answered with an error → `failed`; sent and unanswered
 * (time-out, cancel, death of the server) → `unknown`. The `meta.a2c_outcome` of every answer to a call.
 */
export const outcomes = ['succeeded', 'failed', 'unknown'] as const;
/** What is known of the effect of a call. `unknown`: it was sent and never answered, so it may have taken effect. */
export type Outcome = (typeof outcomes)[number];

/** Where a call was when it ended otherwise than well: `meta.a2c_phase`. */
export const callPhases = ['resolving', 'judging', 'confirming', 'queued', 'running'] as const;
/**
 * Where a call is: its tool and its server are found (`resolving`), it is checked (`judging`), a person is asked
 * (`confirming`), it waits for its turn (`queued`), its server has it (`running`).
 */
export type CallPhase = (typeof callPhases)[number];

/** Of a call that did not end well. */
export interface Ending {
  /** `failed`: it surely had no effect, or the tool itself says that it failed. */
  readonly outcome: Exclude<Outcome, 'succeeded'>;
  /** Where it was when it ended. */
  readonly phase: CallPhase;
}
/** Nobody has asked a server for anything. */
export const neverSent: Ending = { outcome: 'failed', phase: 'resolving' };
/** It was passed on, and whoever has it gives no answer any more. */
export const unanswered: Ending = { outcome: 'unknown', phase: 'running' };

type Meta = Readonly<Record<string, unknown>>;
export const endingMeta = ({ outcome, phase }: Ending): Meta => ({
  a2c_outcome: outcome,
  a2c_phase: phase,
});

const phases: ReadonlySet<unknown> = new Set(callPhases);
/** What the `meta` of a result that has failed says of its end; strangers say nothing, or something else. */
export function endingIn(meta: Meta | undefined): Partial<Ending> {
  const { a2c_outcome: outcome, a2c_phase: phase } = meta ?? {};
  return {
    ...((outcome === 'failed' || outcome === 'unknown') && { outcome }),
    ...(phases.has(phase) && { phase: phase as CallPhase }),
  };
}
