import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import type { CallPolicy } from '../../../machines/call/policy/index.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import { nameOf } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Bounds, Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { PairMap } from '../pair-map.ts';
import { isClient } from '../places.ts';
import { asks, ends, learns, opens, orders, posts, story } from '../record-builders.ts';

interface Due {
  readonly at: Address;
  readonly ticket: string;
  due: number;
}
interface Request {
  readonly ticket: string;
  readonly replyTo: Address;
  readonly timeoutMs: number;
}
/** A call of a computer: whom it asks before it is sent has a time of its own, within its whole time. */
interface Judged {
  readonly entry: Due;
  /** When its whole time is over. */
  readonly end: number;
  readonly policy: CallPolicy;
}

class CallSettledInTime implements Judge {
  readonly #slackMs: number;
  readonly #timings = new Map<Address, Timing>();
  readonly #waiting = new PairMap<Due>();
  readonly #calls = new Map<Address, Judged>();
  /** Before this nobody is late. */
  #soonest = Infinity;

  constructor({ slackMs }: Bounds) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'in') {
      const found = at > this.#soonest ? this.#late(at) : undefined;
      if (record.via === 'ask') this.#hear(record);
      return found;
    }
    if (record.k === 'post') this.#post(record, at);
    else if (record.k === 'open') this.#open(record, at);
    else if (record.k === 'out') this.#out(record, at);
    else if (record.k === 'end') this.#calls.delete(record.a);
    return undefined;
  }
  #open({ a, kind, input }: RecordOf<'open'>, at: number): void {
    const {
      timing,
      policy,
      drawn,
      ticket = '',
      replyTo = '',
      timeoutMs = 0,
      totalMs = 0,
    } = input as Partial<Opened>;
    if ((kind === 'computer' || kind === 'agent') && timing) {
      this.#timings.set(nameOf(a), timing);
      this.#timings.set(a, timing);
    }
    if (kind !== 'call' || !policy) return;
    const entry = this.#waiting.get(replyTo, ticket);
    if (!entry || timeoutMs === 0) return;
    const end = at + (totalMs > 0 ? Math.min(timeoutMs, totalMs) : timeoutMs);
    this.#calls.set(a, { entry, end, policy });
    this.#emit(entry, drawn ? end : Math.min(end, at + policy.confirmMs));
  }
  /** It has until then. */
  #emit(entry: Due, end: number): void {
    entry.due = end + this.#slackMs;
    this.#soonest = Math.min(this.#soonest, entry.due);
  }
  /** Whoever was asked has answered. */
  #hear({ a, id, ev }: RecordOf<'in'>): void {
    if ((id !== 'policy' && id !== 'confirm') || !isAnswer(ev?.type)) return;
    const call = this.#calls.get(a);
    if (call) this.#emit(call.entry, call.end);
  }
  #out({ a, ev }: RecordOf<'out'>, at: number): void {
    const { id } = ev as Said<{ id: string }>;
    const call = id === 'confirm' || id === 'finish' ? this.#calls.get(a) : undefined;
    if (!call) return;
    const { entry, end, policy } = call;
    // To look at an answer that is here is not its caller's time.
    this.#emit(entry, id === 'finish' ? at + policy.lookMs : Math.min(end, at + policy.confirmMs));
  }
  #post({ from, a, ev, dead }: RecordOf<'post'>, at: number): void {
    const said = ev as Said<Request>;
    if (said.type === 'call.settled') return void this.#waiting.delete(a, said.ticket ?? '');
    const { ticket } = said;
    if (dead !== undefined || ticket === undefined || said.replyTo === undefined) return;
    const ms = allowed(said, this.#timings.get(isClient(a) ? from : a));
    if (!(ms < Infinity)) return;
    const entry = { at: said.replyTo, ticket, due: Infinity };
    this.#waiting.set(said.replyTo, ticket, entry);
    this.#emit(entry, at + ms);
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
interface Opened extends CallStart {
  readonly timing: Timing;
}

/**
 * How long may pass until it is settled; Infinity: for ever. A computer's call: its own time-out, as long as no call
 * has been opened for it that says more. An agent's: its time-out in the whole seconds of the wire, and the margin by
 * which the agent waits longer than the office, which waits longer than the computer.
 */
function allowed(said: Said<Request>, timing: Timing | undefined): number {
  if (!timing) return Infinity;
  if (said.type === 'agent.query') return timing.queryMs + timing.agentMarginMs;
  if (!said.timeoutMs) return Infinity;
  if (said.type === 'call.request') return said.timeoutMs;
  return said.type === 'agent.call'
    ? Math.ceil(said.timeoutMs / 1000) * 1000 + timing.agentMarginMs
    : Infinity;
}

const born = (kind: string) =>
  opens(`${kind}#1`, kind, 'host', { timing: { agentMarginMs: 6_000, queryMs: 3_000 } });
const called = posts('host', 'computer', 'call.request', {
  ticket: 't1',
  timeoutMs: 1_000,
  replyTo: 'host:c',
});
const requested = posts('computer#1', 'computer/client:fs', 'call.request', {
  ticket: 't1',
  timeoutMs: 1_000,
  replyTo: 'host:c',
});
const call = 'computer/client:fs/call:t1#1';
const policy = { confirmMs: 500, lookMs: 100 };
const opened = opens(call, 'call', 'computer/client:fs#1', {
  ticket: 't1',
  timeoutMs: 1_000,
  replyTo: 'host:c',
  policy,
});
const openedKnown = opens(call, 'call', 'computer/client:fs#1', {
  ticket: 't1',
  timeoutMs: 1_000,
  replyTo: 'host:c',
  policy,
  drawn: { problems: [], decision: 'allow', reason: 'x' },
});
const asked = [born('computer'), called, requested, opened];
const judged = learns(call, 'policy');
const confirming = [asks(call, 'confirm', 'confirm', 'confirm')];
const confirmed = [...confirming, 300, learns(call, 'confirm')];
const finishing = [learns(call, 'call'), asks(call, 'finish', 'finish', 'finish')];
const agentCalled = (timeoutMs: number) =>
  posts('host', 'agent', 'agent.call', { ticket: 't1', timeoutMs, replyTo: 'host:a' });
const settled = (to: Address) => posts('call#1', to, 'call.settled', { ticket: 't1' });
const something = orders('computer', 'server.start');

export const callSettledInTime: Invariant = {
  invariant: 'every call is settled within its time limit',
  why: 'A call ends in time although nobody answers, or progress is reported for ever (deadline).',
  sees: [
    ...(['post call.request', 'post agent.call', 'post agent.query'] as const),
    ...(['post call.settled', 'open', 'end', 'in', 'out ask'] as const),
  ],
  open: (bounds) => new CallSettledInTime(bounds),
  violating: [
    {
      how: 'a call without a timer',
      seen: story(...asked, judged, 1_001, something),
      said: 't1 had to be settled 1 ms ago',
    },
    {
      how: 'a person who is waited for too long',
      seen: story(...asked, judged, asks(call, 'confirm', 'confirm', 'confirm'), 600, something),
      said: 't1 had to be settled 100 ms ago',
    },
    {
      how: 'a person who is waited for longer than the caller waits',
      seen: story(...asked, 400, judged, ...confirming, 400, learns(call, 'confirm'), 210, something),
      said: 't1 had to be settled 10 ms ago',
    },
    {
      how: 'a policy that never answers',
      seen: story(...asked, 510, something),
      said: 't1 had to be settled 10 ms ago',
    },
    {
      how: 'a result that is post-processed for ever',
      seen: story(...asked, judged, 900, ...finishing, 110, something),
      said: 't1 had to be settled 10 ms ago',
    },
    {
      how: 'a computer that takes a call and does nothing',
      seen: story(born('computer'), called, 1_010, something),
      said: 't1 had to be settled 10 ms ago',
    },
    {
      how: 'an agent that waits for an office that says nothing',
      seen: story(born('agent'), agentCalled(1_200), 8_010, something),
      said: 't1 had to be settled 10 ms ago',
    },
  ],
  passing: [
    {
      how: 'the last moment',
      seen: story(...asked, judged, 1_000, something, settled('host:c'), 1, something),
    },
    {
      how: 'a person and a look that take their time, too',
      seen: story(
        ...[...asked, 500, judged, ...confirmed, 200, ...finishing, 100, something],
        ...[settled('host:c'), ends(call), 1, something],
      ),
    },
    {
      how: 'a call that was judged at once',
      seen: story(
        ...[born('computer'), called, requested, openedKnown, 1_000, something],
        ...[settled('host:c'), 1, something],
      ),
    },
    { how: 'a call without a limit', seen: story(born('agent'), agentCalled(0), 1_000_000, something) },
    {
      how: 'an agent that waits for the office first',
      seen: story(born('agent'), agentCalled(1_200), 8_000, something),
    },
    {
      how: 'an event loop that hung',
      seen: story(...asked, judged, 1_400, something),
      bounds: { slackMs: 400 },
    },
  ],
};
