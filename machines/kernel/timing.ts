/** In ms; a host can override each one in its input. */
export const timing = {
  /** From launch to the first list of tools; the first `npx -y` of a large package can download for minutes. */
  connectMs: 300_000,
  /** A server that takes longer no longer holds up those that wait for their turn to connect. */
  slowMs: 15_000,
  listMs: 30_000,
  /** Ready for this long, the restart budget is full again. */
  provenStableMs: 60_000,
  /** The first pause; it doubles after each failure, up to the longest one. */
  backoffMs: 500,
  longestBackoffMs: 30_000,
  /** After the restart budget is used up: pause before each further try. */
  trialMs: 300_000,
  /** The servers of one computer start one after another. */
  permitMs: 200,
  /** For a server that runs no calls; 0 = no periodic pings. */
  pingEveryMs: 30_000,
  /** 0 = no pings at all. */
  pingMs: 10_000,
  /** For a server that starts on demand; 0 = never. */
  idleStopMs: 0,
  drainMs: 5_000,
  /** For cancelled calls to settle before their server is closed. */
  cancelGraceMs: 1_000,
  /** As with both official SDKs; then the process receives SIGTERM. */
  stdinGraceMs: 2_000,
  termGraceMs: 2_000,
  /** Then the process counts as ended even if no exit was seen (uninterruptible sleep). */
  killGraceMs: 2_000,
  /** Wait after a broken stream, so that the exit of the process can be named as its cause. */
  exitGraceMs: 250,
  shutdownMs: 10_000,
  /** Longest time that a computer counts as booting, and that `a2c up` waits; 0 = no time at all. */
  bootMs: 15_000,
  /** Wait of questions about all servers while the computer boots; 0 = no wait. */
  toolsMs: 2_000,
  /** Begins again with progress, `mostLimits` times; set in a config it is the longest time. 0 = no limit. */
  callTotalMs: 60_000,
  /** Without an answer or progress; 0 = no limit. */
  callIdleMs: 0,
  /** For a person to confirm a call, and for the policy of a host to judge one. */
  confirmMs: 120_000,
  /** Output schema and VRL program; then the result is passed on as it came. */
  lookMs: 10_000,
  vrlMs: 5_000,
  vrlLoadMs: 30_000,
  vrlIdleMs: 300_000,
  /** Wait of an agent for the computer to report how a cancelled call ended; 0 = no wait. */
  cancelMs: 2_000,
  linkMs: 10_000,
  linkBackoffMs: 1_000,
  /** After the office refused our protocol version or our token. */
  linkRestMs: 300_000,
  /** Without a further change gathered tools are announced; next the longest time they are held back. */
  quietMs: 200,
  longestQuietMs: 2_000,
  /** Of servers that do not announce changes, and (`pollDeclaredMs`) of those that do. 0 = never. */
  pollMs: 60_000,
  pollDeclaredMs: 300_000,
  /** Doubles after each failure, up to ten times this value. */
  relistMs: 5_000,
  /** Parts that have not arrived by then are missing in the answer, and are read later. */
  aggregateMs: 8_000,
  closeGraceMs: 250,
  readMs: 20_000,
  coalesceMs: 200,
  queryMs: 30_000,
  /** Added by the office to the time-out of a call, so that the computer's answer can still arrive. */
  relayMarginMs: 5_000,
  /** Added by an agent, on top of that of the office. */
  agentMarginMs: 6_000,
  /** Before a view asks again for data that it could not get. */
  refetchMs: 2_000,
} as const;
/** Every delay of the machines, in milliseconds, by name. */
export type Timing = { readonly [K in keyof typeof timing]: number };
/** Delays in milliseconds for hosts to set, which the `timeouts` of a config may name, too (docs/config.md). */
export type HostTiming =
  | ('bootMs' | 'toolsMs' | 'connectMs' | 'listMs' | 'callIdleMs' | 'callTotalMs' | 'confirmMs' | 'pingMs')
  | ('drainMs' | 'shutdownMs' | 'stdinGraceMs' | 'termGraceMs');
/** Delays in milliseconds as a host gives them; those that are left out or undefined have their defaults. */
export type GivenTiming = { readonly [K in HostTiming]?: number | undefined };
/** For tests: any delay may be given, those that no host has to know included. */
export const anyTiming = (given: { readonly [K in keyof Timing]?: number | undefined }): GivenTiming => given;

const only =
  <K extends keyof Timing>(...names: readonly K[]) =>
  (all: Pick<Timing, K>): Pick<Timing, K> =>
    Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as Pick<Timing, K>;
const ladder = ['stdinGraceMs', 'termGraceMs', 'killGraceMs'] as const;
const lists = ['listMs', 'quietMs', 'longestQuietMs', 'pollMs', 'pollDeclaredMs', 'relistMs'] as const;
/** Machines keep only these, because every checkpoint stores them. */
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
  cache: only('aggregateMs', 'relistMs'),
  question: only('aggregateMs', 'closeGraceMs'),
  aggregator: only('aggregateMs', 'relistMs', 'readMs', 'coalesceMs', 'closeGraceMs'),
  blobs: only('aggregateMs'),
  skills: only('quietMs', 'longestQuietMs', 'aggregateMs'),
  offer: only('aggregateMs'),
  download: only('queryMs', 'refetchMs', 'agentMarginMs'),
  view: only('queryMs', 'refetchMs', 'agentMarginMs'),
};
export type TimingOf<Kind extends keyof typeof timingOf> = ReturnType<(typeof timingOf)[Kind]>;

export const backoff = (firstMs: number, failures: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
/** Share of a pause, so that clients that failed together do not return together. */
export const backoffSpread = 0.5;
export const backoffOfList = ({ relistMs }: Pick<Timing, 'relistMs'>, failures: number): number =>
  backoff(relistMs, failures, 10 * relistMs);
/** Longest time of a call without a limit, as a multiple of the limit that it has instead. */
export const mostLimits = 10;
export const refreshFailures = 3;
