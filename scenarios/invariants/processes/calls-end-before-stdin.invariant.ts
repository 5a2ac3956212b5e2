import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { asks, learns, opens, progresses, story, tells, withdraws } from '../record-builders.ts';

interface Client {
  pending: number;
  /** From the end of its stdin to the next session. */
  isEnding: boolean;
}
type Question = Said<{ id: string; target: Address; method: string }>;
interface Asked {
  readonly id: string;
  readonly client: Client;
  /** It waits for its turn: its server knows nothing of it. */
  isInLine: boolean;
}

class CallsEndBeforeStdin implements Judge {
  readonly #clients = new Map<Address, Client>();
  readonly #clientOf = new Map<Address, Client>();
  readonly #asked = new Map<Address, Asked>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'in') {
      if (isAnswer(record)) this.#over(record.a, record.id);
      else return this.#turn(record);
    } else if (record.k === 'out') return this.#out(record);
    else if (record.k === 'open') {
      if (record.kind === 'process') this.#clientOf.set(record.a, this.#client(record.from));
    } else if (record.k === 'end') {
      this.#clientOf.delete(record.a);
      this.#clients.delete(record.a);
    }
    return undefined;
  }
  #client(at: Address): Client {
    let client = this.#clients.get(at);
    if (!client) this.#clients.set(at, (client = { pending: 0, isEnding: false }));
    return client;
  }
  #over(call: Address, id: string | undefined): void {
    const asked = this.#asked.get(call);
    if (!asked || asked.id !== id) return;
    if (!asked.isInLine) asked.client.pending -= 1;
    this.#asked.delete(call);
  }
  #turn({ a, id, ev }: RecordOf<'in'>): Found | undefined {
    const asked = this.#asked.get(a);
    if (!asked || asked.id !== id) return undefined;
    if (ev?.type === 'ask.waiting' && !asked.isInLine) {
      asked.isInLine = true;
      asked.client.pending -= 1;
    } else if (ev?.type === 'ask.began' && asked.isInLine) {
      asked.isInLine = false;
      asked.client.pending += 1;
      if (asked.client.isEnding) return { at: a, what: 'was sent to a server whose stdin was closed' };
    }
    return undefined;
  }
  #out({ port, a, ev }: RecordOf<'out'>): Found | undefined {
    const { type } = ev;
    if (port === 'ask') return this.#question(a, ev);
    if (port === 'session' && type === 'leaf.open') this.#client(rootOf(a)).isEnding = false;
    if (port !== 'process' || type !== 'child.closeStdin') return undefined;
    const client = this.#clientOf.get(rootOf(a));
    if (!client) return undefined;
    client.isEnding = true;
    return client.pending === 0
      ? undefined
      : { at: a, what: `its stdin was closed with ${client.pending} calls pending` };
  }
  #question(a: Address, ev: Question): Found | undefined {
    if (ev.type === 'ask.withdraw') return void this.#over(a, ev.id);
    if (ev.method !== 'tools/call' || ev.id === undefined || ev.target === undefined) return undefined;
    const client = this.#client(ev.target);
    client.pending += 1;
    this.#asked.set(a, { id: ev.id, client, isInLine: false });
    return client.isEnding ? { at: a, what: 'was sent to a server whose stdin was closed' } : undefined;
  }
}

const [client, call, instance] = [
  'c/client:fs#1',
  'c/client:fs/call:t1#1',
  'c/client:fs/process#2/process#1',
];
const born = opens('c/client:fs/process#2', 'process', client);
const sent = asks(call, 'call', client, 'tools/call');
const stdin = tells('process', instance, 'child.closeStdin');

export const callsEndBeforeStdin: Invariant = {
  invariant: 'calls end before stdin is closed, and none is sent after that',
  why: 'The way down is: no new calls, cancel those in flight while the server can hear it, stdin, signals (ladder).',
  sees: ['in ask', 'out ask', 'out ask.withdraw', 'out child.closeStdin', 'out leaf.open', 'open', 'end'],
  open: () => new CallsEndBeforeStdin(),
  violating: [
    {
      how: 'a client that closes its process first',
      seen: story(born, sent, stdin, withdraws(call, 'call')),
      said: 'its stdin was closed with 1 calls pending',
    },
    {
      how: 'a client that takes progress for the answer',
      seen: story(born, sent, progresses(call, 'call'), stdin),
      said: 'its stdin was closed with 1 calls pending',
    },
    {
      how: 'a call that is let through on the way down',
      seen: story(born, stdin, sent),
      said: 'was sent to a server whose stdin was closed',
    },
  ],
  passing: [
    { how: 'a call that is cancelled', seen: story(born, sent, withdraws(call, 'call'), stdin) },
    { how: 'a call that is answered', seen: story(born, sent, learns(call, 'call'), stdin) },
    {
      how: 'the next life of a server',
      seen: story(born, stdin, tells('session', `${client}/session#2`, 'leaf.open'), sent),
    },
    {
      how: 'a call of another server',
      seen: story(born, asks('c/client:git/call:t1#1', 'call', 'c/client:git#1', 'tools/call'), stdin),
    },
  ],
};
