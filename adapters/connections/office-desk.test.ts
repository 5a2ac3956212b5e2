import { beforeEach, describe, expect, it } from 'vitest';
import type { OfficeFact } from '../../machines/kernel/ports.ts';
import { OfficeDesk } from './office-desk.ts';

type Ack = (...args: unknown[]) => void;
let facts: OfficeFact[];
let sent: { socket: string; event: string; onAck: Ack }[];
let broken: boolean;
let desk: OfficeDesk;
const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 0 };
const noTimers = { setTimer: () => 0, clearTimer: () => {} };

beforeEach(() => {
  facts = [];
  sent = [];
  broken = false;
  desk = new OfficeDesk(
    {
      send: (socket, event, _body, onAck) => {
        if (broken) throw new RangeError('too deep');
        sent.push({ socket, event, onAck });
      },
      enter: () => {},
      exit: () => {},
      notify: () => {},
      broadcast: () => {
        throw new RangeError('too deep');
      },
    },
    noTimers,
    (fact) => void facts.push(fact),
  );
  for (const [socket, role, name] of [
    ['sa', 'agent', 'a'],
    ['sc', 'computer', 'c'],
  ] as const) {
    desk.opened(socket);
    desk.tell({ type: 'office.seat', socket, seat: { office: 'o', role, name } });
  }
});
const asked = (event: string, payload: unknown): unknown[][] => {
  const acks: unknown[][] = [];
  desk.received('sa', event, [payload, (...ack: unknown[]) => void acks.push(ack)]);
  return acks;
};

describe('the desk of an office', () => {
  it('answers 500 when the transport chokes on a relayed call, and takes the next', () => {
    broken = true;
    expect(asked('client:tool_call', call)).toMatchObject([[{ meta: { error_code: 500 } }]]);
    broken = false;
    asked('client:tool_call', call);
    expect([sent.length, desk.inFlight]).toEqual([1, 1]);
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
    desk.received('sa', 'client:tool_call', [call, choosy]);
    sent[0]?.onAck('deep');
    expect([told, desk.inFlight]).toMatchObject([[[{ meta: { error_code: 500 } }]], 0]);
  });
  it('hands out a ticket per ack, and gives each one answer', () => {
    const acks = [0, 1].map(() => asked('server:leave_office', { office_id: 'o' }));
    const tickets = facts.flatMap((fact) => (fact.type === 'socket.leaves' ? [fact.ticket] : []));
    expect(new Set(tickets).size).toBe(2);
    for (const ticket of [...tickets, ...tickets, 'unknown'])
      desk.tell({ type: 'office.answer', ticket, ok: true, text: null });
    expect(acks).toEqual([[[true, null]], [[true, null]]]);
  });
  it('keeps calls in flight when the same seat is taken again', () => {
    const acks = asked('client:tool_call', call);
    desk.tell({ type: 'office.seat', socket: 'sc', seat: { office: 'o', role: 'computer', name: 'c' } });
    expect([acks, desk.inFlight]).toEqual([[], 1]);
  });
  it('drops the calls of an agent that is gone', () => {
    const acks = asked('client:tool_call', call);
    desk.closed('sa', 'transport close');
    sent[0]?.onAck('late');
    expect([acks, desk.inFlight, facts.at(-1)]).toEqual([
      [],
      0,
      { type: 'socket.closed', socket: 'sa', reason: 'transport close' },
    ]);
  });
  it('does not seat a socket that is gone', () => {
    desk.closed('sc', 'transport close');
    desk.tell({ type: 'office.seat', socket: 'sc', seat: { office: 'o', role: 'computer', name: 'c' } });
    expect(asked('client:tool_call', call)).toMatchObject([[{ meta: { error_code: 404 } }]]);
  });
  it('relays events that want no ack, and says nothing about those that it refuses', () => {
    desk.received('sa', 'client:tool_call', [call]);
    sent[0]?.onAck('unheard');
    desk.received('sa', 'client:nonsense', []);
    expect([sent.length, desk.inFlight]).toEqual([1, 0]);
  });
  it('answers all who wait when it closes, joins too, and is silent then', () => {
    const acks = [asked('client:tool_call', call), asked('server:leave_office', { office_id: 'o' })];
    const known = facts.length;
    desk.close();
    desk.closed('sa', 'server shutting down');
    desk.opened('new');
    expect(acks).toMatchObject([[[{ meta: { error_code: 404 } }]], [[false, 'The office is closing']]]);
    expect(facts).toHaveLength(known);
  });
});
