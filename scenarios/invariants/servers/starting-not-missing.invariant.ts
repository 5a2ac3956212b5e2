import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { wireCodes } from '../../../machines/protocol/failure.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

/** What a computer knows of one of its servers. */
interface Server {
  readonly stage: string;
  readonly isKnown: boolean;
}
type Fields = Said<{ server: string; stage: string; list: string; failure: Failure | null }>;
const still: ReadonlySet<string> = new Set(['connecting', 'recovering']);

class StartingNotMissing implements Judge {
  /** By computer, by the key of its client. */
  readonly #computers = new Map<Address, Map<string, Server>>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#computers.delete(record.a);
    else if (record.k === 'post') return this.#post(record);
    return undefined;
  }
  #open({ a, kind, from, input }: RecordOf<'open'>): void {
    if (kind === 'computer') this.#computers.set(a, new Map());
    const servers = kind === 'client' ? this.#computers.get(from) : undefined;
    const { server = '', cached } = input as { server?: string; cached?: { tools?: unknown } | null };
    // One whose machine broke is opened again, and is known from before.
    if (servers && !servers.has(server))
      servers.set(server, { stage: 'connecting', isKnown: cached?.tools !== undefined });
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const servers = this.#computers.get(from);
    if (!servers) return undefined;
    const { type, server = '', stage = '', list, failure } = ev as Fields;
    const known = servers.get(server);
    if (type === 'computer.changed' && stage === 'closing') this.#computers.delete(from);
    else if (type === 'server.removed') servers.delete(server);
    else if (type === 'close')
      for (const name of servers.keys()) {
        if (a.endsWith(`/client:${name}`)) servers.delete(name);
      }
    else if (type === 'client.changed' && known) servers.set(server, { ...known, stage });
    else if (type === 'catalog.changed' && list === 'tools' && known)
      servers.set(server, { ...known, isKnown: true });
    else if (type === 'call.settled' && failure?.code === wireCodes.toolNotFound) {
      const starting = [...servers].filter(([, { stage: at, isKnown }]) => still.has(at) && !isKnown);
      // A name that several gave up is nobody's, whoever comes.
      if (starting.length > 0 && failure.details?.['names'] === undefined)
        return {
          at: from,
          what: `a call was answered with "not found" while ${starting.map(([name]) => name).join(', ')} started`,
        };
    }
    return undefined;
  }
}

const born = [
  opens('c#1', 'computer', 'host:c', {}),
  opens('c/client:fs#2', 'client', 'c#1', { server: 'fs', cached: null }),
];
const at = (stage: string) => posts('c#1', 'host:c', 'client.changed', { server: 'fs', stage });
const lists = posts('c#1', 'host:c', 'catalog.changed', { server: 'fs', list: 'tools' });
const notFound = (details: object = {}) =>
  posts('c#1', 'host:c', 'call.settled', { ticket: 't', failure: { code: 4001, message: 'x', details } });
const said = 'answered with "not found" while fs started';

export const startingNotMissing: Invariant = {
  invariant: 'no call is answered with tool not found while a server starts that may have the tool',
  why: 'A slow start is no answer: whoever calls meanwhile waits for it, or hears that it starts.',
  sees: [
    ...(['open', 'end', 'post client.changed', 'post catalog.changed', 'post call.settled'] as const),
    ...(['post server.removed', 'post close', 'post computer.changed'] as const),
  ],
  open: () => new StartingNotMissing(),
  violating: [
    { how: 'a call that comes too early', seen: story(...born, notFound()), said },
    {
      how: 'a server that starts again, and never said what it has',
      seen: story(...born, at('waiting'), at('connecting'), notFound()),
      said,
    },
  ],
  passing: [
    { how: 'a server that is ready', seen: story(...born, lists, at('ready'), notFound()) },
    {
      how: 'a server whose tools are known',
      seen: story(...born, lists, at('ready'), at('connecting'), notFound()),
    },
    { how: 'a server that failed', seen: story(...born, at('recovering'), at('waiting'), notFound()) },
    {
      how: 'a server that is taken out',
      seen: story(...born, posts('c#1', 'c/client:fs', 'close'), notFound()),
    },
    { how: 'a name that several gave up', seen: story(...born, notFound({ names: ['a_x', 'b_x'] })) },
    {
      how: 'a computer that closes',
      seen: story(...born, posts('c#1', 'host:c', 'computer.changed', { stage: 'closing' }), notFound()),
    },
    { how: 'another computer', seen: story(...born, ends('c#1'), notFound()) },
  ],
};
