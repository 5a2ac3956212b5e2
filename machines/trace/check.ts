import type { DirectoryRecord } from './record.ts';

const basis = 0x811c9dc5;
const prime = 0x01000193;

function mixed(hash: number, text: string): number {
  let mix = hash;
  for (let at = 0; at < text.length; at++) mix = Math.imul(mix ^ text.charCodeAt(at), prime);
  return Math.imul(mix ^ 0xff, prime);
}
/** What tells two records apart without their payloads. */
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
const numberOf = (record: DirectoryRecord): number => {
  if (record.k === 'timer') return record.n * 31 + (record.ms ?? 0);
  return record.k === 'in' ? (record.n ?? 0) : 0;
};

/**
 * 32 bits of FNV-1a over what the machines did: kinds, addresses and words in their order, no payloads. A trace
 * that holds inputs alone carries its value with each, so that a replay finds the first input after which today's
 * code did something else, for about a microsecond per input.
 */
export class Check {
  #hash = basis;

  take(record: DirectoryRecord): void {
    const word = mixed(
      mixed(Math.imul(this.#hash ^ record.k.charCodeAt(0), prime), record.a),
      wordOf(record),
    );
    this.#hash = Math.imul(word ^ numberOf(record), prime);
  }
  /** Eight hex digits. */
  get value(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }
}
