import { keyOf } from '../../machines/kernel/effects.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import { textOf } from '../../machines/trace/row.ts';

/** Record with its place among all that came, and the time at which it came, in ms since 1970. */
export interface Told {
  readonly s: number;
  readonly w: number;
  readonly what: DirectoryRecord | Frame;
}
/** A call that succeeds within this time in ms is no incident. */
const quickMs = 1_000;

const ticketIn = (address: string): string => {
  const at = address.lastIndexOf('/call:');
  if (at < 0) return '';
  const hash = address.lastIndexOf('#');
  return address.slice(at + '/call:'.length, hash < at ? undefined : hash);
};
/** Place of a record in its call, and the call's ticket as addresses have it; empty for what is of no call. */
function placeOf(what: DirectoryRecord | Frame): readonly [at: 'begin' | 'step' | 'end', ticket: string] {
  if (what.k === 'frame') {
    const { ack, req_id, agent } = fieldsOf(what.json);
    return [ack === undefined ? 'begin' : 'end', `office.${textOf(agent)}.${textOf(req_id)}`];
  }
  const ev = fieldsOf('ev' in what ? what.ev : undefined);
  const ofHost = (): string => keyOf(`host.${textOf(ev['reqId'])}`);
  if (what.k === 'in' && (ev['type'] === 'call.request' || ev['type'] === 'agent.call'))
    return ['begin', ofHost()];
  if (what.k === 'in' && ev['type'] === 'agent.called') return ['begin', keyOf(textOf(ev['ticket']))];
  if (what.k === 'post') return ['end', ev['type'] === 'call.settled' ? ofHost() : ''];
  if (ev['type'] === 'link.answer') return ['end', keyOf(textOf(ev['ticket']))];
  return ['step', ticketIn(what.a)];
}
function endedWell(what: DirectoryRecord | Frame): boolean {
  const told = what.k === 'frame' ? fieldsOf(what.json) : fieldsOf('ev' in what && what.ev);
  if (told['type'] !== 'link.answer') return told['outcome'] === 'succeeded';
  const { isError, meta } = fieldsOf(told['body']);
  const outcome = fieldsOf(meta)['a2c_outcome'] ?? 'succeeded';
  return isError !== true && outcome === 'succeeded';
}

/** A person who has to answer is told at once. */
const isForPerson = (what: DirectoryRecord | Frame): boolean =>
  what.k === 'out' && fieldsOf(what.ev)['method'] === 'confirm';

/** Records of calls that have just begun. Nearly all succeed at once, and then nobody needs to read their records. */
export class CallsUnderWay<T extends Told> {
  /** Records of each call, by its ticket. */
  readonly #going = new TransientMap<string, T[]>();
  readonly #fold: (told: T) => void;
  readonly #quick: (held: readonly T[]) => void;

  /** `quick` gets the records of a call that succeeded at once, `fold` each record of the others. */
  constructor(fold: (told: T) => void, quick: (held: readonly T[]) => void) {
    this.#fold = fold;
    this.#quick = quick;
  }
  /** Returns false for a record that belongs to no call under way. */
  take(told: T): boolean {
    const { what, w } = told;
    const [place, ticket] = placeOf(what);
    if (ticket === '') return false;
    const held = this.#going.get(ticket) ?? (place === 'begin' ? [] : undefined);
    if (!held) return false;
    this.#going.set(ticket, held);
    held.push(told);
    if (place === 'end' && endedWell(what) && w - (held[0]?.w ?? w) < quickMs) {
      this.#going.delete(ticket);
      this.#quick(held);
    } else if (place === 'end' || isForPerson(what)) this.foldAll();
    return true;
  }
  foldOld(now: number): void {
    for (const [first] of this.#going.values())
      return now - (first?.w ?? now) < quickMs ? undefined : this.foldAll();
  }
  /** In their order, because records of one call may be those of two actors. */
  foldAll(): void {
    const all = [...this.#going.values()].flat().toSorted((a, b) => a.s - b.s);
    this.#going.clear();
    for (const told of all) this.#fold(told);
  }
}
