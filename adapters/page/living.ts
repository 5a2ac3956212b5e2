import { contextAfter } from '../../machines/trace/step.ts';
import { listOf, textOf } from './values.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';

/** Living actors and their states after a record: folded from a trace with the profile `full`. Pure. */

/** One line of a trace. */
export interface Row extends Fields {
  readonly s: number;
  /** ms since the recording began. */
  readonly t: number;
  readonly k: string;
}
export interface Living {
  readonly address: string;
  readonly kind: string;
  /** Who opened it; after a checkpoint, who owns it. */
  readonly owner: string | null;
  /** As XState has it: a word, or an object of words. */
  readonly state: unknown;
  readonly context: unknown;
  /** ms of the trace at which it was opened. */
  readonly opened: number;
  /** ms of the trace since when it is in this state; null: since before the trace begins. */
  readonly since: number | null;
  /** The transitions that it took last. */
  readonly taken: readonly string[];
  /** Number of a timer → ms of the trace at which it fires. */
  readonly due: ReadonlyMap<number, number>;
}
/** By address. */
export type Alive = ReadonlyMap<string, Living>;

const timesOf = (holds: unknown, t: number): Map<number, number> =>
  new Map(
    listOf(holds).flatMap(({ n, left }) =>
      typeof n === 'number' && typeof left === 'number' ? [[n, t + left] as const] : [],
    ),
  );

/** A checkpoint takes the place of all that was known; who was known keeps what it does not tell. */
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
    // The start of an actor that was found late is unknown.
    ...(isMoved && { state: v, since: known.state === undefined && known.since === null ? null : t }),
    ...((ctx !== undefined || gone !== undefined) && { context: contextAfter(known.context, { ctx, gone }) }),
    ...(Array.isArray(tr) && tr.length > 0 && { taken: tr.map(textOf) }),
  };
}
const nameOf = (address: string): string => address.replace(/#\d+$/, '');
/** The kind that an address tells: `client` of `computer/client:files#3`. */
export const kindIn = (address: string): string => nameOf(address.split('/').at(-1) ?? '').replace(/:.*/, '');
/** Owner by its address: the last actor of that name. */
export function ownerIn(address: string, known: Iterable<string>): string | undefined {
  const above = address.slice(0, address.lastIndexOf('/'));
  return [...known].findLast((each) => nameOf(each) === above);
}
/** One that was there when a ring forgot its beginning: its first step is the first that is heard of it. */
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
/** Changes `alive` into what it is after `row`. */
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
  // A timer that fires is not cleared by a record of its own.
  else if (k === 'in' && (via === 'timer' || via === 'deadline'))
    alive.set(address, { ...known, due: withTimer(known, { ...row, op: 'clear' }) });
}
