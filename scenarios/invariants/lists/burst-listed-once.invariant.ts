import { isAnswer } from '../../../machines/kernel/ports.ts';
import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  askedServer,
  crossingsOf,
  crossingIn,
  earlyMs,
  crossingOut,
  computerStarts,
  subjectOf,
  timingIn,
} from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

interface List {
  /** Times of the first and the last change notice since the last list request. */
  first: number;
  last: number;
  /** Time of the first update of a resource since then, which may be one that is not listed: that begins a burst, too. */
  updated: number;
  /** It is not the session's first list request, and the last one was answered. */
  isSettled: boolean;
}
interface Server {
  /** Lists whose changes the server has declared to announce. */
  readonly tells: ReadonlySet<string>;
  readonly lists: ReadonlyMap<string, List>;
  /** A list of it changes whenever it is read, and is therefore read less and less often. */
  isRestless: boolean;
}
type Declared = { readonly listChanged?: boolean } | null;
type Fields = {
  readonly info: { readonly capabilities: Readonly<Record<string, Declared | boolean>> };
  readonly list: string;
  readonly name: string;
  readonly failure: unknown;
};
const lists = ['tools', 'resources', 'prompts'] as const;

const unheard = { first: Infinity, last: -Infinity, updated: Infinity };

class BurstListedOnce implements Judge<Crossing> {
  readonly #slackMs: number;
  readonly #servers = new Map<string, Server>();
  #timing: Timing = timing;
  /** Their change notices are ignored by config. */
  #deaf: ReadonlySet<string> = new Set();

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take({ k, ch, ev }: Crossing, at: number): FoundViolation | undefined {
    const { type, info, list: notice = '', name = '', failure } = fieldsOfEvent<Fields>(ev);
    if (type === 'createComputer') this.#timing = timingIn(ev);
    if (type === 'createComputer' || type === 'setServers') return this.#config(fieldsOfEvent<Config>(ev));
    if (type === 'list.restless') return this.#restless(name, failure);
    if (ch.startsWith('session:')) {
      const subject = subjectOf(ch, 'session:');
      if (type === 'session.opened') this.#opened(subject, info);
      if (type === 'resource.updated') return this.#updated(subject, at);
      if (type !== 'list.changed') return undefined;
      const server = this.#servers.get(subject);
      const list = server?.tells.has(notice) ? server.lists.get(notice) : undefined;
      return list && server && !this.#deaf.has(subject) ? this.#notice(list, server, ch, at) : undefined;
    }
    const server = this.#servers.get(askedServer(ch));
    const list = server?.lists.get(ch.slice(4, ch.indexOf('/list')));
    if (!server || !list) return undefined;
    if (k === 'out') return this.#asked(list, server, ch, type, at);
    if (!isAnswer(type)) return undefined;
    list.isSettled = type === 'ask.answered';
    // Changes that come while the list is being requested are gathered.
    if (list.first < at) list.first = at;
    if (list.updated < at) list.updated = at;
    return undefined;
  }
  #updated(name: string, at: number): undefined {
    const list = this.#servers.get(name)?.lists.get('resources');
    if (list) list.updated = Math.min(list.updated, at);
  }
  #config({ config, plan }: Partial<Config>): undefined {
    const off = config?.servers.filter(({ a2c }) => a2c?.listChanged === 'off').map(({ name }) => name);
    const deaf = plan?.servers
      .filter(({ client }) => client.hearsChanges === false)
      .map(({ rules }) => rules.server);
    this.#deaf = new Set(deaf ?? off);
  }
  #restless(name: string, failure: unknown): undefined {
    const server = this.#servers.get(name);
    if (server) server.isRestless = failure !== null;
  }
  #opened(name: string, info: Fields['info'] | undefined): void {
    const tells = lists.filter((each) => (info?.capabilities[each] as Declared)?.listChanged === true);
    const none = (): List => ({ ...unheard, isSettled: false });
    const known = new Map(lists.map((each) => [each as string, none()]));
    this.#servers.set(name, { tells: new Set<string>(tells), lists: known, isRestless: false });
  }
  #notice(list: List, server: Server, ch: string, at: number): FoundViolation | undefined {
    list.first = Math.min(list.first, at);
    list.last = at;
    return this.#late(list, server, ch, at);
  }
  /** A server that never stops announcing has to be asked all the same. */
  #late(
    { isSettled, first }: List,
    { isRestless }: Server,
    ch: string,
    at: number,
  ): FoundViolation | undefined {
    const { longestQuietMs, pollMs } = this.#timing;
    const longestMs = isRestless ? Math.max(longestQuietMs, pollMs) : longestQuietMs;
    if (!isSettled || at - first <= longestMs + this.#slackMs + earlyMs) return undefined;
    return {
      at: ch,
      what: `was not asked for within ${at - first} ms of a notice, not even after ${longestMs}`,
    };
  }
  #asked(list: List, server: Server, ch: string, type: string, at: number): FoundViolation | undefined {
    const { last, isSettled } = list;
    const first = Math.min(list.first, list.updated);
    const late = type === 'ask' ? this.#late(list, server, ch, at) : undefined;
    // A withdrawn request took too long, and is tried again.
    list.isSettled = false;
    if (type !== 'ask') return undefined;
    Object.assign(list, unheard);
    const { quietMs, longestQuietMs } = this.#timing;
    if (late) return late;
    if (!isSettled || at - last >= quietMs - earlyMs || at - first >= longestQuietMs - earlyMs)
      return undefined;
    return { at: ch, what: `was asked for ${at - last} ms after a notice, not ${quietMs}` };
  }
}
interface Config {
  readonly config: {
    readonly servers: readonly { readonly name: string; readonly a2c?: { listChanged?: string } }[];
  };
  readonly plan: {
    readonly servers: readonly { rules: { server: string }; client: { hearsChanges?: boolean } }[];
  };
}

