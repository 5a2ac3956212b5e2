import type { EventObject } from 'xstate';
import { isAnswer, type RequestFact } from '../../../machines/kernel/ports.ts';
import type { LinkFact } from '../../../machines/link/questions.ts';
import { isCrossing, type Trace } from '../../../machines/trace/reading.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

export interface LinkMoment {
  readonly ms: number;
  readonly fact: LinkFact;
}
export interface RecordedLink {
  readonly before: readonly LinkMoment[];
  readonly afterJoin: readonly LinkMoment[];
}
export interface RecordedAsk {
  readonly s: number;
  readonly method: string;
  readonly params: Fields;
  /** Time in ms after the question at which the recording ends without an answer; undefined where it has one. */
  cutMs?: number;
  /** With their time in ms after the question; empty when there was no answer. */
  readonly facts: readonly { readonly ms: number; readonly fact: Omit<RequestFact, 'id'> }[];
}
export interface RecordedSeat {
  readonly role: string;
  readonly name: string;
  readonly links: readonly RecordedLink[];
  readonly asks: readonly RecordedAsk[];
}
interface Link {
  readonly before: LinkMoment[];
  readonly afterJoin: LinkMoment[];
  t: number;
  isJoining: boolean;
}
type Ask = RecordedAsk & {
  readonly facts: { ms: number; fact: Omit<RequestFact, 'id'> }[];
  readonly t: number;
};
interface Seat {
  readonly role: string;
  readonly name: string;
  readonly links: Link[];
  readonly asks: Ask[];
}

export function recordedSeats({ lines, tail }: Trace): readonly RecordedSeat[] {
  const seats = new Map<string, Seat>();
  const open = new Map<string, Link>();
  const asked = new Map<string, Ask>();
  for (const { record, s, t } of lines) {
    if (!isCrossing(record) || (record.k !== 'in' && record.k !== 'out')) continue;
    const { k, ch } = record;
    const ev = (record.ev ?? { type: '' }) as EventObject & Fields;
    const [, subject, role = '', name = ''] = /^link:((\w+):(.*))\/\d+$/s.exec(ch) ?? [];
    if (subject !== undefined && ev.type === 'open') {
      const seat = seats.get(subject) ?? { role, name, links: [], asks: [] };
      const link: Link = { before: [], afterJoin: [], t, isJoining: false };
      seats.set(subject, seat);
      seat.links.push(link);
      open.set(ch, link);
    } else if (subject !== undefined) take(open.get(ch), k, ev, t);
    else if (k === 'out' && ev.type === 'ask') {
      const [, method = '', about = ''] = /^ask (\w+:\w+) of (.*)$/s.exec(ch) ?? [];
      const seat = [...seats].find(
        ([key]) => about.startsWith(`${key} `) || about.startsWith(`${key}/`),
      )?.[1];
      if (!seat) continue;
      const ask: Ask = { s, t, method, params: (ev['params'] ?? {}) as Fields, facts: [] };
      seat.asks.push(ask);
      asked.set(ch, ask);
    } else if (k === 'in' && ev.type.startsWith('ask.')) {
      const ask = asked.get(ch);
      ask?.facts.push({ ms: t - ask.t, fact: ev as unknown as Omit<RequestFact, 'id'> });
      if (isAnswer(ev.type)) asked.delete(ch);
    } else if (ev.type === 'withdraw') asked.delete(ch);
  }
  const end = tail?.t ?? lines.at(-1)?.t ?? 0;
  for (const ask of asked.values()) ask.cutMs = Math.max(0, end - ask.t);
  return [...seats.values()];
}
function take(link: Link | undefined, k: 'in' | 'out', ev: EventObject, t: number): void {
  if (!link) return;
  if (k === 'in') {
    // Ignores the answer to an order, whose time does not matter.
    if (ev.type === 'leave.done') return;
    (link.isJoining ? link.afterJoin : link.before).push({ ms: t - link.t, fact: ev as LinkFact });
  } else if (ev.type === 'link.join' && !link.isJoining) Object.assign(link, { isJoining: true, t });
}
