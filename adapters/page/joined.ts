import { textOf } from '../../machines/trace/row.ts';
import type { HostFacts } from '../../machines/inspection.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { Call } from '../../machines/incidents/calls.ts';
import type { Alive } from './history.ts';

/** Calls of several hosts, joined by `req_id`. Pure. */

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
