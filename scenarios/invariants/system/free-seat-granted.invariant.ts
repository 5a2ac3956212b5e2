import { keyOf, nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { SeatFacts } from '../../../machines/kernel/ports.ts';
import { mostWaiting } from '../../../machines/office/seat.machine.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { ends, hears, opens, story, tells } from '../record-builders.ts';

/** What one office knows of its connections. */
interface Office {
  /** Joins, and leaves, that wait for their answer, by ticket. */
  readonly asked: Map<string, { readonly socket: string; readonly seat: SeatFacts | undefined }>;
  /** Who sits where. */
  readonly seats: Map<string, SeatFacts>;
  /** What each took first: it is kept while it is connected. */
  readonly roles: Map<string, SeatFacts['role']>;
}
type Fields = Said<{ socket: string; seat: SeatFacts; ticket: string; ok: boolean; text: string | null }>;

/** Somebody else sits there, or there is more that forbids it. */
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

class FreeSeatGranted implements Judge {
  readonly #offices = new Map<Address, Office>();
  /** The machines of connections; whoever's has failed is refused everything. */
  readonly #living = new Set<Address>();

  take(record: RecordOf<'in' | 'out' | 'open' | 'end'>): Found | undefined {
    if (record.k === 'open') {
      if (record.kind === 'seat') this.#living.add(nameOf(record.a));
    } else if (record.k === 'end') this.#living.delete(nameOf(record.a));
    else if (record.ev) return this.#did(record.a, record.ev);
    return undefined;
  }
  #did(instance: Address, { type, socket = '', seat, ticket = '', ok, text }: Fields): Found | undefined {
    if (type === 'leaf.open' || type === 'leaf.close')
      this.#offices.set(instance, { asked: new Map(), seats: new Map(), roles: new Map() });
    const office = this.#offices.get(instance);
    if (!office) return undefined;
    if (type === 'socket.joins' || type === 'socket.leaves') office.asked.set(ticket, { socket, seat });
    // The register of all nodes knows more than this one.
    else if (type === 'claim.settled' && typeof text === 'string') office.asked.delete(ticket);
    else if (type === 'office.seat' && seat) {
      office.seats.set(socket, seat);
      if (!office.roles.has(socket)) office.roles.set(socket, seat.role);
    } else if (type === 'office.unseat' || type === 'socket.closed') office.seats.delete(socket);
    else if (type === 'office.answer') return this.#answer(instance, office, ticket, ok === true);
    return undefined;
  }
  #answer(instance: Address, office: Office, ticket: string, isOk: boolean): Found | undefined {
    const { socket = '', seat } = office.asked.get(ticket) ?? {};
    const isFine = !seat || isOk || isTaken(office, socket, seat);
    office.asked.delete(ticket);
    if (isFine || !this.#living.has(`${nameOf(rootOf(instance))}/seat:${keyOf(socket)}`)) return undefined;
    const { role, name, office: where } = seat;
    return {
      at: instance,
      what: `the ${role} ${name} was refused in ${where}, where nobody sits in its place`,
    };
  }
}

const office = 'office#1/office#1';
const seat: SeatFacts = { office: 'o', role: 'computer', name: 'c1' };
const connects = (socket: string) => [
  opens(`office/seat:${socket}#1`, 'seat', 'office#1', { socket }),
  hears(office, 'socket.joins', { socket, ticket: `${socket}.1`, seat }),
];
const seats = (socket: string) => [
  tells('office', office, 'office.seat', { socket, seat }),
  tells('office', office, 'office.answer', { ticket: `${socket}.1`, ok: true }),
];
const refuses = (socket: string) =>
  tells('office', office, 'office.answer', { ticket: `${socket}.1`, ok: false });
const settles = (socket: string, text: string | null) =>
  hears(office, 'claim.settled', { socket, ticket: `${socket}.1`, seat, text });
const goes = hears(office, 'socket.closed', { socket: 's1', reason: 'transport close' });
const opened = tells('office', office, 'leaf.open');

export const freeSeatGranted: Invariant = {
  invariant: 'no free seat is refused',
  why: 'Whoever lost its connection sits there no more: it comes back, or another one may (seat-freed).',
  sees: [
    ...(['in socket.joins', 'in socket.leaves', 'in socket.closed', 'in claim.settled'] as const),
    ...(['out office.seat', 'out office.unseat'] as const),
    ...(['out office.answer', 'out leaf.open', 'out leaf.close', 'open', 'end'] as const),
  ],
  open: () => new FreeSeatGranted(),
  violating: [
    {
      how: 'an office that keeps a claim whose connection is gone',
      seen: story(opened, ...connects('s1'), ...seats('s1'), goes, ...connects('s2'), refuses('s2')),
      said: 'the computer c1 was refused in o',
    },
    {
      how: 'an office that refuses what its register has granted',
      seen: story(opened, ...connects('s1'), settles('s1', null), refuses('s1')),
      said: 'the computer c1 was refused in o',
    },
  ],
  passing: [
    {
      how: 'a seat that is taken',
      seen: story(opened, ...connects('s1'), ...seats('s1'), ...connects('s2'), refuses('s2')),
    },
    {
      how: 'a seat that somebody has at another node',
      seen: story(opened, ...connects('s1'), settles('s1', 'exists'), refuses('s1')),
    },
    {
      how: 'a seat that is given again',
      seen: story(opened, ...connects('s1'), ...seats('s1'), goes, ...connects('s2'), ...seats('s2')),
    },
    {
      how: 'a connection whose machine has failed',
      seen: story(opened, ...connects('s1'), ends('office/seat:s1#1', 'failed'), refuses('s1')),
    },
    {
      how: 'more joins of one connection than may wait',
      seen: story(
        opened,
        opens('office/seat:s1#1', 'seat', 'office#1', { socket: 's1' }),
        ...Array.from({ length: mostWaiting + 1 }, (_, n) =>
          hears(office, 'socket.joins', { socket: 's1', ticket: `s1.${n}`, seat }),
        ),
        refuses('s1'),
      ),
    },
    { how: 'an office from before the first record', seen: story(...connects('s2'), refuses('s2')) },
  ],
};
