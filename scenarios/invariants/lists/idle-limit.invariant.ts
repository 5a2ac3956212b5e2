import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { CallSettled } from '../../../machines/call/settlement.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, learns, opens, posts, progresses, story } from '../record-builders.ts';

interface Call {
  readonly idleMs: number;
  /** Its server has said something last, or was asked; Infinity: nothing is awaited of it. */
  last: number;
  isOver: boolean;
}

class IdleLimit implements Judge {
  readonly #slackMs: number;
  readonly #calls = new Map<Address, Call>();
  /** Before this nobody has been silent for too long. */
  #soonest = Infinity;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'open') return record.kind === 'call' ? this.#open(record) : undefined;
    if (record.k === 'end') return this.#end(record);
    if (record.k === 'post') return this.#settled(record, at);
    if (record.k === 'out') {
      const { id, type } = record.ev as Said<{ id: string }>;
      if (id === 'call') this.#await(record.a, type === 'ask' ? at : Infinity);
      return undefined;
    }
    if (record.k !== 'in') return undefined;
    const late = at > this.#soonest ? this.quiescent(at) : undefined;
    if (record.via === 'ask' && record.id === 'call') {
      const isAwaited = !isAnswer(record.ev?.type) && record.ev?.type !== 'ask.waiting';
      this.#await(record.a, isAwaited ? at : Infinity);
    }
    return late;
  }
  #open({ a, input }: RecordOf<'open'>): undefined {
    const { policy, idleMs = 0, totalMs = 0, timeoutMs = 0 } = input as Partial<CallStart>;
    const limits = [totalMs, timeoutMs].filter((ms) => ms > 0);
    // Where another limit comes first, that one ends it.
    if (policy && idleMs > 0 && idleMs < Math.min(...limits))
      this.#calls.set(a, { idleMs, last: Infinity, isOver: false });
  }
  /** One that is done is settled a moment after its end, and after its question is taken back. */
  #end({ a, why }: RecordOf<'end'>): undefined {
    const call = this.#calls.get(a);
    if (call && why === 'done') call.isOver = true;
    else this.#calls.delete(a);
  }
  #await(a: Address, since: number): void {
    const call = this.#calls.get(a);
    if (!call || call.isOver) return;
    call.last = since;
    this.#soonest = Math.min(this.#soonest, since + call.idleMs + this.#slackMs);
  }
  #settled({ from, ev }: RecordOf<'post'>, at: number): Found | undefined {
    const call = this.#calls.get(from);
    const { failure } = ev as Said<CallSettled>;
    this.#calls.delete(from);
    const { which } = (failure?.details ?? {}) as { readonly which?: string };
    if (!call || which !== 'idle') return undefined;
    const silent = at - call.last;
    return silent + this.#slackMs >= call.idleMs
      ? undefined
      : { at: from, what: `ended by silence after ${Math.max(0, silent)} ms of ${call.idleMs}` };
  }
  quiescent(at: number): readonly Found[] {
    const late: Found[] = [];
    this.#soonest = Infinity;
    for (const [a, { last, idleMs }] of this.#calls) {
      const due = last + idleMs + this.#slackMs;
      if (due >= at) this.#soonest = Math.min(this.#soonest, due);
      else {
        this.#calls.delete(a);
        late.push({ at: a, what: `heard nothing for ${at - last} ms of ${idleMs}`, kind: 'liveness' });
      }
    }
    return late;
  }
}

const call = 'c/client:fs/call:t1#1';
const opened = (more: object = {}) =>
  opens(call, 'call', 'c/client:fs#1', { policy: {}, idleMs: 100, totalMs: 0, timeoutMs: 1_000, ...more });
const sent = asks(call, 'call', 'c/client:fs#1', 'tools/call');
const progress = progresses(call, 'call');
const waits = learns(call, 'call', 'ask.waiting', { ahead: 1 });
const began = learns(call, 'call', 'ask.began', {});
const silent = posts(call, 'host:c', 'call.settled', {
  failure: { code: 'ToolExecutionTimeout', message: 'x', details: { which: 'idle' } },
});
const something = learns('c', 'x');

export const idleLimit: Invariant = {
  invariant: 'a call times out for silence when its server has been silent for its idle limit, and no sooner',
  why: 'Progress gives a call more time; a server that hangs does not keep its caller (idle limit).',
  sees: ['open', 'end', 'in', 'out ask', 'out ask.withdraw', 'post call.settled'],
  open: ({ slackMs }) => new IdleLimit(slackMs),
  violating: [
    {
      how: 'progress that is not heard',
      seen: story(opened(), sent, 60, progress, 40, silent),
      said: 'ended by silence after 40 ms of 100',
    },
    {
      how: 'the time in line that counts as silence',
      seen: story(opened(), sent, waits, 90, began, 10, silent),
      said: 'ended by silence after 10 ms of 100',
    },
    {
      how: 'one that is silent while it waits',
      seen: story(opened(), sent, waits, 100, silent),
      said: 'ended by silence after 0 ms of 100',
    },
    {
      how: 'a limit that is forgotten',
      seen: story(opened(), sent, 101, something),
      said: 'heard nothing for 101 ms',
    },
    {
      how: 'progress after which nobody listens for silence',
      seen: story(opened(), sent, 60, progress, 101, asks('c/client:git#1', 'tools', 'c', 'tools/list')),
      until: 'quiescent',
      said: 'heard nothing for 101 ms',
    },
  ],
  passing: [
    {
      how: 'one that is silent for so long',
      seen: story(opened(), sent, 60, progress, 100, silent, 50, something),
    },
    {
      how: 'one that is told more and more',
      seen: story(opened(), sent, 90, progress, 90, progress, 90, something),
    },
    {
      how: 'one that waits for its turn',
      seen: story(opened(), sent, waits, 500, something),
      until: 'quiescent',
    },
    { how: 'one that is looked at', seen: story(opened(), sent, 10, learns(call, 'call'), 500, something) },
    { how: 'one whose whole time is shorter', seen: story(opened({ timeoutMs: 80 }), sent, 500, something) },
    { how: 'one without such a limit', seen: story(opened({ idleMs: 0 }), sent, 500, something) },
  ],
};
