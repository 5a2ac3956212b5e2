import { nameOf, type Address } from '../../machines/address.ts';
import { mostWaiting } from '../../machines/computer.waiting.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { AtOnce } from './at-once.ts';
import { isAnswer, type Found, type Judge, type Law, type RecordOf, type Said } from './law.ts';
import { rootOf } from './places.ts';
import {
  asks,
  clears,
  ends,
  fires,
  learns,
  opens,
  orders,
  posts,
  sets,
  story,
  tells,
  withdraws,
} from './telling.ts';

interface Most {
  readonly timers: number;
  readonly leaves: number;
  readonly questions: number;
  /** Of each kind; kinds that are not named here are as many as strangers want. */
  readonly owned?: Readonly<Record<string, number>>;
}
/** What a machine of each kind may hold at once, as its chart says. Of kinds that are not here nobody knows. */
const most: Readonly<Record<string, Most>> = {
  /** One grace at a time; its child. */
  process: { timers: 1, leaves: 1, questions: 0 },
  /** Proven stable, and the next look or the limit of a ping. Its session, its ping, its process, its four lists. */
  // The clock of its looks is taken away after those of its next phase are set.
  client: { timers: 3, leaves: 1, questions: 1, owned: { process: 1, catalog: 4, watch: 1 } },
  /** Changes are gathered while it is quiet, but not longer than that, and the next look ends then. It asks for its list. */
  catalog: { timers: 3, leaves: 0, questions: 1 },
  /** It subscribes one after another. */
  watch: { timers: 1, leaves: 0, questions: 1 },
  /** Its deadline, and how long its server may be silent. A person or the server is asked, never both. */
  call: { timers: 2, leaves: 0, questions: 1 },
  /**
   * Boot or shutdown, the next token, and the times of calls that had to wait for servers. A link, and a client for each
   * server of its config.
   */
  computer: { timers: 2 + mostWaiting, leaves: 0, questions: 0, owned: { link: 1, desktop: 1, finder: 1 } },
  /** It tells changes now and then, and has a timer for each question that waits: how many do is up to who asks. */
  desktop: { timers: Infinity, leaves: 0, questions: 0 },
  finder: { timers: Infinity, leaves: 0, questions: 0 },
  /** Its limit, and that of what came too late; four questions at a time of both. */
  shelf: { timers: 2, leaves: 0, questions: 8 },
  read: { timers: 1, leaves: 0, questions: 1 },
  /** Changes are gathered while it is quiet, but not longer than that: two. Its connection. */
  link: { timers: 2, leaves: 1, questions: 0 },
  /** Shutdown. It asks who is in the room. As many views as computers, as many calls as its host wants. */
  agent: { timers: 1, leaves: 0, questions: 1, owned: { link: 1 } },
  /** It asks, or waits until it asks again. */
  view: { timers: 1, leaves: 0, questions: 1 },
  desktopView: { timers: 1, leaves: 0, questions: 1 },
  finderView: { timers: 1, leaves: 0, questions: 1 },
  /** Its port. As many seats as connections. */
  office: { timers: 0, leaves: 1, questions: 0 },
  seat: { timers: 0, leaves: 0, questions: 0 },
};

interface Root {
  readonly a: Address;
  readonly kind: string;
  readonly most: Most;
  readonly owner: Root | undefined;
  readonly server: string;
  /** As many as its config has, and those on their way down. */
  servers: number;
  /** By kind, of those that are bounded. */
  owned: Map<string, number> | undefined;
  timers: number;
  leaves: number;
  questions: number;
}

class Bounded implements Judge {
  readonly #roots = new Map<Address, Root>();
  readonly #atOnce = new AtOnce();
  /** Ended in this input: by its end nothing of theirs is left. */
  readonly #ending: Root[] = [];

  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'timer') return this.#timer(record);
    if (record.k === 'out') return this.#out(record, at);
    if (record.k === 'open') return this.#open(record);
    if (record.k === 'end') return this.#end(record.a);
    if (record.k === 'post') return this.#configured(record);
    if (record.k !== 'in') return undefined;
    if (record.via === 'timer' || record.via === 'deadline') this.#less(record.a, 'timers');
    else if (isAnswer(record)) this.#less(record.a, 'questions');
    return this.#ending.length > 0 ? this.closed() : undefined;
  }
  closed(): readonly Found[] {
    const kept: Found[] = [];
    for (const root of this.#ending) {
      const { a, leaves, questions } = root;
      // One of the same name may have been opened since.
      if (this.#roots.get(a) === root) this.#roots.delete(a);
      if (leaves + questions > 0)
        kept.push({ at: a, what: `ended and kept ${leaves} leaves, ${questions} questions` });
    }
    this.#ending.length = 0;
    return kept;
  }
  #timer({ op, a }: RecordOf<'timer'>): Found | undefined {
    return op === 'set' ? this.#more(a, 'timers') : void this.#less(a, 'timers');
  }
  #out(record: RecordOf<'out'>, at: number): Found | undefined {
    const { port, a, ev } = record;
    const { type } = ev;
    if (port === 'ask' && type === 'ask') return this.#more(a, 'questions') ?? this.#atOnce.take(record, at);
    if (port === 'ask') return void this.#less(a, 'questions');
    if (type === 'leaf.open') return this.#more(rootOf(a), 'leaves');
    if (type === 'leaf.close') this.#less(rootOf(a), 'leaves');
    return undefined;
  }
  #more(a: Address, what: 'timers' | 'leaves' | 'questions'): Found | undefined {
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
  #open({ a, kind, from, input }: RecordOf<'open'>): Found | undefined {
    const limits = most[kind];
    const owner = this.#roots.get(from);
    if (!limits) return undefined;
    const { servers, server = '' } = input as {
      readonly servers?: readonly unknown[];
      readonly server?: string;
    };
    const counts = { owned: undefined, timers: 0, leaves: 0, questions: 0 };
    this.#roots.set(a, { a, kind, most: limits, owner, server, servers: servers?.length ?? 0, ...counts });
    const limit = kind === 'client' ? owner?.servers : owner?.most.owned?.[kind];
    return owner && limit !== undefined ? this.#own(owner, kind, limit) : undefined;
  }
  #configured({ a, ev }: RecordOf<'post'>): undefined {
    const all = [...this.#roots.values()];
    const computer = all.find(({ a: at, kind }) => kind === 'computer' && nameOf(at) === nameOf(a));
    if (!computer) return;
    const { servers = [] } = ev as Said<{
      servers: readonly { readonly rules: { readonly server: string } }[];
    }>;
    const living = all.filter(({ kind, owner }) => kind === 'client' && owner === computer);
    computer.servers = new Set([...living.map((c) => c.server), ...servers.map((s) => s.rules.server)]).size;
  }
  #own(owner: Root, kind: string, limit: number): Found | undefined {
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

