/** Messages between the inspector and its page. */
import { z } from 'zod';

/**
 * Version and names of the connection between the inspector page and its host. This file imports no packages,
 * because the page includes it too.
 */

export const inspectionProtocol = 1;
/**
 * WebSocket subprotocol. The page offers it together with the token; the host selects this one and so never
 * repeats the token.
 */
export const subprotocol = `a2c-inspect.${inspectionProtocol}`;
export const tokenSubprotocol = (token: string): string => `token.${token}`;
export const attachPath = '/attach';
/** Path at which a page of several hosts attaches to one of them, by its index. */
export const hostPath = (index: number): string => `${attachPath}/${index}`;

/** Largest message of a page in bytes, because its questions are short; a larger one closes its connection. */
export const mostPageBytes = 64 * 1024;
/** Name of the caller of calls that the inspector page makes. Traces show it, and a permission for the session holds for it. */
export const pageCaller = 'a2c inspector page';

/**
 * Ids of the data blocks in a page saved as a single file. Each `<` in their JSON is written as `\u003c`. In a page of
 * several traces the first three have the index of their trace at the end: `a2c-trace-0`.
 */
export const embedded = {
  /** Block of type `application/json`: a `welcome` message with empty `lines`. */
  welcome: 'a2c-welcome',
  /** Block of type `text/plain`: the trace, compressed with gzip, in base64. */
  trace: 'a2c-trace',
  /** Block of type `application/json`: the `Checks` of the trace. */
  checks: 'a2c-checks',
  /** Block of type `text/plain`: the script of the worker that computes the layout of charts, in gzip and base64. */
  elk: 'a2c-elk',
} as const;

// ── charts ────────────────────────────────────────────────────────────────────────────────────────────
const statePath = z.string();
const names = z.array(z.string());

/**
 * State of a chart. Its parent is the path without the last part; a path of one part has the root `(any)` as
 * parent.
 */
const chartNodeSchema = z.object({
  /** Path of the state, such as `connected.ready.steady`; `(any)` for the machine as a whole. */
  path: statePath,
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  /** Tags from which the status of the actor is read: `connecting`, `ready` … */
  tags: names,
  /** Child states that are entered with this state. */
  initial: z.array(statePath),
  /** Names of the actions that run on entry. */
  entry: names,
  exit: names,
  /** Ports that are open while the state is active. */
  invoke: z.array(z.object({ id: z.string(), src: z.string() })),
});
const chartTransitionSchema = z.object({
  /** Text of the transition as in `tr` of a `step` record: `client: idle --server.start--> launching`. */
  id: z.string(),
  from: statePath,
  /** Target states; empty when only actions run and the state stays. */
  to: z.array(statePath),
  /** Trigger: the type of an event, or `always`, `after`, `onDone`, `done(child)`, `error(child)`. */
  event: z.string(),
  guard: z.string().optional(),
  /** Delay of an `after` transition: its name, or a number of ms. */
  delay: z.string().optional(),
  actions: names,
  /** True when the state is left and entered again although it is its own target. */
  reenter: z.boolean().optional(),
});
/** Chart of one kind of machine, as data. */
export const chartSchema = z.object({
  kind: z.string(),
  /**
   * Fingerprint of the chart, as in the head of a trace; a different one means that the trace was made with
   * another chart.
   */
  fingerprint: z.string(),
  nodes: z.array(chartNodeSchema),
  transitions: z.array(chartTransitionSchema),
});
const chartsSchema = z.record(z.string(), chartSchema);

export type ChartNode = z.infer<typeof chartNodeSchema>;
export type ChartTransition = z.infer<typeof chartTransitionSchema>;
export type Chart = z.infer<typeof chartSchema>;
/** Charts by kind of machine, as named in `open` records. */
export type Charts = z.infer<typeof chartsSchema>;

// ── checks of a recording ─────────────────────────────────────────────────────────────────────────────
/** Result of `a2c replay` for a recording, as the inspector page tells it. */
export interface Checks {
  /** Verdict of the replay: `same`, `changed`, … */
  readonly verdict: string;
  /** Invariants that do not hold, and `replay` where today's code does something else. */
  readonly failures: readonly CheckedFailure[];
}
export interface CheckedFailure {
  readonly name: string;
  /** Number of the record at which it shows; null when an expected record is missing. */
  readonly s: number | null;
  readonly what: string;
}

// ── messages of the inspector ─────────────────────────────────────────────────────────────────────────
/**
 * Messages between the inspector page and its host: JSON over one WebSocket; the lines of `records` are sent
 * as binary messages. Events are NDJSON of the trace format with the profile `full` (docs/trace-format.md),
 * live or from a file.
 */

const lines = z.string();
const id = z.int().min(0);

