import { nameOf, type Address } from '../../../machines/kernel/effects.ts';
import { mostWaiting } from '../../../machines/computer/computer.calls.ts';
import type { DirectoryRecord } from '../../../machines/trace/record.ts';
import { isAnswer, type FoundViolation, type Judge, type RecordOf, type EventFields } from '../invariant.ts';

/** Several askers may want one resource, and a change makes the machine read it once more. */
const mostAtOnce = 20;
const momentMs = 50;
type Fields = EventFields<{ method: string; params: { readonly uri?: string } }>;

/** A machine that reads repeatedly must let time pass. */
class ReadRate {
  readonly #reads = new Map<string, number>();
  #began = 0;

  take({ a, ev }: RecordOf<'out'>, at: number): FoundViolation | undefined {
    const { method, params } = ev as Fields;
    if (method !== 'resources/read') return undefined;
    if (at - this.#began >= momentMs) {
      this.#reads.clear();
      this.#began = at;
    }
    const key = `${a} ${params?.uri ?? ''}`;
    const count = (this.#reads.get(key) ?? 0) + 1;
    this.#reads.set(key, count);
    return count === mostAtOnce + 1
      ? { at: a, what: `reads ${params?.uri ?? ''} ${count} times in a moment` }
      : undefined;
  }
}

const rootOf = (instance: Address): Address => instance.slice(0, instance.lastIndexOf('/'));

interface Most {
  readonly timers: number;
  readonly leaves: number;
  readonly questions: number;
  readonly mayPing?: true;
  /** Kinds not named here are unlimited. */
  readonly owned?: Readonly<Record<string, number>>;
}
/** At once, as the chart of the kind says; other kinds are not checked. */
const most: Readonly<Record<string, Most>> = {
  /** Timers: one grace period at a time. Port: the child process. */
  process: { timers: 1, leaves: 1, questions: 0 },
  /** Timers: stability, and the next health check or the limit of a ping. Question: values of the config. */
  // A health-check timer is cancelled only after those of the next phase are set; pings go on beside a question.
  client: {
    timers: 3,
    leaves: 0,
    questions: 1,
    mayPing: true,
    owned: { connection: 1, catalog: 4, watch: 1 },
  },
  /** Timers: the limit of a step, and the time after which it counts as slow. Port: the session. */
  connection: { timers: 2, leaves: 1, questions: 0, owned: { process: 1 } },
  /** Timers: two gather changes, until none comes and at most for a while, and one is for the next poll. */
  catalog: { timers: 3, leaves: 0, questions: 1 },
  /** Questions: a few subscriptions at a time. */
  watch: { timers: 1, leaves: 0, questions: 16 },
  /** Timers: the deadline, and the limit on silence. Question: to a person or to the server, never both. */
  call: { timers: 2, leaves: 0, questions: 1 },
  /** Timers: boot or shutdown, the next connect permit, and the limits of calls that wait for servers. */
  computer: { timers: 2 + mostWaiting, leaves: 0, questions: 0, owned: { link: 1, desktop: 1, finder: 1 } },
  /** Timers: one to announce changes, and one for those who wait for the first lists. */
  desktop: { timers: 2, leaves: 0, questions: 0 },
  finder: { timers: 2, leaves: 0, questions: 0 },
  question: { timers: 1, leaves: 0, questions: 0 },
  /** Timers: a pause for each item that hung. Reads: four for questions, and one that is tried again. */
  cache: { timers: Infinity, leaves: 0, questions: 0, owned: { read: 5 } },
  read: { timers: 1, leaves: 0, questions: 1 },
  /** Timers: two gather changes, until none comes and at most for a while. Port: the connection. */
  link: { timers: 2, leaves: 1, questions: 0 },
  /** Timer: shutdown. Question: members. Views are as many as computers, calls as many as the host wants. */
  agent: { timers: 1, leaves: 0, questions: 1, owned: { link: 1 } },
  /** Timer: a question's limit, or the pause until the next one. */
  view: { timers: 1, leaves: 0, questions: 1 },
  desktopView: { timers: 1, leaves: 0, questions: 1 },
  finderView: { timers: 1, leaves: 0, questions: 1 },
  /** Timer: the limit of draining. Port: the server. Seats are as many as connections. */
  office: { timers: 1, leaves: 1, questions: 0 },
  seat: { timers: 0, leaves: 0, questions: 0 },
};

const asking = new Set(['connecting', 'ready', 'authorizing', 'unauthorized']);

interface Root {
  readonly a: Address;
  readonly kind: string;
  readonly most: Most;
  readonly owner: Root | undefined;
  readonly server: string;
  /** Number of servers of the config, and of those that are shutting down. */
  servers: number;
  /** Number of owned machines by kind, where limited. */
  owned: Map<string, number> | undefined;
  timers: number;
  leaves: number;
  questions: number;
  pings: number;
}
const isPing = ({ most: { mayPing } }: Root, id: string | undefined): boolean =>
  mayPing === true && id === 'ping';

export class Holding implements Judge<DirectoryRecord> {
  readonly #roots = new Map<Address, Root>();
  readonly #atOnce = new ReadRate();
  /** They end in this input; afterwards nothing of them may be left. */
  readonly #ending: Root[] = [];

