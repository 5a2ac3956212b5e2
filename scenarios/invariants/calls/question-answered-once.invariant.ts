import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, ends, learns, opens, progresses, story, withdraws } from '../record-builders.ts';

/** Of one root, from its beginning. What it asked before the first record nobody knows. */
interface Asker {
  readonly pending: Set<string>;
  hasEnded: boolean;
}

class QuestionAnsweredOnce implements Judge {
  /** Whoever has not asked yet has no entry of its own. */
  readonly #askers = new Map<Address, Asker | null>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'out') return record.port === 'ask' ? this.#out(record) : undefined;
    if (record.k === 'in') return record.via === 'ask' ? this.#heard(record) : undefined;
    if (record.k === 'open') this.#askers.set(record.a, null);
    else if (record.k === 'end') this.#end(record.a);
    return undefined;
  }
  #end(a: Address): void {
    const asker = this.#askers.get(a);
    // What is pending at its end is withdrawn after it.
    if (asker && asker.pending.size > 0) asker.hasEnded = true;
    else this.#askers.delete(a);
  }
  #heard({ a, id, ev }: RecordOf<'in'>): Found | undefined {
    if (isAnswer(ev?.type)) return this.#over(a, id, 'answered');
    const asker = this.#askers.get(a);
    if (asker === undefined || asker?.pending.has(id as string)) return undefined;
    return { at: a, what: `its question '${id}' made progress, and nobody was asking it` };
  }
  #over(a: Address, id: string | undefined, how: string): Found | undefined {
    const asker = this.#askers.get(a);
    if (asker === undefined) return undefined;
    if (!asker?.pending.delete(id as string))
      return { at: a, what: `its question '${id}' was ${how}, and nobody was asking it` };
    if (asker.hasEnded && asker.pending.size === 0) this.#askers.delete(a);
    return undefined;
  }
  #out({ a, ev }: RecordOf<'out'>): Found | undefined {
    const { type, id = '' } = ev as Said<{ id: string }>;
    if (type === 'ask.withdraw') return this.#over(a, id, 'withdrawn');
    let asker = this.#askers.get(a);
    if (asker === undefined) return undefined;
    if (asker === null) this.#askers.set(a, (asker = { pending: new Set(), hasEnded: false }));
    if (asker.pending.has(id)) return { at: a, what: `asked '${id}' while it was asking it already` };
    asker.pending.add(id);
    return undefined;
  }
}

const call = 'c/client:fs/call:t1#1';
const born = opens(call, 'call', 'c/client:fs#1');
const sent = asks(call, 'call', 'c/client:fs#1', 'tools/call');
const [answered, withdrawn] = [learns(call, 'call'), withdraws(call, 'call')];
const progressed = progresses(call, 'call');

export const questionAnsweredOnce: Invariant = {
  invariant: 'a question is answered or withdrawn exactly once',
  why: 'A server is told once that a call is cancelled, and never of one that it has answered (cancel-once).',
  sees: ['in ask', 'out ask', 'out ask.withdraw', 'open', 'end'],
  open: () => new QuestionAnsweredOnce(),
  violating: [
    {
      how: 'a call that is cancelled twice',
      seen: story(born, sent, withdrawn, withdrawn),
      said: "'call' was withdrawn, and nobody was asking it",
    },
    {
      how: 'a call that is cancelled after its answer',
      seen: story(born, sent, answered, withdrawn),
      said: "'call' was withdrawn, and nobody was asking it",
    },
    {
      how: 'a server that answers twice',
      seen: story(born, sent, answered, answered),
      said: "'call' was answered, and nobody was asking it",
    },
    {
      how: 'an answer that comes after the cancel',
      seen: story(born, sent, withdrawn, answered),
      said: "'call' was answered, and nobody was asking it",
    },
    {
      how: 'progress that comes after the answer',
      seen: story(born, sent, answered, progressed),
      said: "'call' made progress, and nobody was asking it",
    },
    {
      how: 'one question twice at once',
      seen: story(born, sent, sent),
      said: "asked 'call' while it was asking it already",
    },
  ],
  passing: [
    { how: 'progress before the answer', seen: story(born, sent, progressed, progressed, answered) },
    { how: 'an answer', seen: story(born, sent, answered, ends(call)) },
    { how: 'an end that withdraws', seen: story(born, sent, ends(call, 'closed'), withdrawn) },
    { how: 'the same question again', seen: story(born, sent, answered, sent, withdrawn, sent) },
    { how: 'one that was asked before the first record', seen: story(answered, withdrawn) },
  ],
};
