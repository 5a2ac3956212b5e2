import type { Address } from '../kernel/address.ts';

/** One microstep of a machine. Kept in traces of the profiles `steps` and `full`. */
export interface Step {
  readonly k: 'step';
  /** The root whose machine it is. */
  readonly a: Address;
  /** The type of the event that it took. */
  readonly ev: string;
  /** The state value after it. */
  readonly v: unknown;
  /** The transitions it took, as `client: idle --server.start--> launching`. Empty: the event changed nothing. */
  readonly tr: readonly string[];
  /** `done`, `error` or `stopped`; absent while the machine lives. */
  readonly st?: string;
  /** A digest of the context after it. */
  readonly c?: string;
  /** The context itself, when it is another than before (`full`). */
  readonly ctx?: unknown;
}
