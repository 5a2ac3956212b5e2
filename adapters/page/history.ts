/** Living actors and their lanes, folded once from a trace, so that both agree. Pure. */
import { type Row, listOf, numberOf, textOf } from '../../machines/trace/row.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import { contextAfter, isSameOutside } from '../../machines/trace/record.ts';
import { countWhile, nameOf, stateText } from './values.ts';

interface Timer {
  readonly n: number;
  /** Time at which the timer was set or first seen in a checkpoint, in ms since the trace began. */
  readonly from: number;
  readonly due: number;
  readonly isDeadline: boolean;
}
/** Living actor at one moment of the trace; times are in ms since the trace began. */
export interface Living {
  readonly address: string;
  readonly kind: string;
  /** Address of the actor that opened this one; after a checkpoint, of its owner. */
  readonly owner: string | null;
  readonly state: unknown;
  readonly context: unknown;
  readonly opened: number;
  /** Changes within parallel regions aside; null when the actor entered it before the trace began. */
  readonly since: number | null;
  readonly taken: readonly string[];
  readonly timers: ReadonlyMap<number, Timer>;
}
export type Alive = ReadonlyMap<string, Living>;

interface LivingChange {
  readonly address: string;
  readonly before: Living | undefined;
  readonly after: Living | undefined;
}
/** Words are compared first, because most states are words and a long trace has hundreds of thousands. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
const startOf = (address: string, kind: string, owner: string | null): Omit<Living, 'opened' | 'since'> => ({
  address,
  kind,
  owner,
  state: undefined,
  context: undefined,
  taken: [],
  timers: new Map(),
});
/** An actor already known keeps what the checkpoint does not contain. */
function restoredActor(root: Fields, t: number, known: Living | undefined): Living {
  const { owner, age, inState, holds } = root;
  const { value, context } = fieldsOf(root['snapshot']);
  const isStill = known !== undefined && isSame(known.state, value);
  const timers = listOf(holds).flatMap(({ held, n, left }): Timer[] =>
    typeof n === 'number' && typeof left === 'number'
      ? [{ n, from: known?.timers.get(n)?.from ?? t, due: t + left, isDeadline: held === 'deadline' }]
      : [],
  );
  return {
    address: textOf(root['a']),
    kind: textOf(root['kind']),
    owner: typeof owner === 'string' ? owner : null,
    state: value,
    context,
    opened: known?.opened ?? t - (numberOf(age) ?? 0),
    since:
      known && isSameOutside(known.state, value)
        ? known.since
        : typeof inState === 'number'
          ? t - inState
          : null,
    taken: isStill ? known.taken : [],
    timers: new Map(timers.map((timer) => [timer.n, timer])),
  };
}
function restoreAll(alive: Map<string, Living>, { roots, t }: Row): LivingChange[] {
  const before = new Map(alive);
  alive.clear();
  for (const root of listOf(roots)) {
    const living = restoredActor(root, t, before.get(textOf(root['a'])));
    alive.set(living.address, living);
  }
  return [...new Set([...before.keys(), ...alive.keys()])].map((address) => ({
    address,
    before: before.get(address),
    after: alive.get(address),
  }));
}
function withTimer(known: Living, { n, op, ms, via, t }: Row): Living {
  const timers = new Map(known.timers);
  const number = Number(n);
  if (op === 'set' && typeof ms === 'number')
    timers.set(number, { n: number, from: t, due: t + ms, isDeadline: via === 'deadline' });
  else timers.delete(number);
  return { ...known, timers };
}
const isFoundLate = ({ state, since }: Living): boolean => state === undefined && since === null;
function afterStep(known: Living, { v, ctx, gone, tr, t }: Row): Living {
  const isMoved = v !== undefined && !isSame(v, known.state);
  return {
    ...known,
    // Leaves the time of entering the state unknown for an actor found only after its start.
    ...(isMoved && { state: v }),
    ...(isMoved && !isSameOutside(v, known.state) && { since: isFoundLate(known) ? null : t }),
    ...((ctx !== undefined || gone !== undefined) && { context: contextAfter(known.context, { ctx, gone }) }),
    ...(Array.isArray(tr) && tr.length > 0 && { taken: tr.map(textOf) }),
  };
}
const aboveOf = (address: string): string => address.slice(0, Math.max(0, address.lastIndexOf('/')));
/** Its opening was dropped from the ring buffer of the recorder; kind and owner are read from the address. */
function foundLate(alive: Alive, address: string): Living {
  const kind = nameOf(address.split('/').at(-1) ?? '').replace(/:.*/, '');
  const owner = [...alive.keys()].findLast((each) => nameOf(each) === aboveOf(address));
  return { ...startOf(address, kind, owner ?? null), opened: 0, since: null };
}
function actorAfter(row: Row, address: string, alive: Alive): Living | undefined {
  const { k, t, via } = row;
  if (k === 'end') return undefined;
  if (k === 'open')
    return { ...startOf(address, textOf(row['kind']), textOf(row['from'])), opened: t, since: t };
  const isLate = k === 'step' && row['st'] === undefined && !alive.has(address);
  const known = isLate ? foundLate(alive, address) : alive.get(address);
  if (known === undefined) return undefined;
  if (k === 'step') return afterStep(known, row);
  if (k === 'timer') return withTimer(known, row);
  // Clears a timer that fires, because no other record does that.
  if (k === 'in' && (via === 'timer' || via === 'deadline')) return withTimer(known, { ...row, op: 'clear' });
  return known;
}
export function applyRow(alive: Map<string, Living>, row: Row): readonly LivingChange[] {
  if (row.k === 'key') return restoreAll(alive, row);
  const address = textOf(row['a']);
  const before = alive.get(address);
  const after = actorAfter(row, address, alive);
  if (before === after) return [];
  if (after) alive.set(address, after);
  else alive.delete(address);
  return [{ address, before, after }];
}

