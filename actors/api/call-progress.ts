import type { RequestFact } from '../../machines/kernel/ports.ts';
import { progressOf, type Progress } from '../../machines/protocol/messages/progress.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** The progress of a call, where a record tells of some. */
export function progressIn(record: DirectoryRecord): Progress | undefined {
  if (record.k !== 'in' || record.via !== 'ask' || record.ev?.type !== 'ask.progress') return undefined;
  return progressOf(record.ev as Extract<RequestFact, { type: 'ask.progress' }>);
}
