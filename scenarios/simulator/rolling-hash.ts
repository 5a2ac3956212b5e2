import type { EventObject } from 'xstate';
import { fnv, fnvBasis, fnvPrime } from '../../machines/kernel/fnv.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

const closed = (hash: number): number => Math.imul(hash ^ 0xff, fnvPrime);
/** Words of a message that say which turn things take. They are ours, so that no secret is among them. */
function turnOf(event: EventObject): string {
  const { signal, stage, end } = event as EventObject & Record<'signal' | 'stage' | 'end', unknown>;
  const turn = signal ?? stage ?? end;
  return typeof turn === 'string' ? turn : '';
}
/** Part of a record that tells it from others without its payload. */
function wordOf(record: DirectoryRecord): string {
  switch (record.k) {
    case 'in':
      return record.ev?.type ?? record.via;
    case 'post':
    case 'out':
      return record.ev.type;
    case 'open':
      return record.kind;
    case 'end':
      return record.why;
    case 'timer':
      return record.op;
    case 'draw':
      return record.port;
    case 'defect':
      return record.what;
  }
}
/** Way of a message, where one word goes several. */
function wayOf(record: DirectoryRecord): string {
  if (record.k === 'in') return record.via;
  if (record.k === 'timer') return record.via ?? '';
  return record.k === 'out' ? record.port : record.k;
}

/**
 * 32 bits of FNV-1a over what the machines did: kinds, addresses and words in their order, no payloads. A trace
 * that holds inputs alone carries its value with each, so that a replay finds the first input after which today's
 * code did something else.
 */
export class RollingHash {
  #hash: number;
  /** `value`: where another one stood. */
  constructor(value?: string) {
    this.#hash = value === undefined ? fnvBasis : Number.parseInt(value, 16);
  }

  /** Nothing is made on the way: this runs for every record of a host. */
  take(record: DirectoryRecord): void {
    const { k } = record;
    let hash = closed(fnv(closed(fnv(this.#hash, k)), wayOf(record)));
    hash = fnv(closed(fnv(hash, record.a)), wordOf(record));
    if (k === 'post' || k === 'out') hash = fnv(hash, turnOf(record.ev));
    const n = k === 'timer' || k === 'in' || k === 'draw' ? (record.n ?? 0) : 0;
    const ms = k === 'timer' ? (record.ms ?? -1) : 0;
    this.#hash = Math.imul(Math.imul(closed(hash) ^ n, fnvPrime) ^ ms, fnvPrime);
  }
  get value(): number {
    return this.#hash >>> 0;
  }
  /** Eight hex digits. */
  get text(): string {
    return rollingHashText(this.value);
  }
}
export const rollingHashText = (value: number): string => value.toString(16).padStart(8, '0');
