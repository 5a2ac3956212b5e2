import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Invariant, Judge } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { hears, opens, posts, story, tells } from '../record-builders.ts';
import { isOver } from './child.ts';

type Servers = { readonly servers?: readonly { readonly rules: { readonly server: string } }[] };
const namesIn = ({ servers = [] }: Servers): ReadonlySet<string> =>
  new Set(servers.map(({ rules }) => rules.server));

class OffMeansNoProcess implements Judge {
  /** By computer: the servers that are switched on. */
  readonly #on = new Map<Address, ReadonlySet<string>>();
  /** By the place of its client: whose server it is. */
  readonly #servers = new Map<Address, { readonly computer: Address; readonly server: string }>();
  readonly #living = new Set<Address>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'open') {
      if (record.kind === 'computer') this.#on.set(nameOf(record.a), namesIn(record.input));
      if (record.kind !== 'client') return;
      const { server } = record.input as { readonly server: string };
      this.#servers.set(nameOf(record.a), { computer: nameOf(record.from), server });
    } else if (record.k === 'post') {
      const computer = nameOf(record.a);
      if (record.dead === undefined && this.#on.has(computer))
        this.#on.set(computer, namesIn(record.ev as Servers));
    } else if (isOver(record)) this.#living.delete((record as { readonly a: Address }).a);
    else if (record.k === 'out' && record.port === 'process') this.#living.add(record.a);
    return undefined;
  }
  quiescent(): readonly Found[] {
    return [...this.#living].flatMap((at): Found[] => {
      const owner = this.#servers.get(serverIn(at) ?? '');
      const on = owner && this.#on.get(owner.computer);
      if (!on || on.has(owner.server)) return [];
      return [{ at, what: `a process of ${owner.server} lives, which is switched off`, kind: 'liveness' }];
    });
  }
}

const planOf = (server: string) => ({ rules: { server } });
const born = [
  opens('c#1', 'computer', 'host:c', { servers: [planOf('fs')] }),
  opens('c/client:fs#1', 'client', 'c#1', { server: 'fs' }),
];
const child = 'c/client:fs#1/process#1/process#1';
const starts = tells('process', child, 'leaf.open');
const exits = hears(child, 'child.exited', { left: 0 });
const says = (...servers: string[]) => posts('host', 'c', 'servers.set', { servers: servers.map(planOf) });

export const offMeansNoProcess: Invariant = {
  invariant: 'a server that is switched off has no process',
  why: 'With mcpEnabled off no process lives, nor one of a server that is disabled or not in the config any more.',
  sees: [
    ...(['open', 'post servers.set', 'in child.exited', 'in child.failed', 'in group.emptied'] as const),
    ...(['out leaf.open', 'out leaf.close'] as const),
  ],
  open: () => new OffMeansNoProcess(),
  violating: [
    {
      how: 'a process that goes on when all is switched off',
      seen: story(...born, starts, says()),
      until: 'quiescent',
      said: 'a process of fs lives, which is switched off',
    },
    {
      how: 'a process that begins only then',
      seen: story(...born, says('git'), starts),
      until: 'quiescent',
      said: 'a process of fs lives, which is switched off',
    },
  ],
  passing: [
    { how: 'a process that ends', seen: story(...born, starts, says(), exits), until: 'quiescent' },
    {
      how: 'a server that is switched on again',
      seen: story(...born, says(), says('fs'), starts),
      until: 'quiescent',
    },
    { how: 'a process from before the first record', seen: story(starts, says()), until: 'quiescent' },
  ],
};
