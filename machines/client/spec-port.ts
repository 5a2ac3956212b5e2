/** The name of the port that resolves launch specs: `session` of such a question. */
export const specPort = 'spec';
/**
 * What the port `spec` is asked at each start of a server: fill in its placeholders. Answered by `Resolved`, or refused
 * with why a value cannot be had (`InputNotFound`, `ConfigInvalid`). Takes as long as whoever is asked for a value.
 */
export interface Resolve {
  readonly server: string;
  readonly generation: number;
}
/** The number of the launch spec: the same as before exactly when nothing in it is another. */
export interface Resolved {
  readonly spec: number;
}
