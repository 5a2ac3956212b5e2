import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isOver } from './child.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { ends, hears, opens, orders, posts, story, tells } from '../record-builders.ts';

/** A root that has a way down of its own: a process, its client, their computer. */
interface Life {
  readonly id: Address;
  /** So long it may take, once it was told to end. */
  readonly allowedMs: number;
  told?: number;
  end?: RecordOf<'end'>;
  /** Of a process: its child lives, and was not sent SIGKILL. */
  isSpared: boolean;
}
/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
const earlyMs = 2;

class NoEarlyKill implements Judge {
  readonly #lives = new Map<Address, Life>();

  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'end') return this.#ended(record, at);
    if (record.k === 'open') this.#opened(record);
    else if (record.k === 'post' && record.ev.type === 'close') this.#told(record.a, at);
    else if (record.k === 'in' && isOver(record)) this.#spare(record.a, false);
    else if (record.k === 'out' && record.port === 'process') {
      const { type, signal } = record.ev as Said<{ signal: string }>;
      if (type === 'leaf.open' || signal === 'SIGKILL') this.#spare(record.a, type === 'leaf.open');
    }
    return undefined;
  }
  #opened({ a, kind, input }: RecordOf<'open'>): void {
    const { timing: t } = input as { readonly timing?: Partial<Timing> };
    if (!t) return;
    const ladderMs = (t.stdinGraceMs ?? 0) + (t.termGraceMs ?? 0) + (t.killGraceMs ?? 0);
    const hasLadder = kind === 'process' || kind === 'client';
    const allowedMs = hasLadder ? ladderMs : (t.shutdownMs ?? 0);
    this.#lives.set(nameOf(a), { id: a, allowedMs, isSpared: false });
  }
  #told(a: Address, at: number): void {
    const life = this.#lives.get(nameOf(a));
    if (life) life.told ??= at;
  }
  #spare(instance: Address, isSpared: boolean): void {
    const life = this.#lives.get(nameOf(rootOf(instance)));
    if (life) life.isSpared = isSpared;
  }
  #livedAs(id: Address | undefined): Life | undefined {
    const life = id === undefined ? undefined : this.#lives.get(nameOf(id));
    return life?.id === id ? life : undefined;
  }
  #ended(end: RecordOf<'end'>, at: number): Found | undefined {
    const life = this.#livedAs(end.a);
    if (!life) return undefined;
    life.end = end;
    if (!life.isSpared) return undefined;
    const first = this.#firstOf(life);
    const { why, by } = first.end ?? end;
    // Who fails cannot go any way down; whom its host abandons was given its time by the host; the rest is unknown.
    if (why === 'failed' || (why === 'closed' && by === undefined)) return undefined;
    const { told = Infinity, allowedMs } = first;
    if (at - told >= allowedMs - earlyMs) return undefined;
    const had = told === Infinity ? 'was not told to end' : `had ${at - told} of ${allowedMs} ms`;
    return { at: end.a, what: `${end.a} ended over its living child: ${first.id} ${had}` };
  }
  /** Its owner's end ended it, and so on: with whom it began. */
  #firstOf(life: Life): Life {
    const { why, by } = life.end ?? {};
    const owner = why === 'closed' ? this.#livedAs(by) : undefined;
    return owner?.end ? this.#firstOf(owner) : life;
  }
}

const [computer, client, child] = ['c#1', 'c/client:fs#1', 'c/client:fs/process#1'];
const instance = `${child}/process#1`;
const timing = { stdinGraceMs: 100, termGraceMs: 100, killGraceMs: 100, shutdownMs: 50 };
const life = [
  opens(computer, 'computer', 'host', { timing }),
  opens(client, 'client', computer, { timing }),
  opens(child, 'process', client, { timing }),
  tells('process', instance, 'leaf.open'),
];
const closes = (from: Address, a: Address) => posts(from, a, 'close');
const kills = tells('process', instance, 'child.signal', { signal: 'SIGKILL' });
const down = [ends(client, 'closed', { by: computer }), ends(child, 'closed', { by: client })];

/** The owner of a child may end it over its head only when the child's own way down has had its time. */
export const noEarlyKill: Invariant = {
  invariant: 'no process is killed before its time to end is over',
  why: 'SIGKILL came first, or a machine failed, or its host abandoned it, or the time to end was over (ladder).',
  sees: [
    ...(['in child.exited', 'in child.failed', 'in group.emptied'] as const),
    ...(['out leaf.open', 'out child.signal', 'post close', 'open', 'end'] as const),
  ],
  open: () => new NoEarlyKill(),
  violating: [
    {
      how: 'a process that says it ended before it was seen to',
      seen: story(...life, closes(client, child), 100, ends(child)),
      said: `${child} had 100 of 300 ms`,
    },
    {
      how: 'a computer that does not wait for its clients',
      seen: story(...life, closes('host', 'c'), 20, ends(computer), ...down),
      said: `${computer} had 20 of 50 ms`,
    },
    {
      how: 'a client that ends its process at once',
      seen: story(...life, ends(child, 'closed', { by: client })),
      said: `${child} was not told to end`,
    },
  ],
  passing: [
    {
      how: 'one that ended',
      seen: story(...life, hears(instance, 'child.exited', { left: 0 }), ends(child)),
    },
    {
      how: 'one that took SIGKILL and shows no exit',
      seen: story(...life, closes(client, child), kills, ends(child)),
    },
    {
      how: 'a shutdown whose time is over',
      seen: story(...life, closes('host', 'c'), 50, ends(computer), ...down),
    },
    { how: 'a client that fails', seen: story(...life, ends(client, 'failed'), down[1] ?? ends(child)) },
    {
      how: 'a computer that its host abandons',
      seen: story(...life, orders('c', 'close'), ends(computer, 'closed'), ...down),
    },
    { how: 'one that was opened before the first record', seen: story(ends(child)) },
  ],
};
