/** Every delay of every machine: name → default in ms. A host may override each by input. */
export const timing = {
  /**
   * Hard limit of each step from launch to the first list of tools. Long, because a first `npx -y` of a large package
   * downloads for minutes over a slow line, and to end it in the midst begins it anew.
   */
  connectMs: 300_000,
  /** Soft limit: who takes longer to connect no longer holds up those who wait for their turn. */
  slowMs: 15_000,
  /** One list with all its pages. */
  listMs: 30_000,
  /** After this long in `ready` the restart budget is full again. */
  provenStableMs: 60_000,
  /** Pause before a lost server is connected again: twice as long after each failure, up to the longest. */
  backoffMs: 500,
  longestBackoffMs: 30_000,
  /** The budget is spent: after this long one try is made by itself. */
  trialMs: 300_000,
  /** Servers of one computer come back one after another: one more may after each of these. */
  permitMs: 200,
  /** A server that nobody calls is asked this often whether it lives; 0 = never. */
  pingEveryMs: 30_000,
  /** And has so long to answer; 0 = it is not asked at all. */
  pingMs: 10_000,
  /** A server that starts when it is needed is stopped when nobody has called it for so long; 0 = never. */
  idleStopMs: 0,
  /** A stopped server finishes the calls it has for so long, then they are cancelled. */
  drainMs: 5_000,
  /** Cancelled calls get this long to settle before their server is closed. */
  cancelGraceMs: 1_000,
  /** Closed stdin → SIGTERM. */
  stdinGraceMs: 500,
  /** SIGTERM → SIGKILL. */
  termGraceMs: 2_000,
  /** SIGKILL → the process counts as ended although no exit was seen (uninterruptible sleep). */
  killGraceMs: 2_000,
  /** A stream broke: its process gets this long to show how it died, so that the failure can say so. */
  exitGraceMs: 250,
  /** The whole way down of a computer, an office, an agent; then what is left is ended by force. */
  shutdownMs: 10_000,
  /** A computer counts as booting this long at most while servers start, and `a2c up` waits for them; 0 = not at all. */
  bootMs: 15_000,
  /**
   * Questions about all servers that come while a computer boots (tools, resources, prompts, Desktop, Finder) wait so
   * long for those that start; 0 = they wait for none.
   */
  toolsMs: 2_000,
  /** A call without a limit of its own; set in a config no call of the server takes longer, whoever asks. 0 = none. */
  callTotalMs: 60_000,
  /** A call whose server says nothing for so long, neither an answer nor progress; 0 = it may be silent. */
  callIdleMs: 0,
  /** A person is asked to confirm a call; before that, the policy of a host. */
  confirmMs: 120_000,
  /** A result is held against its schema and goes through the VRL program of its server; then it is given as it came. */
  lookMs: 10_000,
  /** One program over one result. */
  vrlMs: 5_000,
  /** Bringing up the thread that runs them. */
  vrlLoadMs: 30_000,
  /** Nobody has asked for a program for so long: its thread is ended. */
  vrlIdleMs: 300_000,
  /** An agent that has cancelled a call waits so long for its computer to say how it stood; 0 = it does not wait. */
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
  /** Lists are asked for anew although no change was told; where the server declared that it tells them, and where not. 0 = never. */
  pollMs: 60_000,
  pollDeclaredMs: 300_000,
  /** A list that could not be had is asked for again: twice as long after each failure, up to ten times this. */
  relistMs: 5_000,
  /** One question for a Desktop or a Finder; what has not come by then is missing in the answer, and asked for by and by. */
  aggregateMs: 8_000,
  /** A read for a Desktop or a Finder that hangs gives its place to another after two of these, if its server lives. */
  turnMs: 150,
  /** What is being read or listed gets this long to come when whoever reads it is told to close. */
  closeGraceMs: 250,
  /** One resource that somebody reads. */
  readMs: 20_000,
  /** Changes of a Desktop or a Finder are told at once, and then at most one in each of these. */
  coalesceMs: 200,
  /** `client:get_*` and `server:list_room`: how long a peer waits. */
  queryMs: 30_000,
  /** What the office adds to a call's own time-out, so that the computer's answer can still arrive. */
  relayMarginMs: 5_000,
  /** What an agent adds on top of that. */
  agentMarginMs: 6_000,
  /** A view of a computer whose tools could not be fetched asks again. */
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
/** What each machine knows of it, and no more: each keeps its own as long as it lives, and every checkpoint has it. */
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

/** Before what could not be had is asked for again: twice as long after each failure in a row, up to ten times as long. */
export const backoffOfList = ({ relistMs }: Pick<Timing, 'relistMs'>, failures: number): number =>
  relistMs * Math.min(2 ** (failures - 1), 10);
/** Refreshes of a list that may fail in a row before its entries are taken back. */
export const refreshFailures = 3;
