import type { Address } from '../../machines/address.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Found, Judge, Law, RecordOf, Said } from './law.ts';
import { isAnswer } from './places.ts';
import { asks, ends, learns, opens, story, withdraws } from './telling.ts';

class AtRest implements Judge {
  /** Calls, and whether each has a limit. */
  readonly #calls = new Map<Address, boolean>();
  /** Whoever asks something, and what last. */
  readonly #asking = new Map<Address, string>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'out') {
      if (record.port === 'ask') this.#out(record);
    } else if (record.k === 'in') {
      if (isAnswer(record)) this.#asking.delete(record.a);
    } else if (record.k === 'open') {
      if (record.kind === 'call')
        this.#calls.set(record.a, (record.input as { readonly timeoutMs?: number }).timeoutMs !== 0);
    } else if (record.k === 'end') this.#calls.delete(record.a);
  }
  quiet(): Found[] {
    const limited = [...this.#calls].filter(([, isLimited]) => isLimited);
    const asking = [...this.#asking].filter(([a, method]) => method === 'confirm' || !this.#calls.has(a));
    return [
      ...limited.map(([at]): Found => ({ at, what: 'is a call that still runs', kind: 'liveness' })),
      ...asking.map(([at, method]): Found => ({ at, what: `still asks ${method}`, kind: 'liveness' })),
    ];
  }
  #out({ a, ev }: RecordOf<'out'>): void {
    const { type, method = '' } = ev as Said<{ method: string }>;
    if (type === 'ask') this.#asking.set(a, method);
    else this.#asking.delete(a);
  }
}

const [client, call] = ['c/client:fs#1', 'c/client:fs/call:t1#1'];
const called = (timeoutMs: number) => opens(call, 'call', client, { timeoutMs });
const sent = asks(call, 'call', client, 'tools/call');
const lists = asks(client, 'tools', client, 'tools/list');

export const atRest: Law = {
  law: 'nothing is under way when all is quiet',
  why: 'No list, no handshake, no relay waits for an answer that does not come; a call may that has no limit (liveness).',
  sees: ['in ask', 'out ask', 'out ask.withdraw', 'open', 'end'],
  open: () => new AtRest(),
  crimes: [
    {
      how: 'a call whose time has not passed',
      seen: story(called(500), sent),
      until: 'quiet',
      said: 'is a call that still runs',
    },
    { how: 'a list that never comes', seen: story(lists), until: 'quiet', said: 'still asks tools/list' },
    {
      how: 'a person who is asked for ever',
      seen: story(called(0), asks(call, 'confirm', 'confirm', 'confirm')),
      until: 'quiet',
      said: 'still asks confirm',
    },
  ],
  lawful: [
    { how: 'a call without a limit', seen: story(called(0), sent), until: 'quiet' },
    {
      how: 'a call that ended',
      seen: story(called(500), sent, ends(call), withdraws(call, 'call')),
      until: 'quiet',
    },
    { how: 'a list that came', seen: story(lists, learns(client, 'tools')), until: 'quiet' },
    { how: 'a list that is under way', seen: story(lists) },
  ],
};
