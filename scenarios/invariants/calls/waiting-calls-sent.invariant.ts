import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import type { Judgement } from '../../../machines/call/policy/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { asks, ends, learns, opens, posts, story } from '../record-builders.ts';

const late = 'waited on, though its server was ready';

/** Whoever asks a person waits for that, too. */
const mayRun = (judgement: Partial<Judgement> | null | undefined): boolean =>
  judgement?.decision === 'allow' && !judgement.problems?.length;

class WaitingCallsSent implements Judge {
  readonly #slackMs: number;
  /** Calls that wait for their server, by its client's name, and since when they need not. */
  readonly #held = new Map<Address, Map<Address, number>>();
  /** The same of calls about which something has to be decided first. */
  readonly #judged = new Map<Address, Map<Address, number>>();
  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | undefined {
    const server = serverIn(record.a) ?? '';
    if (record.k === 'open') {
      if (record.kind !== 'call') return undefined;
      const { isPending, policy, drawn } = record.input as Partial<CallStart>;
      if (isPending !== true || (drawn && !mayRun(drawn))) return undefined;
      this.#add(policy && !drawn ? this.#judged : this.#held, server, record.a, Infinity);
    } else if (record.k === 'in') {
      const { result } = (record.ev ?? {}) as Said<{ result: Partial<Judgement> | null }>;
      const due = this.#judged.get(server)?.get(record.a);
      if (due === undefined || record.id !== 'policy') return undefined;
      this.#judged.get(server)?.delete(record.a);
      if (mayRun(result)) this.#add(this.#held, server, record.a, due === Infinity ? due : at);
    } else if (record.k === 'out') {
      if ((record.ev as Said<{ id: string }>).id === 'call') this.#held.get(server)?.delete(record.a);
    } else if (record.k === 'post') {
      if ((record.ev as Said<{ stage: string }>).stage !== 'ready') return undefined;
      for (const waiting of [this.#held, this.#judged]) {
        const calls = waiting.get(nameOf(record.from));
        for (const [call, due] of calls ?? []) if (due === Infinity) calls?.set(call, at);
      }
    } else if (record.k === 'end') {
      const due = this.#held.get(server)?.get(record.a) ?? Infinity;
      this.#held.get(server)?.delete(record.a);
      this.#judged.get(server)?.delete(record.a);
      if (at > due + this.#slackMs) return { at: record.a, what: late };
    }
    return undefined;
  }
  #add(waiting: Map<Address, Map<Address, number>>, server: Address, call: Address, due: number): void {
    waiting.set(server, (waiting.get(server) ?? new Map<Address, number>()).set(call, due));
  }
  quiescent(at: number): Found[] {
    const all = [...this.#held.values()].flatMap((calls) => [...calls]);
    return all.filter(([, due]) => at > due).map(([call]) => ({ at: call, what: late, kind: 'liveness' }));
  }
}

const client = 'c/client:fs#1';
const call = 'c/client:fs/call:t1#1';
const held = opens(call, 'call', client, { isPending: true, policy: null });
const isReady = posts(client, 'c#1', 'client.changed', { stage: 'ready' });
const judged = opens(call, 'call', client, { isPending: true, policy: { isConfirmed: false } });
const decided = (decision: string) =>
  learns(call, 'policy', 'ask.answered', { result: { decision, problems: [] } });
const sent = asks(call, 'call', client, 'tools/call');

export const waitingCallsSent: Invariant = {
  invariant: 'a call that waits for its server is sent when the server is ready',
  why: 'Who calls a server that starts when it is needed gets an answer of that server, not a time-out.',
  sees: ['open', 'end', 'in ask', 'out ask', 'post client.changed'],
  open: ({ slackMs }) => new WaitingCallsSent(slackMs),
  violating: [
    { how: 'one that times out', seen: story(held, 10, isReady, 500, ends(call)), said: late },
    {
      how: 'one that may run, and times out',
      seen: story(judged, 10, isReady, 10, decided('allow'), 500, ends(call)),
      said: late,
    },
    {
      how: 'one that waits for ever',
      seen: story(held, 10, isReady, 500, ends('c/link#1')),
      until: 'quiescent',
      said: late,
    },
  ],
  passing: [
    { how: 'one that is sent', seen: story(held, 10, sent, isReady, 500, ends(call)), until: 'quiescent' },
    { how: 'a server that does not come', seen: story(held, 500, ends(call)), until: 'quiescent' },
    {
      how: 'one that a person confirms later',
      seen: story(judged, decided('ask'), isReady, 100, ends(call)),
    },
    { how: 'one about which a rule of the host thinks', seen: story(judged, isReady, 100, ends(call)) },
    {
      how: 'one that may run when its server is ready already',
      seen: story(judged, isReady, 100, decided('allow'), sent, 500, ends(call)),
      until: 'quiescent',
    },
  ],
};
