import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { asks, ends, fires, hears, learns, opens, orders, posts, story } from '../record-builders.ts';

const isEnd = (type: string | undefined): boolean =>
  type === 'child.exited' ||
  type === 'child.failed' ||
  type === 'group.emptied' ||
  type === 'session.lost' ||
  type === 'session.failed';
const isOrder = (type: string): boolean =>
  type === 'server.stop' || type === 'server.start' || type === 'server.update' || type === 'close';

class ReadyStaysReady implements Judge {
  readonly #ready = new Set<Address>();
  /** Those that are asked whether they live. */
  readonly #pinged = new Set<Address>();
  /** Those that start when they are needed, and are stopped when nobody calls them. */
  readonly #lazy = new Set<Address>();
  /** What their inputs gave last. */
  readonly #specs = new Map<Address, unknown>();
  /** What the input was, as far as it tells that something of a server ended. */
  #cause: Address = '';
  /** Servers that had an order, or whose machine failed, while it was handled. */
  readonly #told = new Set<Address>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'in') {
      this.#cause = this.#isEnding(record) ? record.a : '';
      if (this.#told.size > 0) this.#told.clear();
    } else if (record.k === 'end') {
      this.#ready.delete(record.a);
      this.#lazy.delete(record.a);
      this.#specs.delete(record.a);
      const isMachine = record.why === 'failed' || record.a.includes('/catalog:');
      const server = isMachine ? serverIn(record.a) : undefined;
      if (server !== undefined) this.#told.add(server);
    } else if (record.k === 'post') return this.#post(record);
    else if (record.k === 'out') this.#asked(record);
    else if (record.k === 'open') this.#opened(record);
    return undefined;
  }
  /** What may be the reason why a server is not ready any more. */
  #isEnding({ via, a, ev, id }: RecordOf<'in'>): boolean {
    if (via === 'leaf') return isEnd(ev?.type);
    if (via === 'ask' && id === 'ping') this.#pinged.delete(a);
    if (via === 'ask' && id === 'spec') return this.#isOtherSpec(a, ev);
    return (via === 'timer' && this.#pinged.has(a)) || (via === 'deadline' && this.#lazy.has(a));
  }
  #isOtherSpec(a: Address, ev: object | undefined): boolean {
    const { result } = (ev ?? {}) as Said<{ result: { spec: unknown } }>;
    const before = this.#specs.get(a);
    if (!result) return false;
    this.#specs.set(a, result.spec);
    return before !== undefined && before !== result.spec;
  }
  #asked({ a, ev }: RecordOf<'out'>): void {
    const { type, method } = ev as Said<{ method: string }>;
    if (method === 'ping') this.#pinged.add(a);
    else if (type === 'ask.withdraw') this.#pinged.delete(a);
  }
  #opened({ a, kind, input }: RecordOf<'open'>): void {
    const { start, timing } = input as { start?: string; timing?: { idleStopMs?: number } };
    if (kind === 'client' && start === 'lazy' && (timing?.idleStopMs ?? 0) > 0) this.#lazy.add(a);
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, stage } = ev as Said<{ stage: string }>;
    if (isOrder(type)) this.#told.add(nameOf(a));
    else if (type === 'client.changed' && serverIn(from) !== undefined) return this.#changed(from, stage);
    return undefined;
  }
  #changed(client: Address, stage: string | undefined): Found | undefined {
    if (stage === 'ready') return void this.#ready.add(client);
    if (!this.#ready.delete(client)) return undefined;
    const server = nameOf(client);
    if (this.#told.has(server) || serverIn(this.#cause) === server) return undefined;
    return {
      at: client,
      what: `became ${stage}, and nothing of its own had ended and nobody had told it to`,
    };
  }
}

