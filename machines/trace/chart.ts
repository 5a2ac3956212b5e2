/** Charts as a page and a drawing show them. */
import { z } from 'zod';

const statePath = z.string();
const names = z.array(z.string());

/** The parent is the path without its last part; a path of one part has the root `(any)` as parent. */
const chartNodeSchema = z.object({
  /** Such as `connected.ready.steady`; `(any)` for the machine as a whole. */
  path: statePath,
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  /** The status of the actor is read from them. */
  tags: names,
  initial: z.array(statePath),
  entry: names,
  exit: names,
  invoke: z.array(z.object({ id: z.string(), src: z.string() })),
});
const chartTransitionSchema = z.object({
  /** As in `tr` of a `step` record: `client: idle --server.start--> launching`. */
  id: z.string(),
  from: statePath,
  /** Empty when only actions run and the state stays. */
  to: z.array(statePath),
  /** Type of an event, or `always`, `after`, `onDone`, `done(child)`, `error(child)`. */
  event: z.string(),
  guard: z.string().optional(),
  /** Of an `after` transition: its name, or a number of ms. */
  delay: z.string().optional(),
  actions: names,
  /** Left and entered again although it is its own target. */
  reenter: z.boolean().optional(),
});
export const chartSchema = z.object({
  kind: z.string(),
  /** As in the head of a trace; a different one means that the trace was made with another chart. */
  fingerprint: z.string(),
  nodes: z.array(chartNodeSchema),
  transitions: z.array(chartTransitionSchema),
});
export const chartsSchema = z.record(z.string(), chartSchema);

export type ChartNode = z.infer<typeof chartNodeSchema>;
export type ChartTransition = z.infer<typeof chartTransitionSchema>;
export type Chart = z.infer<typeof chartSchema>;
/** By kind of machine, as named in `open` records. */
export type Charts = z.infer<typeof chartsSchema>;
