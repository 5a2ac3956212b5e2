import type { Address } from '../kernel/address.ts';

/** One microstep of a machine. Kept in traces of the profiles `steps` and `full`. */
export interface Step {
  readonly k: 'step';
  /** Address of the root whose machine it is. */
  readonly a: Address;
  /** The type of the event that it took. */
  readonly ev: string;
  /** The state value after it. */
  readonly v: unknown;
  /** The transitions it took, as `client: idle --server.start--> launching`. Empty: the event changed nothing. */
  readonly tr: readonly string[];
  /** `done`, `error` or `stopped`; absent while the machine lives. */
  readonly st?: string;
  /** Fields of the context that have another value than before (`full`); all of them with the first step. */
  readonly ctx?: Readonly<Record<string, unknown>>;
  /** Fields of the context that are no longer there. */
  readonly gone?: readonly string[];
}
/** The context after a step, from the one before it. */
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
