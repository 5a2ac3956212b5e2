import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf } from '../invariant.ts';
import { ends, opens, orders, story } from '../record-builders.ts';

interface Root {
  readonly a: Address;
  readonly kind: string;
  readonly owner: Root | undefined;
  owned: number;
}

class LivingOwner implements Judge {
  readonly #roots = new Map<Address, Root>();
  /** Ended in this input while something of theirs lived: that ends in it too. */
  #bereaved: Root[] = [];

  take(record: DirectoryRecord): Found | readonly Found[] | undefined {
    if (record.k === 'in') return this.#bereaved.length > 0 ? this.closed() : undefined;
    if (record.k === 'open') return this.#open(record);
    if (record.k === 'end') this.#end(record.a);
    return undefined;
  }
  closed(): Found[] {
    const orphaned = this.#bereaved.filter(({ owned }) => owned > 0);
    this.#bereaved = [];
    return orphaned.map(({ a, owned }) => ({ at: a, what: `ended, and ${owned} of its own lived on` }));
  }
  #open({ a, kind, from }: RecordOf<'open'>): Found | undefined {
    const owner = this.#roots.get(from);
    this.#roots.set(a, { a, kind, owner, owned: 0 });
    if (owner) owner.owned += 1;
    const isCallOfOther = kind === 'call' && owner && owner.kind !== 'client' && owner.kind !== 'agent';
    return isCallOfOther ? { at: a, what: `a call was opened by ${from}` } : undefined;
  }
  #end(a: Address): void {
    const root = this.#roots.get(a);
    if (!root) return;
    this.#roots.delete(a);
    if (root.owner) root.owner.owned -= 1;
    if (root.owned > 0) this.#bereaved.push(root);
  }
}

const [client, call] = ['c/client:fs#1', 'c/client:fs/call:t1#1'];
const born = story(opens(client, 'client', 'c#1'), opens(call, 'call', client));
const after = (...told: readonly DirectoryRecord[]) => [...born, ...story(...told)];

export const livingOwner: Invariant = {
  invariant: 'every machine has a living owner',
  why: 'A call lives no longer than its client, and nothing longer than who opened it (no-orphan).',
  sees: ['in', 'open', 'end'],
  open: () => new LivingOwner(),
  violating: [
    {
      how: 'a client that leaves a call behind',
      seen: after(ends(client), orders('c', 'close'), ends(call)),
      said: 'ended, and 1 of its own lived on',
    },
    {
      how: 'the same at the very end',
      seen: after(ends(client)),
      until: 'closed',
      said: 'ended, and 1 of its own lived on',
    },
    {
      how: 'a call without a client',
      seen: story(opens('c#1', 'computer', 'host'), opens('c/call:t1#1', 'call', 'c#1')),
      said: 'a call was opened by c#1',
    },
  ],
  passing: [
    {
      how: 'an end that takes what it owned with it',
      seen: after(ends(client), ends(call), orders('c', 'close')),
      until: 'closed',
    },
    { how: 'a call that ends first', seen: after(ends(call), ends(client)), until: 'closed' },
    {
      how: 'a call of a client from before the first record',
      seen: story(opens(call, 'call', client), ends(client)),
      until: 'closed',
    },
  ],
};
