/** What a session waits for before it is open, as its port sees it, and the words for that. Facts of ports: a machine has no clock. */
export interface Waits {
  /** The connection to its URL, the headers of the response, or the answer to `initialize`. */
  readonly for: 'connection' | 'headers' | 'initialize';
  /** ISO 8601, by the clock of the port. */
  readonly since: string;
  /** What came that is no answer, in one line, secrets hidden, at most 400 characters; '': nothing came. */
  readonly came: string;
}
/** Its handshake takes longer than a second, and again at most once a second when that has changed. */
export interface SessionWaits {
  readonly type: 'session.waits';
  /** What for, since when, and what came meanwhile. */
  readonly waits: Waits;
}
/** What the owner of a client hears of it. */
export interface ClientWaits {
  readonly type: 'client.waits';
  readonly server: string;
  readonly waits: Waits;
}

const words = {
  connection: 'the connection to its URL',
  headers: 'the headers of the response',
  initialize: 'the answer to initialize',
} as const;
export const waitsFor = (step: Waits['for']): string => `waits for ${words[step]}`;
export const cameInstead = ({ came }: Pick<Waits, 'came'>): string => (came === '' ? 'nothing came' : came);
/** In a failure, which is read later: with the moment, not with a duration. */
export const waitWords = (waits: Waits): string =>
  `${waitsFor(waits.for)} since ${waits.since}; ${cameInstead(waits)}`;