const [client, call] = ['c/client:fs#1', 'c/client:fs/call:t1#1'];
const born = opens(client, 'client', 'c#1');
const fs = opens(client, 'client', 'c#1', { server: 'fs' });
const git = opens('c/client:git#2', 'client', 'c#1', { server: 'git' });
const wants = (server: string) => [
  orders('c', 'servers.set'),
  posts('host', 'c', 'servers.set', { servers: [{ rules: { server } }] }),
];
const session = (n: number) => tells('session', `${client}/session#${n}`, 'leaf.open');
const called = opens(call, 'call', client);
const read = opens('c/read:t1#1', 'read', 'c#1');
const reads = asks('c/read:t1#1', 'read', client, 'resources/read', { uri: 'window://h/1' });
const many = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const asked = (id: string) => asks(call, id, client, 'tools/call');

export const bounded: Law = {
  law: 'what a machine holds is bounded, and let go with its end',
  why: 'Timers, leaves, questions and owned machines do not grow with time, and none outlives its owner (bounded).',
  sees: [
    'in',
    'out ask',
    'out ask.withdraw',
    'out leaf.open',
    'out leaf.close',
    'post servers.set',
    'timer',
    'open',
    'end',
  ],
  open: () => new Bounded(),
  crimes: [
    {
      how: 'a client that sets timers without end',
      seen: story(born, ...[1, 2, 3, 4].map((n) => sets(client, n, 5))),
      said: 'a client has 4 timers',
    },
    {
      how: 'a client with two sessions',
      seen: story(born, session(1), session(2)),
      said: 'a client has 2 leaves',
    },
    {
      how: 'a call that asks a person and its server at once',
      seen: story(born, called, asked('confirm'), asked('call')),
      said: 'a call has 2 questions',
    },
    {
      how: 'a read that is asked again without end while hardly any time passes',
      seen: story(read, ...many(21).flatMap(() => [reads, learns('c/read:t1#1', 'read')])),
      said: 'reads window://h/1 21 times in a moment',
    },
    {
      how: 'a client with two processes',
      seen: story(
        born,
        opens('c/client:fs/process#2', 'process', client),
        opens('c/client:fs/process#3', 'process', client),
      ),
      said: 'a client has 2 roots of the kind process',
    },
    {
      how: 'a computer with more clients than servers',
      seen: story(opens('c#1', 'computer', 'host', { servers: [] }), born),
      said: 'a computer has 1 roots of the kind client',
    },
    {
      how: 'a computer that opens a server which is no longer in its config',
      seen: story(
        opens('c#1', 'computer', 'host', { servers: [{}] }),
        fs,
        ends(client),
        ...wants('git'),
        git,
        born,
      ),
      said: 'a computer has 2 roots of the kind client',
    },
    {
      how: 'a session that outlives its client',
      seen: story(born, session(1), ends(client), orders('c', 'close')),
      said: 'ended and kept 1 leaves, 0 questions',
    },
    {
      how: 'a question that outlives its call',
      seen: story(born, called, asked('call'), ends(call)),
      until: 'closed',
      said: 'ended and kept 0 leaves, 1 questions',
    },
  ],
  lawful: [
    {
      how: 'one timer after another',
      seen: story(
        born,
        sets(client, 1, 5),
        sets(client, 2, 5),
        5,
        fires(client, 1),
        sets(client, 3, 5),
        clears(client, 2),
        sets(client, 4, 5),
      ),
    },
    {
      how: 'a server that is on its way down while another comes',
      seen: story(opens('c#1', 'computer', 'host', { servers: [{}] }), fs, ...wants('git'), git),
    },
    {
      how: 'one question after another',
      seen: story(born, called, asked('confirm'), learns(call, 'confirm'), asked('call')),
    },
    {
      how: 'a read that is asked again and again, and time passes',
      seen: story(read, ...many(21).flatMap(() => [reads, learns('c/read:t1#1', 'read'), 10])),
    },
    {
      how: 'an end that lets go',
      seen: story(
        ...[born, session(1), called, asked('call'), ends(call), withdraws(call, 'call'), ends(client)],
        ...[tells('session', `${client}/session#1`, 'leaf.close'), orders('c', 'close')],
      ),
      until: 'closed',
    },
    { how: 'a machine from before the first record', seen: story(session(1), session(2)), until: 'closed' },
  ],
};
