import { lastChangeOf, type CatalogList, type History } from '../../machines/catalog/index.ts';
import type { CatalogStatus } from '../api/computer/server-handle.ts';
import type { Directory } from '../runtime/directory.ts';

interface Snapshot {
  readonly value: unknown;
  readonly context: {
    readonly server: string;
    readonly list: CatalogList;
    readonly entries: readonly object[];
    readonly revision: number;
    readonly failures: number;
    readonly history: History;
  };
}
const stateOf = (value: unknown): CatalogStatus['state'] =>
  (typeof value === 'string' ? value : Object.keys(value as object)[0]) as CatalogStatus['state'];

/** Where each list of each server stands, and why each of its entries last changed; read from the machines. */
export function catalogsOf(directory: Directory, times: ReadonlyMap<string, number>): CatalogStatus[] {
  const catalogs = [...directory.roots].filter(({ kind }) => kind === 'catalog');
  return catalogs.map(({ ref }) => {
    const { value, context: c } = ref.getSnapshot() as unknown as Snapshot;
    const keys = [...Object.keys(c.history.present), ...c.history.gone.map(({ key }) => key)];
    const changes = keys.flatMap((key) => {
      const last = lastChangeOf(c.history, key);
      if (!last) return [];
      // What went with its server has no revision of its own.
      const at = times.get(`${c.server}/${c.list}@${last.revision}`);
      const left = last.change === 'removed' ? times.get(c.server) : undefined;
      const ms = Math.max(at ?? 0, left ?? 0);
      return [{ key, ...last, ...(ms > 0 && { at: new Date(ms).toISOString() }) }];
    });
    return {
      server: c.server,
      list: c.list,
      state: stateOf(value),
      revision: c.revision,
      entries: c.entries.length,
      failures: c.failures,
      changes,
    };
  });
}
