import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { asks, ends, learns, opens, progresses, story, withdraws } from '../record-builders.ts';

/** What is asked again and again for ever may just be under way; longer than this it waits for nothing, in ms. */
const underWayMs = 15_000;
const repeated = (method: string): boolean => method === 'ping' || method.endsWith('/list');

class NothingUnderWay implements Judge {
  /** Calls, and whether each has a limit. */
  readonly #calls = new Map<Address, boolean>();
  /** Whoever asks something, what last, and since when. */
  readonly #asking = new Map<Address, { readonly method: string; readonly since: number }>();

  take(record: DirectoryRecord, at: number): undefined {
    if (record.k === 'out') {
      if (record.port === 'ask') this.#out(record, at);
    } else if (record.k === 'in') {
      if (isAnswer(record)) this.#asking.delete(record.a);
    } else if (record.k === 'open') {
      if (record.kind === 'call')
        this.#calls.set(record.a, (record.input as { readonly timeoutMs?: number }).timeoutMs !== 0);
    } else if (record.k === 'end') this.#calls.delete(record.a);
  }
  quiescent(at: number): Found[] {
    const limited = [...this.#calls].filter(([, isLimited]) => isLimited);
    const asking = [...this.#asking].filter(
      ([a, { method, since }]) =>
        (method === 'confirm' || !this.#calls.has(a)) && !(repeated(method) && at - since <= underWayMs),
    );
    return [
      ...limited.map(([a]): Found => ({ at: a, what: 'is a call that still runs', kind: 'liveness' })),
      ...asking.map(([a, { method }]): Found => ({ at: a, what: `still asks ${method}`, kind: 'liveness' })),
    ];
  }
  #out({ a, ev }: RecordOf<'out'>, since: number): void {
    const { type, method = '' } = ev as Said<{ method: string }>;
    if (type === 'ask') this.#asking.set(a, { method, since });
    else this.#asking.delete(a);
  }
}

const [client, call] = ['c/client:fs#1', 'c/client:fs/call:t1#1'];
const called = (timeoutMs: number) => opens(call, 'call', client, { timeoutMs });
const sent = asks(call, 'call', client, 'tools/call');
const lists = asks(client, 'tools', client, 'tools/list');

export const nothingUnderWay: Invariant = {
  invariant: 'nothing is under way when the system is quiescent',
  why: 'No list, no handshake, no relay waits for an answer that does not come; a call may that has no limit (liveness).',
  sees: ['in ask', 'out ask', 'out ask.withdraw', 'open', 'end'],
  open: () => new NothingUnderWay(),
  violating: [
    {
      how: 'a call whose time has not passed',
      seen: story(called(500), sent),
      until: 'quiescent',
      said: 'is a call that still runs',
    },
    {
      how: 'a ping that nobody answers',
      seen: story(asks(client, 'ping', client, 'ping'), underWayMs + 1, progresses(client, 'ping')),
      until: 'quiescent',
      said: 'still asks ping',
    },
    {
      how: 'a list that never comes',
      seen: story(lists, underWayMs + 1, progresses(client, 'tools')),
      until: 'quiescent',
      said: 'still asks tools/list',
    },
    {
      how: 'a handshake that makes progress and never ends',
      seen: story(asks(client, 'hello', client, 'initialize'), progresses(client, 'hello')),
      until: 'quiescent',
      said: 'still asks initialize',
    },
    {
      how: 'a person who is asked for ever',
      seen: story(called(0), asks(call, 'confirm', 'confirm', 'confirm')),
      until: 'quiescent',
      said: 'still asks confirm',
    },
  ],
  passing: [
    { how: 'a call without a limit', seen: story(called(0), sent), until: 'quiescent' },
    {
      how: 'a call that ended',
      seen: story(called(500), sent, ends(call), withdraws(call, 'call')),
      until: 'quiescent',
    },
    { how: 'a list that came', seen: story(lists, learns(client, 'tools')), until: 'quiescent' },
    {
      how: 'a ping, one of many, that was just asked',
      seen: story(asks(client, 'ping', client, 'ping')),
      until: 'quiescent',
    },
    { how: 'a list that is under way', seen: story(lists) },
  ],
};
