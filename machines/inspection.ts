/** Messages between the inspector and its page. */
import { z } from 'zod';
import { chartsSchema } from './trace/chart.ts';
import type { Incident } from './incidents/incident.ts';

export const inspectionProtocol = 1;
/** The page offers it with the token; the host selects this one and so never repeats the token. */
export const subprotocol = `a2c-inspect.${inspectionProtocol}`;
export const tokenSubprotocol = (token: string): string => `token.${token}`;
export const attachPath = '/attach';
export const hostPath = (index: number): string => `${attachPath}/${index}`;

/** In bytes; its questions are short, and a larger message closes its connection. */
export const mostPageBytes = 64 * 1024;

/** Each `<` in their JSON is `\u003c`. With several traces the first three end with an index: `a2c-trace-0`. */
export const embedded = {
  /** `application/json`: a `welcome` message with empty `lines`. */
  welcome: 'a2c-welcome',
  /** `text/plain`: gzip in base64. */
  trace: 'a2c-trace',
  /** `application/json`: the `Checks` of the trace. */
  checks: 'a2c-checks',
  /** `text/plain`: script of the worker that computes the layout of charts, gzip in base64. */
  elk: 'a2c-elk',
} as const;

/** Result of `a2c replay` for a recording, as the inspector page tells it. */
export interface Checks {
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

/** JSON over one WebSocket, `records` as binary; events are NDJSON of the profile `full` (docs/trace-format.md). */

const lines = z.string();
const id = z.int().min(0);

export const hostFactsSchema = z.object({
  kind: z.enum(['up', 'office', 'computer', 'agent', 'supervisor', 'file']),
  /** Of the computer, agent or supervisor; URL of the office, or path of the file. */
  name: z.string(),
  /** Null for a file. */
  pid: z.int().nullable(),
  /** ISO 8601 in UTC. */
  started: z.string().nullable(),
  version: z.string(),
});
const welcomeSchema = z.object({
  type: z.literal('welcome'),
  protocol: z.literal(inspectionProtocol),
  host: hostFactsSchema,
  mode: z.enum(['live', 'file']),
  control: z.boolean(),
  charts: chartsSchema,
  /** `past` messages follow, with what the host did before the page connected. */
  past: z.boolean(),
  /** Of a file; after it nothing is shown. */
  damage: z.string().optional(),
  /** Head of the trace, and for a live host a checkpoint of all living actors. */
  lines,
});
export const toPageSchema = z.discriminatedUnion('type', [
  welcomeSchema,
  /** In place of a `welcome`, and again when there are more; each then gets a connection at its index's path. */
  z.object({ type: z.literal('fleet'), hosts: z.array(hostFactsSchema) }),
  z.object({ type: z.literal('records'), lines }),
  /** Incidents of the host since `since`: all, or those that have changed. */
  z.object({
    type: z.literal('incidents'),
    incidents: z.array(z.custom<Incident>()),
    isAll: z.boolean(),
    since: z.number(),
  }),
  /** Every two seconds, so that a page knows that the host still runs; with all charts when it has got more. */
  z.object({ type: z.literal('beat'), charts: chartsSchema.optional() }),
  /** Exchanged before the page came: profile `boundary`, numbered apart from `records`; the oldest may be missing. */
  z.object({ type: z.literal('past'), text: z.string(), isLast: z.boolean() }),
  /** It continues from the checkpoint `lines`: it was too slow, and `missed` records were dropped, or it gets more or fewer. */
  z.object({ type: z.literal('gap'), missed: z.int().min(0), lines }),
  z.object({ type: z.literal('complete'), records: z.int().min(0) }),
  /** `isLost`: the host went without a word, as one that was killed. */
  z.object({ type: z.literal('closed'), reason: z.string(), isLost: z.boolean().optional() }),
  z.discriminatedUnion('ok', [
    z.object({ type: z.literal('answer'), id, ok: z.literal(true), value: z.unknown() }),
    z.object({ type: z.literal('answer'), id, ok: z.literal(false), error: z.string() }),
  ]),
]);

const ask = { type: z.literal('ask'), id };
const askSchema = z.discriminatedUnion('what', [
  /** At most 500 recent ones, of stderr and log: `{lines: [{at, from, level?, text}]}`. */
  z.object({ ...ask, what: z.literal('stderr'), server: z.string().max(1_000) }),
  /** Named in records as `{"$later": [number, size]}`; refused when the host does not have it any more. */
  z.object({ ...ask, what: z.literal('value'), number: z.int().min(0) }),
  /** Otherwise only the exchange with the outside, a line for each good `call`, and states every 200 ms. */
  z.object({ ...ask, what: z.literal('records'), isWhole: z.boolean() }),
  z.object({ ...ask, what: z.literal('trace') }),
  /** A person has looked at these incidents. */
  z.object({ ...ask, what: z.literal('seen'), ids: z.array(z.string().max(1_000)).max(1_000) }),
  /** Trace that the host has written because of an incident, otherwise what it has in memory, also of before the page came. */
  z.object({ ...ask, what: z.literal('story'), incident: z.string().max(1_000).optional() }),
  /** All invariants, and a replay with the current code. */
  z.object({ ...ask, what: z.literal('checks') }),
  /** Those of `a`, `by` or `req` after the number `after`; the answer is `{frames, last, isMore}`. */
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
  /** A server; for `cancel` the `req_id` of a call, for `call` the name of a tool. */
  target: z.string().max(1_000),
  /** Of a `call`, which is answered with `{reqId}` as soon as it has begun. */
  params: z.record(z.string(), z.unknown()).optional(),
});
export const fromPageSchema = z.union([askSchema, controlSchema]);

export type HostFacts = z.infer<typeof hostFactsSchema>;
export type Welcome = z.infer<typeof welcomeSchema>;
export type ToPage = z.infer<typeof toPageSchema>;
export type InspectorAsk = z.infer<typeof askSchema>;
export type InspectorControl = z.infer<typeof controlSchema>;
export type FromPage = z.infer<typeof fromPageSchema>;