  take(record: DirectoryRecord, at: number): FoundViolation | readonly FoundViolation[] | undefined {
    if (record.k === 'timer') return this.#timer(record);
    if (record.k === 'out') return this.#out(record, at);
    if (record.k === 'open') return this.#open(record);
    if (record.k === 'end') return this.#end(record.a);
    if (record.k === 'post')
      return record.ev.type === 'servers.set' ? this.#configured(record) : this.#told(record);
    if (record.k !== 'in') return undefined;
    if (record.via === 'timer' || record.via === 'deadline') this.#less(record.a, 'timers');
    else if (isAnswer(record)) this.#answered(record.a, record.id);
    return this.#ending.length > 0 ? this.closed() : undefined;
  }
  closed(): readonly FoundViolation[] {
    const kept: FoundViolation[] = [];
    for (const root of this.#ending) {
      const { a, leaves, questions, pings } = root;
      // Another actor with the same name may have been opened since.
      if (this.#roots.get(a) === root) this.#roots.delete(a);
      if (leaves + questions + pings > 0)
        kept.push({ at: a, what: `ended and kept ${leaves} leaves, ${questions + pings} questions` });
    }
    this.#ending.length = 0;
    return kept;
  }
  #timer({ op, a }: RecordOf<'timer'>): FoundViolation | undefined {
    return op === 'set' ? this.#more(a, 'timers') : void this.#less(a, 'timers');
  }
  #out(record: RecordOf<'out'>, at: number): FoundViolation | undefined {
    const { port, a, ev } = record;
    const { type, id } = ev as EventFields<{ id: string }>;
    if (port === 'ask' && type === 'ask') return this.#asked(a, id) ?? this.#atOnce.take(record, at);
    if (port === 'ask') return void this.#answered(a, id);
    if (type === 'leaf.open') return this.#more(rootOf(a), 'leaves');
    if (type === 'leaf.close') this.#less(rootOf(a), 'leaves');
    return undefined;
  }
  #asked(a: Address, id: string | undefined): FoundViolation | undefined {
    const root = this.#roots.get(a);
    // A withdrawal is answered at once and is not counted as a question.
    if (!root || id === 'withdrawal') return undefined;
    if (!isPing(root, id)) {
      const found = this.#more(a, 'questions');
      if (found) return found;
    } else root.pings += 1;
    const { kind, pings, owned } = root;
    const connections = owned?.get('connection') ?? 0;
    return pings <= connections
      ? undefined
      : { at: a, what: `a ${kind} has ${pings} pings and ${connections} connections` };
  }
  #answered(a: Address, id: string | undefined): void {
    const root = this.#roots.get(a);
    if (root && id !== 'withdrawal') root[isPing(root, id) ? 'pings' : 'questions'] -= 1;
  }
  #more(a: Address, what: 'timers' | 'leaves' | 'questions'): FoundViolation | undefined {
    const root = this.#roots.get(a);
    if (!root) return undefined;
    root[what] += 1;
    return root[what] <= root.most[what]
      ? undefined
      : { at: a, what: `a ${root.kind} has ${root[what]} ${what}` };
  }
  #less(a: Address, what: 'timers' | 'leaves' | 'questions'): void {
    const root = this.#roots.get(a);
    if (root) root[what] -= 1;
  }
  #open({ a, kind, from, input }: RecordOf<'open'>): FoundViolation | undefined {
    const limits = most[kind];
    const owner = this.#roots.get(from);
    if (!limits) return undefined;
    const { servers, server = '' } = input as {
      readonly servers?: readonly unknown[];
      readonly server?: string;
    };
    const counts = { owned: undefined, timers: 0, leaves: 0, questions: 0, pings: 0 };
    this.#roots.set(a, { a, kind, most: limits, owner, server, servers: servers?.length ?? 0, ...counts });
    const limit = kind === 'client' ? owner?.servers : owner?.most.owned?.[kind];
    return owner && limit !== undefined ? this.#own(owner, kind, limit) : undefined;
  }
  #configured({ a, ev }: RecordOf<'post'>): undefined {
    const all = [...this.#roots.values()];
    const computer = all.find(({ a: at, kind }) => kind === 'computer' && nameOf(at) === nameOf(a));
    if (!computer) return;
    const { servers = [] } = ev as EventFields<{
      servers: readonly { readonly rules: { readonly server: string } }[];
    }>;
    const living = all.filter(({ kind, owner }) => kind === 'client' && owner === computer);
    computer.servers = new Set([...living.map((c) => c.server), ...servers.map((s) => s.rules.server)]).size;
  }
  /** A machine that shuts down, or is at rest, waits for no answer. */
  #told({ from, ev }: RecordOf<'post'>): FoundViolation | undefined {
    const root = this.#roots.get(from);
    const { stage = '' } = ev as EventFields<{ stage: string }>;
    if (!root || asking.has(stage) || root.questions + root.pings === 0) return undefined;
    return { at: from, what: `is ${stage}, and keeps ${root.questions + root.pings} questions` };
  }
  #own(owner: Root, kind: string, limit: number): FoundViolation | undefined {
    owner.owned ??= new Map();
    const now = (owner.owned.get(kind) ?? 0) + 1;
    owner.owned.set(kind, now);
    if (now <= limit) return undefined;
    return { at: owner.a, what: `a ${owner.kind} has ${now} roots of the kind ${kind}` };
  }
  #end(a: Address): undefined {
    const root = this.#roots.get(a);
    if (!root) return;
    const siblings = root.owner?.owned?.get(root.kind);
    if (siblings !== undefined) root.owner?.owned?.set(root.kind, siblings - 1);
    this.#ending.push(root);
  }
}
