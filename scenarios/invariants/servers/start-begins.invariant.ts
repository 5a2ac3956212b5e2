import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { ends, orders, posts, story } from '../record-builders.ts';

class StartBegins implements Judge {
  /** Clients that rest, by name. */
  readonly #standby = new Map<Address, string>();
  /** Those that were told to begin by what the machines work on now. */
  readonly #started = new Set<Address>();

  take(record: RecordOf<'in' | 'post' | 'end'>): readonly Found[] | undefined {
    if (record.k === 'in') return this.#started.size > 0 ? this.closed() : undefined;
    if (record.k === 'end') this.#forget(nameOf(record.a));
    else if (record.ev.type === 'client.changed') this.#changed(serverIn(record.from), record.ev);
    else if (this.#standby.has(nameOf(record.a))) this.#started.add(nameOf(record.a));
    return undefined;
  }
  closed(): readonly Found[] {
    const idle = [...this.#started];
    this.#started.clear();
    return idle.map((at) => ({ at, what: `was started, and is ${this.#standby.get(at)} still` }));
  }
  #forget(client: Address): void {
    this.#standby.delete(client);
    this.#started.delete(client);
  }
  /** What its computer passes on is not heard a second time. */
  #changed(client: Address | undefined, { stage }: Said<{ stage: string }>): void {
    if (client === undefined) return;
    if (stage === 'open' || stage === 'idle') this.#standby.set(client, stage);
    else this.#forget(client);
  }
}

const client = 'c/client:fs#1';
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { server: 'fs', stage });
const started = posts('c#1', 'c/client:fs', 'server.start');
const next = orders('c', 'close');

export const startBegins: Invariant = {
  invariant: 'a start order starts a resting server at once',
  why: 'Given up is not gone: an order to start counts as the first try of many (no-ignored-command).',
  sees: ['in', 'post client.changed', 'post server.start', 'end'],
  open: () => new StartBegins(),
  violating: [
    {
      how: 'one that was given up and stays so',
      seen: story(becomes('open'), started, next),
      said: 'was started, and is open still',
    },
    {
      how: 'the same at the very end',
      seen: story(becomes('idle'), started),
      until: 'closed',
      said: 'was started, and is idle still',
    },
  ],
  passing: [
    { how: 'one that begins', seen: story(becomes('open'), started, becomes('connecting'), next) },
    { how: 'one that is ready', seen: story(becomes('open'), becomes('ready'), started, next) },
    {
      how: 'one of whom a computer passes on the news',
      seen: story(
        becomes('connecting'),
        posts('c#1', 'host:c', 'client.changed', { stage: 'open' }),
        started,
        next,
      ),
    },
    { how: 'one that ends', seen: story(becomes('idle'), started, ends(client), next) },
    { how: 'one that rested before the first record', seen: story(started, next) },
  ],
};
