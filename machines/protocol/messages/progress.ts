import { z } from 'zod';
import { asked } from '../fields.ts';

/** How far a call is, as its server tells it (MCP `notifications/progress`). */
export interface Progress {
  /** How far it is, in a unit of its own; it grows each time. */
  readonly progress: number;
  /** What `progress` grows to, where the server knows. */
  readonly total?: number;
  /** What it does just now, in its own words. */
  readonly message?: string;
}
type Told = { readonly [Key in keyof Progress]: Progress[Key] | undefined } & { readonly progress: number };
/** Its fields, in whatever else they stand. */
export const progressOf = ({ progress, total, message }: Told): Progress => ({
  progress,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message }),
});

/** So much text of a server goes with it over the wire; the rest is cut off. */
export const mostProgressText = 1_000;
/**
 * `server:tool_call_progress` and `notify:tool_call_progress`, an extension of ours: how far the call of this `req_id` is. Its
 * agent asked for it with `progress: true` in the call. No ack is expected.
 */
export const toolCallProgress = z.looseObject({
  ...asked,
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().max(mostProgressText).optional(),
});
export type ToolCallProgress = z.infer<typeof toolCallProgress>;
