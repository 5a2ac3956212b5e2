import type { DirectoryRecord } from '../../../machines/trace/index.ts';

/** Nothing is left of a child: it never ran, or its group is empty, or its port instance was closed and it ended by force. */
export function isOver(record: DirectoryRecord): boolean {
  if (record.k === 'out') return record.port === 'process' && record.ev.type === 'leaf.close';
  if (record.k !== 'in' || record.via !== 'leaf' || record.ev === undefined) return false;
  const { type, left } = record.ev as { readonly type: string; readonly left?: number };
  return type === 'group.emptied' || type === 'child.failed' || (type === 'child.exited' && left === 0);
}
