import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { CatalogList } from '../../../machines/catalog/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

/** What a server of a computer listed last, by the names that it gives its tools. */
interface Server {
  readonly names: readonly string[];
  readonly isWithdrawn: boolean;
}
type Fields = Said<{
  server: string;
  stage: string;
  list: CatalogList;
  entries: readonly { readonly name: string }[];
  isWithdrawn: boolean;
  failure: Failure | null;
  tool: string;
}>;

class WithdrawnNotMissing implements Judge {
  /** By computer, without its incarnation. */
  readonly #computers = new Map<Address, Map<string, Server>>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open' && record.kind === 'computer') this.#computers.set(nameOf(record.a), new Map());
    else if (record.k === 'end') this.#computers.delete(nameOf(record.a));
    else if (record.k === 'post') return this.#post(record);
    return undefined;
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, server = '', stage, list, failure, tool = '' } = ev as Fields;
    // The only message of these that is not a computer's: its reader is one.
    if (type === 'catalog.listed') {
      if (list === 'tools' && failure === null) this.#back(this.#computers.get(nameOf(a)), server);
      return undefined;
    }
    const servers = this.#computers.get(nameOf(from));
    if (!servers) return undefined;
    if (type === 'catalog.changed' && list === 'tools') this.#listed(servers, ev);
    else if (type === 'client.changed' && stage === 'ready') this.#back(servers, server);
    else if (type === 'server.removed') servers.delete(server);
    else if (type === 'close')
      for (const name of servers.keys()) {
        if (a.endsWith(`/client:${name}`)) servers.delete(name);
      }
    // A name that several gave up is nobody's.
    else if (
      type === 'call.settled' &&
      failure?.code === wireCodes.toolNotFound &&
      failure.details?.['names'] === undefined
    )
      for (const [name, { names, isWithdrawn }] of servers)
        if (isWithdrawn && names.includes(tool))
          return { at: from, what: `a call of '${tool}' was "not found", and '${name}' had it withdrawn` };
    return undefined;
  }
  #listed(servers: Map<string, Server>, { server = '', entries = [], isWithdrawn }: Fields): void {
    if (isWithdrawn !== true)
      servers.set(server, { names: entries.map(({ name }) => name), isWithdrawn: false });
    else servers.set(server, { names: servers.get(server)?.names ?? [], isWithdrawn: true });
  }
  /** It lists them again, none perhaps: then nobody is told of a change. */
  #back(servers: Map<string, Server> | undefined, server: string): void {
    if (servers?.get(server)?.isWithdrawn === true) servers.delete(server);
  }
}

const host = 'host:c';
const about = { server: 'fs', list: 'tools' };
const lists = posts('c#1', host, 'catalog.changed', {
  ...about,
  entries: [{ name: 'read' }],
  isWithdrawn: false,
});
const withdraws = posts('c#1', host, 'catalog.changed', { ...about, entries: [], isWithdrawn: true });
const born = [opens('c#1', 'computer', host, {}), lists, withdraws];
const fails = (code: number | string, details: object = {}) =>
  posts('c#1', host, 'call.settled', { tool: 'read', failure: { code, message: 'x', details } });
const listed = (failure: object | null) =>
  posts('c/client:fs/catalog:tools#1', 'c#1', 'catalog.listed', { ...about, entries: [], failure });
const said = `a call of 'read' was "not found", and 'fs' had it withdrawn`;

export const withdrawnNotMissing: Invariant = {
  invariant: 'no call of a withdrawn tool is answered with tool not found',
  why: 'It is there, and its server cannot say so any more: whoever calls it hears that, and why.',
  sees: [
    ...(['open', 'end', 'post client.changed', 'post catalog.changed', 'post catalog.listed'] as const),
    ...(['post call.settled', 'post server.removed', 'post close'] as const),
  ],
  open: () => new WithdrawnNotMissing(),
  violating: [
    { how: 'a call after the list failed too often', seen: story(...born, fails(4001)), said },
    { how: 'one after it failed once more', seen: story(...born, listed({ code: 1 }), fails(4001)), said },
    {
      how: 'one while its server is started anew',
      seen: story(
        ...born,
        posts('c#1', host, 'client.changed', { server: 'fs', stage: 'connecting' }),
        fails(4001),
      ),
      said,
    },
  ],
  passing: [
    { how: 'a call that is told why', seen: story(...born, fails('ServerNotActive')) },
    { how: 'a tool that is listed no more', seen: story(...born, listed(null), fails(4001)) },
    {
      how: 'another session, which lists none',
      seen: story(
        ...born,
        posts('c#1', host, 'client.changed', { server: 'fs', stage: 'ready' }),
        fails(4001),
      ),
    },
    {
      how: 'other tools than before',
      seen: story(
        ...born,
        posts('c#1', host, 'catalog.changed', { ...about, entries: [{ name: 'write' }], isWithdrawn: false }),
        fails(4001),
      ),
    },
    {
      how: 'a server that was taken out',
      seen: story(...born, posts('c#1', 'c/client:fs', 'close'), fails(4001)),
    },
    {
      how: 'a name that several gave up',
      seen: story(...born, fails(4001, { names: ['a_read', 'b_read'] })),
    },
    { how: 'another computer', seen: story(...born, ends('c#1'), fails(4001)) },
  ],
};
