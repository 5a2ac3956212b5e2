import type { EventObject } from 'xstate';
import type { Address } from '../../machines/kernel/address.ts';
import type { Message } from '../../machines/kernel/effects.ts';
import type { RecordOf, Seen } from './invariant.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** Builders of the records in the examples of invariants. A number between two records: so many ms pass. */
export function story(...told: readonly (DirectoryRecord | number)[]): readonly Seen[] {
  let at = 0;
  const seen: Seen[] = [];
  for (const each of told)
    if (typeof each === 'number') at += each;
    else seen.push({ at, record: each });
  return seen;
}
const event = (type: string, fields: Fields = {}): EventObject => ({ type, ...fields });

export const opens = (a: Address, kind: string, from: Address, input: object = {}, will?: Message) =>
  ({ k: 'open', a, kind, from, input, ...(will && { will }) }) satisfies RecordOf<'open'>;
export const ends = (a: Address, why: RecordOf<'end'>['why'] = 'done', more: Partial<RecordOf<'end'>> = {}) =>
  ({ k: 'end', a, why, ...more }) satisfies RecordOf<'end'>;
/** A message. */
export const posts = (from: Address, a: Address, type: string, fields?: Fields) =>
  ({ k: 'post', from, a, ev: event(type, fields) }) satisfies RecordOf<'post'>;
/** A command to a port instance. */
export const tells = (port: string, a: Address, type: string, fields?: Fields) =>
  ({ k: 'out', port, a, ev: event(type, fields) }) satisfies RecordOf<'out'>;
export const asks = (a: Address, id: string, session: Address, method: string, params?: unknown) =>
  tells('ask', a, 'ask', { id, target: session, method, params });
export const withdraws = (a: Address, id: string) => tells('ask', a, 'ask.withdraw', { id });
/** An answer to a question. */
export const learns = (a: Address, id: string, type = 'ask.answered', fields: Fields = { result: {} }) =>
  ({ k: 'in', via: 'ask', a, id, ev: event(type, { id, ...fields }) }) satisfies RecordOf<'in'>;
/** An order of the host. */
export const orders = (a: Address, type: string, fields?: Fields) =>
  ({ k: 'in', via: 'host', a, ev: event(type, fields) }) satisfies RecordOf<'in'>;
export const sets = (a: Address, n: number, ms: number, via: 'timer' | 'deadline' = 'timer') =>
  ({ k: 'timer', op: 'set', via, a, n, ms }) satisfies RecordOf<'timer'>;
export const clears = (a: Address, n: number) =>
  ({ k: 'timer', op: 'clear', a, n }) satisfies RecordOf<'timer'>;
export const fires = (a: Address, n: number, via: 'timer' | 'deadline' = 'timer') =>
  ({ k: 'in', via, a, n }) satisfies RecordOf<'in'>;
