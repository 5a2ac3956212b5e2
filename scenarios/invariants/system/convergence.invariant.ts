import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import {
  buildTable,
  emptyTable,
  offeredTools,
  toSmcpTool,
  type Tool,
  type ToolRules,
  type ToolTable,
} from '../../../machines/catalog/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { ends, learns, opens, posts, story } from '../record-builders.ts';

interface Computer {
  readonly a: Address;
  rules: readonly ToolRules[];
  /** As names were given the last time: what was in conflict once is remembered. */
  table: ToolTable;
  /** Names of what its host was told that it offers. */
  readonly offered: Set<string>;
}
interface Client {
  readonly server: string;
  /** What it listed last; null: nothing yet. */
  tools: readonly Tool[] | null;
  isUp: boolean;
}
type Fields = Said<{
  isOffered: boolean;
  list: string;
  entries: readonly Tool[];
  added: readonly string[];
  removed: readonly string[];
  result: { readonly tools?: readonly Tool[] };
  servers: readonly { readonly rules: ToolRules }[];
  unstarted: readonly ToolRules[];
}>;
const rulesOf = ({ servers = [], unstarted = [] }: Pick<Fields, 'servers' | 'unstarted'>): ToolRules[] => [
  ...servers.map(({ rules }) => rules),
  ...unstarted,
];

class Convergence implements Judge {
  readonly #computers = new Map<Address, Computer>();
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'post') this.#post(record);
    else if (record.k === 'in') this.#answered(record);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') {
      this.#computers.delete(nameOf(record.a));
      this.#clients.delete(nameOf(record.a));
    }
  }
  quiescent(): Found[] {
    return [...this.#computers].flatMap(([name, computer]) => {
      const { a, offered } = computer;
      const table = this.#tableOf(name, computer);
      const up = new Set(this.#of(name).flatMap(({ server, isUp }) => (isUp ? [server] : [])));
      const expected = offeredTools(table, (server) => up.has(server)).map((offer) => toSmcpTool(offer).name);
      const [is, should] = [[...offered].toSorted().join(', '), expected.toSorted().join(', ')];
      return is === should ? [] : [{ at: a, what: `offers [${is}], not [${should}]`, kind: 'liveness' }];
    });
  }
  #of(computer: Address): Client[] {
    return [...this.#clients].filter(([at]) => at.startsWith(`${computer}/`)).map(([, client]) => client);
  }
  #tableOf(name: Address, { rules, table }: Computer): ToolTable {
    const lists = this.#of(name).flatMap(({ server, tools }) => (tools ? [[server, tools] as const] : []));
    return buildTable(rules, Object.fromEntries(lists), table);
  }
  /** Something of a computer is otherwise, by its own name or that of one of its machines: names may be. */
  #name(at: Address): void {
    for (const [name, computer] of this.#computers)
      if (at === name || at.startsWith(`${name}/`))
        if (computer.rules.some(({ onConflict }) => onConflict === 'prefix'))
          computer.table = this.#tableOf(name, computer);
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind === 'computer') {
      this.#computers.set(nameOf(a), {
        a,
        rules: rulesOf(input),
        table: emptyTable,
        offered: new Set(),
      });
      this.#name(nameOf(a));
    } else if (kind === 'client') {
      const { server, cached } = input as { server: string; cached?: { tools?: readonly Tool[] } | null };
      this.#clients.set(nameOf(a), { server, tools: cached?.tools ?? null, isUp: false });
      this.#name(nameOf(a));
    }
  }
  /** The truth is what a server says of itself. */
  #answered({ a, ev }: RecordOf<'in'>): void {
    const client = this.#clients.get(serverIn(a) ?? '');
    const { result } = (ev ?? {}) as Fields;
    if (client && result?.tools && nameOf(a).endsWith('/catalog:tools')) {
      client.tools = result.tools;
      this.#name(nameOf(a));
    }
  }
  #post({ from, a, ev }: RecordOf<'post'>): void {
    const { type, isOffered, list, entries, added, removed } = ev as Fields;
    if (type === 'servers.set') {
      const computer = this.#computers.get(nameOf(a));
      if (computer) computer.rules = rulesOf(ev as Fields);
      this.#name(nameOf(a));
    } else if (type === 'tools.changed') {
      const { offered } = this.#computers.get(nameOf(from)) ?? {};
      for (const name of removed ?? []) offered?.delete(name);
      for (const name of added ?? []) offered?.add(name);
    } else if (type === 'client.changed') {
      const client = this.#clients.get(nameOf(from));
      if (client) client.isUp = isOffered === true;
    } else if (list === 'tools' && entries?.length === 0) {
      // Taken back: it could not be had too often.
      const client = this.#clients.get(serverIn(from) ?? '');
      if (client) client.tools = [];
      this.#name(nameOf(from));
    }
  }
}

