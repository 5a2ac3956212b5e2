import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { RecentMap } from '../recent-map.ts';
import {
  asks,
  clears,
  ends,
  fires,
  hears,
  learns,
  opens,
  orders,
  posts,
  sets,
  story,
  tells,
  withdraws,
} from '../record-builders.ts';

class NoEventsAfterEnd implements Judge {
  /** Roots that have ended, and in which input. */
  readonly #ended = new RecentMap<Address, number>();
  readonly #closed = new RecentMap<Address, true>();
  #input = 0;

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'in') return this.#in(record);
    if (record.k === 'out') return this.#out(record);
    if (record.k === 'timer')
      return record.op === 'set' ? this.#unlessEnded(record.a, 'set a timer') : undefined;
    if (record.k === 'end') return this.#end(record.a);
    if (record.k !== 'open') return undefined;
    // Below an address that has a new life, addresses begin anew.
    this.#ended.delete(record.a);
    return this.#unlessEnded(record.from, 'opened a machine');
  }
  #end(a: Address): Found | undefined {
    if (this.#ended.get(a) !== undefined) return { at: a, what: 'ended twice' };
    this.#ended.set(a, this.#input);
    return undefined;
  }
  #unlessEnded(a: Address, what: string): Found | undefined {
    return this.#ended.get(a) === undefined ? undefined : { at: a, what: `${what} after its end` };
  }
  #in({ via, a }: RecordOf<'in'>): Found | undefined {
    this.#input += 1;
    if (via === 'timer' || via === 'deadline' || via === 'ask')
      return this.#unlessEnded(a, `heard of a ${via}`);
    if (via !== 'leaf' || !this.#closed.get(a)) return undefined;
    return { at: a, what: 'a fact came from a port instance that was closed' };
  }
  #out({ port, a, ev: { type } }: RecordOf<'out'>): Found | undefined {
    if (port === 'ask') return type === 'ask' ? this.#unlessEnded(a, 'asked') : undefined;
    if (type === 'leaf.open') {
      this.#closed.delete(a);
      return this.#unlessEnded(rootOf(a), 'opened a port instance');
    }
    if (this.#closed.get(a)) return { at: a, what: `${type} after the port instance was closed` };
    if (type === 'leaf.close') this.#closed.set(a, true);
    return undefined;
  }
  /** What its last step asked for goes out after its end, with its will, and before anything else happens. */
  #post({ from, ev }: RecordOf<'post'>): Found | undefined {
    const ended = this.#ended.get(from);
    return ended === undefined || ended === this.#input
      ? undefined
      : { at: from, what: `said ${ev.type} after its end` };
  }
}

const [a, instance] = ['c/link#1', 'c/link#1/link#1'];
const [input, ended, closed] = [orders('c', 'close'), ends(a), tells('link', instance, 'leaf.close')];

/** Of what an ended machine still held, leaves are closed and questions withdrawn; nothing else of it is seen again. */
export const noEventsAfterEnd: Invariant = {
  invariant: 'no machine receives or sends anything after its end',
  why: 'Nothing reaches or comes from a machine that has ended, or a port instance that was closed (no-event-after-closed).',
  sees: ['in', 'out', 'post', 'timer', 'open', 'end'],
  open: () => new NoEventsAfterEnd(),
  violating: [
    {
      how: 'a timer that nobody cleared',
      seen: story(ended, fires(a, 1)),
      said: 'heard of a timer after its end',
    },
    { how: 'an answer for nobody', seen: story(ended, learns(a, 'q')), said: 'heard of a ask after its end' },
    {
      how: 'a timer that is set too late',
      seen: story(ended, sets(a, 2, 5)),
      said: 'set a timer after its end',
    },
    { how: 'a question of nobody', seen: story(ended, asks(a, 'q', 's', 'm')), said: 'asked after its end' },
    {
      how: 'a port instance that opens too late',
      seen: story(ended, tells('link', instance, 'leaf.open')),
      said: 'opened a port instance after its end',
    },
    {
      how: 'a child of nobody',
      seen: story(ended, opens('c/x#1', 'x', a)),
      said: 'opened a machine after its end',
    },
    {
      how: 'a word from the grave',
      seen: story(ended, input, posts(a, 'c#1', 'hello')),
      said: 'said hello after its end',
    },
    { how: 'a second end', seen: story(ended, ended), said: 'ended twice' },
    {
      how: 'a port instance that talks on',
      seen: story(closed, hears(instance, 'link.down')),
      said: 'a fact came from a port instance that was closed',
    },
    {
      how: 'a command to nobody',
      seen: story(closed, tells('link', instance, 'link.join')),
      said: 'link.join after the port instance was closed',
    },
  ],
  passing: [
    {
      how: 'last messages, and what is let go',
      seen: story(input, ended, posts(a, 'c#1', 'owned.ended'), closed, withdraws(a, 'q'), clears(a, 1)),
    },
    {
      how: 'a second life below an owner that has one',
      seen: story(
        ended,
        closed,
        input,
        opens(a, 'link', 'c#2'),
        tells('link', instance, 'leaf.open'),
        hears(instance, 'link.up'),
      ),
    },
    {
      how: 'the next one of that name',
      seen: story(ended, input, opens('c/link#2', 'link', 'c#1'), sets('c/link#2', 1, 5)),
    },
  ],
};
