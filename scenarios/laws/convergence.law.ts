import { nameOf, type Address } from '../../machines/address.ts';
import {
  buildTable,
  offeredTools,
  toSmcpTool,
  type Tool,
  type ToolRules,
} from '../../machines/catalog/index.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Found, Judge, Law, RecordOf, Said } from './law.ts';
import { serverIn } from './places.ts';
import { ends, learns, opens, posts, story } from './telling.ts';

interface Computer {
  readonly a: Address;
  rules: readonly ToolRules[];
  /** Names of what its host was told that it offers. */
  readonly offered: Set<string>;
}
interface Client {
  readonly server: string;
  /** What it listed last. */
  tools: readonly Tool[];
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
}>;
const rulesOf = ({ servers = [] }: Pick<Fields, 'servers'>): ToolRules[] => servers.map(({ rules }) => rules);

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
  quiet(): Found[] {
    return [...this.#computers].flatMap(([name, { a, rules, offered }]) => {
      const clients = [...this.#clients]
        .filter(([at]) => at.startsWith(`${name}/`))
        .map(([, client]) => client);
      const table = buildTable(
        rules,
        Object.fromEntries(clients.map(({ server, tools }) => [server, tools])),
      );
      const up = new Set(clients.filter(({ isUp }) => isUp).map(({ server }) => server));
      const expected = offeredTools(table, (server) => up.has(server)).map((offer) => toSmcpTool(offer).name);
      const [is, should] = [[...offered].toSorted().join(', '), expected.toSorted().join(', ')];
      return is === should ? [] : [{ at: a, what: `offers [${is}], not [${should}]`, kind: 'liveness' }];
    });
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind === 'computer') {
      this.#computers.set(nameOf(a), {
        a,
        rules: rulesOf(input),
        offered: new Set(),
      });
    } else if (kind === 'client') {
      const { server, kept } = input as { server: string; kept?: { tools?: readonly Tool[] } | null };
      this.#clients.set(nameOf(a), { server, tools: kept?.tools ?? [], isUp: false });
    }
  }
  /** The truth is what a server says of itself. */
  #answered({ a, ev }: RecordOf<'in'>): void {
    const client = this.#clients.get(serverIn(a) ?? '');
    const { result } = (ev ?? {}) as Fields;
    if (client && result?.tools && nameOf(a).endsWith('/catalog:tools')) client.tools = result.tools;
  }
  #post({ from, a, ev }: RecordOf<'post'>): void {
    const { type, isOffered, list, entries, added, removed } = ev as Fields;
    if (type === 'servers.set') {
      const computer = this.#computers.get(nameOf(a));
      if (computer) computer.rules = rulesOf(ev as Fields);
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
  opens(client, 'client', computer, { server: 'fs', kept: null }),
];
const lists = (...names: string[]) =>
  learns(catalog, 'list', 'ask.answered', {
    result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) },
  });
const isUp = (isOffered: boolean) => posts(client, computer, 'client.changed', { isOffered });
const tells = (added: readonly string[], removed: readonly string[] = []) =>
  posts(computer, 'host:c', 'tools.changed', { added, removed });
const takesBack = posts(catalog, computer, 'catalog.changed', { list: 'tools', entries: [] });
const wants = posts('host', 'c', 'servers.set', { servers: [] });

export const convergence: Law = {
  law: 'a computer offers what its servers have',
  why: 'When nothing happens any more, the tools of a computer are those that its servers listed last (convergence).',
  sees: [
    ...(['post client.changed', 'post catalog.changed', 'post tools.changed', 'post servers.set'] as const),
    ...(['in ask', 'open', 'end'] as const),
  ],
  open: () => new Convergence(),
  crimes: [
    {
      how: 'tools that nobody offers',
      seen: story(...born, lists('read'), isUp(true)),
      until: 'quiet',
      said: 'offers [], not [read]',
    },
    {
      how: 'a change that was fetched and forgotten',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), lists('read', 'write')),
      until: 'quiet',
      said: 'offers [read], not [read, write]',
    },
    {
      how: 'tools of a server that is down',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), isUp(false)),
      until: 'quiet',
      said: 'offers [read], not []',
    },
    {
      how: 'tools of a server that is gone from the config',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), wants, ends(client)),
      until: 'quiet',
      said: 'offers [read], not []',
    },
  ],
  lawful: [
    {
      how: 'what it has',
      seen: story(...born, lists('read', 'rm'), isUp(true), tells(['read'])),
      until: 'quiet',
    },
    {
      how: 'a server that comes and goes',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), isUp(false), tells([], ['read'])),
      until: 'quiet',
    },
    {
      how: 'a list that was taken back',
      seen: story(...born, lists('read'), isUp(true), tells(['read']), takesBack, tells([], ['read'])),
      until: 'quiet',
    },
    { how: 'a moment at which something is under way', seen: story(...born, lists('read'), isUp(true)) },
  ],
};
