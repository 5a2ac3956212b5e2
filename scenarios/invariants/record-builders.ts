import type { EventObject } from 'xstate';
import type { Address, Message } from '../../machines/kernel/effects.ts';
import type { RecordOf, SeenRecord } from './invariant.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** A number between two records lets that many ms pass. */
export function recordsOf(...told: readonly (DirectoryRecord | number)[]): readonly SeenRecord[] {
  let at = 0;
  const seen: SeenRecord[] = [];
  for (const each of told)
    if (typeof each === 'number') at += each;
    else seen.push({ at, record: each });
  return seen;
}
const event = (type: string, fields: Fields = {}): EventObject => ({ type, ...fields });

export const openRecord = (a: Address, kind: string, from: Address, input: object = {}, will?: Message) =>
  ({ k: 'open', a, kind, from, input, ...(will && { will }) }) satisfies RecordOf<'open'>;
export const endRecord = (
  a: Address,
  why: RecordOf<'end'>['why'] = 'done',
  more: Partial<RecordOf<'end'>> = {},
) => ({ k: 'end', a, why, ...more }) satisfies RecordOf<'end'>;
export const postRecord = (from: Address, a: Address, type: string, fields?: Fields) =>
  ({ k: 'post', from, a, ev: event(type, fields) }) satisfies RecordOf<'post'>;
export const timerSet = (a: Address, n: number, ms: number, via: 'timer' | 'deadline' = 'timer') =>
  ({ k: 'timer', op: 'set', via, a, n, ms }) satisfies RecordOf<'timer'>;
export const timerCleared = (a: Address, n: number) =>
  ({ k: 'timer', op: 'clear', a, n }) satisfies RecordOf<'timer'>;
export const timerFired = (a: Address, n: number, via: 'timer' | 'deadline' = 'timer') =>
  ({ k: 'in', via, a, n }) satisfies RecordOf<'in'>;
