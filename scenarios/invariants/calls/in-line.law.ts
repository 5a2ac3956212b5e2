import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import { defaultLimits, type LaneLimits } from '../../../machines/call/policy/index.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Bounds, Found, Judge, Law, RecordOf, Said } from '../law.ts';
import { busyOf, waiting, type Lane, type Place } from './line.ts';
import { asks, ends, learns, opens, progresses, story, withdraws } from '../telling.ts';

class InLine implements Judge {
  readonly #bounds: Bounds;
  readonly #lanes = new Map<string, Lane>();
  /** Those that may ask, and where they stand once they have. */
  readonly #calls = new Map<Address, Lane | Place>();
  /** No lane has room for whoever waits before this. */
  #soonest = Infinity;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined {
    if (record.k === 'open') return record.kind === 'call' ? this.#open(record) : undefined;
    if (record.k === 'end') return this.#leave(record.a, at, true);
    if (record.k === 'out') return this.#out(record, at);
    if (record.k !== 'in') return undefined;
    const late = at > this.#soonest + this.#bounds.slackMs ? this.quiet(at) : undefined;
    return (record.via === 'ask' && record.id === 'call' && this.#hear(record, at)) || late;
  }
  #open({ a, input }: RecordOf<'open'>): undefined {
    const { policy, server = '', keeper = '' } = input as Partial<CallStart>;
    if (!policy) return;
    const key = `${keeper} ${server}`;
    const fresh = { places: [], left: { at: -1, count: 0 }, roomSince: Infinity };
    const lane = this.#lanes.get(key) ?? { server, computer: keeper, ...fresh };
    this.#lanes.set(key, lane);
    this.#calls.set(a, lane);
  }
  #placeOf(a: Address): Place | undefined {
    const known = this.#calls.get(a);
    return known && 'stands' in known ? known : undefined;
  }
  #leave(a: Address, at: number, isOver = false): undefined {
    const place = this.#placeOf(a);
    if (place) {
      const { lane } = place;
      lane.places.splice(lane.places.indexOf(place), 1);
      if (place.stands !== 'waits')
        lane.left = { at, count: (lane.left.at === at ? lane.left.count : 0) + 1 };
      this.#calls.set(a, lane);
      this.#look(lane, at);
    }
    if (isOver) this.#calls.delete(a);
  }
  #out({ a, ev }: RecordOf<'out'>, at: number): undefined {
    const { type, id } = ev as Said<{ id: string }>;
    if (id !== 'call') return;
    if (type === 'ask.withdraw') return this.#leave(a, at);
    const lane = this.#calls.get(a);
    if (!lane || 'stands' in lane) return;
    const place: Place = { call: a, lane, stands: 'asked', since: at };
    lane.places.push(place);
    this.#calls.set(a, place);
  }
  #hear({ a, ev }: RecordOf<'in'>, at: number): Found | undefined {
    const place = this.#placeOf(a);
    if (!place) return undefined;
    const { type, sent } = ev as Said<{ sent: boolean }>;
    const { lane } = place;
    if (type === 'ask.waiting') {
      place.stands = 'waits';
      this.#look(lane, at);
      return undefined;
    }
    if (type === 'ask.began') {
      const found = this.#begins(place);
      place.stands = 'runs';
      this.#look(lane, at);
      return found ?? this.#tooMany(lane, a, at);
    }
    const limits = busyOf(ev);
    const isReached = limits === undefined && (type !== 'ask.refused' || sent === true);
    const found =
      limits !== undefined
        ? this.#refused(place, limits, at)
        : isReached && place.stands === 'waits'
          ? { at: a, what: 'waits for its turn, and its server has answered it' }
          : isReached
            ? (this.#overtook(place) ?? this.#tooMany(lane, a, at))
            : undefined;
    if (isAnswer(type)) this.#leave(a, at);
    else if (place.stands === 'asked') place.stands = 'runs';
    return found;
  }
  #begins(place: Place): Found | undefined {
    const { call, lane, stands } = place;
    if (stands !== 'waits') return { at: call, what: 'began, and had not said that it waits' };
    return waiting(lane)[0] === place ? undefined : { at: call, what: 'began before those that came first' };
  }
  /** It was sent at once, and others that wait still came before it. */
  #overtook(place: Place): Found | undefined {
    const { places } = place.lane;
    const isBefore = places.slice(0, places.indexOf(place)).some(({ stands }) => stands === 'waits');
    return place.stands === 'asked' && isBefore
      ? { at: place.call, what: 'was sent before those that came first' }
      : undefined;
  }
  #limitsOf({ server }: Lane): LaneLimits | undefined {
    const { limits } = this.#bounds;
    return limits && (limits[server] ?? defaultLimits);
  }
  #tooMany(lane: Lane, call: Address, at: number): Found | undefined {
    const { concurrency = 0 } = this.#limitsOf(lane) ?? {};
    const runs = ({ stands, since }: Place): boolean =>
      stands === 'runs' || (stands === 'asked' && since < at);
    const count = lane.places.filter(runs).length;
    return concurrency > 0 && count > concurrency
      ? { at: call, what: `is one of ${count} calls that run, and ${concurrency} may` }
      : undefined;
  }
  /** Busy is a lane in which as many run and wait as may; of all servers together more may be refused. */
  #refused(place: Place, { concurrency, queue }: LaneLimits, at: number): Found | undefined {
    const { lane, call } = place;
    let count = -1;
    for (const { computer, places, left } of this.#lanes.values())
      if (computer === lane.computer)
        count += places.length + (at <= left.at + this.#bounds.slackMs ? left.count : 0);
    return count < concurrency + queue
      ? { at: call, what: `was refused as busy, and ${count} ran or waited of ${concurrency + queue}` }
      : undefined;
  }
  /** Is there room for whoever waits? What all servers together may do no record says, only that nobody runs. */
  #look(lane: Lane, at: number): void {
    const waits = waiting(lane).length;
    if (waits === 0) return void (lane.roomSince = Infinity);
    const { concurrency } = this.#limitsOf(lane) ?? { concurrency: 1 };
    const hasRoom = concurrency === 0 || lane.places.length - waits < concurrency;
    if (!hasRoom) lane.roomSince = Infinity;
    else if (lane.roomSince === Infinity) lane.roomSince = at;
    this.#soonest = Math.min(this.#soonest, lane.roomSince);
  }
  quiet(at: number): readonly Found[] {
    this.#soonest = Infinity;
    const late: Found[] = [];
    for (const lane of this.#lanes.values()) {
      const [first] = waiting(lane);
      if (!first || lane.roomSince === Infinity || this.#isShared(lane)) continue;
      if (at <= lane.roomSince + this.#bounds.slackMs) {
        this.#soonest = Math.min(this.#soonest, lane.roomSince);
        continue;
      }
      lane.roomSince = Infinity;
      late.push({ at: first.call, what: 'waits for its turn, and there is room', kind: 'liveness' });
    }
    return late;
  }
  /** Another server of the same computer has something running: it may be that no more may run of all together. */
  #isShared(lane: Lane): boolean {
    return (
      !this.#bounds.limits &&
      [...this.#lanes.values()].some(
        (other) =>
          other !== lane &&
          other.computer === lane.computer &&
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

export const inLine: Law = {
  law: 'calls of a server run in turn, no more than may, and whoever waits runs when there is room',
  why: 'A server is not flooded, nobody is overtaken or forgotten, and busy is said only where it is so.',
  sees: ['open', 'end', 'in', 'out ask', 'out ask.withdraw'],
  open: (all) => new InLine(all),
  crimes: [
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
      until: 'quiet',
      bounds: { limits: { fs: { concurrency: 2, queue: 1 } } },
      said: 'there is room',
    },
    {
      how: 'one that is busy with nothing',
      seen: story(...runs(1), 5, ...runs(2), busy(2)),
      said: 'was refused as busy, and 1 ran or waited of 2',
    },
  ],
  lawful: [
    {
      how: 'one after the other, and too many',
      seen: story(
        ...[...runs(1), ...queues(2), ...runs(3), busy(3), 5, answered(1), ...runs(4), busy(4), began(2)],
        ...[...queues(5), 5, answered(2), began(5), 5, progresses(named(5), 'call'), answered(5)],
      ),
      bounds,
      until: 'quiet',
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
      until: 'quiet',
    },
    {
      how: 'an agent, which has no lanes',
      seen: story(opens(named(1), 'call', 'a#1', { policy: null }), began(1)),
    },
    { how: 'calls from before the first record', seen: story(waits(1), began(2), answered(1)) },
  ],
};
