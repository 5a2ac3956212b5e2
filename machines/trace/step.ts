import type { Address } from '../kernel/address.ts';
import { isObject } from '../protocol/json.ts';

/** One microstep of a machine, recorded in traces of the profiles `steps` and `full`. */
export interface Step {
  readonly k: 'step';
  /** Address of the root whose machine took the step. */
  readonly a: Address;
  /** Type of the event that caused the step. */
  readonly ev: string;
  /** State value after the step. */
  readonly v: unknown;
  /**
   * Transitions that were taken, such as `client: idle --server.start--> launching`; empty when the event
   * changed nothing.
   */
  readonly tr: readonly string[];
  /** Final status of the machine: `done`, `error` or `stopped`; absent while it lives. */
  readonly st?: string;
  /** Context fields that changed (profile `full`); all fields with the first step. */
  readonly ctx?: Readonly<Record<string, unknown>>;
  /** Names of context fields that were removed. */
  readonly gone?: readonly string[];
}
/**
 * Compares two state values without what changes within parallel regions: a server that is pinged is ready all the
 * time.
 */
export function isSameOutside(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other;
  const [key = '', ...more] = Object.keys(one);
  return key in other && (more.length > 0 || isSameOutside(one[key], other[key]));
}
/** Returns the context after a step, computed from the context before it. */
export function contextAfter(
  before: unknown,
  { ctx, gone = [] }: { readonly ctx?: unknown; readonly gone?: unknown },
): Readonly<Record<string, unknown>> {
  const next = { ...(before as object | undefined), ...(ctx as object | undefined) } as Record<
    string,
    unknown
  >;
  for (const key of Array.isArray(gone) ? (gone as string[]) : []) delete next[key];
  return next;
}
