import type { Address } from '../../../machines/kernel/address.ts';
import type { CallLimits } from '../../../machines/call/policy/index.ts';
import type { Said } from '../invariant.ts';

export interface Place {
  readonly call: Address;
  readonly limiter: Limiter;
  /** `asked`: it runs, unless it says in this very moment that it waits, or that it may not. */
  stands: 'asked' | 'waits' | 'runs';
  readonly since: number;
}
/** The calls of one server that have asked to be sent, the first one first. */
export interface Limiter {
  readonly server: string;
  readonly computer: Address;
  readonly places: Place[];
  /** When the last ones left: their places are given away a moment later. */
  left: { at: number; count: number };
  /** Since when there has been room for whoever waits; Infinity: there is none. */
  roomSince: number;
}
export const waiting = ({ places }: Limiter): Place[] => places.filter(({ stands }) => stands === 'waits');
export const busyOf = (ev: unknown): CallLimits | undefined => {
  const { failure } = (ev ?? {}) as Said<{ failure: { code?: string; details?: CallLimits } }>;
  return failure?.code === 'Busy' ? failure.details : undefined;
};