const client = 'c/client:fs#1';
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { server: 'fs', stage });
const died = (server: string) => hears(`c/client:${server}/process#1/process#1`, 'child.exited', { left: 0 });
const unprovoked = 'and nothing of its own had ended and nobody had told it to';
const born = (start: string) => opens(client, 'client', 'c#1', { start, timing: { idleStopMs: 1000 } });
const gives = (spec: number) => learns(client, 'spec', 'ask.answered', { result: { spec } });
const pinged = [becomes('ready'), asks(client, 'ping', client, 'ping')];

/**
 * A server leaves `ready` when its process or its session ends, it does not answer a ping, nobody needs it any more,
 * its machine fails, its inputs give another launch spec, or it has an order.
 */
export const readyStaysReady: Invariant = {
  invariant: 'a ready server stays ready until it fails or is given an order',
  why: 'Whoever did nothing wrong is left alone: one bad server never stops another (no-error-escape).',
  sees: [
    ...(['in', 'post server.stop', 'post server.start', 'post server.update', 'post close'] as const),
    ...(['post client.changed', 'out ask', 'out ask.withdraw', 'open', 'end'] as const),
  ],
  open: () => new ReadyStaysReady(),
  violating: [
    {
      how: 'a client that starts anew because another server died',
      seen: story(becomes('ready'), died('git'), becomes('recovering')),
      said: unprovoked,
    },
    {
      how: 'a client that is tired of being ready',
      seen: story(becomes('ready'), fires(client, 1), becomes('waiting')),
      said: unprovoked,
    },
    {
      how: 'a client that starts anew because its tools changed',
      seen: story(becomes('ready'), hears(`${client}/session#1`, 'list.changed'), becomes('connecting')),
      said: unprovoked,
    },
    {
      how: 'a client that takes an answered ping for none',
      seen: story(...pinged, learns(client, 'ping'), fires(client, 1), becomes('recovering')),
      said: unprovoked,
    },
    {
      how: 'a client that rests though it is no lazy one',
      seen: story(born('eager'), becomes('ready'), fires(client, 1, 'deadline'), becomes('closing')),
      said: unprovoked,
    },
    {
      how: 'an order to another server',
      seen: story(
        becomes('ready'),
        orders('c', 'server.stop'),
        posts('c#1', 'c/client:git', 'server.stop'),
        becomes('closing'),
      ),
      said: unprovoked,
    },
    {
      how: 'a client that starts anew because its inputs were asked, and give the same',
      seen: story(gives(1), becomes('ready'), gives(1), becomes('closing')),
      said: unprovoked,
    },
  ],
  passing: [
    {
      how: 'a client whose inputs give something else',
      seen: story(gives(1), becomes('ready'), gives(2), becomes('closing')),
    },
    { how: 'a death', seen: story(becomes('ready'), died('fs'), becomes('recovering')) },
    {
      how: 'an order',
      seen: story(
        becomes('ready'),
        orders('c', 'server.stop'),
        posts('c#1', 'c/client:fs', 'server.stop'),
        becomes('closing'),
      ),
    },
    {
      how: 'a machine that failed',
      seen: story(
        becomes('ready'),
        fires('c/client:fs/process#1', 1),
        ends('c/client:fs/process#1', 'failed'),
        becomes('waiting'),
      ),
    },
    { how: 'a ping that nobody answers', seen: story(...pinged, fires(client, 1), becomes('recovering')) },
    {
      how: 'a server that nobody needs',
      seen: story(born('lazy'), becomes('ready'), fires(client, 1, 'deadline'), becomes('closing')),
    },
    {
      how: 'a list whose machine ended',
      seen: story(
        becomes('ready'),
        orders('x', 'close'),
        ends(`${client}/catalog:tools#1`),
        becomes('recovering'),
      ),
    },
    { how: 'news of its tools', seen: story(becomes('ready'), becomes('ready')) },
    {
      how: 'one that was not ready yet',
      seen: story(becomes('connecting'), fires(client, 1), becomes('recovering')),
    },
  ],
};
