import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Found, Judge, Law, RecordOf, Said } from '../law.ts';
import { serverIn } from '../places.ts';
import { ends, orders, posts, story } from '../telling.ts';

class StartBegins implements Judge {
  /** Clients that rest, by name. */
  readonly #resting = new Map<Address, string>();
  /** Those that were told to begin by what the machines work on now. */
  readonly #started = new Set<Address>();

  take(record: RecordOf<'in' | 'post' | 'end'>): readonly Found[] | undefined {
    if (record.k === 'in') return this.#started.size > 0 ? this.closed() : undefined;
    if (record.k === 'end') this.#forget(nameOf(record.a));
    else if (record.ev.type === 'client.changed') this.#changed(serverIn(record.from), record.ev);
    else if (this.#resting.has(nameOf(record.a))) this.#started.add(nameOf(record.a));
    return undefined;
  }
  closed(): readonly Found[] {
    const idle = [...this.#started];
    this.#started.clear();
    return idle.map((at) => ({ at, what: `was started, and is ${this.#resting.get(at)} still` }));
  }
  #forget(client: Address): void {
    this.#resting.delete(client);
    this.#started.delete(client);
  }
  /** What its computer passes on is not heard a second time. */
  #changed(client: Address | undefined, { stage }: Said<{ stage: string }>): void {
    if (client === undefined) return;
    if (stage === 'tripped' || stage === 'idle') this.#resting.set(client, stage);
    else this.#forget(client);
  }
}

const client = 'c/client:fs#1';
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { server: 'fs', stage });
const started = posts('c#1', 'c/client:fs', 'server.start');
const next = orders('c', 'close');

export const startBegins: Law = {
  law: 'a server that rests begins at once when it is started',
  why: 'Given up is not gone: an order to start counts as the first try of many (no-ignored-command).',
  sees: ['in', 'post client.changed', 'post server.start', 'end'],
  open: () => new StartBegins(),
  crimes: [
    {
      how: 'one that was given up and stays so',
      seen: story(becomes('tripped'), started, next),
      said: 'was started, and is tripped still',
    },
    {
      how: 'the same at the very end',
      seen: story(becomes('idle'), started),
      until: 'closed',
      said: 'was started, and is idle still',
    },
  ],
  lawful: [
    { how: 'one that begins', seen: story(becomes('tripped'), started, becomes('connecting'), next) },
    { how: 'one that is ready', seen: story(becomes('tripped'), becomes('ready'), started, next) },
    {
      how: 'one of whom a computer passes on the news',
      seen: story(
        becomes('connecting'),
        posts('c#1', 'host:c', 'client.changed', { stage: 'tripped' }),
        started,
        next,
      ),
    },
    { how: 'one that ends', seen: story(becomes('idle'), started, ends(client), next) },
    { how: 'one that rested before the first record', seen: story(started, next) },
  ],
};
