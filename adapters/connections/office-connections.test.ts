import { beforeEach, describe, expect, it } from 'vitest';
import type { OfficeFact } from '../../machines/ports/office.ts';
import { OfficeConnections } from './office-connections.ts';

type Ack = (...args: unknown[]) => void;
let facts: OfficeFact[];
let sent: { socket: string; event: string; onAck: Ack }[];
let broken: boolean;
let officeConnections: OfficeConnections;
const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 0 };
const noTimers = { setTimer: () => 0, clearTimer: () => {} };

beforeEach(() => {
  facts = [];
  sent = [];
  broken = false;
  officeConnections = new OfficeConnections(
    {
      send: (socket, event, _body, onAck) => {
        if (broken) throw new RangeError('too deep');
        sent.push({ socket, event, onAck });
      },
      notify: () => {},
      part: () => {},
      probe: () => {},
      cut: () => {},
      deliver: () => {
        throw new RangeError('too deep');
      },
    },
    noTimers,
    (fact) => void facts.push(fact),
  );
  for (const socket of ['sa', 'sc']) officeConnections.opened(socket);
  seat('sa', 'agent', 'a');
  seat('sc', 'computer', 'c');
});
const seat = (socket: string, role: 'agent' | 'computer', name: string): void =>
  officeConnections.tell({ type: 'office.seat', socket, seat: { office: 'o', role, name } });
const asked = (event: string, payload: unknown): unknown[][] => {
  const acks: unknown[][] = [];
  officeConnections.received('sa', event, [payload, (...ack: unknown[]) => void acks.push(ack)]);
  return acks;
};

describe('the connections of an office', () => {
  it('answers 500 when the transport chokes on a relayed call, and takes the next', () => {
    broken = true;
    expect(asked('client:tool_call', call)).toMatchObject([[{ meta: { error_code: 500 } }]]);
    broken = false;
    asked('client:tool_call', call);
    expect([sent.length, officeConnections.inFlight]).toEqual([1, 1]);
  });
  it('answers 500 when a broadcast fails', () => {
    expect(asked('server:tool_call_cancel', { agent: 'a', req_id: 'r' })).toMatchObject([
      [{ error: { code: 500 } }],
    ]);
  });
  it('answers 500 when the answer of a computer cannot be written', () => {
    const told: unknown[][] = [];
    const choosy = (...ack: unknown[]): void => {
      if (ack[0] === 'deep') throw new RangeError('too deep');
      told.push(ack);
    };
    officeConnections.received('sa', 'client:tool_call', [call, choosy]);
    sent[0]?.onAck('deep');
    expect([told, officeConnections.inFlight]).toMatchObject([[[{ meta: { error_code: 500 } }]], 0]);
  });
  it('hands out a ticket per ack, and gives each one answer', () => {
    const acks = [0, 1].map(() => asked('server:leave_office', { office_id: 'o' }));
    const tickets = facts.flatMap((fact) => (fact.type === 'socket.leaves' ? [fact.ticket] : []));
    expect(new Set(tickets).size).toBe(2);
    for (const ticket of [...tickets, ...tickets, 'unknown'])
      officeConnections.tell({ type: 'office.answer', ticket, ok: true, text: null });
    expect(acks).toEqual([[[true, null]], [[true, null]]]);
  });
  it('keeps calls in flight when the same seat is taken again', () => {
    const acks = asked('client:tool_call', call);
    seat('sc', 'computer', 'c');
    expect([acks, officeConnections.inFlight]).toEqual([[], 1]);
  });
  it('drops the calls of an agent that is gone', () => {
    const acks = asked('client:tool_call', call);
    officeConnections.closed('sa', 'transport close');
    sent[0]?.onAck('late');
    expect([acks, officeConnections.inFlight, facts.at(-1)]).toEqual([
      [],
      0,
      { type: 'socket.closed', socket: 'sa', reason: 'transport close' },
    ]);
  });
  it('does not seat a socket that is gone', () => {
    officeConnections.closed('sc', 'transport close');
    seat('sc', 'computer', 'c');
    expect(asked('client:tool_call', call)).toMatchObject([[{ meta: { error_code: 404 } }]]);
  });
  it('relays events that want no ack, and says nothing about those that it refuses', () => {
    officeConnections.received('sa', 'client:tool_call', [call]);
    sent[0]?.onAck('unheard');
    officeConnections.received('sa', 'client:nonsense', []);
    expect([sent.length, officeConnections.inFlight]).toEqual([1, 0]);
  });
  it('answers all who wait when it closes, joins too, and is silent then', () => {
    const acks = [asked('client:tool_call', call), asked('server:leave_office', { office_id: 'o' })];
    const known = facts.length;
    officeConnections.close();
    officeConnections.closed('sa', 'server shutting down');
    officeConnections.opened('new');
    expect(acks).toMatchObject([[[{ meta: { error_code: 404 } }]], [[false, 'The office is closing']]]);
    expect(facts).toHaveLength(known);
  });
});
