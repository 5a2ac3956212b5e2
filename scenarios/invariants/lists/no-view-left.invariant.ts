import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { PairMap } from '../pair-map.ts';
import { rootOf } from '../places.ts';
import { ends, hears, opens, orders, story } from '../record-builders.ts';

interface View {
  readonly a: Address;
  readonly computer: string;
  isOver: boolean;
}

const kinds: ReadonlySet<string> = new Set(['view', 'desktopView', 'finderView']);
const keyOf = (kind: string, computer: string): string => `${kind} ${computer}`;

class NoViewLeft implements Judge {
  /** By link, and by kind and computer. */
  readonly #views = new PairMap<View>();
  readonly #viewAt = new Map<Address, View>();
  /** Of computers that left, as the machines are told now. */
  readonly #leaving: View[] = [];

  take(record: RecordOf<'in' | 'open' | 'end'>): readonly Found[] | undefined {
    if (record.k === 'open') {
      if (kinds.has(record.kind)) this.#open(record);
    } else if (record.k === 'end') this.#end(record.a);
    else {
      const found = this.#leaving.length > 0 ? this.closed() : undefined;
      if (record.via === 'leaf' && record.ev?.type === 'computer.left') this.#left(record.a, record.ev);
      return found;
    }
    return undefined;
  }
  closed(): readonly Found[] {
    return this.#leaving
      .splice(0)
      .filter(({ isOver }) => !isOver)
      .map(({ a, computer }) => ({ at: a, what: `looks at ${computer}, which has left` }));
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    const { link = '', computer = '' } = input as { readonly link?: Address; readonly computer?: string };
    const view: View = { a, computer, isOver: false };
    this.#views.set(link, keyOf(kind, computer), view);
    this.#viewAt.set(a, view);
  }
  #end(a: Address): void {
    const view = this.#viewAt.get(a);
    if (view) view.isOver = this.#viewAt.delete(a);
  }
  #left(instance: Address, { computer = '' }: Said<{ computer: string }>): void {
    const link = nameOf(rootOf(instance));
    for (const kind of kinds) {
      const view = this.#views.get(link, keyOf(kind, computer));
      if (view && !view.isOver) this.#leaving.push(view);
    }
  }
}

const [view, link] = ['a/view:c1#2', 'a/link#1/link#1'];
const looks = opens(view, 'view', 'a#1', { computer: 'c1', link: 'a/link' });
const finds = opens('a/finderView:c1#3', 'finderView', 'a#1', { computer: 'c1', link: 'a/link' });
const left = hears(link, 'computer.left', { computer: 'c1' });

export const noViewLeft: Invariant = {
  invariant: 'no agent follows a computer that has left',
  why: 'What an agent knows of a computer goes with it: it asks nobody who is not there (convergence).',
  sees: ['in', 'open', 'end'],
  open: () => new NoViewLeft(),
  violating: [
    {
      how: 'an agent that does not hear who goes',
      seen: story(looks, left, orders('a', 'close')),
      said: `looks at c1, which has left`,
    },
    {
      how: 'one who looks at its documents still',
      seen: story(looks, finds, left, ends(view), orders('a', 'close')),
      said: `looks at c1, which has left`,
    },
    { how: 'the same at the very end', seen: story(looks, left), until: 'closed', said: 'looks at c1' },
  ],
  passing: [
    { how: 'a view that ends', seen: story(looks, left, ends(view), orders('a', 'close')) },
    {
      how: 'another computer',
      seen: story(looks, hears(link, 'computer.left', { computer: 'c2' }), orders('a', 'close')),
    },
    { how: 'a view from before the first record', seen: story(left, orders('a', 'close')) },
  ],
};
