import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Bounds, Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { PairMap } from '../pair-map.ts';
import { asks, ends, learns, opens, posts, story } from '../record-builders.ts';

/** A call as whoever made it knows it. */
interface Caller {
  readonly name: string;
  /** News of its end takes this long to whoever executes it. */
  readonly wayMs: number;
  waiting: number;
  toldAt: number;
}
type Fields = Said<{ ticket: string; reqId: string; replyTo: Address }>;

class NoRunAfterEnd implements Judge {
  readonly #bounds: Bounds;
  /** Calls that the host of a computer makes, by whom is told and the ticket. */
  readonly #ofHosts = new PairMap<Caller>();
  /** Those of agents: a computer knows them by their `req_id` only. And where each is told. */
  readonly #ofAgents = new Map<string, Caller>();
  readonly #told = new PairMap<Caller>();
  /** Calls of computers that live. */
  readonly #calls = new Map<Address, Caller>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }
  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'post') return void (record.dead === undefined && this.#post(record, at));
    if (record.k === 'end') return void this.#calls.delete(record.a);
    if (record.k === 'open') return void (record.kind === 'call' && this.#open(record));
    if (record.k === 'out')
      return (record.ev as Said<{ id: string }>).id === 'call' ? this.#sent(record.a, at) : undefined;
    // One that had to wait for its turn.
    if (record.k === 'in' && record.ev?.type === 'ask.began') return this.#sent(record.a, at);
    return undefined;
  }
  #post({ from, a, ev }: RecordOf<'post'>, at: number): void {
    const { type, ticket = '', reqId = '', replyTo = '' } = ev as Fields;
    if (type === 'agent.call') {
      const known = this.#ofAgents.get(reqId) ?? { name: reqId, wayMs: this.#bounds.wayMs };
      this.#ofAgents.set(reqId, this.#asked(this.#told, replyTo, ticket, known));
    } else if (type === 'call.request' && from === 'host')
      this.#asked(this.#ofHosts, replyTo, ticket, { name: ticket, wayMs: 0 });
    else if (type === 'call.settled')
      for (const callers of [this.#ofHosts, this.#told]) {
        const caller = callers.get(a, ticket);
        if (!caller) continue;
        callers.delete(a, ticket);
        caller.waiting -= 1;
        caller.toldAt = at;
      }
  }
  /** The same `req_id` again is the same call to whoever executes it. */
  #asked(
    callers: PairMap<Caller>,
    replyTo: Address,
    ticket: string,
    known: Pick<Caller, 'name' | 'wayMs'>,
  ): Caller {
    const caller = 'waiting' in known ? (known as Caller) : { ...known, waiting: 0, toldAt: 0 };
    caller.waiting += 1;
    callers.set(replyTo, ticket, caller);
    return caller;
  }
  #open({ a, input }: RecordOf<'open'>): void {
    const { policy, replyTo = '', ticket = '', reqId = '' } = input as Partial<CallStart>;
    const caller = policy && (this.#ofHosts.get(replyTo, ticket) ?? this.#ofAgents.get(reqId));
    if (caller) this.#calls.set(a, caller);
  }
  #sent(a: Address, at: number): Found | undefined {
    const caller = this.#calls.get(a);
    if (!caller || caller.waiting > 0) return undefined;
    const ms = at - caller.toldAt;
    return ms > caller.wayMs + this.#bounds.slackMs || caller.wayMs === 0
      ? {
          at: a,
          what: `${caller.name} was sent ${Math.ceil(ms)} ms after its caller was told that it is over`,
        }
      : undefined;
  }
}

const call = 'computer/client:fs/call:t1#1';
const policy = { confirmMs: 500 };
const asked = posts('host', 'computer', 'call.request', { ticket: 't1', replyTo: 'host:c' });
const agentAsked = (ticket = 'r1') =>
  posts('host', 'agent', 'agent.call', { ticket, reqId: 'r1', replyTo: 'host:a' });
const opened = opens(call, 'call', 'computer/client:fs#1', { policy, ticket: 't1', replyTo: 'host:c' });
const openedFor = opens(call, 'call', 'computer/client:fs#1', {
  policy,
  ticket: '1.r1',
  reqId: 'r1',
  replyTo: 'computer/link#1',
});
const sent = asks(call, 'call', 'computer/client:fs#1', 'tools/call');
const waits = learns(call, 'call', 'ask.waiting', { ahead: 0 });
const began = learns(call, 'call', 'ask.began', {});
const told = posts(call, 'host:c', 'call.settled', { ticket: 't1' });
const agentTold = (ticket = 'r1') => posts('agent#1/call:r1#1', 'host:a', 'call.settled', { ticket });
const bounds = { wayMs: 100 };

export const noRunAfterEnd: Invariant = {
  invariant: 'no call runs after its caller was told that it ended',
  why: 'A late yes, a turn that comes too late, a cancel that is not heard: whoever was told that its call is over may rely on that.',
  sees: ['post call.request', 'post agent.call', 'post call.settled', 'open', 'end', 'in ask', 'out ask'],
  open: (given) => new NoRunAfterEnd(given),
  violating: [
    {
      how: 'a late yes',
      seen: story(asked, opened, 500, told, 700, sent),
      said: 't1 was sent 700 ms after its caller was told',
    },
    {
      how: 'a turn that comes too late',
      seen: story(asked, opened, sent, waits, 500, told, began),
      said: 't1 was sent 0 ms after its caller was told',
    },
    {
      how: 'an office that gives up, and a computer that does not',
      seen: story(agentAsked(), openedFor, 500, agentTold(), 101, sent),
      bounds,
      said: 'r1 was sent 101 ms after its caller was told',
    },
    {
      how: 'an agent whose call is refused twice',
      seen: story(agentAsked(), agentAsked('r2'), openedFor, agentTold('r2'), agentTold(), 101, sent),
      bounds,
      said: 'r1 was sent 101 ms after',
    },
  ],
  passing: [
    { how: 'a yes in time', seen: story(asked, opened, 500, sent, 10, told, ends(call)) },
    { how: 'a turn in time', seen: story(asked, opened, sent, waits, 500, began, told) },
    {
      how: 'news that are on their way',
      seen: story(agentAsked(), openedFor, agentTold(), 100, sent),
      bounds,
    },
    {
      how: 'the same id again, of which one was refused',
      seen: story(agentAsked(), agentAsked('r2'), openedFor, agentTold('r2'), 500, sent),
      bounds,
    },
    {
      how: 'the same id again, after the first was over',
      seen: story(agentAsked(), agentTold(), 500, agentAsked(), openedFor, sent),
      bounds,
    },
    { how: 'a call that nobody here has made', seen: story(opened, 500, told, sent) },
  ],
};
