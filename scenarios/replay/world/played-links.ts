import type { Clock, Links } from '../../../actors/api/world-doors.ts';
import type { LinkFact } from '../../../machines/link/questions.ts';
import type { LinkInput } from '../../../machines/ports/link.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import { events } from '../../../machines/protocol/protocol.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import { cutText, differences, type Asked } from './matching.ts';
import type { Miss } from './played-server.ts';
import type { RecordedAsk, RecordedLink, RecordedSeat } from './recorded-links.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

interface Office {
  /** Name of the trace file, for errors. */
  readonly file: string;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly missed: (miss: Miss) => void;
}
interface Seat {
  readonly recorded: RecordedSeat;
  readonly used: Set<RecordedAsk>;
  links: number;
}
/** Fields of a question that differ from run to run. */
const ofRun: ReadonlySet<string> = new Set([
  'req_id',
  'agent',
  'office_id',
  'timeout',
  'progress',
  'traceparent',
  'tracestate',
  '_meta',
]);
const lasting = (params: unknown): Fields =>
  Object.fromEntries(Object.entries((params ?? {}) as Fields).filter(([key]) => !ofRun.has(key)));

/** Answers are found by question and parameters; unasked messages come at their time after the seat request. */
export function playedLinks(recorded: readonly RecordedSeat[], office: Office): Links {
  const seats = recorded.map((seat): Seat => ({ recorded: seat, used: new Set(), links: 0 }));
  const byKey = new Map<string, Seat>();
  const find = ({ role, name }: LinkInput): Seat | undefined => {
    const all = seats.filter((seat) => seat.recorded.role === role);
    return all.find((seat) => seat.recorded.name === name) ?? (all.length === 1 ? all[0] : undefined);
  };
  return {
    has: (key) => byKey.has(key),
    // A trace has no bytes of files.
    partOf: () => undefined,
    holdPart: () => {},
    open: (_at, input, emit) => {
      const seat = find(input);
      const timers = new Set<unknown>();
      const later = (ms: number, fact: LinkFact): void =>
        void timers.add(office.clock.setTimeout(() => emit(fact), ms));
      if (!seat) {
        later(0, {
          type: 'link.refused',
          reason: `no ${input.role} '${input.name}' is recorded in ${office.file}`,
        });
      } else byKey.set(input.key, seat);
      const link = seat && nextOf(seat);
      for (const { ms, fact } of link?.before ?? []) later(ms, fact);
      let isJoined = false;
      return {
        tell: ({ type }) => {
          if (type === 'link.leave') later(0, { type: 'leave.done' });
          if (type !== 'link.join' || isJoined) return;
          isJoined = true;
          for (const { ms, fact } of link?.afterJoin ?? []) later(ms, fact);
        },
        close: () => {
          byKey.delete(input.key);
          for (const timer of timers) office.clock.clearTimeout(timer);
        },
      };
    },
    request: (_from, { id, target, method, params }, emit) => {
      const seat = byKey.get(target);
      const timers = new Set<unknown>();
      const answer = (ms: number, fact: Omit<RequestFact, 'id'>): void =>
        void timers.add(office.clock.setTimeout(() => emit({ ...fact, id } as RequestFact), ms));
      const found = seat && askOf(seat, method, params);
      if (found) {
        for (const { ms, fact } of found.facts) answer(ms, echoed(fact, params));
        if (found.cutMs !== undefined)
          timers.add(
            office.clock.setTimeout(() => {
              const failure = { code: wireCodes.notFound, message: cutText({ method, params }, office.file) };
              office.missed({ server: '', method, params, message: failure.message });
              emit({ type: 'ask.refused', id, sent: true, failure });
            }, found.cutMs),
          );
      } else if (method === events.cancelToolCall) answer(0, { type: 'ask.answered', result: {} } as never);
      else {
        const failure = missing(office, seat?.recorded, { server: '', method, params });
        answer(0, { type: 'ask.refused', sent: true, failure } as never);
      }
      return () => {
        for (const timer of timers) office.clock.clearTimeout(timer);
      };
    },
  };
}
/** The last one is repeated. */
function nextOf(seat: Seat): RecordedLink | undefined {
  const { links } = seat.recorded;
  const link = links[Math.min(seat.links, links.length - 1)];
  seat.links += 1;
  return link;
}
function askOf({ recorded, used }: Seat, method: string, params: unknown): RecordedAsk | undefined {
  const asked = lasting(params);
  const same = recorded.asks.filter(
    (ask) => ask.method === method && differences(lasting(ask.params), asked).length === 0,
  );
  const found = same.find((ask) => !used.has(ask)) ?? same.at(-1);
  if (found) used.add(found);
  return found;
}
function echoed(fact: Omit<RequestFact, 'id'>, params: unknown): Omit<RequestFact, 'id'> {
  const { result } = fact as { readonly result?: Fields };
  const { req_id: reqId } = (params ?? {}) as Fields;
  if (typeof result !== 'object' || result === null || !('req_id' in result)) return fact;
  return { ...fact, result: { ...result, req_id: reqId } } as never;
}
function missing({ file, missed }: Office, seat: RecordedSeat | undefined, asked: Asked): Failure {
  const { computer } = (asked.params ?? {}) as { readonly computer?: string };
  const near = seat?.asks
    .filter(({ method }) => method === asked.method)
    .map((ask) => JSON.stringify(lasting(ask.params)));
  const what = `${asked.method} ${JSON.stringify(lasting(asked.params))}`.slice(0, 300);
  const message = `Not recorded in ${file}: ${what}. Recorded are: ${near?.slice(0, 3).join(', ') || 'none of that kind'}.`;
  missed({ ...asked, server: computer ?? '', message });
  return { code: wireCodes.notFound, message, remedy: 'Ask what was recorded, or record it again' };
}
