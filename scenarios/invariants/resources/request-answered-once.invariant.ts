import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  askerOf,
  crossingsOf,
  crossingIn,
  crossingOut,
  hears,
  hostOf,
  isGone,
  isLink,
  computerStarts,
  ticketIn,
  timingIn,
} from '../crossings.ts';
import type { Boundary, FoundViolation, Judge } from '../invariant.ts';

interface Question {
  readonly at: string;
  readonly ticket: string;
  due: number;
  asked: number;
  answered: number;
}
/** Timers of Node fire slightly late, and the work that follows takes time. */
const momentMs = 50;
/** A file of a skill may wait for the skills first. A part of a file has none, because a person may be asked. */
const limits: Readonly<Record<string, (timing: Timing) => number>> = {
  show: ({ aggregateMs }) => aggregateMs,
  'agent.askedCollection': ({ aggregateMs }) => aggregateMs,
  readResource: ({ readMs }) => readMs,
  'agent.askedResource': ({ readMs }) => readMs,
  'agent.askedResources': ({ toolsMs }) => toolsMs,
  'agent.askedSkills': ({ aggregateMs }) => aggregateMs,
  'agent.askedSkill': ({ aggregateMs }) => 2 * aggregateMs,
  'agent.askedBlob': ({ aggregateMs }) => aggregateMs,
  'agent.putPart': () => Infinity,
};

class RequestAnsweredOnce implements Judge<Crossing> {
  readonly #slackMs: number;
  readonly #questions = new Map<string, Map<string, Question>>();
  #timing: Timing = timing;
  /** Until then a booting computer holds questions for its servers. */
  #booted = 0;
  #soonest = Infinity;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(crossing: Crossing, at: number): FoundViolation | readonly FoundViolation[] | undefined {
    const { k, ch, ev } = crossing;
    const known = this.#questions.get(hostOf(ch));
    // When the connection is gone, no answer can be heard.
    if (isGone(crossing) && isLink(ch)) this.#questions.delete(hostOf(ch));
    if (k !== 'in') return this.#answered(known?.get(ticketIn(ev)));
    const late = at > this.#soonest ? this.#late(at) : undefined;
    if (ev?.type === 'createComputer') {
      this.#timing = timingIn(ev);
      this.#booted = at + this.#timing.toolsMs;
    } else {
      const limit = limits[ev?.type ?? ''];
      if (limit) this.#ask(crossing, at, limit(this.#timing));
    }
    return late;
  }
  closed(): FoundViolation[] {
    return this.#open().flatMap(({ at, ticket, asked, answered }) =>
      answered < asked ? [{ at, what: `${ticket} was never answered`, kind: 'liveness' as const }] : [],
    );
  }
  #open(): Question[] {
    return [...this.#questions.values()].flatMap((some) => [...some.values()]);
  }
  #ask(crossing: Crossing, now: number, limitMs: number): void {
    const [at, ticket] = [askerOf(crossing), ticketIn(crossing.ev)];
    // Each question has its own time limit, even when others wait too.
    const due = Math.max(now, this.#booted) + limitMs + this.#slackMs + momentMs;
    const some = this.#questions.get(at) ?? new Map<string, Question>();
    const known = some.get(ticket) ?? { at, ticket, asked: 0, answered: 0, due };
    this.#questions.set(at, some.set(ticket, Object.assign(known, { due, asked: known.asked + 1 })));
    this.#soonest = Math.min(this.#soonest, due);
  }
  #answered(question: Question | undefined): FoundViolation | undefined {
    if (!question) return undefined;
    question.answered += 1;
    const { at, ticket, asked, answered } = question;
    return answered > asked ? { at, what: `${ticket} was answered ${answered} times` } : undefined;
  }
  #late(now: number): FoundViolation[] {
    const late: FoundViolation[] = [];
    this.#soonest = Infinity;
    for (const { at, ticket, due, asked, answered } of this.#open())
      if (answered >= asked) continue;
      else if (due < now) {
        this.#questions.get(at)?.delete(ticket);
        late.push({
          at,
          what: `${ticket} had to be answered ${Math.ceil(now - due)} ms ago`,
          kind: 'liveness',
        });
      } else this.#soonest = Math.min(this.#soonest, due);
    return late;
  }
}

const host = 'host:computer';
const born = computerStarts({ aggregateMs: 500, readMs: 700, toolsMs: 0 });
const asked = crossingIn(host, 'show', { collection: 'desktop', reqId: 't1' });
const shown = hears(host, 'shown', { reqId: 't1' });
const reads = crossingIn(host, 'readResource', { ticket: 't2', reqId: 't2', uri: 'window://a/b' });
const read = hears(host, 'resource.read', { ticket: 't2', reqId: 't2' });

const link = 'link:computer:c1/1';
const agentAsks = (type: string): Crossing => crossingIn(link, type, { ticket: '1.q', reqId: 'q' });
const toAgent = crossingOut(link, 'link.answer', { ticket: '1.q' });

export const requestAnsweredOnce: Boundary = {
  reads: 'boundary',
  invariant:
    'every request for a Desktop, a Finder, resources, skills or large contents, and every part of a file, is answered exactly once, and in time',
  why: 'An agent waits for what it asked: it hears what there is, or why not, once, however slow a server is and whatever ends meanwhile.',
  sees: ['in', 'said shown', 'said resource.read', 'out link.answer', 'out close'],
  open: ({ slackMs }) => new RequestAnsweredOnce(slackMs),
  violating: [
    { how: 'two answers', seen: crossingsOf(born, asked, shown, shown), said: 'answered 2 times' },
    {
      how: 'a part of a large content that does not come',
      seen: crossingsOf(born, agentAsks('agent.askedBlob'), 600, agentAsks('agent.askedSkills')),
      said: 'had to be answered',
    },
    {
      how: 'two answers to a part of a file',
      seen: crossingsOf(born, agentAsks('agent.putPart'), toAgent, toAgent),
      said: 'answered 2 times',
    },
  ],
  passing: [
    { how: 'each its answer', seen: crossingsOf(born, asked, 450, shown, reads, read), until: 'closed' },
    {
      how: 'a part of a file for which a person is asked, and a file of a skill that waits',
      seen: crossingsOf(
        born,
        agentAsks('agent.putPart'),
        5_000,
        toAgent,
        agentAsks('agent.askedSkill'),
        900,
        toAgent,
      ),
      until: 'closed',
    },
  ],
};
