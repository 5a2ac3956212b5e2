/** What the inspector and its page say to each other. */
import { inspectionProtocol } from './inspection-wire.ts';
import { z } from 'zod';

// ── charts ────────────────────────────────────────────────────────────────────────────────────────────
const statePath = z.string();
const names = z.array(z.string());

/** One state. Its parent is its path without the last part; those of one word stand in the root, `(any)`. */
const chartNodeSchema = z.object({
  /** `connected.ready.steady`; of the machine as a whole `(any)`, as transitions name it. */
  path: statePath,
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  /** What status is read from: `connecting`, `ready` … */
  tags: names,
  /** The states that are entered with it. */
  initial: z.array(statePath),
  /** Actions by name. */
  entry: names,
  exit: names,
  /** Ports that are open as long as the state. */
  invoke: z.array(z.object({ id: z.string(), src: z.string() })),
});
const chartTransitionSchema = z.object({
  /** The same text as in `tr` of a `step`: `client: idle --server.start--> launching`. */
  id: z.string(),
  from: statePath,
  /** Empty: the state stays, only the actions run. */
  to: z.array(statePath),
  /** The type of an event, or `always`, `after`, `onDone`, `done(child)`, `error(child)`. */
  event: z.string(),
  guard: z.string().optional(),
  /** Of `after`: the delay by name, or ms. */
  delay: z.string().optional(),
  actions: names,
  /** The state is left and entered again although it is its own target. */
  reenter: z.boolean().optional(),
});
/** The chart of one kind of machine, as data. */
export const chartSchema = z.object({
  kind: z.string(),
  /** The one in the head of a trace: a trace of another fingerprint was made by another chart. */
  fingerprint: z.string(),
  nodes: z.array(chartNodeSchema),
  transitions: z.array(chartTransitionSchema),
});
const chartsSchema = z.record(z.string(), chartSchema);

export type ChartNode = z.infer<typeof chartNodeSchema>;
export type ChartTransition = z.infer<typeof chartTransitionSchema>;
export type Chart = z.infer<typeof chartSchema>;
/** By kind, as in `open` records. */
export type Charts = z.infer<typeof chartsSchema>;

// ── checks of a recording ─────────────────────────────────────────────────────────────────────────────
/** What `a2c replay` says of a recording, as its page shows it. */
export interface Checks {
  /** `same`, `changed`, … */
  readonly verdict: string;
  /** As `a2c replay` prints it. */
  readonly text: string;
  readonly invariants: readonly CheckedInvariant[];
  /** Where today's code does something else; null: it does the same. */
  readonly difference: CheckedDifference | null;
}
export interface CheckedInvariant {
  readonly name: string;
  readonly why: string;
  readonly violations: readonly {
    /** The number of the record that broke it; null: what never came. */
    readonly s: number | null;
    readonly at: string;
    readonly what: string;
  }[];
}
export interface CheckedDifference {
  /** The number of the input that was handled; null: it is not there. */
  readonly s: number | null;
  /** Events of the world just before, as text. */
  readonly before: readonly string[];
  /** Crossing that was recorded, and that of today's code; null: nothing. */
  readonly recorded: string | null;
  readonly now: string | null;
  /** Cause of the change, in words. */
  readonly cause: string;
}

// ── messages of the inspector ─────────────────────────────────────────────────────────────────────────
/**
 * What an inspector's page and the host that serves it say to each other: JSON texts over one WebSocket, and the lines
 * of `records` alone as binary messages. Everything
 * that happened is NDJSON of the trace format with the profile `full` (docs/trace-format.md), live or from a file.
 */

const lines = z.string();
const id = z.int().min(0);

export const hostFactsSchema = z.object({
  kind: z.enum(['up', 'office', 'computer', 'agent', 'file']),
  /** Of the computer or agent, the URL of the office, the path of the file. */
  name: z.string(),
  /** Of a file null. */
  pid: z.int().nullable(),
  /** When it began, ISO 8601, UTC. */
  started: z.string().nullable(),
  /** Of a2c-actors. */
  version: z.string(),
});
const welcomeSchema = z.object({
  type: z.literal('welcome'),
  protocol: z.literal(inspectionProtocol),
  host: hostFactsSchema,
  mode: z.enum(['live', 'file']),
  /** Whether `control` is obeyed. */
  control: z.boolean(),
  charts: chartsSchema,
  /** Head, and for a live host a checkpoint in which everything stands that lives. */
  lines,
});
/** From a host to its page. */
export const toPageSchema = z.discriminatedUnion('type', [
  welcomeSchema,
  z.object({ type: z.literal('records'), lines }),
  /** The page was too slow: so many records never come. `lines` is a new checkpoint, from which it goes on. */
  z.object({ type: z.literal('gap'), missed: z.int().min(0), lines }),
  /** Of a file: everything has come. */
  z.object({ type: z.literal('complete'), records: z.int().min(0) }),
  z.object({ type: z.literal('closed'), reason: z.string() }),
  z.discriminatedUnion('ok', [
    z.object({ type: z.literal('answer'), id, ok: z.literal(true), value: z.unknown() }),
    z.object({ type: z.literal('answer'), id, ok: z.literal(false), error: z.string() }),
  ]),
]);

const ask = { type: z.literal('ask'), id };
const askSchema = z.discriminatedUnion('what', [
  /** What a server wrote to its stderr and logged last: `{lines: [{at, from, level?, text}]}`, at most 500. */
  z.object({ ...ask, what: z.literal('stderr'), server: z.string().max(1_000) }),
  /** Trace that a running host has of itself until now, as text. */
  z.object({ ...ask, what: z.literal('trace') }),
  /** Of a recording: every invariant, and what today's machines make of it (`Checks`). */
  z.object({ ...ask, what: z.literal('checks') }),
  /** Frames of this session or seat come as records from now on, or no more: `{}`. */
  z.object({ ...ask, what: z.literal('frames'), a: z.string().max(1_000), on: z.boolean() }),
]);
const controlSchema = z.object({
  type: z.literal('control'),
  id,
  verb: z.enum(['retry', 'stop', 'start', 'cancel']),
  /** The name of a server; of `cancel` the `req_id` of a call. */
  target: z.string().max(1_000),
});
/** From a page to its host. Each is answered. */
export const fromPageSchema = z.union([askSchema, controlSchema]);

export type HostFacts = z.infer<typeof hostFactsSchema>;
export type Welcome = z.infer<typeof welcomeSchema>;
export type ToPage = z.infer<typeof toPageSchema>;
export type InspectorAsk = z.infer<typeof askSchema>;
export type InspectorControl = z.infer<typeof controlSchema>;
export type FromPage = z.infer<typeof fromPageSchema>;