export const hostFactsSchema = z.object({
  kind: z.enum(['up', 'office', 'computer', 'agent', 'supervisor', 'file']),
  /** Name of the computer, agent or supervisor, URL of the office, or path of the file. */
  name: z.string(),
  /** Process id of the host; null for a file. */
  pid: z.int().nullable(),
  /** Start time of the host, ISO 8601 in UTC. */
  started: z.string().nullable(),
  /** Version of a2c-actors. */
  version: z.string(),
});
const welcomeSchema = z.object({
  type: z.literal('welcome'),
  protocol: z.literal(inspectionProtocol),
  host: hostFactsSchema,
  mode: z.enum(['live', 'file']),
  /** Tells whether the host obeys `control` messages. */
  control: z.boolean(),
  charts: chartsSchema,
  /** Tells whether `past` messages follow, with what the host did before the page connected. */
  past: z.boolean(),
  /** Description of the damage of a file, after which nothing is shown. */
  damage: z.string().optional(),
  /** Head of the trace, and for a live host a checkpoint of all living actors. */
  lines,
});
/** Message from a host to its page. */
export const toPageSchema = z.discriminatedUnion('type', [
  welcomeSchema,
  /**
   * Hosts or files that one page shows together, sent in place of a `welcome`, and again when there are more. The page then
   * opens a connection for each of them, at the path of its index, and gets its `welcome` there.
   */
  z.object({ type: z.literal('fleet'), hosts: z.array(hostFactsSchema) }),
  z.object({ type: z.literal('records'), lines }),
  /**
   * Part of what a live host exchanged with the outside before the page came: lines of a trace of the profile
   * `boundary`, numbered apart from those of `records`. The oldest may be missing.
   */
  z.object({ type: z.literal('past'), text: z.string(), isLast: z.boolean() }),
  /**
   * Report that the page was too slow and `missed` records were dropped. `lines` is a new checkpoint from
   * which it continues.
   */
  z.object({ type: z.literal('gap'), missed: z.int().min(0), lines }),
  /**
   * Announcement that all records which a live host still has will be sent, in place of those that the page has. The page
   * shows them when the record with the number `until` has come.
   */
  z.object({ type: z.literal('whole'), until: z.int().min(0) }),
  /** Report that all records of a file have been sent. */
  z.object({ type: z.literal('complete'), records: z.int().min(0) }),
  z.object({ type: z.literal('closed'), reason: z.string() }),
  z.discriminatedUnion('ok', [
    z.object({ type: z.literal('answer'), id, ok: z.literal(true), value: z.unknown() }),
    z.object({ type: z.literal('answer'), id, ok: z.literal(false), error: z.string() }),
  ]),
]);

const ask = { type: z.literal('ask'), id };
const askSchema = z.discriminatedUnion('what', [
  /**
   * Request for the recent stderr and log lines of a server, at most 500: `{lines: [{at, from, level?,
   * text}]}`.
   */
  z.object({ ...ask, what: z.literal('stderr'), server: z.string().max(1_000) }),
  /**
   * Request for a large value that records name as `{"$later": [number, size]}`, as JSON with secrets hidden; refused
   * when the host does not have it any more.
   */
  z.object({ ...ask, what: z.literal('value'), number: z.int().min(0) }),
  /**
   * Order that says whether the page shows records. While it does, the host sends all of them; otherwise only what it
   * exchanges with the outside, one line for a call that succeeds (`call`), and the states of machines every 200 ms.
   */
  z.object({ ...ask, what: z.literal('records'), isWhole: z.boolean() }),
  /** Request for the trace of a running host up to now, as text. */
  z.object({ ...ask, what: z.literal('trace') }),
  /** Request for the `Checks` of a recording: all invariants and a replay with the current code. */
  z.object({ ...ask, what: z.literal('checks') }),
  /**
   * Request for messages on the wire that the host still has: those of the client, link or seat `a`, of the call actor
   * `by`, and those on sockets with the `req_id` `req`, in each case after the message with the number `after`. The
   * answer is `{frames, last, first, isMore}`: `frame` records (docs/trace-format.md) with their numbers in `s`, the
   * number to ask after next, that of the oldest one kept, and whether the answer was cut there.
   */
  z.object({
    ...ask,
    what: z.literal('messages'),
    a: z.string().max(1_000).optional(),
    by: z.string().max(1_000).optional(),
    req: z.string().max(1_000).optional(),
    after: z.int().min(0),
  }),
]);
const controlSchema = z.object({
  type: z.literal('control'),
  id,
  verb: z.enum(['retry', 'stop', 'start', 'cancel', 'call']),
  /** Name of a server; for `cancel` the `req_id` of a call, for `call` the name of a tool. */
  target: z.string().max(1_000),
  /** Arguments of a `call`, which is answered with `{reqId}` as soon as it has begun. */
  params: z.record(z.string(), z.unknown()).optional(),
});
/** Message from a page to its host; each one is answered. */
export const fromPageSchema = z.union([askSchema, controlSchema]);

export type HostFacts = z.infer<typeof hostFactsSchema>;
export type Welcome = z.infer<typeof welcomeSchema>;
export type ToPage = z.infer<typeof toPageSchema>;
export type InspectorAsk = z.infer<typeof askSchema>;
export type InspectorControl = z.infer<typeof controlSchema>;
export type FromPage = z.infer<typeof fromPageSchema>;
