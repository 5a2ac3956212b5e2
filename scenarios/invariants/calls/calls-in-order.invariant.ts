import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import { defaultLimits, type CallLimits } from '../../../machines/call/policy/index.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Bounds, Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { busyOf, waiting, type Limiter, type Place } from './call-order.ts';
import { asks, ends, learns, opens, progresses, story, withdraws } from '../record-builders.ts';

class CallsInOrder implements Judge {
  readonly #bounds: Bounds;
  readonly #limiters = new Map<string, Limiter>();
  /** Those that may ask, and where they stand once they have. */
  readonly #calls = new Map<Address, Limiter | Place>();
  /** No limiter has room for whoever waits before this. */
  #soonest = Infinity;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'open') return record.kind === 'call' ? this.#open(record) : undefined;
    if (record.k === 'end') return this.#leave(record.a, at, true);
    if (record.k === 'out') return this.#out(record, at);
    if (record.k !== 'in') return undefined;
    const late = at > this.#soonest + this.#bounds.slackMs ? this.quiescent(at) : undefined;
    return (record.via === 'ask' && record.id === 'call' && this.#hear(record, at)) || late;
  }
  #open({ a, input }: RecordOf<'open'>): undefined {
    const { policy, server = '', keeper = '' } = input as Partial<CallStart>;
    if (!policy) return;
    const key = `${keeper} ${server}`;
    const fresh = { places: [], left: { at: -1, count: 0 }, roomSince: Infinity };
    const limiter = this.#limiters.get(key) ?? { server, computer: keeper, ...fresh };
    this.#limiters.set(key, limiter);
    this.#calls.set(a, limiter);
  }
  #placeOf(a: Address): Place | undefined {
    const known = this.#calls.get(a);
    return known && 'stands' in known ? known : undefined;
  }
  #leave(a: Address, at: number, isOver = false): undefined {
    const place = this.#placeOf(a);
    if (place) {
      const { limiter } = place;
      limiter.places.splice(limiter.places.indexOf(place), 1);
      if (place.stands !== 'waits')
        limiter.left = { at, count: (limiter.left.at === at ? limiter.left.count : 0) + 1 };
      this.#calls.set(a, limiter);
      this.#look(limiter, at);
    }
    if (isOver) this.#calls.delete(a);
  }
  #out({ a, ev }: RecordOf<'out'>, at: number): undefined {
    const { type, id } = ev as Said<{ id: string }>;
    if (id !== 'call') return;
    if (type === 'ask.withdraw') return this.#leave(a, at);
    const limiter = this.#calls.get(a);
    if (!limiter || 'stands' in limiter) return;
    const place: Place = { call: a, limiter, stands: 'asked', since: at };
    limiter.places.push(place);
    this.#calls.set(a, place);
  }
  #hear({ a, ev }: RecordOf<'in'>, at: number): Found | undefined {
    const place = this.#placeOf(a);
    if (!place) return undefined;
    const { type, sent } = ev as Said<{ sent: boolean }>;
    const { limiter } = place;
    if (type === 'ask.waiting') {
      place.stands = 'waits';
      this.#look(limiter, at);
      return undefined;
    }
    if (type === 'ask.began') {
      const found = this.#begins(place);
      place.stands = 'runs';
      this.#look(limiter, at);
      return found ?? this.#tooMany(limiter, a, at);
    }
    const limits = busyOf(ev);
    const isReached = limits === undefined && (type !== 'ask.refused' || sent === true);
    const found =
      limits !== undefined
        ? this.#refused(place, limits, at)
        : isReached && place.stands === 'waits'
          ? { at: a, what: 'waits for its turn, and its server has answered it' }
          : isReached
            ? (this.#overtook(place) ?? this.#tooMany(limiter, a, at))
            : undefined;
    if (isAnswer(type)) this.#leave(a, at);
    else if (place.stands === 'asked') place.stands = 'runs';
    return found;
  }
  #begins(place: Place): Found | undefined {
    const { call, limiter, stands } = place;
    if (stands !== 'waits') return { at: call, what: 'began, and had not said that it waits' };
    return waiting(limiter)[0] === place
      ? undefined
      : { at: call, what: 'began before those that came first' };
  }
  /** It was sent at once, and others that wait still came before it. */
  #overtook(place: Place): Found | undefined {
    const { places } = place.limiter;
    const isBefore = places.slice(0, places.indexOf(place)).some(({ stands }) => stands === 'waits');
    return place.stands === 'asked' && isBefore
      ? { at: place.call, what: 'was sent before those that came first' }
      : undefined;
  }
  #limitsOf({ server }: Limiter): CallLimits | undefined {
    const { limits } = this.#bounds;
    return limits && (limits[server] ?? defaultLimits);
  }
  #tooMany(limiter: Limiter, call: Address, at: number): Found | undefined {
    const { concurrency = 0 } = this.#limitsOf(limiter) ?? {};
    const runs = ({ stands, since }: Place): boolean =>
      stands === 'runs' || (stands === 'asked' && since < at);
    const count = limiter.places.filter(runs).length;
    return concurrency > 0 && count > concurrency
      ? { at: call, what: `is one of ${count} calls that run, and ${concurrency} may` }
      : undefined;
  }
  /** Busy is a limiter in which as many run and wait as may; of all servers together more may be refused. */
  #refused(place: Place, { concurrency, queue }: CallLimits, at: number): Found | undefined {
    const { limiter, call } = place;
    let count = -1;
    for (const { computer, places, left } of this.#limiters.values())
      if (computer === limiter.computer)
        count += places.length + (at <= left.at + this.#bounds.slackMs ? left.count : 0);
    return count < concurrency + queue
      ? { at: call, what: `was refused as busy, and ${count} ran or waited of ${concurrency + queue}` }
      : undefined;
  }
  /** Is there room for whoever waits? What all servers together may do no record says, only that nobody runs. */
  #look(limiter: Limiter, at: number): void {
    const waits = waiting(limiter).length;
    if (waits === 0) return void (limiter.roomSince = Infinity);
    const { concurrency } = this.#limitsOf(limiter) ?? { concurrency: 1 };
    const hasRoom = concurrency === 0 || limiter.places.length - waits < concurrency;
    if (!hasRoom) limiter.roomSince = Infinity;
    else if (limiter.roomSince === Infinity) limiter.roomSince = at;
    this.#soonest = Math.min(this.#soonest, limiter.roomSince);
  }
  quiescent(at: number): readonly Found[] {
    this.#soonest = Infinity;
    const late: Found[] = [];
    for (const limiter of this.#limiters.values()) {
      const [first] = waiting(limiter);
      if (!first || limiter.roomSince === Infinity || this.#isShared(limiter)) continue;
      if (at <= limiter.roomSince + this.#bounds.slackMs) {
        this.#soonest = Math.min(this.#soonest, limiter.roomSince);
        continue;
      }
      limiter.roomSince = Infinity;
      late.push({ at: first.call, what: 'waits for its turn, and there is room', kind: 'liveness' });
    }
    return late;
  }
  /** Another server of the same computer has something running: it may be that no more may run of all together. */
  #isShared(limiter: Limiter): boolean {
    return (
      !this.#bounds.limits &&
      [...this.#limiters.values()].some(
        (other) =>
          other !== limiter &&
          other.computer === limiter.computer &&
          other.places.some(({ stands }) => stands !== 'waits'),
      )
    );
  }
}

