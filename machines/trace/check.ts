import type { DirectoryRecord } from './record.ts';

const basis = 0x811c9dc5;
const prime = 0x01000193;

function mixed(hash: number, text: string): number {
  let mix = hash;
  for (let at = 0; at < text.length; at++) mix = Math.imul(mix ^ text.charCodeAt(at), prime);
  return Math.imul(mix ^ 0xff, prime);
}
/** Words of a message that say which turn things take. They are ours, so that no secret is among them. */
function turnOf(event: object): string {
  const { signal, stage, end } = event as { signal?: unknown; stage?: unknown; end?: unknown };
  const turn = signal ?? stage ?? end;
  return typeof turn === 'string' ? turn : '';
}
/** What tells two records apart without their payloads. */
function wordOf(record: DirectoryRecord): string {
  switch (record.k) {
    case 'in':
      return record.ev?.type ?? record.via;
    case 'post':
    case 'out':
      return record.ev.type + turnOf(record.ev);
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
const numbersOf = (record: DirectoryRecord): readonly [number, number] => {
  if (record.k === 'timer') return [record.n, record.ms ?? -1];
  return record.k === 'in' || record.k === 'draw' ? [record.n ?? 0, 0] : [0, 0];
};
/** By which way, where one word goes several. */
const wayOf = (record: DirectoryRecord): string => {
  if (record.k === 'in') return record.via;
  if (record.k === 'timer') return record.via ?? '';
  return record.k === 'out' ? record.port : record.k;
};

/**
 * 32 bits of FNV-1a over what the machines did: kinds, addresses and words in their order, no payloads. A trace
 * that holds inputs alone carries its value with each, so that a replay finds the first input after which today's
 * code did something else, for about a microsecond per input.
 */
export class Check {
  #hash: number;
  /** `value`: where another one stood. */
  constructor(value?: string) {
    this.#hash = value === undefined ? basis : Number.parseInt(value, 16);
  }

  take(record: DirectoryRecord): void {
    const [n, ms] = numbersOf(record);
    const kind = mixed(mixed(this.#hash, record.k), wayOf(record));
    const word = mixed(mixed(kind, record.a), wordOf(record));
    this.#hash = Math.imul(Math.imul(word ^ n, prime) ^ ms, prime);
  }
  /** Eight hex digits. */
  get value(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }
}
