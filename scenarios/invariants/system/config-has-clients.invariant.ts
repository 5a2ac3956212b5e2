import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

type Servers = { readonly servers?: readonly { readonly rules: { readonly server: string } }[] };
interface Computer {
  readonly a: Address;
  wanted: readonly string[];
  /** Address of a client → its server. */
  readonly clients: Map<Address, string>;
  /** Their machines failed too often: they are opened again by another config only. */
  readonly givenUp: Set<string>;
}
const namesIn = ({ servers = [] }: Servers): string[] => servers.map(({ rules }) => rules.server);

class ConfigHasClients implements Judge {
  readonly #computers = new Map<Address, Computer>();
  readonly #owners = new Map<Address, Computer>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#end(record);
    else if (record.k === 'post' && record.dead === undefined) {
      const computer = this.#computers.get(nameOf(record.a));
      if (!computer) return;
      if (record.ev.type === 'close') this.#computers.delete(nameOf(record.a));
      else computer.wanted = namesIn(record.ev as Servers);
    }
  }
  quiescent(): Found[] {
    return [...this.#computers.values()].flatMap(({ a, wanted, clients, givenUp }) => {
      const kept = new Set([...clients.values(), ...givenUp]);
      const forgotten = wanted.filter((server) => !kept.has(server));
      return forgotten.map((server): Found => ({ at: a, what: `nobody keeps ${server}`, kind: 'liveness' }));
    });
  }
  #open({ a, kind, from, input }: RecordOf<'open'>): void {
    if (kind === 'computer') {
      const computer = {
        a,
        wanted: namesIn(input),
        clients: new Map(),
        givenUp: new Set<string>(),
      };
      this.#computers.set(nameOf(a), computer);
    }
    const owner = this.#computers.get(nameOf(from));
    if (kind !== 'client' || !owner) return;
    owner.clients.set(a, (input as { readonly server: string }).server);
    this.#owners.set(a, owner);
  }
  #end({ a, why }: RecordOf<'end'>): void {
    this.#computers.delete(nameOf(a));
    const owner = this.#owners.get(a);
    const server = owner?.clients.get(a);
    if (!owner || server === undefined) return;
    if (why === 'failed') owner.givenUp.add(server);
    owner.clients.delete(a);
    this.#owners.delete(a);
  }
}

const [computer, client] = ['c#1', 'c/client:fs#1'];
const plans = (...names: string[]) => ({ servers: names.map((server) => ({ rules: { server } })) });
const born = [
  opens(computer, 'computer', 'host', plans('fs')),
  opens(client, 'client', computer, { server: 'fs' }),
];
const config = (...names: string[]) => posts('host', 'c', 'servers.set', plans(...names));

export const configHasClients: Invariant = {
  invariant: 'every server in the config has a client',
  why: 'Whoever is in the config is looked after, however often it was taken out and put back (liveness).',
  sees: ['open', 'end', 'post servers.set', 'post close'],
  open: () => new ConfigHasClients(),
  violating: [
    {
      how: 'one that was put back and is not opened',
      seen: story(...born, config(), config('fs'), 10, ends(client)),
      until: 'quiescent',
      said: 'nobody keeps fs',
    },
    {
      how: 'one that is new',
      seen: story(...born, config('fs', 'git')),
      until: 'quiescent',
      said: 'nobody keeps git',
    },
  ],
  passing: [
    { how: 'one that lives', seen: story(...born), until: 'quiescent' },
    { how: 'one that was taken out', seen: story(...born, config(), 10, ends(client)), until: 'quiescent' },
    {
      how: 'one whose machine failed too often',
      seen: story(...born, ends(client, 'failed')),
      until: 'quiescent',
    },
    {
      how: 'a computer that closes',
      seen: story(...born, posts('host', 'c', 'close'), ends(client)),
      until: 'quiescent',
    },
  ],
};
