import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, learns, posts, progresses, story } from '../record-builders.ts';
import { unread, wasUnread } from '../unread.ts';

const question = 'call';
/** Asked about the answer before it is given. */
const look = 'finish';

/**
 * Nothing comes of a call after the one answer to its question, unless its connection ends with it, it is looked at, or it is sent
 * once more because its server had not read it.
 */
class AnswerSettlesCall implements Judge {
  /** The call whose question has its answer, while what follows from it happens. */
  #answered: Address | undefined;
  /** Calls that their servers had not read. */
  readonly #unread = new Set<Address>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'post') {
      if (record.from === this.#answered) this.#answered = undefined;
      this.#unread.delete(record.from);
      return undefined;
    }
    if (record.k === 'out') {
      if (record.a === this.#answered && (record.ev as Said<{ id: string }>).id === look)
        this.#answered = undefined;
      return undefined;
    }
    const found = this.quiescent();
    if (record.k === 'in') this.#hear(record);
    return found[0];
  }
  #hear({ via, a, id, ev }: RecordOf<'in'>): void {
    const { type, lost, alone } = (ev ?? {}) as Said<{ lost: boolean; alone: boolean }>;
    if (via !== 'ask' || (id !== question && id !== look) || !isAnswer(type)) return;
    if (wasUnread(ev) && !this.#unread.has(a)) return void this.#unread.add(a);
    // Its server says what became of it, or that it is back.
    if (lost !== true || alone === true) this.#answered = a;
  }
  quiescent(): readonly Found[] {
    const at = this.#answered;
    this.#answered = undefined;
    return at === undefined ? [] : [{ at, what: 'has the answer to its question, and is not settled' }];
  }
  closed(): readonly Found[] {
    return this.quiescent();
  }
}

const call = 'c/client:fs/call:1#1';
const asked = asks(call, question, 'c/client:fs#1', 'tools/call');
const refused = (more: object) =>
  learns(call, question, 'ask.refused', { failure: { code: 'X', message: 'no' }, ...more });
const settled = posts(call, 'host:c', 'call.settled', { ticket: 't' });
const looking = asks(call, look, look, look);
const next = learns('c/client:git/call:2#1', 'other');
const said = 'is not settled';

export const answerSettlesCall: Invariant = {
  invariant: 'a call is settled at once when its question has an answer',
  why: 'Whoever waits for more waits for his whole time, or for ever: nobody says anything about it any more.',
  sees: ['in', 'out ask', 'post call.settled'],
  open: () => new AnswerSettlesCall(),
  violating: [
    { how: 'an answer that is not passed on', seen: story(asked, learns(call, question), next), said },
    {
      how: 'one that was lost alone, and waits for its server to be lost',
      seen: story(asked, refused({ sent: true, lost: true, alone: true }), next),
      said,
    },
    {
      how: 'one that was looked at, and is kept back',
      seen: story(asked, learns(call, question), looking, learns(call, look), next),
      said,
    },
    {
      how: 'one that its servers had not read twice, and waits for a third',
      seen: story(asked, refused(unread), asked, refused(unread), next),
      said,
    },
    {
      how: 'one that was not let in, and says nothing',
      seen: story(asked, refused({ sent: false })),
      until: 'closed',
      said,
    },
  ],
  passing: [
    {
      how: 'an answer',
      seen: story(asked, progresses(call, question), learns(call, question), settled, next),
    },
    {
      how: 'an answer that is post-processed first',
      seen: story(asked, learns(call, question), looking, next, learns(call, look), settled, next),
    },
    {
      how: 'one that was lost alone',
      seen: story(asked, refused({ sent: true, lost: true, alone: true }), settled, next),
    },
    {
      how: 'one that was lost with its server, and hears more',
      seen: story(asked, refused({ sent: true, lost: true }), next, settled),
    },
    {
      how: 'an answer that is post-processed first',
      seen: story(asked, learns(call, question), asks(call, 'finish', 'finish', 'finish'), next, settled),
    },
    { how: 'one that its server had not read', seen: story(asked, refused(unread), next, asked) },
    { how: 'a question of somebody else', seen: story(next, next) },
  ],
};
