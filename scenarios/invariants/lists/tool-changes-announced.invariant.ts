import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { hears, opens, posts, story, tells } from '../record-builders.ts';

interface Link {
  readonly a: Address;
  readonly quietMs: number;
  isJoined: boolean;
  /** Fingerprints of what is offered, and of what the office was told or an agent has been answered last. */
  offered: string | null;
  told: string | null;
  toldAt: number;
}
type Fields = Said<{ signature: string; stage: string; event: string }>;

class ToolChangesAnnounced implements Judge {
  readonly #slackMs: number;
  /** Of computers, by address with and without its incarnation. */
  readonly #links = new Map<Address, Link>();

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'out') return this.#announce(record, at);
    if (record.k === 'open') return this.#open(record);
    if (record.k === 'end') {
      if (this.#links.delete(record.a)) this.#links.delete(nameOf(record.a));
    } else if (record.k === 'in') {
      // The enter notice makes agents ask: what is offered when it first sits there needs no other.
      const link = this.#links.get(rootOf(record.a));
      if (link) link.told ??= link.offered;
    }
    return undefined;
  }
  quiescent(): Found[] {
    return [...new Set(this.#links.values())]
      .filter(({ isJoined, offered, told }) => isJoined && offered !== told)
      .map(({ a }) => ({ at: a, what: 'its tools changed, and nobody was told', kind: 'liveness' }));
  }
  #open({ a, kind, input }: RecordOf<'open'>): undefined {
    const { role, timing } = input as {
      role?: string;
      timing?: { quietMs?: number; longestQuietMs?: number };
    };
    if (kind !== 'link' || role !== 'computer') return;
    // It gathers until no more notices come, but no longer than that.
    const quietMs = Math.min(timing?.quietMs ?? 0, timing?.longestQuietMs ?? Infinity);
    const link = { a, quietMs, isJoined: false, offered: null, told: null, toldAt: -Infinity };
    this.#links.set(a, link);
    this.#links.set(nameOf(a), link);
  }
  #post({ from, a, ev }: RecordOf<'post'>): undefined {
    const { type, signature, stage } = ev as Fields;
    if (type === 'link.changed') {
      const link = this.#links.get(from);
      if (link) link.isJoined = stage === 'joined';
    } else if (signature !== undefined && (type === 'tools.changed' || type === 'tools.listed')) {
      const link = this.#links.get(a);
      if (!link) return;
      link.offered = signature;
      if (type === 'tools.listed') link.told = signature;
    }
  }
  #announce({ a, ev }: RecordOf<'out'>, at: number): Found | undefined {
    const link = this.#links.get(rootOf(a));
    if (!link || (ev as Fields).event !== 'server:update_tool_list') return undefined;
    const { offered, told, toldAt, quietMs } = link;
    link.told = offered;
    link.toldAt = at;
    if (offered === told)
      return { at: link.a, what: 'announced its tools, and they were as they were told last' };
    const sinceMs = at - toldAt;
    return sinceMs + this.#slackMs < quietMs
      ? { at: link.a, what: `announced its tools twice within ${sinceMs} ms` }
      : undefined;
  }
}

const [link, instance] = ['c/link#1', 'c/link#1/link#1'];
const born = opens(link, 'link', 'c#1', { role: 'computer', timing: { quietMs: 200 } });
const joins = [hears(instance, 'join.accepted'), posts(link, 'c#1', 'link.changed', { stage: 'joined' })];
const offers = (signature: string) => posts('c#1', 'c/link', 'tools.changed', { signature });
const lists = (signature: string) => posts('c#1', link, 'tools.listed', { signature });
const announces = tells('link', instance, 'link.announce', { event: 'server:update_tool_list' });
const needless = 'announced its tools, and they were as they were told last';

export const toolChangesAnnounced: Invariant = {
  invariant: 'tools are announced when they changed, and only then',
  why: 'Agents ask anew when something changed, once for a burst of changes, and not without need (notify-iff-changed).',
  sees: [
    ...(['in join.accepted', 'out link.announce', 'open', 'end'] as const),
    ...(['post link.changed', 'post tools.changed', 'post tools.listed'] as const),
  ],
  open: ({ slackMs }) => new ToolChangesAnnounced(slackMs),
  violating: [
    {
      how: 'a link that announces what its entering has told',
      seen: story(born, offers('a'), ...joins, announces),
      said: needless,
    },
    {
      how: 'a link that announces what it has just answered',
      seen: story(born, ...joins, offers('a'), lists('a'), announces),
      said: needless,
    },
    {
      how: 'a link that was never told of tools, and takes an answer for a change',
      seen: story(born, ...joins, lists('a'), announces),
      said: needless,
    },
    {
      how: 'a change and back',
      seen: story(born, offers('a'), ...joins, offers('b'), offers('a'), announces),
      said: needless,
    },
    {
      how: 'a link that keeps a change to itself',
      seen: story(born, offers('a'), ...joins, offers('b')),
      until: 'quiescent',
      said: 'its tools changed, and nobody was told',
    },
    {
      how: 'a link that announces each of a burst of changes',
      seen: story(born, ...joins, offers('a'), announces, 50, offers('b'), announces),
      said: 'announced its tools twice within 50 ms',
    },
  ],
  passing: [
    {
      how: 'each change',
      seen: story(born, ...joins, offers('a'), announces, 200, offers('b'), announces),
      until: 'quiescent',
    },
    {
      how: 'an agent that asked before it was told',
      seen: story(born, ...joins, offers('a'), lists('a')),
      until: 'quiescent',
    },
    {
      how: 'a link that sits nowhere',
      seen: story(
        born,
        offers('a'),
        ...joins,
        offers('b'),
        posts(link, 'c#1', 'link.changed', { stage: 'waiting' }),
      ),
      until: 'quiescent',
    },
    {
      how: 'a change while it was away',
      seen: story(born, offers('a'), ...joins, offers('b'), ...joins, announces),
      until: 'quiescent',
    },
    { how: 'a link from before the first record', seen: story(...joins, announces, announces) },
  ],
};
