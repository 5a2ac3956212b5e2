import { nameOf, type Address } from '../../machines/address.ts';
import type { System } from '../../machines/systems/index.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Found, Judge, Law, RecordOf, Said } from './law.ts';
import { rootOf } from './places.ts';
import { opens, posts, story, tells } from './telling.ts';

interface Link {
  readonly a: Address;
  isJoined: boolean;
  /** What its office is still to hear of. */
  owing: System | undefined;
}
type Fields = Said<{ system: System; stage: string; event: string }>;
const systemIn: Readonly<Record<string, System>> = {
  'server:update_desktop': 'desktop',
  'server:update_finder': 'finder',
};

class ToldOffice implements Judge {
  /** By address with and without its incarnation. */
  readonly #links = new Map<Address, Link>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'out') return this.#announced(record);
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end' && this.#links.delete(record.a)) this.#links.delete(nameOf(record.a));
    return undefined;
  }
  quiet(): Found[] {
    return [...new Set(this.#links.values())].flatMap((link) => owed(link) ?? []);
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'link' || (input as { role?: string }).role !== 'computer') return;
    const link = { a, isJoined: false, owing: undefined };
    this.#links.set(a, link);
    this.#links.set(nameOf(a), link);
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, stage, system } = ev as Fields;
    const link = this.#links.get(type === 'link.changed' ? from : a);
    if (!link) return undefined;
    const wrong = owed(link);
    link.owing = undefined;
    if (type === 'link.changed') link.isJoined = stage === 'joined';
    // On its way out it tells nobody anything.
    else if (type === 'close') link.isJoined = false;
    else if (link.isJoined) link.owing = system;
    return wrong;
  }
  #announced({ a, ev }: RecordOf<'out'>): Found | undefined {
    const link = this.#links.get(rootOf(a));
    const system = systemIn[(ev as Fields).event ?? ''];
    if (!link || system === undefined) return undefined;
    const { owing } = link;
    if (owing !== system) return { at: link.a, what: `announced its ${system}, of which it heard nothing` };
    link.owing = undefined;
    return undefined;
  }
}
const owed = ({ a, owing }: Link): Found | undefined =>
  owing && { at: a, what: `kept a change of its ${owing} to itself` };

const [link, leaf] = ['c/link#1', 'c/link#1/link#1'];
const born = opens(link, 'link', 'c#1', { role: 'computer' });
const joins = posts(link, 'c#1', 'link.changed', { stage: 'joined' });
const changes = (system: System) => posts('c#1', 'c/link', 'aggregate.changed', { system });
const announces = (event: string) => tells('link', leaf, 'link.announce', { event });
const [desktop, finder] = [announces('server:update_desktop'), announces('server:update_finder')];

export const toldOffice: Law = {
  law: 'an office hears of each change of a Desktop or a Finder while its computer sits there',
  why: 'Who is told of a change asks anew; who is not lives with what was (seeds 000 and 001). Offline nothing is kept for later: who comes back is asked anyway.',
  sees: [
    ...(['open', 'end', 'out link.announce', 'post link.changed'] as const),
    ...(['post aggregate.changed', 'post close'] as const),
  ],
  open: () => new ToldOffice(),
  crimes: [
    {
      how: 'a change that is kept',
      seen: story(born, joins, changes('desktop')),
      until: 'quiet',
      said: 'kept a change of its desktop',
    },
    {
      how: 'one of two',
      seen: story(born, joins, changes('desktop'), changes('finder'), finder),
      said: 'kept a change of its desktop',
    },
    { how: 'the other one', seen: story(born, joins, changes('finder'), desktop), said: 'heard nothing' },
    {
      how: 'one change told twice',
      seen: story(born, joins, changes('finder'), finder, finder),
      said: 'nothing',
    },
  ],
  lawful: [
    {
      how: 'each',
      seen: story(born, joins, changes('desktop'), desktop, changes('finder'), finder),
      until: 'quiet',
    },
    { how: 'a link that sits nowhere', seen: story(born, changes('desktop')), until: 'quiet' },
    {
      how: 'a link that leaves',
      seen: story(born, joins, posts('c#1', link, 'close'), changes('desktop')),
      until: 'quiet',
    },
    { how: 'a link from before the first record', seen: story(joins, changes('desktop'), finder) },
  ],
};
