/** Delays of all machines: name → default in milliseconds. A host can override each one in its input. */
export const timing = {
  /**
   * Hard limit of each step from launching a server to its first list of tools. Long, because the first `npx -y` of a
   * large package can download for minutes, and would start over if it were killed.
   */
  connectMs: 300_000,
  /**
   * Soft limit of connecting: a server that takes longer no longer holds up the servers that wait for their turn to
   * connect.
   */
  slowMs: 15_000,
  /** Limit for reading one list of a server (tools, resources or prompts) with all its pages. */
  listMs: 30_000,
  /** Time that a server must stay ready before its restart budget is full again. */
  provenStableMs: 60_000,
  /**
   * First pause before a lost server is connected again. The pause doubles after each failure, up to the longest one.
   */
  backoffMs: 500,
  longestBackoffMs: 30_000,
  /** Pause after the restart budget of a server is used up; then one more try is made. */
  trialMs: 300_000,
  /** Time between two permits to connect, so that the servers of one computer start one after another. */
  permitMs: 200,
  /** Time between two pings of a server that runs no calls; 0 = no periodic pings. */
  pingEveryMs: 30_000,
  /** Longest wait for the answer to a ping; 0 = no pings at all. */
  pingMs: 10_000,
  /** Time without a call after which a server that starts on demand is stopped; 0 = never. */
  idleStopMs: 0,
  /** Time that a stopping server has to finish its running calls; calls left after that are cancelled. */
  drainMs: 5_000,
  /** Time that cancelled calls have to settle before their server is closed. */
  cancelGraceMs: 1_000,
  /** Time that a child process has to exit after its stdin is closed, as with both official SDKs; then it receives SIGTERM. */
  stdinGraceMs: 2_000,
  /** Time that a child process has to exit after SIGTERM; then it receives SIGKILL. */
  termGraceMs: 2_000,
  /**
   * Time after SIGKILL after which a child process counts as ended even if no exit was seen (uninterruptible sleep).
   */
  killGraceMs: 2_000,
  /**
   * Time between a broken stream and the report of the failure, so that the exit of the process can be included as
   * its cause.
   */
  exitGraceMs: 250,
  /** Limit of the whole shutdown of a computer, an office or an agent; whatever is left then is ended by force. */
  shutdownMs: 10_000,
  /**
   * Longest time that a computer counts as booting while its servers start, and that `a2c up` waits for them; 0 = no
   * time at all.
   */
  bootMs: 15_000,
  /**
   * Longest time that a question about all servers (tools, resources, prompts, Desktop, Finder) waits for starting
   * servers while the computer boots; 0 = no wait.
   */
  toolsMs: 2_000,
  /**
   * Limit of a call that has none of its own: it begins again while the server reports progress or waits for an answer
   * of its host, `mostLimits` times at most. Set in a config, it is the longest time of every call of the server.
   * 0 = no limit.
   */
  callTotalMs: 60_000,
  /** Longest time that a server may send neither an answer nor progress during a call; 0 = no limit. */
  callIdleMs: 0,
  /** Time that a person has to confirm a call, and that the policy of a host has to judge one. */
  confirmMs: 120_000,
  /**
   * Time for post-processing a result (output schema and VRL program); after that the result is passed on as it came.
   */
  lookMs: 10_000,
  /** Limit of one VRL program over one result. */
  vrlMs: 5_000,
  /** Limit for starting the thread that runs VRL programs. */
  vrlLoadMs: 30_000,
  /** Time without work after which the thread of the VRL programs is stopped. */
  vrlIdleMs: 300_000,
  /**
   * Time that an agent waits, after cancelling a call, for the computer to report how the call ended; 0 = no wait.
   */
  cancelMs: 2_000,
  /** Limit for connecting to an office over Socket.IO, and for joining it. */
  linkMs: 10_000,
  /** Pause before the connection to a lost office is opened again. */
  linkBackoffMs: 1_000,
  /** Pause before the next try at an office that refused our protocol version or our token. */
  linkRestMs: 300_000,
  /**
   * Time without a further change after which gathered changes of tools are announced, and the longest time that they
   * are held back.
   */
  quietMs: 200,
  longestQuietMs: 2_000,
  /**
   * Time after which a list is read again although no change was reported: of servers that do not announce changes, and
   * (`pollDeclaredMs`) of servers that declared to announce them. 0 = never.
   */
  pollMs: 60_000,
  pollDeclaredMs: 300_000,
  /**
   * First pause before a list that could not be read is requested again. It doubles after each failure, up to ten
   * times this value.
   */
  relistMs: 5_000,
  /**
   * Limit of a question for a Desktop or a Finder. Parts that have not arrived by then are missing in the answer, and
   * are read later.
   */
  aggregateMs: 8_000,
  /** Interval of a resource cache: a read that takes two intervals lets another read go first, if the server is alive. */
  turnMs: 150,
  /** Time that reads and lists in progress have to finish when their reader closes. */
  closeGraceMs: 250,
  /** Limit of reading one resource. */
  readMs: 20_000,
  /** Shortest time between two announced changes of a Desktop or a Finder. */
  coalesceMs: 200,
  /** Longest time that a peer waits for the answer to `client:get_*` or `server:list_room`. */
  queryMs: 30_000,
  /**
   * Extra time that the office adds to the time-out of a call, so that the answer of the computer can still arrive.
   */
  relayMarginMs: 5_000,
  /** Extra time that an agent adds to the time-out of a call, on top of the time that the office adds. */
  agentMarginMs: 6_000,
  /** Pause of a view before it asks again for data that it could not get. */
  refetchMs: 2_000,
} as const;
/**
 * Every delay of the machines, in milliseconds, by name. Meaning and default of each are documented at `timing`
 * (machines/kernel/timing.ts).
 */