const session = 'session:files/1';
const capabilities = { tools: { listChanged: true }, resources: { listChanged: true } };
let n = 0;
const asked = (list = 'tools'): Crossing => crossingOut(`ask ${list}/list of files/${(n += 1)}`, 'ask');
const came = (list = 'tools'): Crossing[] => [
  asked(list),
  crossingIn(`ask ${list}/list of files/${n}`, 'ask.answered'),
];
const opened = [
  computerStarts({ quietMs: 200, longestQuietMs: 1_000, pollMs: 60_000 }),
  crossingIn(session, 'session.opened', { info: { capabilities } }),
];
const born = [...opened, ...came()];
const notice = (list = 'tools'): Crossing => crossingIn(session, 'list.changed', { list });
const updated = crossingIn(session, 'resource.updated', { uri: 'window://files/unlisted' });

export const burstListedOnce: Boundary = {
  reads: 'boundary',
  invariant: 'a list is requested once for a burst of changes',
  why: 'Two hundred notices in a moment are one change: a server is asked once, after a quiet while, or long enough without, however much it goes on.',
  sees: [
    ...[
      'in createComputer',
      'in setServers',
      'in session.opened',
      'in list.changed',
      'in resource.updated',
      'said list.restless',
    ],
    ...lists.flatMap((each) => [`in ask ${each}/list`, `out ask ${each}/list`, `out withdraw ${each}/list`]),
  ],
  open: ({ slackMs }) => new BurstListedOnce(slackMs),
  violating: [
    {
      how: 'each notice for itself',
      seen: crossingsOf(...born, 500, notice(), asked()),
      said: '0 ms after a notice',
    },
  ],
  passing: [
    { how: 'after a quiet while', seen: crossingsOf(...born, notice(), 100, notice(), 200, ...came()) },
    {
      how: 'after the longest wait for what an update of an unlisted resource began',
      seen: crossingsOf(
        ...opened,
        ...came('resources'),
        500,
        updated,
        1_000,
        notice('resources'),
        asked('resources'),
      ),
    },
  ],
};
