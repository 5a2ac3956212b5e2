/** Every delay of every machine: name → default in ms. A host may override each by input. */
export const timing = {
  /**
   * Hard limit of each step from launch to the first list of tools. Long, because a first `npx -y` of a large package
   * downloads for minutes over a slow line, and would begin again from the start if it were ended.
   */
  connectMs: 300_000,
  /** Soft limit: a server that takes longer to connect no longer holds up those that wait for their turn. */
  slowMs: 15_000,
  /** One list with all its pages. */
  listMs: 30_000,
  /** Time in `ready` after which the restart budget is full again. */
  provenStableMs: 60_000,
  /** Pause before a lost server is connected again: twice as long after each failure, up to the longest. */
  backoffMs: 500,
  longestBackoffMs: 30_000,
  /** Pause after the budget is spent; then one try is made. */
  trialMs: 300_000,
  /** Time between two connect permits: servers of one computer come back one after another. */
  permitMs: 200,
  /** Time between two pings of a server without calls; 0 = never. */
  pingEveryMs: 30_000,
  /** Limit of a ping; 0 = no pings at all. */
  pingMs: 10_000,
  /** Time without a call after which a server that starts when it is needed is stopped; 0 = never. */
  idleStopMs: 0,
  /** Time in which a stopped server finishes the calls it has; then they are cancelled. */
  drainMs: 5_000,
  /** Time for cancelled calls to settle before their server is closed. */
  cancelGraceMs: 1_000,
  /** Closed stdin → SIGTERM. */
  stdinGraceMs: 500,
  /** SIGTERM → SIGKILL. */
  termGraceMs: 2_000,
  /** SIGKILL → the process counts as ended although no exit was seen (uninterruptible sleep). */
  killGraceMs: 2_000,
  /** Time that a process gets after its stream broke to show how it died, so that the failure can say so. */
  exitGraceMs: 250,
  /** The whole way down of a computer, an office, an agent; then what is left is ended by force. */
  shutdownMs: 10_000,
  /** Longest time that a computer counts as booting while servers start, and that `a2c up` waits for them; 0 = not at all. */
  bootMs: 15_000,
  /**
   * Questions about all servers that come while a computer boots (tools, resources, prompts, Desktop, Finder) wait so
   * long for those that start; 0 = they wait for none.
   */
  toolsMs: 2_000,
  /** Limit of a call without one of its own; set in a config it bounds every call of the server. 0 = none. */
  callTotalMs: 60_000,
  /** Longest silence of a server during a call, without answer or progress; 0 = it may be silent. */
  callIdleMs: 0,
  /** Time of a person to confirm a call, and of the policy of a host to judge it. */
  confirmMs: 120_000,
  /** Time for checking a result against its schema and for its VRL program; then it is given as it came. */
  lookMs: 10_000,
  /** One program over one result. */
  vrlMs: 5_000,
  /** Bringing up the thread that runs them. */
  vrlLoadMs: 30_000,
  /** Time without a program after which their thread is ended. */
  vrlIdleMs: 300_000,
  /** Time that an agent waits after a cancel for its computer to say how the call stood; 0 = none. */
  cancelMs: 2_000,
  /** Socket.IO: connect and join. */
  linkMs: 10_000,
  /** Pause before a lost office is connected again. */
  linkBackoffMs: 1_000,
  /** The same where the office has refused our version of the protocol, or our token. */
  linkRestMs: 300_000,
  /** Changes of tools are gathered: quiet this long, but at most that long. */
  quietMs: 200,
  longestQuietMs: 2_000,
  /** Time between two reads of a list although no change was told; where the server declared that it tells them, and where not. 0 = never. */
  pollMs: 60_000,
  pollDeclaredMs: 300_000,
  /** First pause before a list that could not be had is asked for again: twice as long after each failure, up to ten times this. */
  relistMs: 5_000,
  /** Limit of a question for a Desktop or a Finder; what has not come by then is missing in the answer, and read later. */
  aggregateMs: 8_000,
  /** Half of the time after which a read that hangs gives its place to another, if its server lives. */
  turnMs: 150,
  /** Time for reads and lists under way to come when their reader is told to close. */
  closeGraceMs: 250,
  /** Limit of the read of one resource. */
  readMs: 20_000,
  /** Shortest time between two announced changes of a Desktop or a Finder. */
  coalesceMs: 200,
  /** `client:get_*` and `server:list_room`: how long a peer waits. */
  queryMs: 30_000,
  /** Added by the office to a call's own time-out, so that the computer's answer can still arrive. */
  relayMarginMs: 5_000,
  /** Added by an agent on top of that. */
  agentMarginMs: 6_000,
  /** Pause of a view before it asks again for what could not be had. */
  refetchMs: 2_000,
} as const;
/**
 * Every delay, in ms, by its name. Each of them has its meaning and default at `timing` (machines/kernel/timing.ts).
 */
export type Timing = { readonly [K in keyof typeof timing]: number };

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
/** Delays that each machine keeps as long as it lives, and no more: every checkpoint has them. */
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
  view: only('queryMs', 'refetchMs', 'agentMarginMs'),
};
export type TimingOf<Kind extends keyof typeof timingOf> = ReturnType<(typeof timingOf)[Kind]>;

/** Pause before the next try after so many failures in a row: twice as long after each, up to the longest. */
export const backoff = (firstMs: number, failures: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
/** Part of a pause by which it is longer at random: many that failed together do not come back together. */
export const backoffSpread = 0.5;
/** Pause before a list that could not be had is asked for again, at most ten times the first one. */
export const backoffOfList = ({ relistMs }: Pick<Timing, 'relistMs'>, failures: number): number =>
  backoff(relistMs, failures, 10 * relistMs);
/** Refreshes of a list that may fail in a row before its entries are taken back. */
export const refreshFailures = 3;
