import { kindIn, ownerIn, type Row } from './living.ts';
import { listOf, numberOf, stateText, textOf } from './values.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** Timeline computed from records as they come: lifetimes and states of actors, and the messages between them. */

export interface Span {
  readonly state: string;
  /** Time at which the actor entered the state, in ms since the trace began. */
  readonly from: number;
}
export interface TimerBar {
  readonly n: number;
  readonly from: number;
  readonly due: number;
  readonly isDeadline: boolean;
  /** Time at which the timer fired or was cleared; undefined while it runs. */
  to?: number;
  hasFired?: boolean;
}
/** End of a call, as the call reported it to the actor that asked. */
export interface Settled {
  readonly t: number;
  readonly end: string;
  readonly phase: string;
  readonly why: string;
}
export interface Lane {
  readonly address: string;
  readonly kind: string;
  readonly owner: string;
  readonly from: number;
  /** Tells that the actor lived before the trace begins. */
  readonly isOlder: boolean;
  readonly input: unknown;
  /** Time at which the actor ended, in ms since the trace began; undefined while it lives. */
  to?: number;
  readonly spans: Span[];
  readonly timers: TimerBar[];
  /** Indexes of the trace records about the actor. */
  readonly rows: number[];
  settled?: Settled;
}
/** Failure outside of the actors: a child process that died, or a lost session or connection. */
export interface Fault {
  readonly t: number;
  readonly index: number;
  readonly what: string;
}
/** Note that the host wrote into the trace for people. */
export interface MarkLine {
  readonly t: number;
  readonly index: number;
  readonly text: string;
}
export interface Said {
  readonly t: number;
  /** Index of the trace record of this message. */
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  /** Tells that no actor lived at the address, so that the message was lost. */
  readonly isDead: boolean;
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
const settledOf = (t: number, ev: Readonly<Record<string, unknown>>): Settled => {
  // Result for an agent that contains an error; the outcome known to the computer is in its `meta`.
  const { structuredContent, meta } = fieldsOf(ev['result']);
  const failure = ev['failure'] ?? fieldsOf(structuredContent)['error'];
  const { message, remedy } = fieldsOf(failure);
  return {
    t,
    end: textOf(fieldsOf(meta)['a2c_outcome']) || textOf(ev['end']) || textOf(ev['outcome']),
    phase: textOf(ev['phase']),
    why: [textOf(message), textOf(remedy)].filter((text) => text !== '').join('. '),
  };
};

export class Story {
  /** Lanes of all actors that ever lived, in the order in which they were opened. */
  readonly lanes: Lane[] = [];
  readonly said: Said[] = [];
  readonly faults: Fault[] = [];
  readonly marks: MarkLine[] = [];
  readonly #byAddress = new Map<string, Lane>();
  /** Latest lane of each name, because messages are sent to an address without its number. */
  readonly #byName = new Map<string, Lane>();

  lane(address: string): Lane | undefined {
    return this.#byAddress.get(address) ?? this.#byName.get(address);
  }
  add(row: Row, index: number): void {
    const { k, t } = row;
    if (k === 'key') return this.#restore(row);
    const address = textOf(row['a']);
    if (k === 'open') this.#begin(address, textOf(row['kind']), textOf(row['from']), t, false, row['input']);
    if (k === 'step' && row['st'] === undefined && !this.#byAddress.has(address))
      this.#begin(
        address,
        kindIn(address),
        ownerIn(address, this.#byAddress.keys()) ?? '',
        0,
        true,
        row['ctx'],
      );
    const lane = this.lane(address) ?? this.lane(address.slice(0, address.lastIndexOf('/')));
    lane?.rows.push(index);
    if (k === 'post' || k === 'said') this.#post(row, address, index);
    if (k === 'mark') this.marks.push({ t, index, text: textOf(row['text']) });
    if ((k === 'in' && faults.has(textOf(fieldsOf(row['ev'])['type']))) || k === 'defect')
      this.faults.push({
        t,
        index,
        what: `${textOf(fieldsOf(row['ev'])['type']) || textOf(row['what'])}: ${address}`,
      });
    if (!lane) return;
    if (k === 'end') {
      lane.to = t;
      for (const timer of lane.timers) timer.to ??= t;
    } else if (k === 'step') this.#step(lane, row);
    else if (k === 'timer') this.#timer(lane, row);
    else if (k === 'in' && (row['via'] === 'timer' || row['via'] === 'deadline'))
      this.#finish(lane, Number(row['n']), t, fieldsOf(row['ev'])['type'] !== 'late');
  }

  #begin(address: string, kind: string, owner: string, from: number, isOlder: boolean, input: unknown): Lane {
    const lane: Lane = { address, kind, owner, from, isOlder, input, spans: [], timers: [], rows: [] };
    this.lanes.push(lane);
    this.#byAddress.set(address, lane);
    this.#byName.set(address.replace(/#\d+$/, ''), lane);
    return lane;
  }
  #step(lane: Lane, { v, t }: Row): void {
    const state = stateText(v);
    if (state !== '' && lane.spans.at(-1)?.state !== state) lane.spans.push({ state, from: t });
  }
  #timer(lane: Lane, { op, n, ms, via, t }: Row): void {
    if (op !== 'set') return this.#finish(lane, Number(n), t, false);
    const due = t + (numberOf(ms) ?? 0);
    lane.timers.push({ n: Number(n), from: t, due, isDeadline: via === 'deadline' });
  }
  #finish(lane: Lane, n: number, t: number, hasFired: boolean): void {
    const timer = lane.timers.findLast((each) => each.n === n);
    if (!timer || timer.to !== undefined) return;
    timer.to = t;
    timer.hasFired = hasFired;
  }
  #post(row: Row, to: string, index: number): void {
    const ev = fieldsOf(row['ev']);
    const from = textOf(row['from']);
    const { t } = row;
    this.said.push({ t, index, from, to, type: textOf(ev['type']), isDead: row['dead'] !== undefined });
    const sender = this.#byAddress.get(from);
    if (!sender) return;
    sender.rows.push(index);
    if (sender.kind === 'call' && ev['type'] === 'call.settled') sender.settled ??= settledOf(t, ev);
  }
  /** Ends the lanes of actors missing in a checkpoint, and begins lanes for actors that are new in it. */
  #restore({ roots, t }: Row): void {
    const alive = new Set<string>();
    for (const root of listOf(roots)) {
      const address = textOf(root['a']);
      alive.add(address);
      const age = numberOf(root['age']) ?? 0;
      const owner = textOf(root['owner']);
      const context = fieldsOf(fieldsOf(root['snapshot'])['context']);
      const lane =
        this.#byAddress.get(address) ??
        this.#begin(address, textOf(root['kind']), owner, Math.max(0, t - age), true, context);
      const state = stateText(fieldsOf(root['snapshot'])['value']);
      if (state !== '' && lane.spans.at(-1)?.state !== state) lane.spans.push({ state, from: t });
      for (const { held, n, left } of listOf(root['holds'])) {
        const number = numberOf(n);
        const rest = numberOf(left);
        if (number === undefined || rest === undefined || lane.timers.some((timer) => timer.n === number))
          continue;
        lane.timers.push({ n: number, from: t, due: t + rest, isDeadline: held === 'deadline' });
      }
    }
    for (const lane of this.lanes) if (lane.to === undefined && !alive.has(lane.address)) lane.to = t;
  }
}
