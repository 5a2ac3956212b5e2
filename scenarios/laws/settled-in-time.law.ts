import type { Address } from '../../machines/address.ts';
import type { Timing } from '../../machines/timing.ts';
import { nameOf } from '../../machines/address.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Bounds, Found, Judge, Law, RecordOf, Said } from './law.ts';
import { Pairs } from './pairs.ts';
import { opens, orders, posts, story } from './telling.ts';

interface Due {
  readonly at: Address;
  readonly ticket: string;
  readonly due: number;
}
interface Request {
  readonly ticket: string;
  readonly replyTo: Address;
  readonly timeoutMs: number;
  readonly isConfirmed: boolean;
  readonly call: { readonly ticket: string; readonly timeoutMs: number; readonly confirmed?: boolean };
}

class SettledInTime implements Judge {
  readonly #slackMs: number;
  readonly #timings = new Map<Address, Timing>();
  readonly #waiting = new Pairs<Due>();
  /** Before this nobody is late. */
  #soonest = Infinity;

  constructor({ slackMs }: Bounds) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'in') return at > this.#soonest ? this.#late(at) : undefined;
    if (record.k === 'post') this.#post(record, at);
    else if (record.k === 'open') this.#open(record);
    return undefined;
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    const { timing } = input as { readonly timing?: Timing };
    if ((kind !== 'computer' && kind !== 'agent') || !timing) return;
    this.#timings.set(nameOf(a), timing);
    this.#timings.set(a, timing);
  }
  #post({ from, a, ev, dead }: RecordOf<'post'>, at: number): void {
    const said = ev as Said<Request>;
    if (said.type === 'call.settled') return void this.#waiting.delete(a, said.ticket ?? '');
    const ticket = said.ticket ?? said.call?.ticket;
    if (dead !== undefined || ticket === undefined || said.replyTo === undefined) return;
    const ms = allowed(said, this.#timings.get(said.type === 'call.request' ? from : a));
    if (!(ms < Infinity)) return;
    const due = at + ms + this.#slackMs;
    this.#waiting.set(said.replyTo, ticket, { at: said.replyTo, ticket, due });
    this.#soonest = Math.min(this.#soonest, due);
  }
  #late(now: number): Found[] {
    const late: Found[] = [];
    this.#soonest = Infinity;
    for (const { at, ticket, due } of this.#waiting.values())
      if (due < now) {
        this.#waiting.delete(at, ticket);
        late.push({
          at,
          what: `${ticket} had to be settled ${Math.ceil(now - due)} ms ago`,
          kind: 'liveness',
        });
      } else this.#soonest = Math.min(this.#soonest, due);
    return late;
  }
}

/**
 * How long may pass until it is settled; Infinity: for ever. A computer's call: its own time-out, and before that the
 * time in which a rule of the host may permit it, and as much for a person, unless nobody is asked; after it, that in
 * which its result is looked at. An agent's: its time-out in the whole seconds of the
 * wire, and the margin by which the agent waits longer than the office, which waits longer than the computer.
 */
function allowed(said: Said<Request>, timing: Timing | undefined): number {
  if (!timing) return Infinity;
  const computers = (timeoutMs: number | undefined, isConfirmed: boolean | undefined): number =>
    timeoutMs ? timeoutMs + timing.lookMs + timing.confirmMs * (isConfirmed === true ? 1 : 2) : Infinity;
  if (said.type === 'call.request') return computers(said.timeoutMs, said.isConfirmed);
  if (said.type === 'tool.call') return computers(said.call?.timeoutMs, said.call?.confirmed);
  if (said.type === 'agent.call')
    return said.timeoutMs ? Math.ceil(said.timeoutMs / 1000) * 1000 + timing.agentMarginMs : Infinity;
  return said.type === 'agent.query' ? timing.queryMs + timing.agentMarginMs : Infinity;
}

const born = (kind: string) =>
  opens(`${kind}#1`, kind, 'host', {
    timing: { confirmMs: 500, lookMs: 0, agentMarginMs: 6_000, queryMs: 3_000 },
  });
const called = posts('host', 'computer', 'tool.call', {
  call: { ticket: 't1', timeoutMs: 1_000 },
  replyTo: 'host:c',
});
const asked = (isConfirmed: boolean) =>
  posts('computer#1', 'computer/client:fs', 'call.request', {
    ...{ ticket: 't1', timeoutMs: 1_000, isConfirmed, replyTo: 'host:c' },
  });
const agentCalled = (timeoutMs: number) =>
  posts('host', 'agent', 'agent.call', { ticket: 't1', timeoutMs, replyTo: 'host:a' });
const settled = (to: Address) => posts('call#1', to, 'call.settled', { ticket: 't1' });
const something = orders('computer', 'server.start');

export const settledInTime: Law = {
  law: 'every call is settled in its time',
  why: 'A call ends in time although nobody answers, or progress is reported for ever (deadline).',
  sees: [
    ...(['post tool.call', 'post call.request', 'post agent.call', 'post agent.query'] as const),
    ...(['post call.settled', 'open', 'in'] as const),
  ],
  open: (bounds) => new SettledInTime(bounds),
  crimes: [
    {
      how: 'a call without a timer',
      seen: story(born('computer'), called, asked(true), 1_501, something),
      said: 't1 had to be settled 1 ms ago',
    },
    {
      how: 'a person who is waited for too long',
      seen: story(born('computer'), called, asked(false), 2_100, something),
      said: 't1 had to be settled 100 ms ago',
    },
    {
      how: 'a computer that takes a call and does nothing',
      seen: story(born('computer'), called, 2_010, something),
      said: 't1 had to be settled 10 ms ago',
    },
    {
      how: 'an agent that waits for an office that says nothing',
      seen: story(born('agent'), agentCalled(1_200), 8_010, something),
      said: 't1 had to be settled 10 ms ago',
    },
  ],
  lawful: [
    {
      how: 'the last moment',
      seen: story(born('computer'), called, asked(true), 1_500, something, settled('host:c'), 1, something),
    },
    { how: 'a call without a limit', seen: story(born('agent'), agentCalled(0), 1_000_000, something) },
    {
      how: 'an agent that waits for the office first',
      seen: story(born('agent'), agentCalled(1_200), 8_000, something),
    },
    {
      how: 'an event loop that hung',
      seen: story(born('computer'), called, asked(true), 1_900, something),
      bounds: { slackMs: 400 },
    },
  ],
};
