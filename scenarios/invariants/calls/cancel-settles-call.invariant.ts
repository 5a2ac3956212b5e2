import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  askerOf,
  crossingsOf,
  agentCalls,
  hostCalls,
  crossingIn,
  timerFires,
  crossingOut,
  hostOf,
  isAgent,
  isGone,
  settles,
  ticketIn,
} from '../crossings.ts';
import type { Boundary, FoundViolation, Judge } from '../invariant.ts';

interface Asked {
  readonly at: string;
  readonly ticket: string;
  waiting: number;
}

class CancelSettlesCall implements Judge<Crossing> {
  readonly #asked = new Map<string, Map<string, Asked>>();
  readonly #cancelled: Asked[] = [];

  take(crossing: Crossing): readonly FoundViolation[] | undefined {
    const { k, ch, ev } = crossing;
    if (k === 'in' && ev?.type !== 'late') {
      const found = this.#cancelled.length > 0 ? this.quiescent() : undefined;
      this.#hear(crossing);
      return found;
    }
    const known = this.#asked.get(hostOf(ch));
    const asked = known?.get(ticketIn(ev));
    if (k !== 'in' && ev?.type === 'close') this.#asked.delete(hostOf(ch));
    else if (asked && (asked.waiting -= 1) <= 0) known?.delete(asked.ticket);
    return undefined;
  }
  #hear(crossing: Crossing): void {
    const { ev } = crossing;
    if (isGone(crossing)) return void this.#asked.delete(hostOf(crossing.ch));
    const at = askerOf(crossing);
    const known = this.#asked.get(at) ?? new Map<string, Asked>();
    const ticket = ticketIn(ev);
    const asked = known.get(ticket);
    if (ev?.type === 'cancelCall' || ev?.type === 'agent.cancelled') {
      if (asked) this.#cancelled.push(asked);
      // The answer to an agent's own call comes from its computer.
    } else if (
      ev?.type === 'agent.called' ||
      (isAgent(crossing.ch) ? ev?.type === 'ask' : ev?.type === 'callTool')
    ) {
      if (asked) asked.waiting += 1;
      else this.#asked.set(at, known.set(ticket, { at, ticket, waiting: 1 }));
    }
  }
  quiescent(): readonly FoundViolation[] {
    return this.#cancelled
      .splice(0)
      .filter(({ waiting }) => waiting > 0)
      .map(({ at, ticket }) => ({ at, what: `${ticket} was cancelled and is in flight still` }));
  }
  closed(): readonly FoundViolation[] {
    return this.quiescent();
  }
}

const host = 'host:computer';
const cancels = (ch = host) => crossingIn(ch, 'cancelCall', { ticket: 'host.r1' });
const takesBack = crossingIn('link:computer:c1/1', 'agent.cancelled', { ticket: '1.r1' }, 'r1');
const acks = crossingOut('link:computer:c1/1', 'link.answer', { ticket: '1.r1', body: {} }, 'r1');

export const cancelSettlesCall: Boundary = {
  reads: 'boundary',
  invariant: 'a cancel settles its call at once',
  why: 'Who cancels its own call has its answer before anything else is worked on (settle-once).',
  sees: ['in', 'said call.settled', 'out link.answer', 'out close'],
  open: () => new CancelSettlesCall(),
  violating: [
    {
      how: 'a call that forgets its cancel',
      seen: crossingsOf(hostCalls(host), cancels(), timerFires),
      said: 'host.r1 was cancelled and is in flight still',
    },
  ],
  passing: [
    {
      how: 'one that is settled with it',
      seen: crossingsOf(hostCalls(host), cancels(), settles(host), agentCalls(), takesBack, acks, timerFires),
      until: 'closed',
    },
  ],
};
