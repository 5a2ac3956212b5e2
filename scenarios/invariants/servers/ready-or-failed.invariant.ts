import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { opens, posts, story } from '../record-builders.ts';

/** A server that was given up is tried once in a while, for ever: longer than this no trial takes, in ms. */
const trialMs = 30_000;

interface Client {
  readonly a: Address;
  isWanted: boolean;
  stage: string | undefined;
  failure: unknown;
  /** When the trial that it is in began; null: it is in none. */
  triedAt: number | null;
}
type Fields = Said<{ stage: string; failure: unknown }>;

/** A server that wants a login waits for a person. */
const rests: ReadonlySet<string | undefined> = new Set(['open', 'idle', 'unauthorized']);

class ReadyOrFailed implements Judge {
  /** By address with and without its incarnation. */
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord, at: number): undefined {
    if (record.k === 'post') this.#post(record, at);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end' && this.#clients.delete(record.a)) this.#clients.delete(nameOf(record.a));
  }
  quiescent(at: number): Found[] {
    return [...new Set(this.#clients.values())].flatMap(({ a, isWanted, stage, failure, triedAt }) => {
      if (triedAt !== null && at - triedAt <= trialMs) return [];
      if (stage === 'ready' || stage === 'standby' || (stage === 'idle' && !isWanted)) return [];
      if (rests.has(stage) && failure !== null && failure !== undefined) return [];
      const what = stage === 'open' ? 'does not say why' : isWanted ? 'is wanted' : 'is not wanted';
      return [{ at: a, what: `is ${stage}, and ${what}`, kind: 'liveness' }];
    });
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'client') return;
    const { start } = input as { readonly start?: string };
    const isWanted = start !== 'byHand';
    const client: Client = { a, isWanted, stage: undefined, failure: null, triedAt: null };
    this.#clients.set(a, client);
    this.#clients.set(nameOf(a), client);
  }
  #post({ from, a, ev, dead }: RecordOf<'post'>, at: number): void {
    const { type, stage, failure } = ev as Fields;
    if (type === 'client.changed') {
      const client = this.#clients.get(from);
      if (!client) return;
      if (stage !== 'connecting') client.triedAt = null;
      else if (client.stage === 'open') client.triedAt = at;
      client.stage = stage;
      client.failure = failure;
    } else if (dead === undefined && (type === 'server.start' || type === 'server.stop')) {
      const client = this.#clients.get(a);
      if (client) client.isWanted = type === 'server.start';
    }
  }
}

const client = 'c/client:fs#2';
const born = (isWanted: boolean) =>
  opens(client, 'client', 'c#1', { server: 'fs', start: isWanted ? 'eager' : 'byHand' });
const becomes = (stage: string, failure: unknown = null) =>
  posts(client, 'c#1', 'client.changed', { stage, failure });
const told = (type: string) => posts('c#1', 'c/client:fs', type);
const failure = { code: 'ServerLost', message: 'ended with exit code 1' };

export const readyOrFailed: Invariant = {
  invariant: 'a wanted server is ready, or rests and says why',
  why: 'Once nothing goes wrong any more, each server comes up or is given up with a reason; none hangs in between (liveness).',
  sees: ['post client.changed', 'post server.start', 'post server.stop', 'open', 'end'],
  open: () => new ReadyOrFailed(),
  violating: [
    {
      how: 'a handshake that never ends',
      seen: story(born(true), becomes('connecting')),
      until: 'quiescent',
      said: 'is connecting, and is wanted',
    },
    {
      how: 'a client that says nothing',
      seen: story(born(true)),
      until: 'quiescent',
      said: 'is undefined, and is wanted',
    },
    {
      how: 'a wanted server that rests',
      seen: story(born(true), becomes('idle')),
      until: 'quiescent',
      said: 'is idle, and is wanted',
    },
    {
      how: 'one that was given up without a word',
      seen: story(born(true), becomes('open')),
      until: 'quiescent',
      said: 'is open, and does not say why',
    },
    {
      how: 'a trial that never ends',
      seen: story(
        born(true),
        becomes('open', failure),
        becomes('connecting', failure),
        trialMs + 1,
        told(''),
      ),
      until: 'quiescent',
      said: 'is connecting, and is wanted',
    },
    {
      how: 'a way down that never ends',
      seen: story(born(true), becomes('ready'), told('server.stop'), becomes('closing')),
      until: 'quiescent',
      said: 'is closing, and is not wanted',
    },
  ],
  passing: [
    { how: 'one that is ready', seen: story(born(true), becomes('ready')), until: 'quiescent' },
    { how: 'one that nobody wanted', seen: story(born(false), becomes('idle')), until: 'quiescent' },
    {
      how: 'one that was stopped',
      seen: story(born(true), becomes('ready'), told('server.stop'), becomes('idle')),
      until: 'quiescent',
    },
    { how: 'one that was given up', seen: story(born(true), becomes('open', failure)), until: 'quiescent' },
    {
      how: 'one that was given up and is just tried again',
      seen: story(born(true), becomes('open', failure), becomes('connecting', failure), 1_000, told('')),
      until: 'quiescent',
    },
    { how: 'one on its way, while something may go wrong', seen: story(born(true), becomes('connecting')) },
  ],
};