const [computer, client, catalog] = ['c#1', 'c/client:fs#1', 'c/client:fs/catalog:tools#1'];
const rules: ToolRules = {
  server: 'fs',
  forbiddenTools: ['rm'],
  toolMeta: {},
  defaultToolMeta: null,
  autoApprove: [],
};
const born = [
  opens(computer, 'computer', 'host', { servers: [{ rules }] }),
  opens(client, 'client', computer, { server: 'fs', cached: null }),
];
const lists = (...names: string[]) =>
  learns(catalog, 'list', 'ask.answered', {
    result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) },
  });
const other = [
  opens('d#1', 'computer', 'host', {
    servers: ['A', 'B'].map((server) => ({ rules: { ...rules, server, onConflict: 'prefix' } })),
  }),
  ...['A', 'B'].flatMap((server) => [
    opens(`d/client:${server}#1`, 'client', 'd#1', { server, cached: null }),
    learns(`d/client:${server}/catalog:tools#1`, 'list', 'ask.answered', {
      result: { tools: [{ name: 'x', inputSchema: { type: 'object' } }] },
    }),
    posts(`d/client:${server}#1`, 'd#1', 'client.changed', { isOffered: true }),
  ]),
];
const othersTell = (...added: readonly string[]) =>
  posts('d#1', 'host:d', 'tools.changed', { added, removed: [] });
const forgets = learns('d/client:B/catalog:tools#1', 'list', 'ask.answered', { result: { tools: [] } });
const isUp = (isOffered: boolean) => posts(client, computer, 'client.changed', { isOffered });
const tells = (added: readonly string[], removed: readonly string[] = []) =>
  posts(computer, 'host:c', 'tools.changed', { added, removed });
const takesBack = posts(catalog, computer, 'catalog.changed', { list: 'tools', entries: [] });
const wants = posts('host', 'c', 'servers.set', { servers: [] });

export const convergence: Invariant = {
  invariant: 'a computer offers the tools that its servers listed',
  why: 'When nothing happens any more, the tools of a computer are those that its servers listed last (convergence).',
  sees: [
    ...(['post client.changed', 'post catalog.changed', 'post tools.changed', 'post servers.set'] as const),
    ...(['in ask', 'open', 'end'] as const),
  ],
  open: () => new Convergence(),
  violating: [
    {
      how: 'a name that two servers have and nobody may have',
      seen: story(...other, othersTell('A_x', 'x')),
      until: 'quiescent',
      said: 'offers [A_x, x], not [A_x, B_x]',
    },
    {
      how: 'tools that nobody offers',
      seen: story(...born, lists('read'), isUp(true)),
      until: 'quiescent',
      said: 'offers [], not [read]',
    },
    {
      how: 'a change that was fetched and forgotten',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), lists('read', 'write')),
      until: 'quiescent',
      said: 'offers [read], not [read, write]',
    },
    {
      how: 'tools of a server that is down',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), isUp(false)),
      until: 'quiescent',
      said: 'offers [read], not []',
    },
    {
      how: 'tools of a server that is gone from the config',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), wants, ends(client)),
      until: 'quiescent',
      said: 'offers [read], not []',
    },
  ],
  passing: [
    {
      how: 'a name that was given in a conflict and is kept after it',
      seen: story(...other, othersTell('A_x'), forgets),
      until: 'quiescent',
    },
    {
      how: 'what it has',
      seen: story(...born, lists('read', 'rm'), isUp(true), tells(['read'])),
      until: 'quiescent',
    },
    {
      how: 'a server that comes and goes',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), isUp(false), tells([], ['read'])),
      until: 'quiescent',
    },
    {
      how: 'a list that was taken back',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), takesBack, tells([], ['read'])),
      until: 'quiescent',
    },
    { how: 'a moment at which something is under way', seen: story(...born, lists('read'), isUp(true)) },
  ],
};