const named = (n: number, server = 'fs'): Address => `c/client:${server}/call:t${n}#${n}`;
const opened = (n: number, server = 'fs') =>
  opens(named(n, server), 'call', `c/client:${server}#1`, { policy: {}, server, keeper: 'c#1' });
const asked = (n: number, server?: string) => asks(named(n, server), 'call', 'c/client:fs#1', 'tools/call');
const waits = (n: number) => learns(named(n), 'call', 'ask.waiting', { ahead: 0 });
const began = (n: number) => learns(named(n), 'call', 'ask.began', {});
const answered = (n: number) => learns(named(n), 'call');
const details = { concurrency: 1, queue: 1 };
const busy = (n: number) =>
  learns(named(n), 'call', 'ask.refused', {
    sent: false,
    failure: { code: 'Busy', message: 'full', details },
  });
const runs = (n: number) => [opened(n), asked(n)];
const queues = (n: number) => [...runs(n), waits(n)];
const bounds = { limits: { fs: details } };

export const callsInOrder: Invariant = {
  invariant: 'calls of a server run in order, within its limits, and start when there is room',
  why: 'A server is not flooded, nobody is overtaken or forgotten, and busy is said only where it is so.',
  sees: ['open', 'end', 'in', 'out ask', 'out ask.withdraw'],
  open: (all) => new CallsInOrder(all),
  violating: [
    {
      how: 'more than may run',
      seen: story(...runs(1), ...runs(2), 5, answered(1)),
      bounds,
      said: 'is one of 2 calls that run, and 1 may',
    },
    {
      how: 'one that begins while another runs',
      seen: story(...runs(1), ...queues(2), 5, began(2)),
      bounds,
      said: 'is one of 2 calls that run, and 1 may',
    },
    {
      how: 'the last that is the first',
      seen: story(...runs(1), ...queues(2), ...queues(3), 5, answered(1), began(3)),
      said: 'began before those that came first',
    },
    {
      how: 'one that does not wait, though others do',
      seen: story(...runs(1), ...queues(2), ...runs(3), 5, answered(3)),
      said: 'was sent before those that came first',
    },
    {
      how: 'one that begins, and had not waited',
      seen: story(...runs(1), began(1)),
      said: 'had not said that it waits',
    },
    {
      how: 'one that is sent while it waits',
      seen: story(...runs(1), ...queues(2), 5, progresses(named(2), 'call'), answered(1), began(2)),
      said: 'waits for its turn, and its server has answered it',
    },
    {
      how: 'a place that nobody gets',
      seen: story(...runs(1), ...queues(2), 5, answered(1), 1, learns('c', 'x')),
      said: 'waits for its turn, and there is room',
    },
    {
      how: 'one of two places that nobody gets',
      seen: story(...runs(1), ...runs(2), ...queues(3), 5, ends(named(1)), 1, opened(4)),
      until: 'quiescent',
      bounds: { limits: { fs: { concurrency: 2, queue: 1 } } },
      said: 'there is room',
    },
    {
      how: 'one that is busy with nothing',
      seen: story(...runs(1), 5, ...runs(2), busy(2)),
      said: 'was refused as busy, and 1 ran or waited of 2',
    },
  ],
  passing: [
    {
      how: 'one after the other, and too many',
      seen: story(
        ...[...runs(1), ...queues(2), ...runs(3), busy(3), 5, answered(1), ...runs(4), busy(4), began(2)],
        ...[...queues(5), 5, answered(2), began(5), 5, progresses(named(5), 'call'), answered(5)],
      ),
      bounds,
      until: 'quiescent',
    },
    {
      how: 'one that is cancelled while it waits',
      seen: story(
        ...runs(1),
        ...queues(2),
        withdraws(named(2), 'call'),
        ...queues(3),
        5,
        answered(1),
        began(3),
      ),
      bounds,
    },
    {
      how: 'one that waits for its session anew, and is the last then',
      seen: story(
        ...[...runs(1), ...queues(2), ...queues(3), withdraws(named(2), 'call'), asked(2), waits(2)],
        ...[answered(1), began(3), answered(3), began(2)],
      ),
    },
    {
      how: 'one that waits because so many of all servers run',
      seen: story(opened(9, 'git'), asked(9, 'git'), ...queues(1), 5, learns('c', 'x')),
      until: 'quiescent',
    },
    {
      how: 'an agent, which has no limiters',
      seen: story(opens(named(1), 'call', 'a#1', { policy: null }), began(1)),
    },
    { how: 'calls from before the first record', seen: story(waits(1), began(2), answered(1)) },
  ],
};
