import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  askerOf,
  crossingOut,
  crossingsOf,
  hostCalls,
  timerFires,
  hostOf,
  isAgent,
  settles,
  computerStarts,
  ticketIn,
  timingIn,
} from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type Bounds, type FoundViolation, type Judge } from '../invariant.ts';

interface Due {
  readonly at: string;
  readonly ticket: string;
  due: number;
}

class CallSettledInTime implements Judge<Crossing> {
  readonly #slackMs: number;
  readonly #timings = new Map<string, Timing>();
  readonly #waiting = new Map<string, Due>();
  readonly #calls = new Map<string, Due>();
  #soonest = Infinity;

  constructor({ slackMs }: Bounds) {
    this.#slackMs = slackMs;
  }
  take(crossing: Crossing, at: number): readonly FoundViolation[] | undefined {
    const { k, ch, ev, req = '' } = crossing;
    if (k === 'in') {
      const late = at > this.#soonest ? this.#late(at) : undefined;
      this.#hear(crossing, at);
      return late;
    }
    if (ch.startsWith('ask confirm ')) return void this.#stand();
    const key = `${askerOf(crossing)} ${ticketIn(ev)}`;
    const entry = this.#calls.get(req);
    if (k === 'said') {
      this.#waiting.delete(key);
      this.#calls.delete(req);
      // Time spent on checking an answer that has arrived is not counted as time of the caller.
    } else if (entry) this.#emit(entry, at + this.#timingOf('host:computer').lookMs);
    return undefined;
  }
  #timingOf(ch: string): Timing {
    return this.#timings.get(hostOf(ch)) ?? timing;
  }
  #hear(crossing: Crossing, at: number): void {
    const { ch, ev, req = '' } = crossing;
    if (ev?.type === 'createComputer' || ev?.type === 'createAgent')
      this.#timings.set(hostOf(ch), timingIn(ev));
    if (ev?.type === 'ask.held') this.#stand();
    if (ev?.type !== 'callTool' && (ev?.type !== 'ask' || !isAgent(ch))) return;
    const entry = { at: ch, ticket: ticketIn(ev), due: Infinity };
    this.#waiting.set(`${askerOf(crossing)} ${entry.ticket}`, entry);
    if (!isAgent(ch)) this.#calls.set(req, entry);
    this.#emit(entry, at + this.#allowed(ch, fieldsOfEvent(ev)));
  }
  /** Bounds no call that waits for a person or its host, because that time does not count. */
  #stand(): void {
    for (const entry of this.#waiting.values()) entry.due = Infinity;
  }
  /** Infinity without a limit. */
  #allowed(
    ch: string,
    { type, timeoutMs: givenMs = 0, mostMs = givenMs }: { type: string; timeoutMs?: number; mostMs?: number },
  ): number {
    const timeoutMs = Math.max(givenMs, mostMs);
    const { queryMs, agentMarginMs } = this.#timingOf(ch);
    if (type === 'ask') return queryMs + agentMarginMs;
    if (timeoutMs === 0) return Infinity;
    return isAgent(ch) ? timeoutMs + 250 : timeoutMs;
  }
  #emit(entry: Due, end: number): void {
    entry.due = end + this.#slackMs;
    this.#soonest = Math.min(this.#soonest, entry.due);
  }
  #late(now: number): FoundViolation[] {
    const late: FoundViolation[] = [];
    this.#soonest = Infinity;
    for (const [key, { at, ticket, due }] of this.#waiting)
      if (due < now) {
        this.#waiting.delete(key);
        late.push({
          at,
          what: `${ticket} had to be settled ${Math.ceil(now - due)} ms ago`,
          kind: 'liveness',
        });
      } else this.#soonest = Math.min(this.#soonest, due);
    return late;
  }
}

const computer = 'host:computer';
const born = computerStarts({ lookMs: 100 });
const called = hostCalls(computer, { timeoutMs: 1_000 });

export const callSettledInTime: Boundary = {
  reads: 'boundary',
  invariant: 'every call is settled within its time limit',
  why: 'A call ends in time although nobody answers, or progress is reported for ever (deadline).',
  sees: ['in', 'out ask finish', 'out ask confirm', 'said call.settled'],
  open: (bounds) => new CallSettledInTime(bounds),
  violating: [
    {
      how: 'a call without a timer',
      seen: crossingsOf(born, called, 1_001, timerFires),
      said: 'host.r1 had to be settled 1 ms ago',
    },
  ],
  passing: [
    {
      how: 'the last moment',
      seen: crossingsOf(born, called, 1_000, timerFires, settles(computer), 1, timerFires),
    },
    {
      how: 'a person who waits in the line of an equal question, and has not been asked',
      seen: crossingsOf(
        born,
        called,
        crossingOut('ask confirm of confirm {}/1', 'ask', {}),
        1_001,
        timerFires,
      ),
    },
  ],
};