export type Timing = { readonly [K in keyof typeof timing]: number };
/** Delays in milliseconds as a host gives them; those that are left out or undefined have their defaults. */
export type GivenTiming = { readonly [K in keyof Timing]?: number | undefined };

const only =
  <K extends keyof Timing>(...names: readonly K[]) =>
  (all: Pick<Timing, K>): Pick<Timing, K> =>
    Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as Pick<Timing, K>;
const ladder = ['stdinGraceMs', 'termGraceMs', 'killGraceMs'] as const;
const lists = [
  'listMs',
  'quietMs',
  'longestQuietMs',
  'pollMs',
  'pollDeclaredMs',
  'relistMs',
  'closeGraceMs',
] as const;
/**
 * Selects, for each kind of machine, the delays that it needs. Machines keep only these, because every checkpoint
 * stores them.
 */
export const timingOf = {
  process: only(...ladder),
  catalog: only(...lists),
  client: only(
    ...ladder,
    ...lists,
    ...(['connectMs', 'slowMs', 'provenStableMs', 'backoffMs', 'longestBackoffMs', 'trialMs'] as const),
    ...(['pingEveryMs', 'pingMs', 'idleStopMs', 'drainMs', 'cancelGraceMs', 'exitGraceMs'] as const),
    ...(['callTotalMs', 'callIdleMs', 'confirmMs', 'lookMs'] as const),
  ),
  link: only('linkMs', 'linkBackoffMs', 'linkRestMs', 'quietMs', 'longestQuietMs'),
  cache: only('aggregateMs', 'relistMs', 'turnMs', 'closeGraceMs'),
  read: only('readMs'),
  aggregator: only('aggregateMs', 'relistMs', 'readMs', 'coalesceMs', 'turnMs', 'closeGraceMs'),
  blobs: only('aggregateMs'),
  skills: only('quietMs', 'longestQuietMs', 'aggregateMs'),
  offer: only('aggregateMs'),
  download: only('queryMs', 'refetchMs', 'agentMarginMs'),
  view: only('queryMs', 'refetchMs', 'agentMarginMs'),
};
export type TimingOf<Kind extends keyof typeof timingOf> = ReturnType<(typeof timingOf)[Kind]>;

/**
 * Returns the pause before the next try after a number of failures in a row. The pause doubles with each failure, up
 * to the longest.
 */
export const backoff = (firstMs: number, failures: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
/**
 * Largest random extension of a pause, as a share of it, so that many clients that failed together do not return
 * together.
 */
export const backoffSpread = 0.5;
/** Returns the pause before a list that could not be read is requested again: at most ten times the first pause. */
export const backoffOfList = ({ relistMs }: Pick<Timing, 'relistMs'>, failures: number): number =>
  backoff(relistMs, failures, 10 * relistMs);
/** Longest time of a call that was given no limit, as a multiple of the limit that it has instead. */
export const mostLimits = 10;
/** Number of refreshes of a list that may fail in a row before its entries are removed. */
export const refreshFailures = 3;
