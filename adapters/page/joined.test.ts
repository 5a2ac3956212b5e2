import { describe, expect, it } from 'vitest';
import type { HostFacts } from '../../machines/inspection.ts';
import type { Call } from '../../machines/incidents/calls.ts';
import type { Living } from './history.ts';
import { connectionsOf, isNamedBy, joinedOf } from './joined.ts';

const host = (kind: HostFacts['kind'], name: string, calls: readonly Call[] = []) => {
  const facts: HostFacts = { kind, name, pid: 1, started: null, version: '0' };
  return { facts, calls };
};
const call = (reqId: string, from: number, to?: number): Call => ({
  ...{ ticket: `${reqId} ${from}`, reqId, isByPage: false, tool: 'read', agent: 'ann', computer: 'c1' },
  ...{ params: {}, timeoutMs: 0, from, server: '', address: '', moments: [] },
  ...(to !== undefined && {
    ended: { at: to, outcome: 'succeeded', end: 'succeeded', phase: '', failure: {}, result: null },
  }),
});

describe('the calls of several hosts', () => {
  it('are joined by their req_id, the asker first, and a later use of the id is another call', () => {
    const joined = joinedOf([
      host('computer', 'c1', [call('r1', 12, 18), call('r1', 500_012)]),
      host('office', 'o', [call('r1', 11, 19), call('r2', 50, 60)]),
      host('agent', 'ann', [call('r1', 10, 20)]),
    ]);
    expect(joined.map(({ parts }) => parts.map((part) => part.host))).toEqual([[2, 1, 0], [0], [1]]);
  });

  it('stay chosen when facts of an earlier host come', () => {
    const later = host('computer', 'c1', [call('r1', 12)]);
    const [chosen] = joinedOf([host('agent', 'ann'), later]);
    const joined = joinedOf([host('agent', 'ann', [call('r1', 10), call('r2', 11)]), later]);
    expect(joined.filter((each) => isNamedBy(each, chosen?.key)).map(({ parts }) => parts.length)).toEqual([
      2,
    ]);
  });
});

it('the seats of an office tell who is connected, and which of them this page shows', () => {
  const seat = (name: string, role: string): [string, Living] => [
    `office/seat:${name}#1`,
    {
      ...{ address: '', kind: 'seat', owner: null, state: 'joined', opened: 0, since: 0, taken: [] },
      ...{ context: { seat: { role, name, office: 'local' } }, timers: new Map() },
    },
  ];
  const alive = new Map([seat('ann', 'agent'), seat('c1', 'computer'), seat('c2', 'computer')]);
  const hosts = [
    { ...host('office', 'o'), alive },
    { ...host('up', 'c1'), alive: new Map() },
  ];
  expect(connectionsOf(hosts).map(({ name, to, office }) => [name, to, office])).toEqual([
    ['ann', undefined, 'local'],
    ['c1', 1, 'local'],
    ['c2', undefined, 'local'],
  ]);
});
