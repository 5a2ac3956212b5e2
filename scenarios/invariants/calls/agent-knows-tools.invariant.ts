import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

interface Link {
  readonly a: Address;
  readonly owner: Address;
  readonly role: string;
  readonly name: string;
  /** The office in which it has its seat. */
  readonly office: string;
  isJoined: boolean;
  /** What its computer offers now. */
  offered: string | undefined;
  listed: { readonly signature: string; readonly names: string } | undefined;
}
interface View {
  readonly computer: string;
  readonly agent: Address;
  /** What it knows; undefined: nothing. */
  names: string | undefined;
}
interface Tool {
  readonly name: string;
}
type Fields = Said<{ stage: string; signature: string; tools: readonly Tool[] | null; failure: unknown }>;
const namesOf = (tools: readonly Tool[]): string =>
  tools
    .map(({ name }) => name)
    .toSorted()
    .join(', ');

class AgentKnowsTools implements Judge {
  /** By address with and without its incarnation. */
  readonly #links = new Map<Address, Link>();
  readonly #views = new Map<Address, View>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'post') this.#post(record);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') {
      if (this.#links.delete(record.a)) this.#links.delete(nameOf(record.a));
      this.#views.delete(record.a);
    }
  }
  quiescent(): Found[] {
    const joined = [...new Set(this.#links.values())].filter(({ isJoined }) => isJoined);
    const pairs = joined
      .filter(({ role }) => role === 'agent')
      .flatMap((agent) =>
        joined
          .filter(({ role, office }) => role === 'computer' && office === agent.office)
          .map((computer) => ({ agent, computer })),
      );
    return pairs.flatMap(({ agent, computer: { name, listed, offered } }) => {
      const view = [...this.#views.values()].find((v) => v.agent === agent.owner && v.computer === name);
      const say = (what: string): Found[] => [
        { at: agent.owner, what: `${what} of ${name}`, kind: 'liveness' },
      ];
      if (!view) return say('has no view');
      if (!listed || (offered !== undefined && listed.signature !== offered))
        return say('has not asked for the tools');
      return view.names === listed.names ? [] : say(`knows [${view.names}], not [${listed.names}]`);
    });
  }
  #open({ a, kind, from, input }: RecordOf<'open'>): void {
    if (kind === 'view') {
      const { computer } = input as View;
      this.#views.set(a, { computer, agent: from, names: undefined });
    } else if (kind === 'link') {
      const { role, name, url, office } = input as {
        role: string;
        name: string;
        url: string;
        office: string;
      };
      const seat = { a, owner: from, role, name, office: `${url} ${office}`, isJoined: false };
      const link: Link = { ...seat, offered: undefined, listed: undefined };
      this.#links.set(a, link);
      this.#links.set(nameOf(a), link);
    }
  }
  #post({ from, a, ev }: RecordOf<'post'>): void {
    const { type, stage, signature, tools, failure } = ev as Fields;
    if (type === 'link.changed') {
      const link = this.#links.get(from);
      if (link) link.isJoined = stage === 'joined';
    } else if (type === 'view.toolsChanged') {
      const view = this.#views.get(from);
      if (view) view.names = tools && !failure ? namesOf(tools) : undefined;
    } else if (signature !== undefined && (type === 'tools.changed' || type === 'tools.listed')) {
      const link = this.#links.get(a);
      if (!link) return;
      link.offered = signature;
      if (type === 'tools.listed') link.listed = { signature, names: namesOf(tools ?? []) };
    }
  }
}

const office = { url: 'u', office: 'o' };
const [mine, its, view] = ['a/link#1', 'c/link#1', 'a/view:c1#2'];
const joins = (link: Address) => posts(link, 'x', 'link.changed', { stage: 'joined' });
const born = [
  ...[opens(mine, 'link', 'a#1', { ...office, role: 'agent', name: 'a1' }), joins(mine)],
  ...[opens(its, 'link', 'c#1', { ...office, role: 'computer', name: 'c1' }), joins(its)],
];
const viewed = opens(view, 'view', 'a#1', { computer: 'c1' });
const offers = (signature: string) => posts('c#1', 'c/link', 'tools.changed', { signature });
const lists = (signature: string, ...names: string[]) =>
  posts('c#1', its, 'tools.listed', { signature, tools: names.map((name) => ({ name })) });
const knows = (...names: string[]) =>
  posts(view, 'a#1', 'view.toolsChanged', { tools: names.map((name) => ({ name })), failure: null });
const knowsNot = posts(view, 'a#1', 'view.toolsChanged', { tools: null, failure: { code: 408 } });

export const agentKnowsTools: Invariant = {
  invariant: 'an agent knows the tools that each computer offers',
  why: 'When nothing happens any more, what an agent knows is what is so (convergence).',
  sees: [
    'post link.changed',
    'post view.toolsChanged',
    'post tools.changed',
    'post tools.listed',
    'open',
    'end',
  ],
  open: () => new AgentKnowsTools(),
  violating: [
    {
      how: 'a computer that an agent overlooked',
      seen: story(...born),
      until: 'quiescent',
      said: 'has no view of c1',
    },
    {
      how: 'an announcement that an agent did not hear',
      seen: story(...born, viewed, offers('1'), lists('1', 'read'), knows('read'), offers('2')),
      until: 'quiescent',
      said: 'has not asked for the tools of c1',
    },
    {
      how: 'an answer that came too late and was taken all the same',
      seen: story(...born, viewed, offers('2'), lists('2', 'read', 'write'), knows('read')),
      until: 'quiescent',
      said: 'knows [read], not [read, write] of c1',
    },
    {
      how: 'a view that has given up',
      seen: story(...born, viewed, lists('1', 'read'), knowsNot),
      until: 'quiescent',
      said: 'knows [undefined], not [read] of c1',
    },
  ],
  passing: [
    {
      how: 'an agent that knows',
      seen: story(...born, viewed, offers('1'), lists('1', 'read'), knowsNot, knows('read')),
      until: 'quiescent',
    },
    {
      how: 'a computer that offers nothing',
      seen: story(...born, viewed, lists('0'), knows()),
      until: 'quiescent',
    },
    { how: 'a computer that left', seen: story(...born, viewed, ends(view), ends(its)), until: 'quiescent' },
    {
      how: 'another office',
      seen: story(
        ...born,
        ends(its),
        opens(its, 'link', 'c#1', { ...office, office: 'p', role: 'computer', name: 'c1' }),
        joins(its),
      ),
      until: 'quiescent',
    },
  ],
};
