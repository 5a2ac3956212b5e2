import { keyOf } from '../../machines/kernel/effects.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import { textOf } from '../../machines/trace/row.ts';

/** Record with the time at which it came, in ms since 1970, and its place among all that came. */
interface Held {
  readonly n: number;
  readonly at: number;
  readonly what: DirectoryRecord | Frame;
}
interface Going {
  readonly from: number;
  readonly held: Held[];
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
  return isError !== true && fieldsOf(meta)['a2c_outcome'] === 'succeeded';
}

/** A person who has to answer is told at once. */
const isForPerson = (what: DirectoryRecord | Frame): boolean =>
  what.k === 'out' && fieldsOf(what.ev)['method'] === 'confirm';

/** Records of calls that have just begun. Nearly all succeed at once, and then nobody needs to read their records. */
export class CallsUnderWay {
  readonly #going = new Map<string, Going>();
  #count = 0;
  readonly #fold: (what: DirectoryRecord | Frame, at: number) => void;
  readonly #quick: (server: string, tool: string, ms: number) => void;

  /** `quick` hears of each call that is dropped, and how long its server took. */
  constructor(
    fold: (what: DirectoryRecord | Frame, at: number) => void,
    quick: (server: string, tool: string, ms: number) => void,
  ) {
    this.#fold = fold;
    this.#quick = quick;
  }
  /** Returns false for a record that belongs to no call under way. */
  take(what: DirectoryRecord | Frame, at: number): boolean {
    const [place, ticket] = placeOf(what);
    if (ticket === '') return false;
    const known = this.#going.get(ticket);
    if (place !== 'begin' && !known) return false;
    const going = known ?? { from: at, held: [] };
    this.#going.set(ticket, going);
    this.#count += 1;
    going.held.push({ n: this.#count, at, what });
    if (place === 'end' && endedWell(what) && at - going.from < quickMs) this.#drop(ticket, going, what, at);
    else if (place === 'end' || isForPerson(what)) this.#foldAll();
    return true;
  }
  #drop(ticket: string, { held }: Going, what: DirectoryRecord | Frame, at: number): void {
    this.#going.delete(ticket);
    const sent = held.find((each) => each.what.k === 'out');
    const { server, tool } = fieldsOf('ev' in what && what.ev);
    if (sent) this.#quick(textOf(server), textOf(tool), at - sent.at);
  }
  foldOld(now: number): void {
    for (const { from } of this.#going.values()) return now - from < quickMs ? undefined : this.#foldAll();
  }
  /** All at once and in their order, because records of one call may be those of two actors. */
  #foldAll(): void {
    const all = [...this.#going.values()].flatMap(({ held }) => held).toSorted((a, b) => a.n - b.n);
    this.#going.clear();
    for (const { what, at } of all) this.#fold(what, at);
  }
}
