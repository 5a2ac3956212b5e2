import { nameOf, type Address } from '../../machines/address.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Found, Judge, Law, RecordOf, Said } from './law.ts';
import { Pairs } from './pairs.ts';
import { rootOf } from './places.ts';
import { asks, ends, hears, opens, story, tells } from './telling.ts';

class Changes implements Judge {
  /** Whoever was told of a change and has not asked since. */
  readonly #owing = new Set<Address>();
  /** By link and computer: who looks at it. */
  readonly #views = new Pairs<Address>();
  readonly #living = new Set<Address>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'in') {
      if (record.via === 'leaf' && record.ev) this.#told(record.a, record.ev);
    } else if (record.k === 'out') this.#did(record);
    else if (record.k === 'end') this.#ended(record.a);
    else if (record.k === 'open' && record.kind === 'view') this.#looks(record);
    return undefined;
  }
  #told(leaf: Address, { type, computer }: Said<{ computer: string }>): void {
    if (type === 'list.changed') this.#owing.add(rootOf(leaf));
    if (computer === undefined || (type !== 'computer.toolsChanged' && type !== 'computer.configChanged'))
      return;
    const view = this.#views.get(nameOf(rootOf(leaf)), computer);
    if (view !== undefined && this.#living.has(view)) this.#owing.add(view);
  }
  #did({ port, a, ev }: RecordOf<'out'>): void {
    const { type, method } = ev as Said<{ method: string }>;
    if (type === 'ask' && (method === 'tools/list' || method === 'client:get_tools')) this.#owing.delete(a);
    if (port === 'session' && type === 'leaf.close') this.#owing.delete(rootOf(a));
  }
  #looks({ a, input }: RecordOf<'open'>): void {
    const { link = '', computer = '' } = input as { readonly link?: Address; readonly computer?: string };
    this.#views.set(link, computer, a);
    this.#living.add(a);
  }
  #ended(a: Address): void {
    this.#owing.delete(a);
    this.#living.delete(a);
  }
  quiet(): readonly Found[] {
    return [...this.#owing].map((at) => ({
      at,
      what: `${at} was told of a change and has not asked since`,
      kind: 'liveness',
    }));
  }
}

const [client, view] = ['c/client:fs#1', 'a/view:c1#2'];
const session = `${client}/session#1`;
const changed = hears(session, 'list.changed', { list: 'tools' });
const fetches = asks(client, 'tools', client, 'tools/list');
const looks = opens(view, 'view', 'a#1', { computer: 'c1', link: 'a/link' });
const notice = hears('a/link#1/link#1', 'computer.toolsChanged', { computer: 'c1' });
const looksAgain = asks(view, 'tools', 'a/link', 'client:get_tools');

export const changeFetched: Law = {
  law: 'a change that was told is fetched',
  why: 'After a notice a question goes out, later than it, or what everybody is offered stays old (dirty-flag).',
  sees: [
    ...(['in tools.changed', 'in computer.toolsChanged', 'in computer.configChanged'] as const),
    ...(['out ask', 'out leaf.close', 'open', 'end'] as const),
  ],
  open: () => new Changes(),
  crimes: [
    {
      how: 'a client that is told while it asks, and forgets it',
      seen: story(changed, fetches, changed),
      until: 'quiet',
      said: `${client} was told of a change`,
    },
    {
      how: 'a view that ignores a notice',
      seen: story(looks, looksAgain, notice),
      until: 'quiet',
      said: `${view} was told of a change`,
    },
  ],
  lawful: [
    { how: 'one that asks', seen: story(changed, fetches, looks, notice, looksAgain), until: 'quiet' },
    {
      how: 'a session that ended before',
      seen: story(changed, tells('session', session, 'leaf.close')),
      until: 'quiet',
    },
    { how: 'a view that ended before', seen: story(looks, notice, ends(view), notice), until: 'quiet' },
    { how: 'a computer at which nobody looks', seen: story(notice), until: 'quiet' },
    { how: 'a moment at which it may be under way', seen: story(changed) },
  ],
};
