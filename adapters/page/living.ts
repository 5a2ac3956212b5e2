import { contextAfter } from '../../machines/trace/step.ts';
import { listOf, textOf } from './values.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';

/** Living actors and their states after each record, computed from a trace with the profile `full`. Pure functions. */

/** Record of a trace, which is one line of its file. */
export interface Row extends Fields {
  readonly s: number;
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly k: string;
}
export interface Living {
  readonly address: string;
  readonly kind: string;
  /** Address of the actor that opened this one; after a checkpoint, of its owner. */
  readonly owner: string | null;
  /** State of the actor as XState has it: a word, or an object of words. */
  readonly state: unknown;
  readonly context: unknown;
  /** Time at which the actor was opened, in ms since the trace began. */
  readonly opened: number;
  /** Time since which the actor is in this state, in ms since the trace began; null when this was before. */
  readonly since: number | null;
  /** Ids of the state transitions that the actor took last. */
  readonly taken: readonly string[];
  /** Times at which running timers fire, in ms since the trace began, by number of the timer. */
  readonly due: ReadonlyMap<number, number>;
}
/** Map of living actors by their address. */
export type Alive = ReadonlyMap<string, Living>;

const timesOf = (holds: unknown, t: number): Map<number, number> =>
  new Map(
    listOf(holds).flatMap(({ n, left }) =>
      typeof n === 'number' && typeof left === 'number' ? [[n, t + left] as const] : [],
    ),
  );

/**
 * Replaces all living actors by those of a checkpoint; an actor already known keeps what the checkpoint does not
 * contain.
 */
function restore(alive: Map<string, Living>, { roots, t }: Row): void {
  const before = new Map(alive);
  alive.clear();
  for (const root of listOf(roots)) {
    const { owner, age, inState, holds } = root;
    const { value, context } = fieldsOf(root['snapshot']);
    const address = textOf(root['a']);
    const known = before.get(address);
    const isSame = known !== undefined && JSON.stringify(known.state) === JSON.stringify(value);
    alive.set(address, {
      address,
      kind: textOf(root['kind']),
      owner: typeof owner === 'string' ? owner : null,
      state: value,
      context,
      opened: known?.opened ?? t - (typeof age === 'number' ? age : 0),
      since: isSame ? known.since : typeof inState === 'number' ? t - inState : null,
      taken: isSame ? known.taken : [],
      due: timesOf(holds, t),
    });
  }
}
function withTimer({ due }: Living, { n, op, ms, t }: Row): Map<number, number> {
  const next = new Map(due);
  if (op === 'set' && typeof ms === 'number') next.set(Number(n), t + ms);
  else next.delete(Number(n));
  return next;
}
function stepped(known: Living, { v, ctx, gone, tr, t }: Row): Living {
  const isMoved = v !== undefined && JSON.stringify(v) !== JSON.stringify(known.state);
  return {
    ...known,
    // Time of entering the state stays unknown for an actor found only after its start.
    ...(isMoved && { state: v, since: known.state === undefined && known.since === null ? null : t }),
    ...((ctx !== undefined || gone !== undefined) && { context: contextAfter(known.context, { ctx, gone }) }),
    ...(Array.isArray(tr) && tr.length > 0 && { taken: tr.map(textOf) }),
  };
}
const nameOf = (address: string): string => address.replace(/#\d+$/, '');
/** Returns the kind of actor in an address: `client` for `computer/client:files#3`. */
export const kindIn = (address: string): string => nameOf(address.split('/').at(-1) ?? '').replace(/:.*/, '');
/** Finds the owner of an actor by address: the last known actor with the name of the parent. */
export function ownerIn(address: string, known: Iterable<string>): string | undefined {
  const above = address.slice(0, address.lastIndexOf('/'));
  return [...known].findLast((each) => nameOf(each) === above);
}
/**
 * Makes an actor whose opening was dropped from the ring buffer of the recorder; its first record here is some later
 * step.
 */
const foundLate = (alive: Alive, address: string): Living => ({
  address,
  kind: kindIn(address),
  owner: ownerIn(address, alive.keys()) ?? null,
  state: undefined,
  context: undefined,
  opened: 0,
  since: null,
  taken: [],
  due: new Map(),
});
/** Updates the living actors with the trace record `row`. */
export function take(alive: Map<string, Living>, row: Row): void {
  const { k, t, via } = row;
  const address = textOf(row['a']);
  if (k === 'key') return restore(alive, row);
  if (k === 'end') return void alive.delete(address);
  if (k === 'open') {
    const kind = textOf(row['kind']);
    const owner = textOf(row['from']);
    const fresh = { state: undefined, context: undefined, opened: t, since: t, taken: [], due: new Map() };
    return void alive.set(address, { address, kind, owner, ...fresh });
  }
  const isLate = k === 'step' && row['st'] === undefined && !alive.has(address);
  const known = isLate ? foundLate(alive, address) : alive.get(address);
  if (known === undefined) return;
  if (k === 'step') alive.set(address, stepped(known, row));
  else if (k === 'timer') alive.set(address, { ...known, due: withTimer(known, row) });
  // Clears a timer that fires, because no other record does that.
  else if (k === 'in' && (via === 'timer' || via === 'deadline'))
    alive.set(address, { ...known, due: withTimer(known, { ...row, op: 'clear' }) });
}