interface Span {
  readonly state: string;
  readonly from: number;
}
/** Whole life of one actor; times are in ms since the trace began. */
export interface Lane {
  readonly address: string;
  readonly kind: string;
  readonly owner: string;
  readonly from: number;
  readonly isOlder: boolean;
  readonly input: unknown;
  to?: number;
  readonly spans: Span[];
  readonly rows: number[];
}
/** Failure outside of the actors: a child process that died, or a lost session or connection. */
interface Fault {
  readonly t: number;
  readonly index: number;
  readonly what: string;
}
interface MarkLine {
  readonly t: number;
  readonly index: number;
  readonly text: string;
}
const faults = new Set([
  'child.exited',
  'child.failed',
  'session.lost',
  'session.failed',
  'link.down',
  'link.refused',
  'office.failed',
]);
/** Largest number of trace records that are applied again to show a moment of the past. */
const stride = 1_000;

/** Records are only appended. */
export class History {
  readonly lanes: Lane[] = [];
  readonly faults: Fault[] = [];
  readonly marks: MarkLine[] = [];
  readonly #byAddress = new Map<string, Lane>();
  /** Latest lane at each address without its number (`#3`), because messages are sent to such addresses. */
  readonly #byName = new Map<string, Lane>();
  readonly #rows: Row[] = [];
  readonly #last = new Map<string, Living>();
  /** Living actors after each `stride` trace records, from which a moment of the past is computed. */
  readonly #moments: Alive[] = [];
  #shown: { readonly end: number; readonly length: number; readonly alive: Alive } | undefined;

  get length(): number {
    return this.#rows.length;
  }
  add(row: Row): void {
    const index = this.#rows.length;
    if (index % stride === 0) this.#moments.push(new Map(this.#last));
    this.#rows.push(row);
    for (const change of applyRow(this.#last, row)) this.#continue(change, row);
    this.#note(row, index);
  }
  row(index: number): Row | undefined {
    return this.#rows[index];
  }
  rows(): readonly Row[] {
    return this.#rows;
  }
  lane(address: string): Lane | undefined {
    return this.#byAddress.get(address) ?? this.#byName.get(address);
  }
  /** Below 0 there are none; beyond the end the last record counts. */
  at(index: number): Alive {
    const end = Math.min(Math.floor(index), this.#rows.length - 1);
    if (end < 0) return new Map();
    const { length } = this.#rows;
    if (this.#shown?.end !== end || this.#shown.length !== length)
      this.#shown = { end, length, alive: this.#folded(end) };
    return this.#shown.alive;
  }
  #folded(end: number): Alive {
    if (end === this.#rows.length - 1) return new Map(this.#last);
    const moment = Math.floor(end / stride);
    const alive = new Map(this.#moments[moment]);
    for (const row of this.#rows.slice(moment * stride, end + 1)) applyRow(alive, row);
    return alive;
  }
  indexOf(s: number): number | undefined {
    // Returns the record before a list, because a list has the number of the record after it.
    const index = this.#before(({ s: other }) => other <= s) - 1;
    return this.#rows[index]?.s === s ? index : undefined;
  }
  /** At or before `t`, in ms since the trace began; -1 when all are later. */
  indexAt(t: number): number {
    return this.#before((row) => row.t <= t) - 1;
  }
  #before(isSo: (row: Row) => boolean): number {
    return countWhile(this.#rows, isSo);
  }
  #continue({ address, before, after }: LivingChange, row: Row): void {
    const known = this.#byAddress.get(address);
    const lane = after && (!known || row.k === 'open') ? this.#begin(after, row) : known;
    if (!lane) return;
    const { t } = row;
    const state = after === undefined || after.state === before?.state ? '' : stateText(after.state);
    if (state !== '' && lane.spans.at(-1)?.state !== state) lane.spans.push({ state, from: t });
    if (!after) lane.to = t;
  }
  #begin({ address, kind, owner, opened, context }: Living, row: Row): Lane {
    const isOlder = row.k !== 'open';
    // Finds an owner that has ended by the address, so that the lane is drawn below the lane of its owner.
    const above = owner ?? this.#byName.get(aboveOf(address))?.address ?? '';
    const lane: Lane = {
      address,
      kind,
      owner: above,
      from: Math.max(0, opened),
      isOlder,
      input: isOlder ? context : row['input'],
      spans: [],
      rows: [],
    };
    this.lanes.push(lane);
    this.#byAddress.set(address, lane);
    this.#byName.set(nameOf(address), lane);
    return lane;
  }
  #note(row: Row, index: number): void {
    const { k, t } = row;
    const address = textOf(row['a']);
    const ev = fieldsOf(row['ev']);
    const type = textOf(ev['type']);
    (this.lane(address) ?? this.lane(aboveOf(address)))?.rows.push(index);
    if (k === 'mark') this.marks.push({ t, index, text: textOf(row['text']) });
    if ((k === 'in' && faults.has(type)) || k === 'defect')
      this.faults.push({ t, index, what: `${type || textOf(row['what'])}: ${address}` });
    if (k !== 'post' && k !== 'said') return;
    this.#byAddress.get(textOf(row['from']))?.rows.push(index);
  }
}
