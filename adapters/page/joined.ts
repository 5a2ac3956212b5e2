import { textOf } from '../../machines/trace/row.ts';
import type { HostFacts } from '../../machines/inspection.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { Call } from '../../machines/incidents/calls.ts';
import type { Alive } from './history.ts';

/** Several hosts on one clock: calls joined by `req_id`, clocks measured from the calls themselves. Pure. */

/** Facts of one host. Times are those of the clock of this host, in ms since 1970. */
export interface HostSeen {
  readonly facts: HostFacts;
  readonly calls: readonly Call[];
  readonly alive: Alive;
}
export interface CallPart {
  readonly host: number;
  readonly call: Call;
}
export interface JoinedCall {
  /** Key of one part of the call. It may change when facts of another host come, so calls are compared with `isNamedBy`. */
  readonly key: string;
  readonly parts: CallPart[];
}
const keyOf = ({ host, call }: CallPart): string => `${call.reqId} ${host} ${call.ticket}`;
export const isNamedBy = ({ parts }: JoinedCall, key: string | undefined): boolean =>
  parts.some((part) => keyOf(part) === key);
/** Returns the position of a host on the way of a call: agents ask, offices pass on, computers answer. */
const orderOf = ({ kind }: HostFacts, call: Call): number => {
  if (kind === 'agent') return 0;
  if (kind === 'office') return 1;
  if (kind === 'computer') return 2;
  return call.ticket.startsWith('office.') ? 1 : call.agent === '' && call.computer !== '' ? 0 : 2;
};
const endOf = ({ ended }: Call): number => ended?.at ?? Infinity;
/** Longest time in ms between the beginnings of two parts that are joined into one call, because clocks differ. */
const mostApartMs = 60_000;

/** A `req_id` that was used again belongs to another call. */
export function joinedOf(hosts: readonly Pick<HostSeen, 'facts' | 'calls'>[]): readonly JoinedCall[] {
  const byReq = new Map<string, JoinedCall[]>();
  for (const [host, { calls }] of hosts.entries())
    for (const call of calls) {
      const known = byReq.get(call.reqId) ?? [];
      const isFree = ({ parts }: JoinedCall): boolean =>
        parts.every((part) => part.host !== host && Math.abs(part.call.from - call.from) < mostApartMs);
      const joined = known.find(isFree);
      if (joined) joined.parts.push({ host, call });
      else known.push({ key: keyOf({ host, call }), parts: [{ host, call }] });
      byReq.set(call.reqId, known);
    }
  const all = [...byReq.values()].flat();
  for (const { parts } of all)
    parts.sort((one, other) => placeOf(hosts, one) - placeOf(hosts, other) || one.host - other.host);
  return all;
}
const placeOf = (hosts: readonly Pick<HostSeen, 'facts'>[], { host, call }: CallPart): number => {
  const facts = hosts[host]?.facts;
  return facts ? orderOf(facts, call) : 0;
};

export interface ClockShift {
  readonly host: number;
  /** Index of the host with whose clock this clock was compared; undefined when no call joins it with any other. */
  readonly to: number | undefined;
  /** Time in ms by which the clock is ahead of that of the first host of its group; 0 when they agree as far as is known. */
  readonly aheadMs: number;
  /** Limit in ms of the error of `aheadMs`. */
  readonly withinMs: number;
  readonly calls: number;
}
interface Bounds {
  low: number;
  high: number;
  calls: number;
}
/** Smallest difference in ms that the times of two clocks can show. */
const resolutionMs = 1;
/** A call comes to the later host after it came to the earlier one, and is over there before. */
function boundsOf(joined: readonly JoinedCall[]): Map<string, Bounds> {
  const all = new Map<string, Bounds>();
  const narrow = (from: number, to: number, low: number, high: number): void => {
    const key = `${from} ${to}`;
    const known = all.get(key) ?? { low: -Infinity, high: Infinity, calls: 0 };
    all.set(key, { low: Math.max(known.low, low), high: Math.min(known.high, high), calls: known.calls + 1 });
  };
  for (const { parts } of joined)
    for (const [n, { host: later, call: inner }] of parts.entries())
      for (const { host: earlier, call: outer } of parts.slice(0, n)) {
        const [low, high] = [endOf(inner) - endOf(outer), inner.from - outer.from];
        const isEnded = inner.ended !== undefined && outer.ended !== undefined;
        narrow(earlier, later, isEnded ? low : -Infinity, high);
        narrow(later, earlier, -high, isEnded ? -low : Infinity);
      }
  return all;
}
/** Against the first host with which calls join it, directly or through others. */
export function shiftsOf(count: number, joined: readonly JoinedCall[]): readonly ClockShift[] {
  const bounds = boundsOf(joined);
  const shifts = new Map<number, ClockShift>();
  const follow = (from: number): void => {
    for (let host = 0; host < count; host += 1) {
      const found = shifts.has(host) ? undefined : bounds.get(`${from} ${host}`);
      if (!found) continue;
      const { low, high, calls } = found;
      const isBoth = low > -Infinity && high < Infinity;
      const middle = isBoth ? (low + high) / 2 : 0;
      const withinMs = isBoth ? Math.abs(high - low) / 2 + resolutionMs : Infinity;
      const base = shifts.get(from)?.aheadMs ?? 0;
      // Takes clocks as equal while the calls do not contradict it, because most hosts share one machine.
      const isEqual = low <= resolutionMs && high >= -resolutionMs;
      shifts.set(host, { host, to: from, aheadMs: base + (isEqual ? 0 : middle), withinMs, calls });
      follow(host);
    }
  };
  for (let host = 0; host < count; host += 1) {
    if (shifts.has(host)) continue;
    shifts.set(host, { host, to: undefined, aheadMs: 0, withinMs: 0, calls: 0 });
    follow(host);
  }
  return [...shifts.values()].toSorted((one, other) => one.host - other.host);
}

/** Connection of an office to a peer, or of a computer to a server, with the host of this page at its other end, if any. */
export interface Connection {
  /** An office has seats, a computer has servers. */
  readonly from: number;
  readonly to: number | undefined;
  readonly kind: 'agent' | 'computer' | 'server';
  readonly name: string;
  readonly office: string;
  readonly state: string;
}
const roleOf = (kind: HostFacts['kind']): string => (kind === 'up' ? 'computer' : kind);

export function connectionsOf(hosts: readonly Pick<HostSeen, 'facts' | 'alive'>[]): readonly Connection[] {
  const named = (kind: string, name: string): number | undefined => {
    const at = hosts.findIndex(({ facts }) => roleOf(facts.kind) === kind && facts.name === name);
    return at < 0 ? undefined : at;
  };
  return hosts.flatMap(({ alive }, from) =>
    [...alive.values()].flatMap(({ kind, context, state }): Connection[] => {
      if (kind !== 'seat') return [];
      const { role, name, office } = fieldsOf(fieldsOf(context)['seat']);
      if (role !== 'agent' && role !== 'computer') return [];
      const peer = textOf(name);
      const word = typeof state === 'string' ? state : (Object.keys(fieldsOf(state))[0] ?? '');
      return [{ from, to: named(role, peer), kind: role, name: peer, office: textOf(office), state: word }];
    }),
  );
}
