import type { Address } from '../../../machines/kernel/address.ts';
import { nameOf } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { PairMap } from '../pair-map.ts';
import { ends, opens, orders, posts, story } from '../record-builders.ts';

interface Question {
  readonly at: Address;
  readonly ticket: string;
  due: number;
  asked: number;
  answered: number;
}
interface Limits {
  readonly aggregateMs: number;
  readonly readMs: number;
  /** A computer that boots keeps questions for its servers so long. */
  readonly toolsMs?: number;
}
interface Asked extends Limits {
  readonly openedAt: number;
}
type Fields = Said<{ ticket: string; replyTo: Address }>;
/** Timers of Node fire late by a moment, and what follows takes its time. */
const momentMs = 50;

class RequestAnsweredOnce implements Judge {
  readonly #slackMs: number;
  readonly #limits = new Map<Address, Asked>();
  readonly #questions = new PairMap<Question>();
  /** Before this nobody is late. */
  #soonest = Infinity;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'in') return at > this.#soonest ? this.#late(at) : undefined;
    if (record.k === 'post') return this.#post(record, at);
    if (record.k === 'open') this.#open(record, at);
    else if (record.k === 'end') this.#forget(record.a);
    return undefined;
  }
  closed(): Found[] {
    return [...this.#questions.values()].flatMap(({ at, ticket, asked, answered }) =>
      answered < asked ? [{ at, what: `${ticket} was never answered`, kind: 'liveness' as const }] : [],
    );
  }
  #open({ a, kind, input }: RecordOf<'open'>, openedAt: number): void {
    const { timing } = input as { readonly timing?: Limits };
    if (kind === 'computer' && timing) this.#limits.set(nameOf(a), { ...timing, openedAt });
  }
  /** Who asked hears nothing any more. */
  #forget(a: Address): void {
    for (const question of this.#questions.values())
      if (question.at === a) this.#questions.delete(a, question.ticket);
  }
  #post({ a, ev, dead }: RecordOf<'post'>, now: number): Found | undefined {
    const { type, ticket = '', replyTo } = ev as Fields;
    if (type === 'aggregate.shown' || type === 'resource.read') return this.#answered(a, ticket);
    // Its computer passes it on: that is no other question.
    if (replyTo === undefined || dead !== undefined || a.includes('/')) return undefined;
    const computer = this.#limits.get(nameOf(a));
    const { aggregateMs = Infinity, readMs = Infinity, toolsMs = 0, openedAt = now } = computer ?? {};
    // Each question has its own time, whoever else asks meanwhile. It begins when the computer keeps it no more.
    const begins = Math.max(now, openedAt + toolsMs);
    const due = begins + (type === 'aggregate.wanted' ? aggregateMs : readMs) + this.#slackMs + momentMs;
    const known = this.#questions.get(replyTo, ticket);
    if (known) Object.assign(known, { due, asked: known.asked + 1 });
    else this.#questions.set(replyTo, ticket, { at: replyTo, ticket, due, asked: 1, answered: 0 });
    this.#soonest = Math.min(this.#soonest, due);
    return undefined;
  }
  #answered(at: Address, ticket: string): Found | undefined {
    const question = this.#questions.get(at, ticket);
    if (!question) return undefined;
    question.answered += 1;
    return question.answered > question.asked
      ? { at, what: `${ticket} was answered ${question.answered} times` }
      : undefined;
  }
  #late(now: number): Found[] {
    const late: Found[] = [];
    this.#soonest = Infinity;
    for (const { at, ticket, due, asked, answered } of this.#questions.values())
      if (answered >= asked) continue;
      else if (due < now) {
        this.#questions.delete(at, ticket);
        late.push({
          at,
          what: `${ticket} had to be answered ${Math.ceil(now - due)} ms ago`,
          kind: 'liveness',
        });
      } else this.#soonest = Math.min(this.#soonest, due);
    return late;
  }
}

const born = opens('computer#1', 'computer', 'host', { timing: { aggregateMs: 500, readMs: 700 } });
const boots = opens('computer#1', 'computer', 'host', {
  timing: { aggregateMs: 500, readMs: 700, toolsMs: 1_000 },
});
const host = 'host:computer';
const asked = posts('host', 'computer', 'aggregate.wanted', { ticket: 't1', replyTo: host });
const passed = posts('computer#1', 'computer/desktop', 'aggregate.wanted', { ticket: 't1', replyTo: host });
const shown = posts('computer/desktop#2', host, 'aggregate.shown', { ticket: 't1' });
const reads = posts('host', 'computer', 'resource.wanted', { ticket: 't2', replyTo: host });
const read = posts('computer/finder/read:t2#1', host, 'resource.read', { ticket: 't2' });
const link = 'computer/link#3';
const fromAfar = posts(link, 'computer#1', 'aggregate.wanted', { ticket: 't3', replyTo: link });
const later = orders('computer', 'server.stop');

export const requestAnsweredOnce: Invariant = {
  invariant: 'every request for a Desktop, a Finder or a resource is answered exactly once, and in time',
  why: 'An agent waits for what it asked: it hears what there is, or why not, once, however slow a server is and whatever ends meanwhile.',
  sees: [
    ...(['open', 'end', 'in', 'post aggregate.wanted', 'post resource.wanted'] as const),
    ...(['post aggregate.shown', 'post resource.read'] as const),
  ],
  open: ({ slackMs }) => new RequestAnsweredOnce(slackMs),
  violating: [
    { how: 'two answers', seen: story(born, asked, passed, shown, shown), said: 'answered 2 times' },
    { how: 'no answer', seen: story(born, asked, passed), until: 'closed', said: 't1 was never answered' },
    {
      how: 'a Desktop that waits for a server that hangs',
      seen: story(born, asked, passed, 600, later),
      said: 't1 had to be answered',
    },
    {
      how: 'a question that is kept after the boot',
      seen: story(boots, asked, 1_600, later),
      said: 't1 had to be answered',
    },
    {
      how: 'a read that waits for ever',
      seen: story(born, reads, 800, later),
      said: 't2 had to be answered',
    },
  ],
  passing: [
    { how: 'each its answer', seen: story(born, asked, passed, 450, shown, reads, read), until: 'closed' },
    {
      how: 'a question that a computer keeps while it boots',
      seen: story(boots, asked, 1_000, passed, 450, shown),
      until: 'closed',
    },
    { how: 'a ticket that is used again', seen: story(born, asked, shown, asked, shown), until: 'closed' },
    { how: 'a link that is gone', seen: story(born, fromAfar, ends(link), 5_000, later), until: 'closed' },
    { how: 'a question that reached nobody', seen: story({ ...asked, dead: 'lost' }), until: 'closed' },
    { how: 'a question from before the first record', seen: story(shown, shown), until: 'closed' },
  ],
};
