import { z } from 'zod';
import { chartsSchema } from './charts.ts';
import { inspectionProtocol } from './wire.ts';

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
export const welcomeSchema = z.object({
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
export const askSchema = z.discriminatedUnion('what', [
  /** What a server wrote to its stderr and logged last: `{lines: [{at, from, level?, text}]}`, at most 500. */
  z.object({ ...ask, what: z.literal('stderr'), server: z.string().max(1_000) }),
  /** Trace that a running host has of itself until now, as text. */
  z.object({ ...ask, what: z.literal('trace') }),
  /** Of a recording: every invariant, and what today's machines make of it (`Checks`). */
  z.object({ ...ask, what: z.literal('checks') }),
  /** Frames of this session or seat come as records from now on, or no more: `{}`. */
  z.object({ ...ask, what: z.literal('frames'), a: z.string().max(1_000), on: z.boolean() }),
]);
export const controlSchema = z.object({
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
