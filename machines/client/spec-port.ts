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
/** The name of the port that logs in to servers: `session` of such a question. */
export const loginPort = 'login';
/**
 * What the port `login` is asked when a server wants a login. Answered when there is one; refused with why there is
 * none (`Unauthorized`). `ask.progress` while a person is waited for, its `message` saying where; `ask.began` when the
 * person came back. Takes as long as that person.
 */
export interface LogIn {
  readonly server: string;
}
