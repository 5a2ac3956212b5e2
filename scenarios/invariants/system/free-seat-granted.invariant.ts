import type { SeatFacts } from '../../../machines/ports/office.ts';
import { mostWaiting } from '../../../machines/office/seat.machine.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, crossingIn, crossingOut } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

/** Connections and seats of one office. */
interface Office {
  /** Joins and leaves that wait for an answer, by ticket. */
  readonly asked: Map<string, { readonly socket: string; readonly seat: SeatFacts | undefined }>;
  /** Seats of the office, by connection. */
  readonly seats: Map<string, SeatFacts>;
  /** First role of each connection, which is kept while it is connected. */
  readonly roles: Map<string, SeatFacts['role']>;
}
type Fields = { socket: string; seat: SeatFacts; ticket: string; ok: boolean; text: string | null };

function isTaken({ seats, roles, asked }: Office, socket: string, seat: SeatFacts): boolean {
  if ([...asked.values()].filter((one) => one.socket === socket).length > mostWaiting) return true;
  const [role, own] = [roles.get(socket), seats.get(socket)];
  if (role !== undefined && role !== seat.role) return true;
  if (seat.role === 'agent' && own && own.office !== seat.office) return true;
  return [...seats].some(
    ([other, taken]) =>
      other !== socket &&
      taken.office === seat.office &&
      taken.role === seat.role &&
      (seat.role === 'agent' || taken.name === seat.name),
  );
}

class FreeSeatGranted implements Judge<Crossing> {
  readonly #offices = new Map<string, Office>();

  take({ ch, ev }: Crossing): FoundViolation | undefined {
    const { type, socket = '', seat, ticket = '', ok, text } = fieldsOfEvent<Fields>(ev);
    if (ch.startsWith('office/') && (type === 'open' || type === 'close'))
      this.#offices.set(ch, { asked: new Map(), seats: new Map(), roles: new Map() });
    const office = this.#offices.get(ch);
    if (!office) return undefined;
    if (type === 'socket.joins' || type === 'socket.leaves') office.asked.set(ticket, { socket, seat });
    // The register of all nodes knows of more seats than this node.
    else if (type === 'claim.settled' && typeof text === 'string') office.asked.delete(ticket);
    else if (type === 'office.seat' && seat) {
      office.seats.set(socket, seat);
      if (!office.roles.has(socket)) office.roles.set(socket, seat.role);
    } else if (type === 'office.unseat' || type === 'socket.closed') office.seats.delete(socket);
    else if (type === 'office.answer') return answered(ch, office, ticket, ok === true);
    return undefined;
  }
}
function answered(at: string, office: Office, ticket: string, isOk: boolean): FoundViolation | undefined {
  const { socket = '', seat } = office.asked.get(ticket) ?? {};
  const isFine = !seat || isOk || isTaken(office, socket, seat);
  office.asked.delete(ticket);
  if (isFine) return undefined;
  const { role, name, office: where } = seat;
  return { at, what: `the ${role} ${name} was refused in ${where}, where nobody sits in its place` };
}

const office = 'office/1';
const seat: SeatFacts = { office: 'o', role: 'computer', name: 'c1' };
const connects = (socket: string) =>
  crossingIn(office, 'socket.joins', { socket, ticket: `${socket}.1`, seat });
const seats = (socket: string) => [
  crossingOut(office, 'office.seat', { socket, seat }),
  crossingOut(office, 'office.answer', { ticket: `${socket}.1`, ok: true }),
];
const refuses = (socket: string) =>
  crossingOut(office, 'office.answer', { ticket: `${socket}.1`, ok: false });
const leaves = crossingIn(office, 'socket.closed', { socket: 's1', reason: 'transport close' });
const opened = crossingOut(office, 'open');

export const freeSeatGranted: Boundary = {
  reads: 'boundary',
  invariant: 'no free seat is refused',
  why: 'A peer that lost its connection sits there no more: it comes back, or another one may (seat-freed).',
  sees: [
    ...[
      'in socket.joins',
      'in socket.leaves',
      'in socket.closed',
      'in claim.settled',
      'out open',
      'out close',
    ],
    ...['out office.seat', 'out office.unseat', 'out office.answer'],
  ],
  open: () => new FreeSeatGranted(),
  violating: [
    {
      how: 'an office that keeps a claim whose connection is gone',
      seen: crossingsOf(opened, connects('s1'), ...seats('s1'), leaves, connects('s2'), refuses('s2')),
      said: 'the computer c1 was refused in o',
    },
  ],
  passing: [
    {
      how: 'a seat that is taken',
      seen: crossingsOf(opened, connects('s1'), ...seats('s1'), connects('s2'), refuses('s2')),
    },
  ],
};
