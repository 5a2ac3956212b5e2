import { z } from 'zod';

const path = z.string();
const names = z.array(z.string());

/** One state. Its parent is its path without the last part; those of one word stand in the root, `(any)`. */
export const chartNodeSchema = z.object({
  /** `connected.ready.steady`; of the machine as a whole `(any)`, as transitions name it. */
  path,
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  /** What status is read from: `connecting`, `ready` … */
  tags: names,
  /** The states that are entered with it. */
  initial: z.array(path),
  /** Actions by name. */
  entry: names,
  exit: names,
  /** Ports that are open as long as the state. */
  invoke: z.array(z.object({ id: z.string(), src: z.string() })),
});
export const chartTransitionSchema = z.object({
  /** The same text as in `tr` of a `step`: `client: idle --server.start--> launching`. */
  id: z.string(),
  from: path,
  /** Empty: the state stays, only the actions run. */
  to: z.array(path),
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
export const chartsSchema = z.record(z.string(), chartSchema);

export type ChartNode = z.infer<typeof chartNodeSchema>;
export type ChartTransition = z.infer<typeof chartTransitionSchema>;
export type Chart = z.infer<typeof chartSchema>;
/** By kind, as in `open` records. */
export type Charts = z.infer<typeof chartsSchema>;
