import type { RequestFact } from '../../machines/kernel/ports.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** What a server told while it was at work (MCP `notifications/progress`). */
export interface CallProgress {
  /** How far it is, in a unit of its own; it grows each time. */
  readonly progress: number;
  /** What `progress` grows to, where the server knows. */
  readonly total?: number;
  /** What it does just now, in its own words. */
  readonly message?: string;
}

/** The progress of a call, where a record tells of some. */
export function progressIn(record: DirectoryRecord): CallProgress | undefined {
  if (record.k !== 'in' || record.via !== 'ask' || record.ev?.type !== 'ask.progress') return undefined;
  const { progress, total, message } = record.ev as Extract<RequestFact, { type: 'ask.progress' }>;
  return {
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message }),
  };
}
