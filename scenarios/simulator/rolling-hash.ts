import type { EventObject } from 'xstate';
import { fnv, fnvBasis, fnvPrime } from '../../machines/kernel/fnv.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';

const closed = (hash: number): number => Math.imul(hash ^ 0xff, fnvPrime);
/** Their values are defined by this project, so no secret is among them. */
function turnOf(event: EventObject): string {
  const { signal, stage, end } = event as EventObject & Record<'signal' | 'stage' | 'end', unknown>;
  const turn = signal ?? stage ?? end;
  return typeof turn === 'string' ? turn : '';
}
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
function wayOf(record: DirectoryRecord): string {
  if (record.k === 'in') return record.via;
  if (record.k === 'timer') return record.via ?? '';
  return record.k === 'out' ? record.port : record.k;
}

/** 32 bits of FNV-1a, without payloads; a replay finds the first input after which today's code differs. */
export class RollingHash {
  #hash: number;
  constructor(value?: string) {
    this.#hash = value === undefined ? fnvBasis : Number.parseInt(value, 16);
  }

  /** Creates no objects, because it runs for every record of a host. */
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
  get text(): string {
    return rollingHashText(this.value);
  }
}
export const rollingHashText = (value: number): string => value.toString(16).padStart(8, '0');
