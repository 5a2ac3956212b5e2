import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { posts, story, tells } from '../record-builders.ts';

class RolledBack implements Judge {
  /** By the name of its client: what it goes back to. */
  readonly #wanted = new Map<Address, number>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'out') {
      const server = serverIn(record.a) ?? '';
      const wanted = this.#wanted.get(server);
      const { input } = record.ev as Said<{ input: { generation?: number } }>;
      this.#wanted.delete(server);
      if (wanted === undefined || input?.generation === wanted) return undefined;
      return { at: record.a, what: `is generation ${input?.generation}, and goes back to ${wanted}` };
    }
    if (record.k === 'end') this.#wanted.delete(nameOf(record.a));
    if (record.k !== 'post') return undefined;
    const { type, generation = 0 } = record.ev as Said<{ generation: number }>;
    if (type === 'server.update') this.#wanted.delete(nameOf(record.a));
    else if (record.from.includes('/')) this.#wanted.set(nameOf(record.from), generation);
    return undefined;
  }
}

const client = 'c/client:fs#1';
const goesBack = posts(client, 'c#1', 'server.rolledBack', { server: 'fs', generation: 1 });
const launched = (generation: number) =>
  tells('process', 'c/client:fs/process#3/process#1', 'leaf.open', { input: { generation } });
const update = posts('c#1', 'c/client:fs', 'server.update');

export const rolledBack: Invariant = {
  invariant: 'a server that is rolled back is launched with its previous config',
  why: 'A config with which it cannot start costs nobody the server that ran (rollback).',
  sees: ['out leaf.open', 'post server.rolledBack', 'post server.update', 'end'],
  open: () => new RolledBack(),
  violating: [
    {
      how: 'one that is launched once more as it cannot start',
      seen: story(goesBack, 10, launched(2)),
      said: 'is generation 2, and goes back to 1',
    },
  ],
  passing: [
    { how: 'one that is as it was', seen: story(goesBack, 10, launched(1), 10, launched(2)) },
    { how: 'a third config', seen: story(goesBack, update, launched(3)) },
    { how: 'what the host is told', seen: story(posts('c#1', 'host:c', 'server.rolledBack'), launched(2)) },
  ],
};
